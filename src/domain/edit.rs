//! Replace an exact piece of a text, and say why where it can't be done.

use super::error::{Error, ErrorCode, Result};
use super::limits::EDIT_SHOWN_MATCHES;
use serde_json::json;

/// A text after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The whole text.
    pub text: String,
    /// How many places were changed.
    pub replacements: usize,
    /// Line of the first one, from 1.
    pub first_line: usize,
}

/// Replaces `old` by `new`: at its one place, or with `all` at each.
///
/// # Errors
/// `INVALID_ARGUMENT` where the edit could change nothing; `CONFLICT` where
/// `old` is not there, or is there more than once without `all`. Its details
/// carry the count and the first lines.
pub fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<Edited> {
    if old.is_empty() {
        return Err(Error::invalid("oldText", "must not be empty")
            .with_hint("write the whole file with workspace_write_file to fill an empty one"));
    }
    if old == new {
        return Err(Error::invalid("newText", "is the same as oldText; nothing would change"));
    }
    let places: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
    match places.as_slice() {
        [] => Err(not_there(text, old)),
        [_, _, ..] if !all => Err(ambiguous(text, &places)),
        [first, ..] => Ok(Edited {
            text: text.replace(old, new),
            replacements: places.len(),
            first_line: line_at(text, *first),
        }),
    }
}

/// Line of a byte offset, from 1.
fn line_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

fn ambiguous(text: &str, places: &[usize]) -> Error {
    let lines: Vec<usize> =
        places.iter().take(EDIT_SHOWN_MATCHES).map(|at| line_at(text, *at)).collect();
    let shown = lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let more = if places.len() > lines.len() { ", …" } else { "" };
    Error::new(
        ErrorCode::Conflict,
        format!(
            "oldText: is there {} times (at lines {shown}{more}) and must be there once",
            places.len()
        ),
    )
    .with_hint("add lines around it until it is unique, or set replaceAll to change every one")
    .with_details(json!({ "matches": places.len(), "lines": lines }))
}

fn not_there(text: &str, old: &str) -> Error {
    let error = Error::new(ErrorCode::Conflict, "oldText: is not in the file")
        .with_details(json!({ "matches": 0 }));
    let hint = if text.contains("\r\n") && !old.contains('\r') {
        "the file has CRLF line ends: write them as \\r\\n in oldText and newText".to_owned()
    } else if let Some(line) = similar_line(text, old) {
        format!("line {line} differs only in white space; read the file again and copy it exactly")
    } else {
        "read the file again; it may have changed, and white space counts".to_owned()
    };
    error.with_hint(hint)
}

/// Where `old` would be if white space at both ends of each line did not count.
fn similar_line(text: &str, old: &str) -> Option<usize> {
    let wanted: Vec<&str> = old.trim().lines().map(str::trim).collect();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.windows(wanted.len().max(1)).position(|window| window == wanted).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_place_is_changed_and_its_line_told() {
        let edited = replace("a\nb\nc\n", "b\n", "x\ny\n", false).unwrap();
        assert_eq!((edited.text.as_str(), edited.replacements), ("a\nx\ny\nc\n", 1));
        assert_eq!(edited.first_line, 2);
        assert_eq!(replace("aXbX", "X", "", true).unwrap().text, "ab");
    }

    #[test]
    fn what_does_not_match_once_says_why() {
        let refusal = |text, old| {
            let error = replace(text, old, "new", false).unwrap_err();
            let details = error.details.unwrap();
            (error.code, details["matches"].clone(), error.hint.unwrap())
        };
        let (code, matches, hint) = refusal("x = 1\nx = 1\n", "x = 1");
        assert_eq!((code, matches), (ErrorCode::Conflict, json!(2)));
        assert!(hint.contains("replaceAll"), "{hint}");
        for (text, old, says) in [
            ("a\r\nb\r\n", "a\nb", "CRLF"),
            ("fn a() {\n\tb();\n}\n", "fn a() {\n    b();\n}", "line 1 differs only"),
            ("nothing like it", "other", "read the file again"),
        ] {
            let (code, matches, hint) = refusal(text, old);
            assert_eq!((code, matches), (ErrorCode::Conflict, json!(0)));
            assert!(hint.contains(says), "{hint} should say {says}");
        }
        for (old, new) in [("", "x"), ("same", "same")] {
            let error = replace("same", old, new, false).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument);
        }
    }

    proptest! {
        #[test]
        fn only_a_single_match_is_replaced_unasked(text in "[ab\n]{0,30}", old in "[ab\n]{1,3}") {
            let count = text.matches(old.as_str()).count();
            let once = replace(&text, &old, "Z", false);
            prop_assert_eq!(once.is_ok(), count == 1);
            let all = replace(&text, &old, "Z", true);
            prop_assert_eq!(all.is_ok(), count > 0);
            if let Ok(edited) = all {
                prop_assert_eq!(edited.replacements, count);
                prop_assert_eq!(edited.text.replace('Z', &old), text);
            }
        }
    }
}
