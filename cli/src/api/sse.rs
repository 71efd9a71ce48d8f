//! Server-Sent Events, read in a thread so that the reader can also wait for Ctrl-C.

use crate::error::Error;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// After this silence, the connection is lost: the server sends at least a keep-alive every 2 s.
const SILENCE_MAX: Duration = Duration::from_secs(60);
/// Far above the size of any event. Keeps a broken server from filling our memory.
const LINE_MAX_BYTES: u64 = 64 << 20;
/// How many messages may queue. A full queue slows down the server, and so the command.
const QUEUED_MAX: usize = 64;

/// What a stream delivered.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// The data of an event.
    Data(String),
    /// The stream has nothing new yet.
    Nothing,
    /// The stream is over.
    End,
}

enum Message {
    Opened,
    Data(String),
    KeepAlive,
    Failed(Error),
}

/// A stream of events. Dropping it ends the connection when the server next sends something.
pub struct Events {
    messages: Receiver<Message>,
    /// When the server last sent something. None before the stream is open: until then,
    /// the answer's own timeout counts.
    heard_at: Option<Instant>,
}

impl Events {
    /// Begins to open and read a stream.
    pub fn of<R: Read>(open: impl FnOnce() -> Result<R, Error> + Send + 'static) -> Self {
        let (to, messages) = sync_channel(QUEUED_MAX);
        thread::spawn(move || match open() {
            Ok(body) if to.send(Message::Opened).is_ok() => pump(BufReader::new(body), &to),
            Ok(_) => {}
            // If nobody listens any more, nobody needs the error.
            Err(error) => drop(to.send(Message::Failed(error))),
        });
        Self { messages, heard_at: None }
    }

    /// Waits up to `patience` for the next event.
    pub fn next(&mut self, patience: Duration) -> Result<Event, Error> {
        match self.messages.recv_timeout(patience) {
            Ok(Message::Failed(error)) => Err(error),
            Err(RecvTimeoutError::Disconnected) => Ok(Event::End),
            Err(RecvTimeoutError::Timeout) => match self.heard_at {
                Some(at) if at.elapsed() > SILENCE_MAX => {
                    Err(lost("it has been silent for a minute"))
                }
                _ => Ok(Event::Nothing),
            },
            Ok(message) => {
                self.heard_at = Some(Instant::now());
                Ok(match message {
                    Message::Data(data) => Event::Data(data),
                    _ => Event::Nothing,
                })
            }
        }
    }
}

fn lost(why: &str) -> Error {
    Error::Network(format!("the connection to the server was lost: {why}"))
}

/// Reads events until the stream ends or nobody listens any more.
fn pump(mut from: impl BufRead, to: &SyncSender<Message>) {
    let mut data = String::new();
    loop {
        let mut line = Vec::new();
        let message = match from.by_ref().take(LINE_MAX_BYTES).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => match read_line(&line, &mut data) {
                Some(message) => message,
                None => continue,
            },
            Err(error) => Message::Failed(lost(&error.to_string())),
        };
        let is_last = matches!(message, Message::Failed(_));
        if to.send(message).is_err() || is_last {
            return;
        }
    }
}

/// Takes in a line. An empty line ends the event.
fn read_line(line: &[u8], data: &mut String) -> Option<Message> {
    let Some(line) = line.strip_suffix(b"\n") else {
        return Some(Message::Failed(lost("it broke off")));
    };
    let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
    if line.is_empty() {
        let whole = std::mem::take(data);
        return (!whole.is_empty()).then_some(Message::Data(whole));
    }
    if line.starts_with(':') {
        return Some(Message::KeepAlive);
    }
    if let Some(value) = line.strip_prefix("data:") {
        if !data.is_empty() {
            data.push('\n');
        }
        data.push_str(value.strip_prefix(' ').unwrap_or(value));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn all(stream: &'static str) -> (Vec<String>, Option<Error>) {
        let mut events = Events::of(move || Ok(Cursor::new(stream)));
        let mut data = Vec::new();
        loop {
            match events.next(Duration::from_secs(5)) {
                Ok(Event::Data(one)) => data.push(one),
                Ok(Event::Nothing) => {}
                Ok(Event::End) => return (data, None),
                Err(error) => return (data, Some(error)),
            }
        }
    }

    #[test]
    fn events_are_what_their_data_lines_say() {
        let (data, error) =
            all(": hi\n\ndata: one\n\nevent: x\r\ndata:two\r\ndata: three\r\n\r\n\n: \n");
        assert_eq!(data, ["one", "two\nthree"]);
        assert!(error.is_none());
    }

    #[test]
    fn a_stream_that_breaks_off_within_a_line_is_an_error() {
        let (data, error) = all("data: one\n\ndata: tw");
        assert_eq!(data, ["one"]);
        assert!(matches!(error, Some(Error::Network(_))));
    }
}
