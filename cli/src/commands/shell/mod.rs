//! `shell`: an interactive shell in the workspace, on this terminal.

mod input;

use crate::api::{Call, Socket, operations as op};
use crate::commands::workspaces::active;
use crate::error::{ApiError, Error, ErrorBody};
use crate::progress::Waiting;
use crate::remote::Remote;
use clap::Args;
use crossterm::terminal;
use input::{Input, Inputs};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write, stdin, stdout};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tungstenite::Message;

/// How long the server keeps a shell whose viewer is gone.
const KEPT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_secs(1);
/// How many bytes may arrive before we confirm them. The server sends at most 1 MiB ahead.
const CONFIRM_BYTES: u64 = 128 << 10;
/// Size of a terminal that does not report its own.
const SIZE: (u16, u16) = (80, 24);

/// Open an interactive shell in the workspace
///
/// It is a real terminal: full-screen programs, its size and Ctrl-C work. If the connection breaks, the command
/// reconnects to the same shell for up to a minute. The exit code is the shell's.
#[derive(Debug, Args)]
pub struct Shell {
    /// Open the shell in this workspace [default: the active one]
    #[arg(long, short, value_name = "ID")]
    workspace: Option<String>,
}

impl Shell {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        if !(stdin().is_terminal() && stdout().is_terminal()) {
            return Err(Error::Usage(
                "a shell needs a terminal; `snapshotter run` runs commands without one".to_owned(),
            ));
        }
        let workspace =
            self.workspace.map_or_else(|| active_if_shown(remote), |id| Ok(Some(id)))?;
        let mut session = Session { remote, workspace, terminal: None, size: SIZE };
        let waiting = Waiting::spinner("Waiting for the workspace", remote.out.is_quiet);
        let mut socket = session.connect()?;
        drop(waiting);
        let raw = Raw::enter()?;
        let mut inputs = Inputs::read()?;
        let ended = loop {
            match session.carry(&mut socket, &mut inputs) {
                Err(Error::Network(why)) if session.terminal.is_some() => {
                    eprint!("\r\n{why}; coming back to the shell, Ctrl-C gives up\r\n");
                    match session.come_back(&mut inputs) {
                        Ok(back) => socket = back,
                        Err(error) => break Err(error),
                    }
                }
                ended => break ended,
            }
        };
        drop(raw);
        match ended? {
            0 => Ok(()),
            code => Err(Error::Exit(code)),
        }
    }
}

/// The active workspace, so that a reconnection finds the same shell even after a switch. None for
/// a caller who may only write.
fn active_if_shown(remote: &Remote) -> Result<Option<String>, Error> {
    match active(remote) {
        Err(error) if error.is_code("FORBIDDEN") => Ok(None),
        answer => answer.map(Some),
    }
}

/// The terminal in raw mode, until dropped: each key goes to the shell.
struct Raw;

impl Raw {
    fn enter() -> Result<Self, Error> {
        terminal::enable_raw_mode().map_err(|error| Error::local("the terminal", error))?;
        Ok(Self)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // This fails if the terminal is gone.
        let _ = terminal::disable_raw_mode();
    }
}

/// Messages of the server.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Told {
    Started { terminal: String, resumed: bool },
    Omitted(u64),
    Exited { exit_code: i64 },
    Error(ErrorBody),
}

struct Session<'a> {
    remote: &'a Remote,
    workspace: Option<String>,
    /// The shell to reconnect to.
    terminal: Option<String>,
    /// The size that the server knows.
    size: (u16, u16),
}

impl Session<'_> {
    fn connect(&mut self) -> Result<Socket, Error> {
        use op::open_terminal::query;
        self.size = size();
        let (cols, rows) = self.size;
        let call: Call = op::open_terminal::call(self.remote.session()?)?
            .query(query::COLS, Some(cols))
            .query(query::ROWS, Some(rows))
            .query(query::TERMINAL, self.terminal.as_deref())
            .query(query::WORKSPACE, self.workspace.as_deref());
        self.remote.client.socket(&call)
    }

    fn come_back(&mut self, inputs: &mut Inputs) -> Result<Socket, Error> {
        let until = Instant::now() + KEPT;
        loop {
            match self.connect() {
                Err(Error::Network(_)) if Instant::now() < until => {}
                connected => return connected,
            }
            sleep(PAUSE);
            if inputs.gives_up() {
                return Err(Error::Exit(130));
            }
        }
    }

    /// Carries keys and output until the shell ends. Returns the shell's exit code.
    fn carry(&mut self, socket: &mut Socket, inputs: &mut Inputs) -> Result<u8, Error> {
        inputs.watch(&socket.stream)?;
        // The size may have changed while the workspace woke.
        self.tell_size(socket)?;
        let (mut received, mut confirmed) = (0, 0);
        loop {
            // Receive first: messages may have arrived before we began to wait.
            while let Some(message) = socket.receive()? {
                match message {
                    Message::Binary(bytes) => {
                        received += bytes.len() as u64;
                        let mut to = stdout().lock();
                        to.write_all(&bytes)?;
                        to.flush()?;
                    }
                    Message::Text(text) => {
                        if let Some(code) = self.told(text.as_str())? {
                            return Ok(code);
                        }
                    }
                    Message::Close(_) => {
                        return Err(Error::Network("the server closed the connection".to_owned()));
                    }
                    _ => {}
                }
                if received - confirmed >= CONFIRM_BYTES {
                    confirmed = received;
                    socket.send(said(&json!({ "received": received })))?;
                }
            }
            for input in inputs.wait()? {
                match input {
                    Input::Typed(bytes) => socket.send(Message::binary(bytes))?,
                    Input::Resized => self.tell_size(socket)?,
                    Input::Gone => return Err(Error::Pipe),
                    Input::Signal(signal) => return Ok(128u8.saturating_add(signal)),
                }
            }
            socket.flush()?;
        }
    }

    fn tell_size(&mut self, socket: &mut Socket) -> Result<(), Error> {
        let (cols, rows) = size();
        if self.size == (cols, rows) {
            return Ok(());
        }
        self.size = (cols, rows);
        socket.send(said(&json!({ "resize": { "cols": cols, "rows": rows } })))
    }

    /// Reads a message. Returns the exit code once the shell has ended.
    fn told(&mut self, text: &str) -> Result<Option<u8>, Error> {
        let unexpected =
            |error| Error::Answer(format!("a message is not as this version expects: {error}"));
        let message: Value = serde_json::from_str(text).map_err(unexpected)?;
        match Told::deserialize(&message).map_err(unexpected)? {
            Told::Started { terminal, resumed } => {
                let came_back = self.terminal.replace(terminal).is_some();
                if came_back && !resumed {
                    eprint!("\r\nthat shell has ended: this is a new one\r\n");
                }
                Ok(None)
            }
            Told::Omitted(bytes) => {
                eprint!("\r\n({bytes} bytes of output came too fast, and are left out)\r\n");
                Ok(None)
            }
            Told::Exited { exit_code } => Ok(Some(u8::try_from(exit_code).unwrap_or(1))),
            Told::Error(body) => {
                let answer = json!({ "error": message.get("error") });
                Err(Error::Api(Box::new(ApiError { body, answer })))
            }
        }
    }
}

fn said(message: &Value) -> Message {
    Message::text(message.to_string())
}

fn size() -> (u16, u16) {
    terminal::size().ok().filter(|(cols, rows)| *cols > 0 && *rows > 0).unwrap_or(SIZE)
}
