//! JSON for people: without quotes, braces and escapes.

use serde_json::{Map, Value};
use std::fmt::Write as _;

/// An answer as text: the fields of `lead`, unchanged, then the others by name.
#[must_use]
pub fn readable(answer: &Value, lead: &[&str]) -> String {
    let Value::Object(fields) = answer else { return inline(answer) };
    let mut text = String::new();
    for (at, name) in lead.iter().enumerate() {
        let part = fields.get(*name).and_then(Value::as_str).unwrap_or_default();
        if part.is_empty() {
            continue;
        }
        if at > 0 {
            let _ = writeln!(text, "{name}:");
        }
        text.push_str(part);
        end_line(&mut text);
    }
    let rest = fields.iter().filter(|(name, _)| !lead.contains(&name.as_str()));
    let mut rest: Vec<_> = rest.filter(|(_, value)| !value.is_null()).collect();
    rest.sort_by_key(|(name, _)| names_first(name));
    if !text.is_empty() && !rest.is_empty() {
        text.push('\n');
    }
    write_fields(&mut text, &rest, 0);
    text.truncate(text.trim_end_matches('\n').len());
    text
}

fn end_line(text: &mut String) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
}

/// Short values share a line. Long values and lists follow below their names.
fn write_fields(text: &mut String, fields: &[(&String, &Value)], depth: usize) {
    let (short, long): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| is_short(value));
    if !short.is_empty() {
        let short = short.iter().map(|(name, value)| format!("{name}: {}", inline(value)));
        let short = short.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "{}{short}", indent(depth));
    }
    for (name, value) in long {
        let _ = writeln!(text, "{}{name}:", indent(depth));
        write_long(text, value, depth + 1);
    }
}

fn write_long(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(fields) => write_fields(text, &given(fields), depth),
        Value::Array(items) => {
            for item in items {
                if is_short(item) {
                    let _ = writeln!(text, "{}- {}", indent(depth), inline(item));
                } else {
                    let mut below = String::new();
                    write_long(&mut below, item, depth + 1);
                    let _ = write!(text, "{}- {}", indent(depth), below.trim_start());
                    end_line(text);
                }
            }
        }
        value => {
            for line in inline(value).lines() {
                let _ = writeln!(text, "{}{line}", indent(depth));
            }
        }
    }
}

fn given(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut given: Vec<_> = fields.iter().filter(|(_, value)| !value.is_null()).collect();
    given.sort_by_key(|(name, _)| names_first(name));
    given
}

/// Puts names and ids first.
fn names_first(name: &str) -> usize {
    let names = ["path", "name", "id"];
    names.iter().position(|first| *first == name).unwrap_or(names.len())
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.contains('\n'),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => {
            id_of_ref(value).is_some()
                || fields
                    .values()
                    .all(|value| !value.is_object() && !value.is_array() && is_short(value))
        }
        _ => true,
    }
}

/// A value on one line. Texts stay unchanged.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Object(fields) => {
            if let Some(id) = id_of_ref(value) {
                return id.to_owned();
            }
            let fields = given(fields);
            if let [(_, only)] = fields.as_slice() {
                return inline(only);
            }
            let fields = fields.iter().map(|(name, value)| format!("{name}: {}", inline(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// Calls accept this id instead of the ref.
fn id_of_ref(value: &Value) -> Option<&str> {
    value.get("providerId")?;
    let id = value.pointer("/ref/id").or_else(|| value.pointer("/ref/backup/id"));
    id.and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BackupDir, BackupId, SnapshotRef};
    use serde_json::json;

    #[test]
    fn leading_texts_are_as_they_are_and_facts_follow() {
        let answer = json!({
            "exitCode": 1, "stdout": "a \"b\"\n", "stderr": "", "hint": null, "timedOut": false,
        });
        let lead = ["stdout", "stderr"];
        assert_eq!(readable(&answer, &lead), "a \"b\"\n\nexitCode: 1, timedOut: false");
        let failed = json!({ "exitCode": 2, "stdout": "out", "stderr": "bad\n" });
        assert_eq!(readable(&failed, &lead), "out\nstderr:\nbad\n\nexitCode: 2");
        let silent = json!({ "exitCode": 0, "stdout": "", "stderr": "" });
        assert_eq!(readable(&silent, &lead), "exitCode: 0");
    }

    #[test]
    fn lists_have_a_line_for_each_item() {
        let answer = json!({
            "entries": [{ "path": "a", "mode": 1 }, { "path": "b c", "mode": 2 }],
            "files": [{ "path": "x" }],
            "none": [],
            "nextCursor": "abc",
        });
        let text = "nextCursor: abc, none: none\nentries:\n  - path: a, mode: 1\n  - path: b c, mode: 2\nfiles:\n  - x";
        assert_eq!(readable(&answer, &[]), text);
    }

    #[test]
    fn refs_are_their_ids_and_what_is_nested_is_indented() {
        let workspace = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": "w" } });
        let id = BackupId::parse("7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db").unwrap();
        let snapshot = SnapshotRef::new(id, BackupDir::parse("/workspace").unwrap(), None);
        let answer = json!({
            "ref": workspace,
            "made": [{ "ref": snapshot, "files": ["a"] }],
            "more": { "text": "one\ntwo", "list": [[1, 2]] },
        });
        let text = "ref: w\nmade:\n  - ref: 7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db\n    files:\n      - a\nmore:\n  list:\n    - - 1\n      - 2\n  text:\n    one\n    two";
        assert_eq!(readable(&answer, &[]), text);
    }
}
