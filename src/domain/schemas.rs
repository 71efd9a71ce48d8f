//! JSON Schemas of the types that parse themselves from text, as strict as their parsers. Other
//! types derive their schemas. Only builds that generate the OpenAPI document have this module.

use crate::domain::egress::{HostPattern, SecretHost};
use crate::domain::limits::{
    CHECKPOINT_NAME_MAX_CHARS, IDEMPOTENCY_KEY_MAX_CHARS, LABEL_KEY_MAX_CHARS,
    LABEL_VALUE_MAX_CHARS, LABELS_MAX, OPERATION_ID_MAX_CHARS, PATH_MAX_BYTES,
    PROCESS_NAME_MAX_CHARS, SANDBOX_ID_MAX_CHARS, SESSION_ID_MAX_CHARS, SNAPSHOT_NAME_MAX_CHARS,
    TTL_MAX_SECS, TTL_MIN_SECS, UPLOAD_ID_MAX_CHARS, UPLOAD_PARTS_MAX,
};
use crate::domain::snapshot::annotations::Cleared;
use crate::domain::snapshot::backup::Ttl;
use crate::domain::snapshot::labels::Labels;
use crate::domain::{
    BackupDir, BackupId, CodeContextId, GitCheckpointName, IdempotencyKey, InstanceId, OperationId,
    PartNumber, PoolId, PreviewId, ProcessName, SandboxId, SessionId, SleepAfter, SnapshotRef,
    SnapshotSelector, TerminalId, TokenId, ToolSelection, TreeSelector, TurnCursor, TurnSelector,
    UploadId, WorkspaceRef,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;
use std::borrow::Cow;

const BACKUP_ID_PATTERN: &str =
    "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";

/// A name whose last label may be public. The parser also accepts capitals, a dot at the end, and
/// public IPv4 addresses.
const HOST_PATTERN: &str = "(?![^/]*\\.(?:localhost|local|internal|intranet|lan|home|corp|private|arpa)$)(?:\\*\\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\\.)+[a-z_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";

macro_rules! schema {
    ($type:ident, $json:expr) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $json
            }
        }
    };
}

schema!(
    SessionId,
    json_schema!({
        "description": "Name of a session.",
        "type": "string",
        "pattern": format!("^(?!\\.{{1,2}}$)[A-Za-z0-9._:@-]{{1,{SESSION_ID_MAX_CHARS}}}$"),
    })
);
schema!(
    SandboxId,
    json_schema!({
        "description": "Name of a sandbox, which holds one workspace.",
        "type": "string",
        "pattern": format!(
            "^(?!(?:www|api|admin|root|system|cloudflare|workers)$)[a-z0-9](?:[a-z0-9-]{{0,{}}}[a-z0-9])?$",
            SANDBOX_ID_MAX_CHARS - 2
        ),
    })
);
schema!(
    BackupId,
    json_schema!({
        "description": "Id of a snapshot: a lowercase UUID v4.",
        "type": "string",
        "pattern": BACKUP_ID_PATTERN,
    })
);
schema!(InstanceId, json_schema!({ "type": "string", "pattern": "^[0-9a-hjkmnp-tv-z]{26}$" }));
schema!(
    PoolId,
    json_schema!({
        "description": "Id of a warm pool.",
        "type": "string",
        "pattern": "^[0-9a-hjkmnp-tv-z]{26}$",
    })
);
schema!(
    TokenId,
    json_schema!({
        "description": "Id of a session token, by which it is revoked. No secret.",
        "type": "string",
        "pattern": "^[0-9a-hjkmnp-tv-z]{26}$",
    })
);
schema!(
    PreviewId,
    json_schema!({
        "description": "Id of a preview, by which it is revoked. No secret.",
        "type": "string",
        "pattern": "^[0-9a-hjkmnp-tv-z]{26}$",
    })
);
schema!(
    TerminalId,
    json_schema!({
        "description": "Id of a terminal, by which a viewer comes back to it.",
        "type": "string",
        "pattern": "^[0-9a-hjkmnp-tv-z]{26}$",
    })
);
schema!(
    CodeContextId,
    json_schema!({
        "type": "string",
        "pattern": "^[0-9a-hjkmnp-tv-z]{26}$",
    })
);
schema!(
    OperationId,
    json_schema!({
        "description": "Name of a call, by which it is cancelled.",
        "type": "string",
        "pattern": format!("^[A-Za-z0-9_-]{{1,{OPERATION_ID_MAX_CHARS}}}$"),
    })
);
schema!(
    ProcessName,
    json_schema!({
        "type": "string",
        "pattern": format!("^[A-Za-z0-9_-]{{1,{PROCESS_NAME_MAX_CHARS}}}$"),
    })
);
schema!(
    UploadId,
    json_schema!({
        "description": "Name that the caller gives to the upload.",
        "type": "string",
        "pattern": format!("^[A-Za-z0-9_-]{{1,{UPLOAD_ID_MAX_CHARS}}}$"),
    })
);
schema!(
    GitCheckpointName,
    json_schema!({
        "type": "string",
        "maxLength": CHECKPOINT_NAME_MAX_CHARS,
        "pattern": "^(?!.*\\.(?:\\.|lock$|$))[A-Za-z0-9_][A-Za-z0-9_.-]*$",
    })
);
schema!(PartNumber, json_schema!({ "type": "integer", "minimum": 1, "maximum": UPLOAD_PARTS_MAX }));
schema!(
    IdempotencyKey,
    json_schema!({
        "description": "A name for the request. For 24 hours, a repetition with the same name gets the first answer; a tool that only reads runs again.",
        "type": "string",
        "pattern": format!("^[\\x21-\\x7e]{{1,{IDEMPOTENCY_KEY_MAX_CHARS}}}$"),
    })
);
schema!(
    HostPattern,
    json_schema!({
        "description": "A public host, such as api.example.com, or *.example.com for all below one.",
        "type": "string",
        "maxLength": 253,
        "pattern": format!("^{HOST_PATTERN}$"),
    })
);
schema!(
    SecretHost,
    json_schema!({
        "description": "A host as in `network.hosts`. With http:// in front, requests without TLS get the secret, and those with TLS do not.",
        "type": "string",
        "maxLength": 260,
        "pattern": format!("^(?:https?://)?{HOST_PATTERN}$"),
    })
);
schema!(
    BackupDir,
    json_schema!({
        "description": "A directory that snapshots may capture: at or under /workspace, /home, /app, or under /tmp, /var/tmp.",
        "type": "string",
        "maxLength": PATH_MAX_BYTES,
        "pattern": "^/(?:(?:workspace|home|app)(?:/(?!\\.\\.?(?:/|$))[^/\\x00]+)*|(?:tmp|var/tmp)(?:/(?!\\.\\.?(?:/|$))[^/\\x00]+)+)$",
    })
);
schema!(
    Ttl,
    json_schema!({
        "description": format!(
            "Seconds until the snapshot expires. Default: 30 days after the session's last use; {TTL_MAX_SECS} keeps it until it is deleted."
        ),
        "type": "integer",
        "minimum": TTL_MIN_SECS,
        "maximum": TTL_MAX_SECS,
    })
);
schema!(
    SleepAfter,
    json_schema!({
        "description": "Idle time before a container stops: seconds, or text such as \"10m\"; 1 second to 6 hours.",
        "anyOf": [
            { "type": "integer", "minimum": 1, "maximum": 21_600 },
            {
                "type": "string",
                "pattern": "^(?:(?:[1-9][0-9]{0,3}|1[0-9]{4}|20[0-9]{3}|21[0-5][0-9]{2}|21600)s?|(?:[1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|360)m|[1-6]h)$",
            },
        ],
    })
);

