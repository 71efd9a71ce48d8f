//! Fails the build where pins that must agree do not, and stages the tool
//! catalogue: definitions are inlined into each schema, and every limit that a
//! schema publishes is checked against the one in code.

#[path = "src/domain/limits.rs"]
#[expect(dead_code, reason = "only the limits that schemas publish are used here")]
mod limits;

use serde_json::{Map, Value, json};
use std::error::Error;
use std::path::Path;
use std::{env, fs};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// From this date on, a pending call keeps an object, and so its container, from
/// being evicted, and the container's inactivity timeout begins at the eviction.
const COMPATIBILITY_DATE_FLOOR: &str = "2026-10-01";

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    // `schemas`: the types describe themselves, for the OpenAPI document; not in the Worker.
    println!("cargo::rustc-check-cfg=cfg(schemas)");
    if env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch != "wasm32") {
        println!("cargo::rustc-cfg=schemas");
    }
    check_pins()?;
    let catalogue = stage_catalogue(
        &read("src/api/tools/catalogue.json")?,
        &read("src/api/tools/definitions.json")?,
    )?;
    let scopes = tool_scopes(&catalogue)?;
    let out = env::var_os("OUT_DIR").ok_or("no OUT_DIR")?;
    let out = Path::new(&out);
    fs::write(out.join("tool_scopes.rs"), scopes)?;
    fs::write(out.join("catalogue.json"), serde_json::to_vec(&catalogue)?)?;
    Ok(())
}

fn read(path: &str) -> Result<String> {
    println!("cargo::rerun-if-changed={path}");
    fs::read_to_string(path).map_err(|error| format!("{path}: {error}").into())
}

/// The pins live where their tools read them; this is where they meet.
fn check_pins() -> Result<()> {
    let pins = read("tools/versions.env")?;
    let pin = |key: &str| {
        pins.lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
            .ok_or_else(|| format!("tools/versions.env has no {key}"))
    };
    let manifest = read("Cargo.toml")?;
    let wasm_bindgen = pin("WASM_BINDGEN_VERSION")?;
    let worker = pin("WORKER_BUILD_VERSION")?;
    agree(
        "wasm-bindgen in Cargo.toml",
        &manifest_version(&manifest, "wasm-bindgen")?,
        &format!("={wasm_bindgen}"),
    )?;
    agree("worker in Cargo.toml", &manifest_version(&manifest, "worker")?, &format!("={worker}"))?;
    for lock in ["Cargo.lock", "tools/wasm-bindgen/Cargo.lock"] {
        let found = locked_version(
            &read(lock)?,
            if lock == "Cargo.lock" { "wasm-bindgen" } else { "wasm-bindgen-cli-support" },
        )?;
        agree(&format!("wasm-bindgen in {lock}"), &found, wasm_bindgen)?;
    }
    let dockerfile = read("Dockerfile")?;
    let base = dockerfile
        .lines()
        .find_map(|line| line.strip_prefix("ARG BASE_IMAGE="))
        .unwrap_or_default();
    agree("BASE_IMAGE in Dockerfile", base, pin("BASE_IMAGE")?)?;
    let wrangler = read("wrangler.toml")?;
    let date = wrangler
        .lines()
        .find_map(|line| line.strip_prefix("compatibility_date = "))
        .map(|date| date.trim_matches('"'))
        .unwrap_or_default();
    if date < COMPATIBILITY_DATE_FLOOR {
        return Err(format!("compatibility_date in wrangler.toml is {date:?}, must be {COMPATIBILITY_DATE_FLOOR} or later").into());
    }
    Ok(())
}

fn agree(what: &str, found: &str, pinned: &str) -> Result<()> {
    if found == pinned {
        return Ok(());
    }
    Err(format!("{what} is {found:?}, but tools/versions.env pins {pinned:?}: make them agree")
        .into())
}

/// The version of `name = "…"` in a manifest.
fn manifest_version(manifest: &str, name: &str) -> Result<String> {
    manifest
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .ok_or_else(|| format!("Cargo.toml does not pin {name}").into())
}

/// The version that a lock file has of `name`.
fn locked_version(lock: &str, name: &str) -> Result<String> {
    let heading = format!("name = \"{name}\"");
    lock.lines()
        .skip_while(|line| *line != heading)
        .nth(1)
        .and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .ok_or_else(|| format!("no {name} in the lock file").into())
}

fn stage_catalogue(catalogue: &str, definitions: &str) -> Result<Value> {
    let definitions: Map<String, Value> = serde_json::from_str(definitions)?;
    let mut tools: Vec<Value> = serde_json::from_str(catalogue)?;
    check_limits(&tools)?;
    for tool in &mut tools {
        check_tool(tool)?;
        // Any call may be the first one since the workspace woke.
        if let Some(properties) = tool.pointer_mut("/outputSchema/properties")
            && let Some(properties) = properties.as_object_mut()
        {
            properties.insert("woken".to_owned(), json!({ "$ref": "#/$defs/Woken" }));
        }
        for schema in ["inputSchema", "outputSchema"] {
            if let Some(schema) = tool.get_mut(schema) {
                inline(schema, &definitions)?;
            }
        }
    }
    Ok(Value::Array(tools))
}

