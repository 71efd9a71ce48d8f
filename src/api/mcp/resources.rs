//! Snapshots as resources: each snapshot's metadata has an address. To reach its
//! files, restore it.

use crate::api::mcp::answer::refused;
use crate::api::mcp::jsonrpc::{INVALID_PARAMS, RpcError};
use crate::api::mcp::revision::Revision;
use crate::domain::error::{ErrorCode, Result};
use crate::domain::ids::{BackupId, SessionId};
use crate::domain::json::{read_own, render};
use crate::domain::snapshot::SnapshotSummary;
use crate::session::SnapshotPage;
use serde::Serialize;
use serde_json::Value;
use serde_json::json;

const JSON: &str = "application/json";
/// Only in the older revision; the newer one dropped it.
const RESOURCE_NOT_FOUND: i32 = -32_002;

/// The address of a session's snapshots, to which an id is added.
fn base(session: &SessionId) -> String {
    // These two characters of a session id have a meaning in a URI's authority.
    let authority = session.as_str().replace(':', "%3A").replace('@', "%40");
    format!("workspace://{authority}/snapshots/")
}

/// The snapshot that a URI names, if it is one of this session.
pub(crate) fn parse_uri(
    revision: Revision,
    session: &SessionId,
    uri: &str,
) -> Result<BackupId, RpcError> {
    let id = uri
        .strip_prefix(&base(session))
        .or_else(|| uri.strip_prefix(&format!("workspace://{session}/snapshots/")));
    id.and_then(|id| BackupId::parse(id).ok()).ok_or_else(|| not_found(revision, uri))
}

/// The error for an address without a snapshot that this session may see.
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

/// Facts about a snapshot that the protocol has no field for.
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

/// The result of `resources/list`. A session without the snapshot module has none.
pub(crate) fn listed(session: &SessionId, answer: Result<Value>) -> Result<Value, RpcError> {
    let page: SnapshotPage = match answer {
        Ok(page) => read_own("a page", page).map_err(|error| refused(&error))?,
        Err(error) if error.code == ErrorCode::Unsupported => SnapshotPage::default(),
        Err(error) => return Err(refused(&error)),
    };
    let base = base(session);
    let resource = |snapshot: SnapshotSummary| Resource {
        uri: format!("{base}{}", snapshot.id),
        name: snapshot.name.unwrap_or_else(|| snapshot.id.to_string()),
        description: snapshot.description,
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
        Ok(snapshot) => Ok(json!({
            "contents": [{ "uri": uri, "mimeType": JSON, "text": snapshot.to_string() }],
        })),
        Err(error) if error.code == ErrorCode::SnapshotNotOwned => Err(not_found(revision, uri)),
        Err(error) => Err(refused(&error)),
    }
}

/// The result of `resources/templates/list`.
pub(crate) fn templates(session: &SessionId) -> Value {
    json!({ "resourceTemplates": [{
        "uriTemplate": format!("{}{{id}}", base(session)),
        "name": "snapshot",
        "title": "Snapshot",
        "description": "What a snapshot of this workspace is: its ref, name, time, size, expiry and parent. \
            To see its files, restore it with the tool workspace_restore.",
        "mimeType": JSON,
    }] })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";

    #[test]
    fn a_uri_names_a_snapshot_of_this_session_only() {
        let session = SessionId::parse("team:a@b").unwrap();
        for uri in [
            format!("workspace://team%3Aa%40b/snapshots/{ID}"),
            format!("workspace://team:a@b/snapshots/{ID}"),
        ] {
            assert_eq!(parse_uri(Revision::Stateless, &session, &uri).unwrap().as_str(), ID);
        }
        for uri in [
            "",
            "workspace://",
            &format!("workspace://other/snapshots/{ID}"),
            &format!("workspace://team:a@b/snapshots/{}", ID.to_uppercase()),
            &format!("workspace://team:a@b/snapshots/{ID}/"),
            &format!("workspace://team:a@b/snapshots/../snapshots/{ID}"),
            "workspace://team:a@b/snapshots/by-name",
            &format!("https://team:a@b/snapshots/{ID}"),
        ] {
            let code = |revision| parse_uri(revision, &session, uri).unwrap_err().code;
            assert_eq!(code(Revision::Stateless), INVALID_PARAMS, "{uri}");
            assert_eq!(code(Revision::Handshake), RESOURCE_NOT_FOUND, "{uri}");
        }
    }
}
