//! All output. Text is escaped here, so no command can forget it.

pub mod escape;
pub mod format;
pub mod hint;
mod others;

pub use others::Others;

use crate::error::Error;
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use comfy_table::{Table, presets};
use serde_json::Value;
use std::io::{IsTerminal, Stderr, StdoutLock, Write, stderr, stdout};

/// The format of standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables and sentences, for people.
    Table,
    /// The server's answer, unchanged.
    Json,
}

/// The printer of all output.
#[derive(Debug, Clone, Copy)]
pub struct Out {
    /// The chosen format.
    pub format: Format,
    /// Whether only results are printed.
    pub is_quiet: bool,
    /// Whether a terminal gets untrusted text unescaped.
    pub is_raw: bool,
}

/// Green, for things that are well or added.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Red, for things that failed or were removed.
pub const BAD: Style = AnsiColor::Red.on_default();
/// For less important text.
pub const DIM: Style = Style::new().dimmed();
/// For important text.
pub const STRONG: Style = Style::new().bold();

impl Out {
    /// Whether JSON is wanted.
    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Says how to get the next page, if there is one.
    pub fn more(&self, cursor: Option<&str>) -> Result<(), Error> {
        cursor.map_or(Ok(()), |cursor| {
            self.note(format!("there are more: repeat it with --cursor {cursor}"))
        })
    }

    /// Prints an answer as one line of JSON for programs, or indented on a terminal. There, we
    /// write dangerous characters that JSON itself allows as escapes, too.
    pub fn json(&self, answer: &Value) -> Result<(), Error> {
        let mut out = stdout().lock();
        if out.is_terminal() {
            writeln!(out, "{}", ascii_escapes(&format!("{answer:#}")))?;
        } else {
            writeln!(out, "{answer}")?;
        }
        Ok(out.flush()?)
    }

