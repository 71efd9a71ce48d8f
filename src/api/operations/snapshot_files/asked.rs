//! The arguments that routes to a snapshot's files share.

use crate::api::operation::{Asked, Param, ParamKind};
use crate::domain::Result;
use crate::domain::arguments::read;
use crate::domain::limits::PATH_MAX_BYTES;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub(super) const PATH: Param = Param {
    name: "path",
    kind: ParamKind::Text { max: PATH_MAX_BYTES },
    description: "Path relative to the snapshot's root. Default: the root.",
};

/// Reads the query as arguments, and adds the snapshot from the path.
pub(super) fn asked_of<T: DeserializeOwned>(asked: &Asked<'_>) -> Result<T> {
    let mut args: Map<String, Value> = asked.query()?;
    args.insert("ref".to_owned(), json!(asked.path("snapshot")?));
    read("query", Value::Object(args))
}
