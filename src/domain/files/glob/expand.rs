//! Expands braces.

use crate::domain::limits::GLOB_ALTERNATIVES_MAX;
use std::ops::Range;

/// Characters, each with its backslash, and classes.
fn parts(pattern: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = pattern.get(at..)?;
        let first = rest.chars().next()?;
        let len = match first {
            '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            '[' => class_len(rest).unwrap_or(1),
            other => other.len_utf8(),
        };
        let range = at..at + len;
        at = range.end;
        Some((range, rest.get(..len)?))
    })
}

/// A leading `]` is a member of the class.
fn class_len(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices().skip(1).peekable();
    chars.next_if(|(_, negated)| matches!(negated, '^' | '!'));
    chars.next_if(|(_, member)| *member == ']');
    while let Some((at, member)) = chars.next() {
        match member {
            ']' => return Some(at + 1),
            '\\' => drop(chars.next()),
            _ => {}
        }
    }
    None
}

/// All patterns that a valid pattern stands for. Fails with a text if they are too many.
pub(super) fn expanded(pattern: &str) -> Result<Vec<String>, String> {
    let mut todo = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(pattern) = todo.pop() {
        if todo.len() + done.len() >= GLOB_ALTERNATIVES_MAX {
            return Err(format!("has braces for more than {GLOB_ALTERNATIVES_MAX} patterns"));
        }
        match alternatives(&pattern) {
            Some(alternatives) => todo.extend(alternatives),
            None => done.push(pattern),
        }
    }
    Ok(done)
}

/// One pattern for each alternative of the first group. None without a group.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let (mut open, mut depth) = (None, 0_usize);
    let mut from = 0;
    let mut found: Vec<Range<usize>> = Vec::new();
    for (range, part) in parts(pattern) {
        match part {
            "{" => {
                depth += 1;
                if depth == 1 {
                    (open, from) = (Some(range.start), range.end);
                }
            }
            "," if depth == 1 => {
                found.push(from..range.start);
                from = range.end;
            }
            "}" if depth == 1 => {
                found.push(from..range.start);
                let (before, after) = (pattern.get(..open?)?, pattern.get(range.end..)?);
                let chosen = |one: Range<usize>| Some([before, pattern.get(one)?, after].concat());
                return found.into_iter().map(chosen).collect();
            }
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Adapts a `.gitignore` pattern to `fast_glob`, in which braces group, a leading `!` negates, and
/// a backslash before some letters makes a control character.
pub(super) fn without_braces(line: &str) -> String {
    let mut pattern = String::with_capacity(line.len());
    for (range, part) in parts(line) {
        match part {
            "{" | "}" | "," => pattern.push('\\'),
            "!" if range.start == 0 => pattern.push('\\'),
            _ => {}
        }
        let escaped = part.strip_prefix('\\').filter(|letter| {
            letter.chars().all(|letter| letter.is_ascii_alphanumeric()) && !letter.is_empty()
        });
        pattern.push_str(escaped.unwrap_or(part));
    }
    pattern
}