    /// A writer to standard output for untrusted files and output of programs.
    pub fn others(&self) -> Others<StdoutLock<'static>> {
        let out = stdout().lock();
        let is_escaped = out.is_terminal() && !self.is_raw;
        Others::new(out, is_escaped)
    }

    /// The same writer, to standard error.
    pub fn others_errors(&self) -> Others<Stderr> {
        let err = stderr();
        let is_escaped = err.is_terminal() && !self.is_raw;
        Others::new(err, is_escaped)
    }

    /// Prints a line, escaped.
    pub fn line(&self, text: impl AsRef<str>) -> Result<(), Error> {
        self.styled(text, Style::new())
    }

    /// Prints a line in a style, escaped.
    pub fn styled(&self, text: impl AsRef<str>, style: Style) -> Result<(), Error> {
        let text = escape::line(text.as_ref());
        Ok(writeln!(anstream::stdout(), "{style}{text}{style:#}")?)
    }

    /// Prints a line of a file or of a program's output, escaped except for tabs.
    pub fn code(&self, text: &str, style: Style) -> Result<(), Error> {
        let text = escape::block(text).replace('\n', "\\n");
        Ok(writeln!(anstream::stdout(), "{style}{text}{style:#}")?)
    }

    /// Prints one line of JSON.
    pub fn json_line(&self, value: &Value) -> Result<(), Error> {
        let mut out = stdout().lock();
        let text = value.to_string();
        let text = if out.is_terminal() { ascii_escapes(&text) } else { text };
        writeln!(out, "{text}")?;
        Ok(out.flush()?)
    }

    /// Prints text of several lines, escaped.
    pub fn block(&self, text: &str) -> Result<(), Error> {
        let mut out = anstream::stdout();
        write!(out, "{}", escape::block(text))?;
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(out)?;
        }
        Ok(())
    }

    /// Prints a remark on standard error, escaped, unless `--quiet` is given.
    pub fn note(&self, text: impl AsRef<str>) -> Result<(), Error> {
        if self.is_quiet {
            return Ok(());
        }
        Ok(writeln!(anstream::stderr(), "{}", escape::line(text.as_ref()))?)
    }

    /// Prints a question on standard error, escaped. The user types the answer after it.
    pub fn ask(&self, text: impl AsRef<str>) -> Result<(), Error> {
        let mut err = anstream::stderr();
        write!(err, "{}", escape::line(text.as_ref()))?;
        Ok(err.flush()?)
    }

    /// Prints a table with escaped cells. If it has no rows, prints a remark that says so.
    pub fn table<const N: usize>(
        &self,
        titles: [&str; N],
        rows: Vec<[String; N]>,
    ) -> Result<(), Error> {
        if rows.is_empty() {
            return self.note("none");
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(titles);
        for row in rows {
            table.add_row(row.map(|cell| escape::line(&cell)));
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        let mut out = anstream::stdout();
        for (at, line) in table.lines().enumerate() {
            let style = if at == 0 { STRONG } else { Style::new() };
            writeln!(out, "{style}{}{style:#}", line.trim_end())?;
        }
        Ok(())
    }

    /// Prints the result of a check.
    pub fn check(&self, is_ok: bool, name: &str, found: &str) -> Result<(), Error> {
        let (word, style) = if is_ok { ("ok", GOOD) } else { ("FAIL", BAD) };
        let found = escape::line(found);
        Ok(writeln!(anstream::stdout(), "{style}{word:4}{style:#}  {name:13}  {found}")?)
    }

    /// Prints names and values, one pair per line.
    pub fn pairs(&self, pairs: &[(&str, String)]) -> Result<(), Error> {
        let width = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut out = anstream::stdout();
        for (name, value) in pairs {
            writeln!(out, "{DIM}{name:width$}{DIM:#}  {}", escape::line(value))?;
        }
        Ok(())
    }
}

/// Prints an error on standard error, in the chosen format.
pub fn error(error: &Error, format: Format) {
    let mut err = anstream::stderr();
    // If standard error is gone, the exit code still reports the error.
    let _ = match (error, format) {
        (Error::Pipe | Error::Exit(_), _) => Ok(()),
        (Error::Api(api), Format::Json) => {
            writeln!(err, "{}", ascii_escapes(&api.answer.to_string()))
        }
        (_, Format::Json) => {
            let (code, message) = local(error);
            writeln!(
                err,
                "{}",
                ascii_escapes(
                    &serde_json::json!({ "error": { "code": code, "message": message } })
                        .to_string()
                )
            )
        }
        (Error::Api(api), Format::Table) => {
            let body = &api.body;
            let message = escape::line(&format!("{} ({})", body.message, body.code));
            let hint = hint::of(body).map(|hint| format!("\n  hint: {}", escape::line(&hint)));
            writeln!(err, "{BAD}error:{BAD:#} {message}{}", hint.unwrap_or_default())
        }
        (_, Format::Table) => {
            writeln!(err, "{BAD}error:{BAD:#} {}", escape::line(&local(error).1))
        }
    };
}

/// Prints text of several lines on standard error, escaped.
pub fn error_block(text: &str) -> Result<(), Error> {
    let mut err = anstream::stderr();
    write!(err, "{}", escape::block(text))?;
    if !text.is_empty() && !text.ends_with('\n') {
        writeln!(err)?;
    }
    Ok(())
}

/// The server does not use these codes.
fn local(error: &Error) -> (&'static str, String) {
    match error {
        Error::Usage(message) => ("CLI_USAGE", message.clone()),
        Error::Network(message) => ("CLI_NETWORK", message.clone()),
        Error::Answer(message) => ("CLI_ANSWER", message.clone()),
        Error::Local(message) => ("CLI_LOCAL", message.clone()),
        Error::Api(error) => ("CLI_API", error.body.message.clone()),
        Error::Pipe | Error::Exit(_) => ("CLI_EXIT", String::new()),
    }
}

/// JSON whose strings have dangerous characters as `\uXXXX`. Its value stays the same.
fn ascii_escapes(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter == '\n' || escape::line(letter.encode_utf8(&mut [0; 4])).chars().eq([letter]) {
            out.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::ascii_escapes;
    use serde_json::{Value, json};

    #[test]
    fn escaped_json_means_the_same() {
        let value = json!({ "n\u{9b}": "a\u{202e}\u{e0041}\x1b\n\u{7f}é" });
        let shown = ascii_escapes(&format!("{value:#}"));
        assert!(!shown.contains(['\u{9b}', '\u{202e}', '\u{e0041}', '\x1b', '\u{7f}']));
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
    }
}
