//! Snapshots as MCP resources: a snapshot's metadata, its history and each of its files have a URI.

use crate::api::mcp::answer::refused;
use crate::api::mcp::jsonrpc::{INVALID_PARAMS, RpcError};
use crate::api::mcp::revision::Revision;
use crate::api::operation::{Operation, SnapshotTarget};
use crate::api::operations::snapshot_files::ReadFile;
use crate::api::operations::snapshots::get::GetSnapshot;
use crate::api::operations::snapshots::list::{Input as EventsOf, ListSnapshotEvents};
use crate::domain::json::{read_own, render};
use crate::domain::{BackupId, ErrorCode, Result, SessionId, SnapshotSelector, SnapshotSummary};
use crate::ports::sandbox::{Encoding, ReadFileResult};
use crate::session::{ReadSnapshotFile, SnapshotPage};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde_json::{Value, json};

/// The suffix of a snapshot's URI for its history.
const HISTORY: &str = "/events";
/// The part between a snapshot's URI and the path of a file.
const FILES: &str = "/files/";
const JSON: &str = "application/json";
/// An error code of the older revision; the newer revision dropped it.
const RESOURCE_NOT_FOUND: i32 = -32_002;

/// The URI prefix of a session's snapshots. An id follows it.
fn base(session: &SessionId) -> String {
    // These two characters of a session id are special in a URI's authority.
    let authority = session.as_str().replace(':', "%3A").replace('@', "%40");
    format!("workspace://{authority}/snapshots/")
}

