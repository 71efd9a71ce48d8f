//! What callers say of a snapshot that a call makes.

/// Declares the arguments of an operation that makes a snapshot: what callers say of it, and the
/// operation's own fields. Not a flattened struct: serde then takes unknown fields.
macro_rules! describing {
    ($(#[$meta:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(schemas, derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
        pub struct $name {
            /// Name within the session.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::SNAPSHOT_NAME_MAX_CHARS), regex(pattern = crate::domain::schemas::NAME_PATTERN)))]
            pub name: Option<String>,
            /// What to remember.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[cfg_attr(schemas, schemars(length(max = crate::domain::limits::SNAPSHOT_DESCRIPTION_MAX_CHARS), regex(pattern = crate::domain::schemas::TEXT_PATTERN)))]
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
            /// What is said of the snapshot, taken out.
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
