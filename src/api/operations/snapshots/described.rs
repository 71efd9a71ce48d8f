//! Arguments that describe a new snapshot.

use crate::domain::{Error, Next};
use serde_json::Value;

/// Declares the arguments of an operation that makes a snapshot: its description, and the
/// operation's own fields. This is not a flattened struct, because serde would then accept unknown
/// fields.
macro_rules! describing {
    ($(#[$meta:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(schemas, derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
        pub struct $name {
            /// Name within the session.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::SNAPSHOT_NAME_MAX_CHARS), regex(pattern = crate::domain::patterns::NAME_PATTERN)))]
            pub name: Option<String>,
            /// Description.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[cfg_attr(schemas, schemars(length(max = crate::domain::limits::SNAPSHOT_DESCRIPTION_MAX_CHARS), regex(pattern = crate::domain::patterns::TEXT_PATTERN)))]
            pub description: Option<String>,
            /// Time to live in seconds.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub ttl_seconds: Option<crate::domain::snapshot::backup::Ttl>,
            /// Take the name from a snapshot that has it.
            pub replace: bool,
            /// Keys of 63 characters of `A-Z a-z 0-9 . _ / -`, values of 256.
            #[serde(skip_serializing_if = "crate::domain::snapshot::labels::Labels::is_empty")]
            pub labels: crate::domain::snapshot::labels::Labels,
            $($own)*
        }

        impl $name {
            /// Takes the snapshot's description out of the arguments.
            fn take_described(&mut self) -> crate::session::SnapshotRequest {
                crate::session::SnapshotRequest {
                    annotations: crate::domain::snapshot::annotations::Annotations {
                        name: self.name.take(),
                        description: self.description.take(),
                        labels: std::mem::take(&mut self.labels),
                    },
                    ttl: self.ttl_seconds.take(),
                    replace: self.replace,
                    ..crate::session::SnapshotRequest::default()
                }
            }
        }
    };
}

/// Rewords the hint of a taken name for tools, which do not take `replace`.
pub(super) fn without_replace(error: Error) -> Error {
    let holder = error.details.as_ref().and_then(|details| details.get("holder"));
    let Some(holder) = holder.and_then(Value::as_str) else { return error };
    let snapshot = holder.to_owned();
    error.with_hint(Next::FreeName { snapshot })
}