/// The operation that reads a URI of this session: a snapshot, its history, or one of its files.
pub(crate) fn parse_uri(
    revision: Revision,
    session: &SessionId,
    uri: &str,
) -> Result<Operation, RpcError> {
    let path = uri
        .strip_prefix(&base(session))
        .or_else(|| uri.strip_prefix(&format!("workspace://{session}/snapshots/")))
        .ok_or_else(|| not_found(revision, uri))?;
    let snapshot = |id| match BackupId::parse(id) {
        Ok(id) => Ok(SnapshotSelector::Id(id)),
        Err(_no_id) => Err(not_found(revision, uri)),
    };
    if let Some((id, path)) = path.split_once(FILES) {
        let path = percent_decode_str(path).decode_utf8();
        let path = path.map_err(|_not_text| not_found(revision, uri))?.into_owned();
        return Ok(Operation::of::<ReadFile>(ReadSnapshotFile::whole(snapshot(id)?, path)));
    }
    let (id, history) = path.strip_suffix(HISTORY).map_or((path, false), |id| (id, true));
    let r#ref = snapshot(id)?;
    Ok(if history {
        Operation::of::<ListSnapshotEvents>(EventsOf { r#ref, limit: None, cursor: None })
    } else {
        Operation::of::<GetSnapshot>(SnapshotTarget { r#ref, allow_cross_session: false })
    })
}

/// The error for a URI without a snapshot that this session may see.
fn not_found(revision: Revision, uri: &str) -> RpcError {
    let code = match revision {
        Revision::Handshake => RESOURCE_NOT_FOUND,
        Revision::Stateless => INVALID_PARAMS,
    };
    RpcError::new(code, "Resource not found").with_data(json!({ "uri": uri }))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    uri: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    mime_type: &'static str,
    annotations: Annotations,
    #[serde(rename = "_meta")]
    meta: Meta,
}

/// Facts about a snapshot for which the protocol has no field.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    restorable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    unrestorable_because: Option<ErrorCode>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Annotations {
    last_modified: String,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    resources: Vec<Resource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// The result of `resources/list`. It is empty for a session without the snapshot module.
pub(crate) fn listed(session: &SessionId, answer: Result<Value>) -> Result<Value, RpcError> {
    let page: SnapshotPage = match answer {
        Ok(page) => read_own("a page", page).map_err(|error| refused(&error))?,
        Err(error) if error.code == ErrorCode::Unsupported => SnapshotPage::default(),
        Err(error) => return Err(refused(&error)),
    };
    let base = base(session);
    let resource = |snapshot: SnapshotSummary| Resource {
        uri: format!("{base}{}", snapshot.id),
        name: snapshot.annotations.name.unwrap_or_else(|| snapshot.id.to_string()),
        description: snapshot.annotations.description,
        mime_type: JSON,
        annotations: Annotations { last_modified: snapshot.created_at },
        meta: Meta {
            restorable: snapshot.restorable,
            unrestorable_because: snapshot.unrestorable_because,
        },
    };
    let resources = page.snapshots.into_iter().map(|listed| resource(listed.snapshot)).collect();
    render(&Listed { resources, next_cursor: page.next_cursor }).map_err(|error| refused(&error))
}

/// The result of `resources/read`.
pub(crate) fn read(
    revision: Revision,
    uri: &str,
    answer: Result<Value>,
) -> Result<Value, RpcError> {
    match answer {
        Ok(answer) => Ok(json!({ "contents": [contents(uri, answer)?] })),
        Err(error) if error.code == ErrorCode::SnapshotNotOwned => Err(not_found(revision, uri)),
        Err(error) => Err(refused(&error)),
    }
}

fn contents(uri: &str, answer: Value) -> Result<Value, RpcError> {
    if !uri.contains(FILES) {
        return Ok(json!({ "uri": uri, "mimeType": JSON, "text": answer.to_string() }));
    }
    let ReadFileResult { content, encoding, mime_type, .. } =
        read_own("a file", answer).map_err(|error| refused(&error))?;
    Ok(match encoding {
        Encoding::Utf8 => json!({ "uri": uri, "mimeType": mime_type, "text": content }),
        Encoding::Base64 => json!({ "uri": uri, "mimeType": mime_type, "blob": content }),
    })
}

/// The result of `resources/templates/list`.
pub(crate) fn templates(session: &SessionId) -> Value {
    json!({ "resourceTemplates": [{
        "uriTemplate": format!("{}{{id}}", base(session)),
        "name": "snapshot",
        "title": "Snapshot",
        "description": "What a snapshot of this workspace is: its ref, name, time, size, expiry and parent.",
        "mimeType": JSON,
    }, {
        "uriTemplate": format!("{}{{id}}{HISTORY}", base(session)),
        "name": "snapshot history",
        "title": "History of a snapshot",
        "description": "The latest events that name a snapshot, newest first: taken, changed, restored, deleted.",
        "mimeType": JSON,
    }, {
        "uriTemplate": format!("{}{{id}}{FILES}{{+path}}", base(session)),
        "name": "snapshot file",
        "title": "File of a snapshot",
        "description": "A file of a snapshot, at most 2 MiB, under its path from the snapshot's root.",
    }] })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";

    #[test]
    fn a_uri_names_a_file_of_a_snapshot() {
        let session = SessionId::parse("s").unwrap();
        for (path, meant) in [
            ("src/main.py", "src/main.py"),
            ("a%20b/%C3%A4.txt", "a b/ä.txt"),
            ("..%2f..%2Fetc", "../../etc"),
            ("events", "events"),
            ("files/events", "files/events"),
        ] {
            let uri = format!("workspace://s/snapshots/{ID}/files/{path}");
            let operation = parse_uri(Revision::Stateless, &session, &uri).unwrap();
            let sent = serde_json::to_value(&operation).unwrap();
            assert_eq!(sent["op"], "readFile");
            assert_eq!((&sent["args"]["ref"], &sent["args"]["path"]), (&json!(ID), &json!(meant)));
        }
    }

    #[test]
    fn a_file_is_text_or_a_blob() {
        let uri = format!("workspace://s/snapshots/{ID}/files/a");
        let read = |encoding| {
            let file = json!({ "content": "YQ==", "encoding": encoding, "mimeType": "image/png" });
            read(Revision::Stateless, &uri, Ok(file)).unwrap()["contents"][0].clone()
        };
        assert_eq!(read("utf-8"), json!({ "uri": uri, "mimeType": "image/png", "text": "YQ==" }));
        assert_eq!(read("base64"), json!({ "uri": uri, "mimeType": "image/png", "blob": "YQ==" }));
    }

    #[test]
    fn a_uri_names_a_snapshot_of_this_session_only() {
        let session = SessionId::parse("team:a@b").unwrap();
        for uri in [
            format!("workspace://team%3Aa%40b/snapshots/{ID}"),
            format!("workspace://team:a@b/snapshots/{ID}"),
        ] {
            for (uri, op) in [(uri.clone(), "get"), (format!("{uri}/events"), "listSnapshotEvents")]
            {
                let operation = parse_uri(Revision::Stateless, &session, &uri).unwrap();
                let sent = serde_json::to_value(&operation).unwrap();
                assert_eq!((&sent["op"], &sent["args"]["ref"]), (&json!(op), &json!(ID)), "{uri}");
            }
        }
        for uri in [
            "",
            "workspace://",
            &format!("workspace://other/snapshots/{ID}"),
            &format!("workspace://team:a@b/snapshots/{}", ID.to_uppercase()),
            &format!("workspace://team:a@b/snapshots/{ID}/"),
            &format!("workspace://team:a@b/snapshots/../snapshots/{ID}"),
            &format!("workspace://team:a@b/snapshots/{ID}/files"),
            &format!("workspace://team:a@b/snapshots/{ID}/files/%ff"),
            "workspace://team:a@b/snapshots/by-name/files/a",
            &format!("workspace://other/snapshots/{ID}/files/a"),
            "workspace://team:a@b/snapshots/by-name",
            "workspace://team:a@b/snapshots/by-name/events",
            &format!("workspace://team:a@b/snapshots/{ID}/events/events"),
            &format!("workspace://other/snapshots/{ID}/events"),
            &format!("https://team:a@b/snapshots/{ID}"),
        ] {
            let code = |revision| parse_uri(revision, &session, uri).unwrap_err().code;
            assert_eq!(code(Revision::Stateless), INVALID_PARAMS, "{uri}");
            assert_eq!(code(Revision::Handshake), RESOURCE_NOT_FOUND, "{uri}");
        }
    }
}
