//! Makes untrusted text harmless for a terminal.

use std::fmt::Write as _;

/// Escapes all that could control the terminal or hide text: control characters, line breaks,
/// changes of direction, and invisible characters.
pub fn line(text: &str) -> String {
    escape(text, |_| false)
}

/// Like `line`, but keeps line breaks and tabs, for text of several lines.
pub fn block(text: &str) -> String {
    escape(text, |letter| matches!(letter, '\n' | '\t'))
}

fn escape(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_harmless(letter) || is_kept(letter) {
            out.push(letter);
        } else {
            match letter {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                // Writing to a String can't fail.
                letter => drop(write!(out, "\\u{{{:x}}}", u32::from(letter))),
            }
        }
    }
    out
}

fn is_harmless(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter,
        // Soft hyphen, and marks of direction.
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        // Separators of lines and paragraphs, and embedded directions.
        | '\u{2028}'..='\u{202e}'
        // Invisible operators, isolated directions.
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        // Invisible copies of ASCII.
        | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::{block, line};

    #[test]
    fn nothing_controls_the_terminal() {
        let hostile = "a\x1b[31mb\x07\r\nc\u{9b}2J\u{202e}txt.exe\u{2066}\u{200b}\u{7f}\u{e0041}";
        let shown = line(hostile);
        assert_eq!(
            shown,
            "a\\u{1b}[31mb\\u{7}\\r\\nc\\u{9b}2J\\u{202e}txt.exe\\u{2066}\\u{200b}\\u{7f}\\u{e0041}"
        );
        assert_eq!(block("a\tb\r\nc\x1b]0;x\x07"), "a\tb\\r\nc\\u{1b}]0;x\\u{7}");
        for text in ["plain", "日本語 ü é", "👩\u{200d}💻", "\\x1b", "مرحبا"] {
            assert_eq!(line(text), text);
        }
    }
}
