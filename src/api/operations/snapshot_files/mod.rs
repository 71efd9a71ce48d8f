//! Files of snapshots, read in the bucket.

use crate::api::http::Asked;
use crate::api::http::param::{Param, ParamKind};
use crate::api::operation::descriptor::Entry;
use crate::api::operation::tool::ToolEntry;
use crate::domain::arguments::read as read_arguments;
use crate::domain::error::Result;
use crate::domain::limits::PATH_MAX_BYTES;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub(crate) mod copy;
pub(crate) mod download;
pub(crate) mod grep;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod stat;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<list::ListFiles>(),
    Entry::of::<read::ReadFile>(),
    Entry::of::<download::DownloadFile>(),
    Entry::of::<stat::StatFile>(),
    Entry::of::<grep::Grep>(),
    Entry::of::<copy::Copy>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<list::ListFiles>(),
    ToolEntry::of_operation::<read::ReadFile>(),
    ToolEntry::of_operation::<stat::StatFile>(),
    ToolEntry::of_operation::<grep::Grep>(),
    ToolEntry::of_operation::<copy::Copy>(),
];

const PATH: Param = Param {
    name: "path",
    kind: ParamKind::Text { max: PATH_MAX_BYTES },
    description: "Path relative to the snapshot's root. Default: the root.",
};

/// Reads the query as arguments, with the snapshot that the path names.
fn asked_of<T: DeserializeOwned>(asked: &Asked<'_>) -> Result<T> {
    let mut args: Map<String, Value> = asked.query()?;
    args.insert("ref".to_owned(), json!(asked.path("snapshot")?));
    read_arguments("query", Value::Object(args))
}