/// Replaces `{"$ref": "#/$defs/X"}`: clients differ in what they resolve.
fn inline(schema: &mut Value, definitions: &Map<String, Value>) -> Result<()> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.trim_start_matches("#/$defs/");
        *schema = definitions.get(name).cloned().ok_or_else(|| format!("no definition {name}"))?;
    }
    match schema {
        Value::Object(fields) => {
            fields.values_mut().try_for_each(|value| inline(value, definitions))
        }
        Value::Array(items) => items.iter_mut().try_for_each(|value| inline(value, definitions)),
        _ => Ok(()),
    }
}

fn check_tool(tool: &Value) -> Result<()> {
    let name = tool.get("name").and_then(Value::as_str).ok_or("a tool has no name")?;
    if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
        return Err(format!("tool name {name}: only a-z and _").into());
    }
    for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
        if !tool.pointer(&format!("/annotations/{hint}")).is_some_and(Value::is_boolean) {
            return Err(format!(
                "{name}: annotation {hint} is missing; unset means destructive and open-world"
            )
            .into());
        }
    }
    for text in ["title", "description"] {
        if tool.get(text).and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(format!("{name}: no {text}").into());
        }
    }
    if tool.pointer("/inputSchema/additionalProperties") != Some(&json!(false)) {
        return Err(format!("{name}: inputSchema must refuse unknown properties").into());
    }
    Ok(())
}

/// The scope of each tool, as a Rust array: a call is judged by it before the catalogue is read.
/// What only reads needs the scope `read`, and only that does.
fn tool_scopes(catalogue: &Value) -> Result<String> {
    let mut rows = String::new();
    for tool in catalogue.as_array().into_iter().flatten() {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
        let scope = match tool.get("scope").and_then(Value::as_str) {
            Some("read") => "Read",
            Some("write") => "Write",
            Some("snapshot") => "Snapshot",
            Some("admin") => "Admin",
            _ => return Err(format!("{name}: scope must be read, write, snapshot or admin").into()),
        };
        let reads = tool.pointer("/annotations/readOnlyHint") == Some(&json!(true));
        if reads != (scope == "Read") {
            return Err(
                format!("{name}: scope read is for readOnlyHint, and for nothing else").into()
            );
        }
        rows += &format!("    ({name:?}, Scope::{scope}),\n");
    }
    Ok(format!("[\n{rows}]\n"))
}

