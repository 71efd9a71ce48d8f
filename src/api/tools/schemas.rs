//! The catalogue is written by hand, for models; here it is compared with the
//! types that are read and written.

use crate::api::tools::inputs::{
    DeleteInput, ListInput, LiveForkInput, NoInput, PauseInput, RewindInput, SnapshotInput,
    SnapshotTargetInput, SwitchInput, UpdateInput,
};
use crate::api::tools::{TOOL_SCOPES, all};
use crate::ports::sandbox::ExecResult;
use crate::ports::sandbox::code::RunCodeResult;
use crate::ports::sandbox::files::ReadFileResult;
use crate::session::{
    Deleted, DestroyedWorkspace, EditFileRequest, EditedFile, FindFilesRequest, FindLinesRequest,
    FoundFileList, FoundLineList, Lineage, ListFilesRequest, ListedFiles, LiveForks, MadeDir,
    MadeWorkspace, MakeDirRequest, Paused, ReadFileRequest, RemoveRequest, Removed, Resumed,
    Rewound, RunCodeRequest, RunRequest, SnapshotPage, SnapshotView, StatRequest, StatView,
    WorkspaceList, WorkspaceView, WriteFileRequest, WrittenFile,
};
use schemars::generate::SchemaSettings;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

macro_rules! with_output {
    ($tool:expr, $T:ident => $do:expr) => {
        by_tool!($tool, $T => $do, {
            "workspace_snapshot" | "workspace_get_snapshot" | "workspace_update_snapshot" => SnapshotView,
            // What the last one answers is made by hand, of the same field.
            "workspace_restore" | "workspace_branch" | "workspace_switch" => MadeWorkspace,
            "workspace_destroy" => DestroyedWorkspace,
            "workspace_fork" => LiveForks,
            "workspace_pause" => Paused,
            "workspace_resume" => Resumed,
            "workspace_rewind" => Rewound,
            "workspace_list_snapshots" => SnapshotPage,
            "workspace_delete_snapshot" => Deleted,
            "workspace_describe" => WorkspaceView,
            "workspace_lineage" => Lineage,
            "workspace_list_workspaces" => WorkspaceList,
            "workspace_run" => ExecResult,
            "workspace_run_code" => RunCodeResult,
            "workspace_read_file" => ReadFileResult,
            "workspace_write_file" => WrittenFile,
            "workspace_edit_file" => EditedFile,
            "workspace_ls" => ListedFiles,
            "workspace_glob" => FoundFileList,
            "workspace_grep" => FoundLineList,
            "workspace_stat" => StatView,
            "workspace_mkdir" => MadeDir,
            "workspace_rm" => Removed,
        })
    };
}

/// Where the catalogue says less than the type does, or is stricter.
const ON_PURPOSE: [&str; 4] = [
    // Scripts may leave it out; a model is to pass a ref on whole.
    ".ref.ref.originSandboxId: required is (true, false)",
    // Only a snapshot that is taken says so.
    "workspace_get_snapshot().unchanged: not in the catalogue",
    "workspace_update_snapshot().unchanged: not in the catalogue",
    // Only told to who asks for it, which no tool does.
    ".container: not in the catalogue",
];

/// The fields of an object, whether each must be there, and what it is.
#[derive(Default)]
struct Fields<'a> {
    all: BTreeMap<&'a str, &'a Value>,
    required: BTreeSet<&'a str>,
}

/// What a reference leads to, and what is behind `null` or nothing.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(at) = schema.get("$ref").and_then(Value::as_str) {
        return resolved(root, root.pointer(at.trim_start_matches('#')).unwrap_or(&Value::Null));
    }
    let choices = schema.get("anyOf").and_then(Value::as_array);
    match choices.map(Vec::as_slice) {
        Some([some, null]) if null["type"] == "null" => resolved(root, some),
        _ => schema,
    }
}

/// Of a choice between objects: all fields that one can have; required is what each has.
fn fields<'a>(root: &'a Value, schema: &'a Value) -> Fields<'a> {
    let schema = resolved(root, schema);
    let mut found = Fields::default();
    for (name, value) in schema["properties"].as_object().into_iter().flatten() {
        found.all.insert(name, value);
    }
    found
        .required
        .extend(schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str));
    let choices = ["oneOf", "anyOf"].into_iter().find_map(|key| schema[key].as_array());
    let choices: Vec<Fields> =
        choices.into_iter().flatten().map(|choice| fields(root, choice)).collect();
    if let Some((first, others)) = choices.split_first() {
        let each = |name: &&&str| others.iter().all(|other| other.required.contains(**name));
        found.required.extend(first.required.iter().filter(each));
    }
    found.all.extend(choices.into_iter().flat_map(|choice| choice.all));
    for part in schema["allOf"].as_array().into_iter().flatten() {
        let part = fields(root, part);
        found.required.extend(part.required);
        found.all.extend(part.all);
    }
    found
}

/// What differs, each said with where it is.
fn differences(
    at: &str,
    (written, wroot): (&Value, &Value),
    (typed, troot): (&Value, &Value),
) -> Vec<String> {
    let (written, typed) = (resolved(wroot, written), resolved(troot, typed));
    let (items, typed_items) = (&written["items"], &typed["items"]);
    if !items.is_null() && !typed_items.is_null() {
        return differences(&format!("{at}[]"), (items, wroot), (typed_items, troot));
    }
    let (of_text, of_type) = (fields(wroot, written), fields(troot, typed));
    if of_text.all.is_empty() || of_type.all.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let names: BTreeSet<&str> = of_text.all.keys().chain(of_type.all.keys()).copied().collect();
    for name in names {
        let place = format!("{at}.{name}");
        match (of_text.all.get(name), of_type.all.get(name)) {
            (Some(text), Some(r#type)) => {
                let required = (of_text.required.contains(name), of_type.required.contains(name));
                if required.0 != required.1 {
                    found.push(format!("{place}: required is {required:?}"));
                }
                found.extend(differences(&place, (text, wroot), (r#type, troot)));
            }
            (Some(_), None) => found.push(format!("{place}: no field of the type")),
            _ => found.push(format!("{place}: not in the catalogue")),
        }
    }
    found
}

#[test]
fn the_catalogue_says_what_the_types_read_and_write() {
    let mut found = Vec::new();
    assert_eq!(all().len(), TOOL_SCOPES.len());
    for tool in all() {
        let name = tool.name.as_str();
        let settings = SchemaSettings::draft2020_12();
        let reads = settings.clone().for_deserialize().into_generator();
        let input: Value =
            with_input!(name, Input => reads.into_root_schema_for::<Input>().into()).unwrap();
        assert_eq!(input["additionalProperties"], false, "{name}");
        let mut written = tool.input_schema.clone();
        if written["properties"].as_object().unwrap().is_empty() {
            assert_eq!(fields(&input, &input).all.len(), 0, "{name}");
            written = input.clone();
        }
        found.extend(differences(name, (&written, &written), (&input, &input)));
        let writes = settings.for_serialize().into_generator();
        let output: Value =
            with_output!(name, Output => writes.into_root_schema_for::<Output>().into()).unwrap();
        let mut written = tool.output_schema.clone();
        // Of a workspace that woke, any tool tells.
        if output["properties"]["woken"].is_null() {
            written["properties"].as_object_mut().unwrap().remove("woken");
        }
        let at = format!("{name}()");
        found.extend(differences(&at, (&written, &written), (&output, &output)));
    }
    found.retain(|difference| !ON_PURPOSE.iter().any(|known| difference.ends_with(known)));
    assert!(found.is_empty(), "{found:#?}");
}
