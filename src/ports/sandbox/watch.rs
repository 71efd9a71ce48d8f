//! Events about changing files, as Server-Sent Events.

use crate::domain::error::{Error, ErrorBody, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::InstanceId;
use crate::domain::time::rfc3339;
use crate::ports::sandbox::exec_event::to_sse;
use crate::ports::sandbox::files::FoundPath;
use serde::{Deserialize, Serialize};

/// Options of `watch`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WatchOptions {
    /// As in [`crate::ports::sandbox::FileOptions`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<AbsolutePath>,
    /// As in [`crate::ports::sandbox::CreateBackupOptions`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
    /// Watch only the directory itself, not those below it.
    pub shallow: bool,
    /// Globs of names to skip, with everything below them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
}

/// One event of a watch. Changes within about 100 ms come together, and repeated changes of one
/// path come once. The contents of a new directory may be reported as `created` twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct WatchEvent {
    /// When it was sent, in RFC 3339.
    pub timestamp: String,
    /// What happened.
    #[serde(flatten)]
    pub kind: WatchEventKind,
}

/// What happened. Paths are relative to the workspace's root.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum WatchEventKind {
    /// The watch reports every change from now on. Always the first event.
    Watching {
        /// Number of watched directories.
        directories: u64,
    },
    /// A file or directory was created.
    Created(Changed),
    /// Its content, mode, owner or times changed, or a file tool wrote it, new or not.
    Modified(Changed),
    /// It was deleted, or moved out of the watched directory.
    Deleted(Changed),
    /// It was renamed.
    #[serde(rename_all = "camelCase")]
    Renamed {
        /// The old path.
        from: String,
        /// The bytes of `from` in base64, if they are not UTF-8.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_base64: Option<String>,
        /// The new path.
        #[serde(flatten)]
        to: Changed,
    },
    /// Changes were lost: look at the files. The watch reports every change from
    /// now on.
    Overflow,
    /// The watch reached its time limit of an hour: watch again. The last event.
    Ended,
    /// The watch failed. The last event.
    Error {
        /// Why.
        error: ErrorBody,
    },
}

/// A changed file or directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Changed {
    /// Its path.
    #[serde(flatten)]
    pub path: FoundPath,
    /// Whether it is a directory. A link to a directory is not one.
    pub directory: bool,
}

impl WatchEventKind {
    /// Encodes a Server-Sent Event.
    ///
    /// # Errors
    /// `INTERNAL` if it can't be encoded as JSON.
    pub fn to_sse(self, now_ms: i64) -> Result<Vec<u8>> {
        to_sse(&WatchEvent { timestamp: rfc3339(now_ms), kind: self })
    }

    /// The event of a failed watch.
    #[must_use]
    pub fn failed(error: &Error) -> Self {
        Self::Error { error: error.to_wire().error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::error::ErrorCode;
    use serde_json::json;

    #[test]
    fn watch_events_format_unchanged() {
        let changed = |path: &str, coded: Option<&str>| Changed {
            path: FoundPath { path: path.into(), path_base64: coded.map(str::to_owned) },
            directory: coded.is_none(),
        };
        let events = [
            WatchEventKind::Watching { directories: 3 },
            WatchEventKind::Created(changed("a\nb", None)),
            WatchEventKind::Modified(changed("a\u{fffd}", Some("Yf8="))),
            WatchEventKind::Deleted(changed("c", None)),
            WatchEventKind::Renamed {
                from: "\u{fffd}".into(),
                from_base64: Some("/w==".into()),
                to: changed("d", None),
            },
            WatchEventKind::Overflow,
            WatchEventKind::Ended,
            WatchEventKind::failed(&Error::new(ErrorCode::WorkspaceLost, "gone")),
        ];
        let shown: Vec<serde_json::Value> = events
            .iter()
            .map(|kind| {
                let event = WatchEvent { timestamp: rfc3339(0), kind: kind.clone() };
                let shown = serde_json::to_value(&event).unwrap();
                assert_eq!(serde_json::from_value::<WatchEvent>(shown.clone()).unwrap(), event);
                shown
            })
            .collect();
        let at = "1970-01-01T00:00:00.000Z";
        assert_eq!(
            json!(shown),
            json!([
                { "type": "watching", "timestamp": at, "directories": 3 },
                { "type": "created", "timestamp": at, "path": "a\nb", "directory": true },
                { "type": "modified", "timestamp": at, "path": "a\u{fffd}", "pathBase64": "Yf8=", "directory": false },
                { "type": "deleted", "timestamp": at, "path": "c", "directory": true },
                { "type": "renamed", "timestamp": at, "from": "\u{fffd}", "fromBase64": "/w==", "path": "d", "directory": true },
                { "type": "overflow", "timestamp": at },
                { "type": "ended", "timestamp": at },
                { "type": "error", "timestamp": at, "error": {
                    "code": "WORKSPACE_LOST", "message": "gone", "retryable": false, "outcome": "none",
                    "hint": "call again; if that fails too, restore a snapshot or start fresh" } },
            ])
        );
    }
}
