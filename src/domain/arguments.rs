//! Parses JSON from callers. All surfaces share it, so all report a wrong field by the same path.

use crate::domain::json::reader::Reader;
use crate::domain::{Error, ErrorCode, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Parses a value that a caller sent.
///
/// # Errors
/// `INVALID_ARGUMENT` with the path to the wrong value, e.g. `labels.tests`, or with `whole`.
pub fn read<T: DeserializeOwned>(whole: &str, value: Value) -> Result<T> {
    read_inner(whole, &[], value)
}

/// Like [`read`], for fields nested in our own objects. `wrappers` names these objects.
///
/// # Errors
/// As [`read`].
pub fn read_inner<T: DeserializeOwned>(whole: &str, wrappers: &[&str], value: Value) -> Result<T> {
    T::deserialize(Reader(value))
        .map_err(|fault| refusal(whole, &fault.field(wrappers), &fault.problem))
}

/// The error for a message of serde. For errors of our own, serde keeps only their text.
fn refusal(whole: &str, field: &str, problem: &str) -> Error {
    let missing = problem.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
    if let Some(name) = missing {
        let field = if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
        return Error::invalid(&field, "is missing");
    }
    let own = problem
        .strip_prefix(ErrorCode::InvalidArgument.as_str())
        .and_then(|text| text.strip_prefix(": ")?.split_once(": "));
    // A type may name its value differently from the argument, so only the problem is kept.
    let problem = own.map_or(problem, |(_, problem)| problem);
    Error::invalid(if field.is_empty() { whole } else { field }, in_json(problem))
}

/// Rewrites serde's Rust terms as JSON's.
fn in_json(problem: &str) -> String {
    // Only one field distinguishes the two kinds of refs.
    match problem {
        "unknown field `id`, expected `backup` or `originSandboxId`" => {
            return "this is a workspace's ref; give a snapshot's ref, id or name".to_owned();
        }
        "unknown field `backup`, expected `id`"
        | "unknown field `originSandboxId`, expected `id`" => {
            return "this is a snapshot's ref; give a workspace's ref or id".to_owned();
        }
        _ => {}
    }
    let Some((found, expected)) = problem.rsplit_once(", expected ") else {
        return problem.to_owned();
    };
    let expected = match expected {
        "a map" => "an object",
        "a sequence" => "an array",
        "u32" | "u64" => "a whole number, not below 0",
        rust if rust.starts_with("struct ") => "an object",
        plain => plain,
    };
    format!("{found}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::WorkspaceConfig;
    use crate::domain::snapshot::labels::Labels;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sent {
        #[serde(rename = "labels")]
        _labels: Labels,
        #[serde(rename = "config")]
        _config: Option<WorkspaceConfig>,
    }

    fn refused(value: Value) -> (String, String) {
        let error = read::<Sent>("body", value).unwrap_err();
        let field = error.details.unwrap()["field"].as_str().unwrap().to_owned();
        let problem = error.message.strip_prefix(&format!("{field}: ")).unwrap().to_owned();
        (field, problem)
    }

    #[test]
    fn what_is_wrong_is_named_by_where_it_is() {
        let config = |config: Value| json!({ "labels": {}, "config": config });
        for (sent, field, problem) in [
            (json!(5), "body", "invalid type: integer `5`, expected an object"),
            (json!({}), "labels", "is missing"),
            (json!({ "labels": { "a": 5 } }), "labels.a", "expected a string"),
            (json!({ "labels": 5 }), "labels", "expected an object"),
            (json!({ "labels": {}, "b": 1 }), "b", "unknown field `b`, expected `labels` or"),
            (config(json!({ "envVars": { "A": null } })), "config.envVars.A", "expected a string"),
            (config(json!({ "limits": 5 })), "config.limits", "expected an object"),
            (
                config(json!({ "limits": { "calls": { "burst": 1 } } })),
                "config.limits.calls.perMinute",
                "is missing",
            ),
            (
                config(json!({ "limits": { "maxRunning": -1 } })),
                "config.limits.maxRunning",
                "expected a whole number, not below 0",
            ),
            (json!({ "labels": { "?": "" } }), "labels", "a key must be"),
            (config(json!({ "workspaceDir": "a" })), "config.workspaceDir", "must be absolute"),
            (config(json!({ "sleepAfter": true })), "config.sleepAfter", "must be a number of"),
            (config(json!({ "sleepAfter": "7h" })), "config.sleepAfter", "must be 1 second to"),
            // A toggle accepts two kinds. The error names the field inside the object.
            (
                config(json!({ "capabilities": { "shell": 5 } })),
                "config.capabilities.shell",
                "invalid type: integer `5`, expected true, false or an object",
            ),
            (
                config(json!({ "capabilities": { "shell": { "allowlist": ["a", 5] } } })),
                "config.capabilities.shell.allowlist[1]",
                "expected a string",
            ),
        ] {
            let (named, said) = refused(sent);
            assert_eq!(named, field, "{said}");
            assert!(said.contains(problem), "{field}: {said}");
            assert!(!said.contains("INVALID_ARGUMENT") && !said.contains("struct"), "{said}");
        }
    }

    #[test]
    fn wrappers_of_ours_are_not_named() {
        let refused = |value: Value| {
            let error = read_inner::<Sent>("arguments", &["config"], value).unwrap_err();
            error.details.unwrap()["field"].clone()
        };
        assert_eq!(refused(json!({ "labels": {}, "config": { "limits": 5 } })), json!("limits"));
        assert_eq!(refused(json!({ "labels": {}, "config": 5 })), json!("arguments"));
        assert_eq!(refused(json!({ "labels": { "config": 5 } })), json!("labels.config"));
    }
}
