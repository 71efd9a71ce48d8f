//! Checks that the commands cover the published operations.

use crate::api::operations as op;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Operations without a command, and why.
const WITHOUT: [(&str, &str); 8] = [
    ("getOpenApi", "this program is built from the document"),
    ("mcp", "a protocol for models, not for people"),
    (
        "listOperations",
        "recorded calls are for programs that lost an answer; this one repeats its calls by key",
    ),
    ("getOperation", "as listOperations"),
    (
        "cancelOperation",
        "needs an id that the caller chose; Ctrl-C ends a command, a script or the run of code, and other calls go on to their end",
    ),
    ("rebuildCatalogue", "a repair after lost storage, done with docs/operations.md at hand"),
    ("rebuildAll", "as rebuildCatalogue"),
    (
        "createTicket",
        "for pages, which can't send Authorization for a WebSocket. `snapshotter shell` sends it",
    ),
];

fn sources(directory: &Path, into: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else {
            let text = fs::read_to_string(&path).unwrap();
            into.push_str(text.split("#[cfg(test)]").next().unwrap_or_default());
        }
    }
}

fn snake(id: &str) -> String {
    let mut out = String::new();
    for letter in id.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

#[test]
fn each_published_operation_has_a_command_or_a_reason() {
    let mut text = String::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands"), &mut text);
    let without: BTreeSet<&str> = WITHOUT.iter().map(|(id, _)| *id).collect();
    for operation in op::ALL {
        // `tools call` reaches all tools.
        let is_tool = operation.path.contains("/tools/");
        let has_command = text.contains(&format!("op::{}::call(", snake(operation.id)));
        assert!(
            has_command || is_tool || without.contains(operation.id),
            "{} has no command",
            operation.id
        );
        assert!(!has_command || !without.contains(operation.id), "{} has a command", operation.id);
    }
    for (id, reason) in WITHOUT {
        assert!(op::ALL.iter().any(|operation| operation.id == id), "{id} is not published");
        assert!(!reason.is_empty());
    }
}

#[test]
fn the_version_is_the_servers() {
    assert_eq!(env!("CARGO_PKG_VERSION"), op::VERSION);
}
