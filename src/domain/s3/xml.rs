//! S3's XML: elements with text. Clients' documents are small and flat, so one pass reads them and
//! refuses all that they never contain.

use crate::domain::s3::error::{Code, Result, S3Error};
use std::fmt::Write;

const DEPTH_MAX: usize = 8;

/// An element under construction.
pub struct Element {
    name: &'static str,
    inside: String,
}

impl Element {
    /// An element without content.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, inside: String::new() }
    }

    /// Adds an element with text.
    #[must_use]
    pub fn text(mut self, name: &str, value: &str) -> Self {
        let _ = write!(self.inside, "<{name}>");
        escape(value, &mut self.inside);
        let _ = write!(self.inside, "</{name}>");
        self
    }

    /// Adds an element with text, if there is a value.
    #[must_use]
    pub fn maybe(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(name, value),
            None => self,
        }
    }

    /// Adds an element.
    #[must_use]
    pub fn child(mut self, child: Self) -> Self {
        let Self { name, inside } = child;
        let _ = write!(self.inside, "<{name}>{inside}</{name}>");
        self
    }

    /// Adds elements.
    #[must_use]
    pub fn children(self, children: impl IntoIterator<Item = Self>) -> Self {
        children.into_iter().fold(self, Self::child)
    }

    /// The whole document.
    #[must_use]
    pub fn document(self) -> String {
        let Self { name, inside } = self;
        // Errors have no namespace.
        let space =
            if name == "Error" { "" } else { " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"" };
        let begin = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{name}{space}>");
        let end = format!("</{name}>");
        // A list's document is long: its string is allocated once.
        let mut document = String::with_capacity(begin.len() + inside.len() + end.len());
        for piece in [&begin, &inside, &end] {
            document.push_str(piece);
        }
        document
    }
}

fn escape(text: &str, into: &mut String) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            // XML 1.0 can't express most of these. S3 writes them so.
            c if c.is_control() => {
                let _ = write!(into, "&#x{:x};", u32::from(c));
            }
            c => into.push(c),
        }
    }
}

/// An event of [`read`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// An element with child elements begins.
    Begin,
    /// An element without child elements ends, with this text.
    Text(String),
    /// An element with child elements ends.
    End,
}

/// Calls `visit` for each element of a document. Takes no more memory than the text.
///
/// # Errors
/// `MalformedXML`, also for markup that S3 clients never send; the errors of `visit`.
pub fn read(text: &[u8], mut visit: impl FnMut(&[&str], Event) -> Result<()>) -> Result<()> {
    let text = str::from_utf8(text).map_err(|error| malformed(&error.to_string()))?;
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    if let Some(declared) = rest.strip_prefix("<?xml") {
        rest = declared.split_once("?>").ok_or_else(|| malformed("its declaration is open"))?.1;
    }
    let (mut path, mut content) = (Vec::<&str>::new(), String::new());
    let (mut is_leaf, mut ended) = (false, false);
    loop {
        let (before, after) = match rest.split_once('<') {
            Some(split) => split,
            None if rest.trim().is_empty() && path.is_empty() && ended => return Ok(()),
            None => return Err(malformed("it ends early")),
        };
        if path.is_empty() && !before.trim().is_empty() {
            return Err(malformed("it has text outside its element"));
        }
        content.push_str(&unescaped(before)?);
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").ok_or_else(|| malformed("a comment is open"))?.1;
            continue;
        }
        let (tag, after) = after.split_once('>').ok_or_else(|| malformed("a tag is open"))?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if path.last() != Some(&local(name.trim_end())?) {
                return Err(malformed("its tags do not match"));
            }
            let text = std::mem::take(&mut content);
            visit(&path, if is_leaf { Event::Text(text) } else { Event::End })?;
            path.pop();
            (is_leaf, ended) = (false, path.is_empty());
            continue;
        }
        if ended || path.len() >= DEPTH_MAX {
            return Err(malformed("it has too many elements"));
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let name = tag.split(char::is_whitespace).next().unwrap_or_default();
        path.push(local(name)?);
        content.clear();
        visit(&path, Event::Begin)?;
        is_leaf = true;
        if closed {
            visit(&path, Event::Text(String::new()))?;
            path.pop();
            (is_leaf, ended) = (false, path.is_empty());
        }
    }
}

fn local(name: &str) -> Result<&str> {
    let name = name.rsplit(':').next().unwrap_or_default();
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric());
    if is_name { Ok(name) } else { Err(malformed("it has other markup than elements")) }
}

fn unescaped(text: &str) -> Result<String> {
    let mut pieces = text.split('&');
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (entity, rest) = piece.split_once(';').ok_or_else(|| malformed("an entity is open"))?;
        let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok();
        let c = match entity {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => entity
                .strip_prefix("#x")
                .and_then(|digits| number(digits, 16))
                .or_else(|| entity.strip_prefix('#').and_then(|digits| number(digits, 10)))
                .and_then(char::from_u32),
        };
        whole.push(c.ok_or_else(|| malformed("it has an unknown entity"))?);
        whole.push_str(rest);
    }
    Ok(whole)
}

/// The error for a body that is not the expected document.
#[must_use]
pub fn malformed(why: &str) -> S3Error {
    S3Error::new(Code::MalformedXml, format!("the body is not the expected XML: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(document: &str) -> Vec<(String, String)> {
        let mut texts = Vec::new();
        read(document.as_bytes(), |path, event| {
            if let Event::Text(text) = event {
                texts.push((path.join("/"), text));
            }
            Ok(())
        })
        .unwrap();
        texts
    }

    #[test]
    fn documents_of_clients_are_read() {
        let document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\n <!-- c -->\n <Object><Key>a &amp; b&#10;&#x41;</Key></Object><Object><Key/></Object><Quiet>true</Quiet></Delete>\n";
        assert_eq!(
            texts(document),
            [
                ("Delete/Object/Key".to_owned(), "a & b\nA".to_owned()),
                ("Delete/Object/Key".to_owned(), String::new()),
                ("Delete/Quiet".to_owned(), "true".to_owned()),
            ]
        );
        assert_eq!(texts("<s3:A><s3:B>x</s3:B></s3:A>"), [("A/B".to_owned(), "x".to_owned())]);
    }

    #[test]
    fn other_documents_are_refused() {
        for document in [
            "",
            "text",
            "<a>",
            "<a></b>",
            "<a></a><b></b>",
            "<a></a>x",
            "x<a></a>",
            "<a>&nbsp;</a>",
            "<a>&amp</a>",
            "<a>&#xd800;</a>",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
            "<a><![CDATA[x]]></a>",
            "<a",
            "<?xml",
            "<a><b><c><d><e><f><g><h><i></i></h></g></f></e></d></c></b></a>",
        ] {
            let refused = read(document.as_bytes(), |_, _| Ok(())).unwrap_err();
            assert_eq!(refused.code, Code::MalformedXml, "{document}");
        }
        assert!(read(b"<a>\xff</a>", |_, _| Ok(())).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(text in "\\PC*[\\n\\x01&<>\"]?") {
            let document = Element::new("A").child(Element::new("B").text("C", &text)).document();
            prop_assert_eq!(texts(&document), [("A/B/C".to_owned(), text)]);
        }

        #[test]
        fn nothing_panics(text in "[<>/a&;!?# -]{0,40}") {
            let _ = read(text.as_bytes(), |_, _| Ok(()));
        }
    }
}
