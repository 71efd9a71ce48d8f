//! Inputs of the tools, as their schemas in `catalogue.json` publish them,
//! where they are not the requests of the use cases themselves.

use crate::domain::backup::{Ttl, parse_rfc3339};
use crate::domain::error::{Error, Result};
use crate::domain::ids::BackupId;
use crate::domain::labels::{LabelFilter, Labels};
use crate::domain::query::SnapshotQuery;
use crate::domain::refs::{SnapshotSelector, WorkspaceRef};
use crate::usecases::host::{ListRequest, RewindRequest, SnapshotEdit, SnapshotRequest};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::{Map, Value};

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct NoInput {}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SnapshotInput {
    name: Option<String>,
    description: Option<String>,
    ttl_seconds: Option<Ttl>,
    #[serde(default)]
    labels: Labels,
}

impl From<SnapshotInput> for SnapshotRequest {
    fn from(input: SnapshotInput) -> Self {
        Self {
            name: input.name,
            description: input.description,
            ttl: input.ttl_seconds,
            replace: false,
            labels: input.labels,
            expected_active: None,
        }
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ForkInput {
    pub r#ref: SnapshotSelector,
    #[serde(default)]
    pub allow_cross_session: bool,
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ForkLiveInput {
    pub count: Option<u32>,
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RewindInput {
    r#ref: SnapshotSelector,
    expected_head: Option<BackupId>,
    #[serde(default)]
    allow_cross_session: bool,
}

impl From<RewindInput> for RewindRequest {
    fn from(input: RewindInput) -> Self {
        Self {
            r#ref: input.r#ref,
            expected_head: input.expected_head,
            allow_cross_session: input.allow_cross_session,
            expected_active: None,
        }
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DeleteInput {
    pub r#ref: SnapshotSelector,
    #[serde(default)]
    pub allow_cross_session: bool,
    #[serde(default)]
    pub force: bool,
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ListInput {
    limit: Option<u32>,
    cursor: Option<String>,
    #[serde(default)]
    include_expired: bool,
    #[serde(default)]
    include_auto: bool,
    #[serde(default)]
    allow_cross_session: bool,
    name: Option<String>,
    #[serde(default)]
    #[cfg_attr(schemas, schemars(with = "Vec<String>"))]
    labels: Vec<LabelFilter>,
    created_after: Option<String>,
    created_before: Option<String>,
}

impl TryFrom<ListInput> for ListRequest {
    type Error = Error;

    fn try_from(input: ListInput) -> Result<Self> {
        let time = |field: &str, text: Option<String>| {
            text.map(|text| parse_rfc3339(field, &text)).transpose()
        };
        Ok(Self {
            limit: input.limit,
            cursor: input.cursor,
            include_expired: input.include_expired,
            include_unready: false,
            include_auto: input.include_auto,
            allow_cross_session: input.allow_cross_session,
            query: SnapshotQuery {
                name: input.name,
                labels: input.labels,
                kind: None,
                created_after_ms: time("createdAfter", input.created_after)?,
                created_before_ms: time("createdBefore", input.created_before)?,
            },
        })
    }
}

/// A snapshot, and beside it what to change of it.
pub(super) struct UpdateInput {
    pub r#ref: SnapshotSelector,
    pub edit: SnapshotEdit,
}

/// What a model has no say in: whether a name may be taken from another, and
/// whether other sessions get the files.
const NOT_UPDATED_BY_MODELS: [&str; 2] = ["replace", "published"];

#[cfg(schemas)]
impl schemars::JsonSchema for UpdateInput {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "UpdateInput".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = SnapshotEdit::json_schema(generator);
        let named: Value = generator.subschema_for::<SnapshotSelector>().into();
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.retain(|name, _| !NOT_UPDATED_BY_MODELS.contains(&name.as_str()));
            properties.insert("ref".to_owned(), named);
        }
        schema.insert("required".to_owned(), Value::from(vec!["ref"]));
        schema
    }
}

impl<'de> Deserialize<'de> for UpdateInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut edit = Map::deserialize(deserializer)?;
        let named = edit.remove("ref").ok_or_else(|| D::Error::missing_field("ref"))?;
        if let Some(field) = NOT_UPDATED_BY_MODELS.into_iter().find(|key| edit.contains_key(*key)) {
            return Err(D::Error::custom(format!("unknown field `{field}`")));
        }
        Ok(Self {
            r#ref: serde_json::from_value(named).map_err(D::Error::custom)?,
            edit: serde_json::from_value(Value::Object(edit)).map_err(D::Error::custom)?,
        })
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct PauseInput {
    pub r#ref: Option<WorkspaceRef>,
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SwitchInput {
    pub r#ref: WorkspaceRef,
}