schema!(
    ToolSelection,
    json_schema!({
        "description": "Tools that a model is shown: core, all, comma-separated names, or a list of names.",
        "anyOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "items": { "type": "string", "minLength": 1 }, "minItems": 1 },
        ],
    })
);

schema!(
    Labels,
    json_schema!({
        "type": "object",
        "maxProperties": LABELS_MAX,
        "propertyNames": { "pattern": format!("^[A-Za-z0-9._/-]{{1,{LABEL_KEY_MAX_CHARS}}}$") },
        "additionalProperties": {
            "type": "string",
            "maxLength": LABEL_VALUE_MAX_CHARS,
            "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f]*$",
        },
    })
);
schema!(
    Cleared,
    json_schema!({
        "description": "A value to remove.",
        "type": "string",
        "pattern": format!("^(?:name|description|labels|expiresAt|labels\\.[A-Za-z0-9._/-]{{1,{LABEL_KEY_MAX_CHARS}}})$"),
    })
);

/// A caller's reference to a workspace. It is parsed into a [`WorkspaceRef`].
pub struct WorkspaceSelector;

impl JsonSchema for WorkspaceSelector {
    fn schema_name() -> Cow<'static, str> {
        "WorkspaceSelector".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (id, whole) =
            (generator.subschema_for::<SandboxId>(), generator.subschema_for::<WorkspaceRef>());
        json_schema!({
            "description": "Which workspace: its id (workspace:ID, too), or its ref.",
            "anyOf": [id, { "type": "string", "pattern": "^workspace:" }, whole],
        })
    }
}

impl JsonSchema for TurnSelector {
    fn schema_name() -> Cow<'static, str> {
        "TurnSelector".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let before = json_schema!({
            "description": "If that turn has expired or is gone: the newest one before it.",
            "type": "boolean",
        });
        let by = |name: &str, place: Schema| {
            json!({
                "type": "object",
                "properties": { (name): place, "atOrBefore": before.clone() },
                "required": [name],
                "additionalProperties": false,
            })
        };
        json_schema!({
            "description": "A turn of this session, by its number, or the newest one with this cursor.",
            "oneOf": [
                by("turn", generator.subschema_for::<u64>()),
                by("cursor", generator.subschema_for::<TurnCursor>()),
            ],
        })
    }
}

impl JsonSchema for TreeSelector {
    fn schema_name() -> Cow<'static, str> {
        "TreeSelector".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let by = |name: &str, named: Schema| {
            json!({
                "type": "object",
                "properties": { (name): named },
                "required": [name],
                "additionalProperties": false,
            })
        };
        json_schema!({
            "description": "A snapshot, a turn or a workspace: a name or id, turn:3, latest, head, workspace:ID, or now (the active workspace as it is); or an object.",
            "anyOf": [
                generator.subschema_for::<SnapshotSelector>(),
                generator.subschema_for::<WorkspaceRef>(),
                by("snapshot", generator.subschema_for::<SnapshotSelector>()),
                by("workspace", generator.subschema_for::<WorkspaceSelector>()),
            ],
        })
    }
}

impl JsonSchema for SnapshotSelector {
    fn schema_name() -> Cow<'static, str> {
        "SnapshotSelector".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let named = json_schema!({
            "type": "string",
            "minLength": 1,
            "maxLength": SNAPSHOT_NAME_MAX_CHARS,
        });
        json_schema!({
            "description": "Which snapshot: its name or id, turn:3, latest or head; or its ref, or a turn as an object.",
            "anyOf": [
                named,
                generator.subschema_for::<SnapshotRef>(),
                generator.subschema_for::<TurnSelector>(),
            ],
        })
    }
}
