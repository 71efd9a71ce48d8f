//! Replaces an exact piece of a text, or explains why it can't.

use crate::domain::limits::{EDIT_COMPARED_MAX_BYTES, EDIT_SHOWN_MATCHES, FILE_MAX_BYTES};
use crate::domain::{Error, ErrorCode, Next, Result};
use serde_json::json;

/// A text after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The whole text.
    pub text: String,
    /// Number of replacements.
    pub replacements: usize,
    /// Line of the first replacement, from 1.
    pub first_line: usize,
}

/// Replaces `old` by `new` at its only place, or everywhere with `all`. Takes linear time, and
/// builds nothing larger than a file may be.
///
/// # Errors
/// `INVALID_ARGUMENT` if nothing could change. `CONFLICT`, with count and lines in its details, if
/// `old` is missing or ambiguous. `TOO_LARGE` if the file would exceed its limit.
pub fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<Edited> {
    if old.is_empty() {
        return Err(Error::invalid("oldText", "must not be empty").with_hint(Next::WriteWholeFile));
    }
    if old == new {
        return Err(Error::invalid("newText", "is the same as oldText; nothing would change"));
    }
    let mut count = 0_usize;
    let mut shown = Vec::new();
    for (at, _) in text.match_indices(old) {
        count += 1;
        if shown.len() < EDIT_SHOWN_MATCHES {
            shown.push(at);
        }
    }
    let Some(first) = shown.first() else { return Err(not_there(text, old)) };
    if count > 1 && !all {
        return Err(ambiguous(text, count, &shown));
    }
    let size = size_after(text, old, new, count);
    if size > FILE_MAX_BYTES {
        return Err(Error::new(
            ErrorCode::TooLarge,
            format!("the file would be {size} bytes after the edit, more than {FILE_MAX_BYTES}"),
        )
        .with_hint(Next::EditByCommand)
        .with_details(json!({ "sizeBytes": size, "maxBytes": FILE_MAX_BYTES, "matches": count })));
    }
    let mut edited = String::with_capacity(usize::try_from(size).unwrap_or_default());
    let mut rest = 0;
    for (at, matched) in text.match_indices(old) {
        edited.push_str(text.get(rest..at).unwrap_or_default());
        edited.push_str(new);
        rest = at + matched.len();
    }
    edited.push_str(text.get(rest..).unwrap_or_default());
    Ok(Edited { text: edited, replacements: count, first_line: line_at(text, *first) })
}

/// The size after `count` replacements. Matches don't overlap, so the subtraction can't underflow.
fn size_after(text: &str, old: &str, new: &str, count: usize) -> u64 {
    let [text, old, new, count] = [text.len(), old.len(), new.len(), count].map(|n| n as u64);
    (text - count * old).saturating_add(count.saturating_mul(new))
}

fn line_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

fn ambiguous(text: &str, count: usize, shown: &[usize]) -> Error {
    let lines: Vec<usize> = shown.iter().map(|at| line_at(text, *at)).collect();
    let shown = lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let more = if count > lines.len() { ", …" } else { "" };
    Error::new(
        ErrorCode::Conflict,
        format!("oldText: occurs {count} times (at lines {shown}{more}) and must occur once"),
    )
    .with_hint("add lines around it until it is unique, or set replaceAll to change every one")
    .with_details(json!({ "matches": count, "lines": lines }))
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

/// The line where `old` would match without the white space at both ends of lines. Compares all
/// trimmed lines as one string, which takes linear time.
fn similar_line(text: &str, old: &str) -> Option<usize> {
    let old = old.trim();
    if old.is_empty() || old.len() > EDIT_COMPARED_MAX_BYTES {
        return None;
    }
    let text = text.get(..text.floor_char_boundary(EDIT_COMPARED_MAX_BYTES))?;
    let at = trimmed_lines(text).find(&trimmed_lines(old))?;
    // A match begins with the line feed that ends the previous line.
    Some(line_at(&trimmed_lines(text), at))
}

/// All lines, trimmed, with a line feed before the first and after each.
fn trimmed_lines(text: &str) -> String {
    let mut trimmed = String::with_capacity(text.len() + 2);
    trimmed.push('\n');
    for line in text.lines() {
        trimmed.push_str(line.trim());
        trimmed.push('\n');
    }
    trimmed
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

    /// In seconds. The time must grow only with the file.
    fn seconds(work: impl FnOnce()) -> f64 {
        #[expect(clippy::disallowed_methods, reason = "a test measures time")]
        let began = std::time::Instant::now();
        work();
        began.elapsed().as_secs_f64()
    }

    #[test]
    fn an_edit_that_would_grow_past_a_file_is_refused_before_it_is_built() {
        let text = "a".repeat(usize::try_from(FILE_MAX_BYTES).unwrap());
        let error = replace(&text, "a", &"b".repeat(1 << 20), true).unwrap_err();
        assert_eq!(error.code, ErrorCode::TooLarge);
        assert_eq!(error.details.unwrap()["sizeBytes"], json!(FILE_MAX_BYTES << 20));
        let once = replace(&format!("{}b", &text[1..]), "b", "cc", false).unwrap_err();
        assert_eq!(once.code, ErrorCode::TooLarge);
        assert_eq!(replace(&text, "a", "b", true).unwrap().text.len(), text.len());
    }

    #[test]
    fn a_text_that_is_not_there_is_searched_in_linear_time() {
        // Each line except the last begins a match of most of `oldText`.
        let text = "x\n".repeat(200_000);
        let old = format!("{}y", " x\n".repeat(13_000));
        let took = seconds(|| {
            assert_eq!(replace(&text, &old, "z", false).unwrap_err().code, ErrorCode::Conflict);
        });
        assert!(took < 2.0, "{took} s");
        let large = "x\n".repeat(4_000_000);
        let took = seconds(|| drop(replace(&large, &old, "z", false).unwrap_err()));
        assert!(took < 10.0, "{took} s");
    }

    proptest! {
        #[test]
        fn a_similar_line_is_where_trimmed_lines_are_equal(
            text in "[ab \n]{0,24}", old in "[ab \n]{1,8}",
        ) {
            let wanted: Vec<&str> = old.trim().lines().map(str::trim).collect();
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let found = lines.windows(wanted.len().max(1)).position(|window| window == wanted);
            prop_assert_eq!(similar_line(&text, &old), found.map(|at| at + 1));
        }

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
