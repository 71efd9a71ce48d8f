//! Shows refs together with their ids, so that callers need not look into refs. Each module is for
//! the field with its name, with `#[serde(flatten, with = …)]`. Each type is that field's schema.

use crate::domain::{BackupId, SandboxId, SnapshotRef, WorkspaceRef};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! beside {
    ($($module:ident: $type:ident {
        $(#[$ref_meta:meta])+ $field:ident: $ref:ty,
        $(#[$id_meta:meta])+ $id_field:ident: $id:ty = $id_of:expr,
    })+) => {$(
        /// A ref and the id of what it names.
        #[derive(Serialize)]
        #[cfg_attr(schemas, derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        pub struct $type {
            $(#[$ref_meta])+
            pub $field: $ref,
            $(#[$id_meta])+
            pub $id_field: $id,
        }

        /// Shows a ref with the id of what it names.
        pub mod $module {
            use super::*;

            /// Adds the id.
            ///
            /// # Errors
            /// The serializer's.
            pub fn serialize<S: Serializer>(of: &$ref, serializer: S) -> Result<S::Ok, S::Error> {
                let id_of: fn(&$ref) -> $id = $id_of;
                $type { $id_field: id_of(of), $field: of.clone() }.serialize(serializer)
            }

            /// Reads only the ref, which contains the id.
            ///
            /// # Errors
            /// The deserializer's.
            pub fn deserialize<'de, D: Deserializer<'de>>(of: D) -> Result<$ref, D::Error> {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Read {
                    $field: $ref,
                }
                Read::deserialize(of).map(|read| read.$field)
            }
        }
    )+};
}

beside! {
    workspace_ref: WorkspaceWithId {
        /// Its ref.
        r#ref: WorkspaceRef,
        /// Its id.
        workspace_id: SandboxId = |of| of.sandbox_id().clone(),
    }
    placed_ref: PlacedWithId {
        /// The workspace.
        workspace: WorkspaceRef,
        /// Its id.
        workspace_id: SandboxId = |of| of.sandbox_id().clone(),
    }
    active_ref: ActiveWithId {
        /// The workspace that tools act on.
        active: WorkspaceRef,
        /// Its id.
        active_workspace_id: SandboxId = |of| of.sandbox_id().clone(),
    }
    snapshot_ref: SnapshotWithId {
        /// Its ref.
        r#ref: SnapshotRef,
        /// Its id.
        snapshot_id: BackupId = |of| of.payload.backup.id.clone(),
    }
    safety_ref: SafetyWithId {
        /// The safety snapshot: the files before the change. Absent if nothing was changed, as in a
        /// dry run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        safety_ref: Option<SnapshotRef>,
        /// Its id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        safety_snapshot_id: Option<BackupId> = |of| Some(of.as_ref()?.payload.backup.id.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::BackupDir;
    use serde_json::json;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Answer {
        #[serde(flatten, with = "workspace_ref")]
        r#ref: WorkspaceRef,
        #[serde(flatten, with = "safety_ref")]
        safety_ref: Option<SnapshotRef>,
        other: u32,
    }

    #[test]
    fn an_id_is_beside_each_ref_and_nowhere_else() {
        let r#ref = WorkspaceRef::new(SandboxId::parse("sess").unwrap());
        let id = BackupId::from_random([1; 16]);
        let safety = SnapshotRef::new(id.clone(), BackupDir::parse("/workspace").unwrap(), None);
        let answer = Answer { r#ref, safety_ref: Some(safety), other: 1 };
        let shown = serde_json::to_value(&answer).unwrap();
        assert_eq!(
            (&shown["workspaceId"], &shown["safetySnapshotId"]),
            (&json!("sess"), &json!(id))
        );
        assert_eq!(shown["ref"]["ref"]["id"], "sess");
        assert_eq!(serde_json::from_value::<Answer>(shown).unwrap(), answer);
        let without = Answer { safety_ref: None, ..answer };
        let shown = serde_json::to_value(&without).unwrap();
        assert_eq!(shown.as_object().unwrap().len(), 3, "{shown}");
        assert_eq!(serde_json::from_value::<Answer>(shown).unwrap(), without);
    }
}
