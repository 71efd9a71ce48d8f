//! Heads of HTTP messages.

use crate::Result;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Longest head.
const MAX_BYTES: u64 = 64 * 1024;

/// The first line of a message, and its headers with their names in lowercase.
pub struct Head {
    pub line: String,
    headers: Vec<(String, String)>,
}

impl Head {
    /// `None` when the connection closed between messages.
    pub async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<Self>> {
        let mut limited = from.take(MAX_BYTES);
        let mut text = Vec::new();
        while !text.ends_with(b"\r\n\r\n") {
            if limited.read_until(b'\n', &mut text).await? == 0 {
                return if text.is_empty() {
                    Ok(None)
                } else {
                    Err("an HTTP head broke off".into())
                };
            }
        }
        Ok(Some(Self::parse(&String::from_utf8_lossy(&text))))
    }

    pub fn parse(text: &str) -> Self {
        let mut lines = text.split("\r\n");
        let line = lines.next().unwrap_or_default().to_owned();
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers =
            headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
        Self { line, headers: headers.collect() }
    }

    /// A header's value, if it has the header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|header| header.0 == name).map(|header| header.1.as_str())
    }
}
