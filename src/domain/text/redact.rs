//! Replaces values that must not be shown.

use crate::domain::limits::REDACTED_MIN_CHARS;

pub(crate) const REDACTED: &str = "<redacted>";

/// Values to hide, except those too short to differ from ordinary words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redactor {
    /// Lines of the values: output may contain one without the others.
    hidden: Vec<String>,
}

impl Redactor {
    pub fn of<'a>(values: impl Iterator<Item = &'a String>) -> Self {
        let lines = values.flat_map(|value| value.lines()).map(str::trim);
        let mut hidden: Vec<String> = lines
            .filter(|line| line.chars().count() >= REDACTED_MIN_CHARS)
            .map(str::to_owned)
            .collect();
        hidden.sort_unstable();
        hidden.dedup();
        Self { hidden }
    }

    /// How many bytes before a tail must be kept, so that it shows no part of a value.
    pub fn reach_bytes(&self) -> usize {
        self.hidden.iter().map(String::len).max().unwrap_or(0)
    }

    pub fn redact(&self, text: &str) -> String {
        self.tail(text, text.len())
    }

    /// At most the last `max_bytes`, redacted. A value that begins before them is left out.
    pub fn tail(&self, text: &str, max_bytes: usize) -> String {
        let mut from = text.ceil_char_boundary(text.len().saturating_sub(max_bytes));
        let near = text.floor_char_boundary(from.saturating_sub(self.reach_bytes()));
        let found = self.found(text, near);
        let mut shown = String::new();
        for (start, end) in found {
            if end <= from {
                continue;
            }
            if let Some(between) = text.get(from..start) {
                shown.push_str(between);
                shown.push_str(REDACTED);
            }
            from = end;
        }
        shown.push_str(text.get(from..).unwrap_or_default());
        shown
    }

    /// Positions from `near` on, in order, without overlaps.
    fn found(&self, text: &str, near: usize) -> Vec<(usize, usize)> {
        let searched = text.get(near..).unwrap_or_default();
        let mut found: Vec<(usize, usize)> = Vec::new();
        for value in &self.hidden {
            let places = searched.match_indices(value.as_str());
            found.extend(places.map(|(at, _)| (near + at, near + at + value.len())));
        }
        found.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::with_capacity(found.len());
        for (start, end) in found {
            match joined.last_mut() {
                Some((_, before)) if start < *before => *before = end.max(*before),
                _ => joined.push((start, end)),
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hiding(values: &[&str]) -> Redactor {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        Redactor::of(values.iter())
    }

    #[test]
    fn values_are_replaced_wherever_they_are() {
        let redactor = hiding(&["sk-12345678", "12345678-abc", "true"]);
        assert_eq!(redactor.redact("key=sk-12345678, true"), "key=<redacted>, true");
        assert_eq!(redactor.redact("sk-12345678-abc!"), "<redacted>!");
        assert_eq!(redactor.redact("sk-12345678sk-12345678"), "<redacted><redacted>");
        assert_eq!(hiding(&[]).redact("sk-12345678"), "sk-12345678");
    }

    #[test]
    fn each_line_of_a_value_is_hidden() {
        let redactor = hiding(&["-----BEGIN KEY-----\nMIIEvQIBADAN\nx\n"]);
        assert_eq!(redactor.redact("| MIIEvQIBADAN |\nx"), "| <redacted> |\nx");
    }

    #[test]
    fn a_cut_shows_no_part_of_a_value() {
        let redactor = hiding(&["geheim-é-1234", "another-secret"]);
        let text = format!("{}geheim-é-1234 and another-secret.", "a".repeat(40));
        for max_bytes in 0..=text.len() {
            let shown = redactor.tail(&text, max_bytes);
            let plain = shown.replace(REDACTED, "");
            assert!(plain.len() <= max_bytes, "{max_bytes}: {shown}");
            for piece in ["geheim", "eim", "1234", "secret", "other", "ret."] {
                assert!(!plain.contains(piece), "{max_bytes}: {shown}");
            }
        }
        assert_eq!(redactor.tail(&text, 24), " and <redacted>.");
    }
}