/// What a schema promises is what the code enforces.
fn check_limits(tools: &[Value]) -> Result<()> {
    let published = |tool: &str, pointer: &str| {
        tools
            .iter()
            .find(|entry| entry.get("name").is_some_and(|name| name == tool))
            .and_then(|entry| entry.pointer(pointer))
            .cloned()
            .ok_or_else(|| format!("{tool} has no {pointer}"))
    };
    let max_path = json!(limits::PATH_MAX_BYTES);
    let (entries, most_entries) =
        (json!(limits::LIST_FILES_DEFAULT_ENTRIES), json!(limits::LIST_FILES_MAX_ENTRIES));
    for (tool, pointer, enforced) in [
        ("workspace_snapshot", "name/maxLength", json!(limits::SNAPSHOT_NAME_MAX_CHARS)),
        (
            "workspace_snapshot",
            "description/maxLength",
            json!(limits::SNAPSHOT_DESCRIPTION_MAX_CHARS),
        ),
        ("workspace_snapshot", "ttlSeconds/minimum", json!(limits::TTL_MIN_SECS)),
        ("workspace_snapshot", "ttlSeconds/maximum", json!(limits::TTL_MAX_SECS)),
        ("workspace_fork", "count/maximum", json!(limits::LIVE_FORKS_MAX)),
        ("workspace_list_snapshots", "name/maxLength", json!(limits::SNAPSHOT_NAME_MAX_CHARS)),
        ("workspace_list_snapshots", "labels/maxItems", json!(limits::LABEL_FILTERS_MAX)),
        ("workspace_update_snapshot", "name/maxLength", json!(limits::SNAPSHOT_NAME_MAX_CHARS)),
        (
            "workspace_update_snapshot",
            "description/maxLength",
            json!(limits::SNAPSHOT_DESCRIPTION_MAX_CHARS),
        ),
        ("workspace_update_snapshot", "labels/maxProperties", json!(limits::LABELS_MAX)),
        (
            "workspace_update_snapshot",
            "labels/additionalProperties/maxLength",
            json!(limits::LABEL_VALUE_MAX_CHARS),
        ),
        ("workspace_run", "timeoutMs/maximum", json!(limits::EXEC_TIMEOUT_MAX_MS)),
        ("workspace_run_code", "timeoutMs/maximum", json!(limits::EXEC_TIMEOUT_MAX_MS)),
        ("workspace_run", "maxOutputBytes/minimum", json!(limits::EXEC_OUTPUT_MIN_BYTES)),
        ("workspace_run", "maxOutputBytes/maximum", json!(limits::EXEC_OUTPUT_MAX_BYTES)),
        ("workspace_run_code", "maxOutputBytes/minimum", json!(limits::EXEC_OUTPUT_MIN_BYTES)),
        ("workspace_run_code", "maxOutputBytes/maximum", json!(limits::EXEC_OUTPUT_MAX_BYTES)),
        ("workspace_read_file", "path/maxLength", max_path.clone()),
        ("workspace_read_file", "length/maximum", json!(limits::FILE_MAX_BYTES)),
        ("workspace_write_file", "path/maxLength", max_path.clone()),
        ("workspace_edit_file", "path/maxLength", max_path.clone()),
        ("workspace_ls", "path/maxLength", max_path.clone()),
        ("workspace_ls", "limit/default", entries.clone()),
        ("workspace_ls", "limit/maximum", most_entries.clone()),
        ("workspace_glob", "path/maxLength", max_path.clone()),
        ("workspace_glob", "pattern/maxLength", json!(limits::PATTERN_MAX_BYTES)),
        ("workspace_glob", "limit/default", entries),
        ("workspace_glob", "limit/maximum", most_entries),
        ("workspace_grep", "path/maxLength", max_path.clone()),
        ("workspace_grep", "pattern/maxLength", json!(limits::PATTERN_MAX_BYTES)),
        ("workspace_grep", "glob/maxLength", json!(limits::PATTERN_MAX_BYTES)),
        ("workspace_grep", "context/maximum", json!(limits::GREP_CONTEXT_MAX_LINES)),
        ("workspace_grep", "limit/default", json!(limits::GREP_DEFAULT_LINES)),
        ("workspace_grep", "limit/maximum", json!(limits::GREP_MAX_LINES)),
        ("workspace_stat", "path/maxLength", max_path.clone()),
        ("workspace_mkdir", "path/maxLength", max_path.clone()),
        ("workspace_rm", "path/maxLength", max_path),
    ] {
        let found = published(tool, &format!("/inputSchema/properties/{pointer}"))?;
        if found != enforced {
            return Err(format!(
                "{tool} publishes {pointer} {found}, the code enforces {enforced}"
            )
            .into());
        }
    }
    for (tool, phrase) in [
        ("workspace_snapshot", format!("Default {}", limits::TTL_DEFAULT_SECS)),
        ("workspace_run", format!("Default {}.", limits::EXEC_TIMEOUT_DEFAULT_MS)),
        ("workspace_run", format!("At most {} MiB", limits::EXEC_OUTPUT_MAX_BYTES >> 20)),
        ("workspace_run_code", format!("Default {}.", limits::EXEC_TIMEOUT_DEFAULT_MS)),
        ("workspace_run_code", format!("at most {} MiB.", limits::CODE_MAX_BYTES >> 20)),
        ("workspace_run_code", format!("larger than {} MiB", limits::CODE_VALUE_MAX_BYTES >> 20)),
        (
            "workspace_run_code",
            format!(
                "up to {} images of at most {} MiB",
                limits::CODE_FILES_MAX,
                limits::CODE_FILE_MAX_BYTES >> 20
            ),
        ),
        ("workspace_read_file", format!("at most {} MiB", limits::FILE_MAX_BYTES >> 20)),
        ("workspace_read_file", format!("at most {} bytes", limits::READ_PART_DEFAULT_BYTES)),
        ("workspace_read_file", format!("Default {} where", limits::READ_PART_DEFAULT_BYTES)),
        (
            "workspace_run",
            format!("first and the last {} KiB", limits::MCP_OUTPUT_DEFAULT_BYTES >> 11),
        ),
        (
            "workspace_run",
            format!(
                "Default {} over MCP, where {} is the most",
                limits::MCP_OUTPUT_DEFAULT_BYTES,
                limits::MCP_OUTPUT_MAX_BYTES
            ),
        ),
        (
            "workspace_run_code",
            format!("first and the last {} KiB", limits::MCP_OUTPUT_DEFAULT_BYTES >> 11),
        ),
        (
            "workspace_read_file",
            format!(
                "at most {} bytes unless length says otherwise, and never more than {}",
                limits::MCP_READ_DEFAULT_BYTES,
                limits::MCP_READ_MAX_BYTES
            ),
        ),
        ("workspace_grep", format!("At most {} characters", limits::GREP_LINE_MAX_CHARS)),
        ("workspace_write_file", format!("at most {} MiB", limits::FILE_MAX_BYTES >> 20)),
        ("workspace_list_snapshots", format!("by default {}", limits::MAX_LIST_RESULTS_DEFAULT)),
    ] {
        let entry = tools
            .iter()
            .find(|entry| entry.get("name").is_some_and(|name| name == tool))
            .ok_or("no such tool")?;
        if !entry.to_string().contains(&phrase) {
            return Err(format!("{tool} should say {phrase:?}, which the code enforces").into());
        }
    }
    Ok(())
}
