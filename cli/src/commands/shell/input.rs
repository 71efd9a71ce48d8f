//! Local input of a shell: keys, window sizes and signals.

use crate::error::Error;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token, Waker};
use signal_hook::consts::{SIGHUP, SIGTERM, SIGWINCH};
use signal_hook::iterator::Signals;
use std::io::{ErrorKind, Read, stdin};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

const SOCKET: Token = Token(0);
const HERE: Token = Token(1);
const CTRL_C: u8 = 3;

/// One local input.
pub enum Input {
    /// Keys.
    Typed(Vec<u8>),
    /// The window has another size.
    Resized,
    /// The terminal is closed.
    Gone,
    /// A request to end.
    Signal(u8),
}

/// Waits for local input and for the connection.
pub struct Inputs {
    poll: Poll,
    received: Receiver<Input>,
}

impl Inputs {
    /// Reads the terminal from now on, for as long as this program runs.
    pub fn read() -> Result<Self, Error> {
        let failed = |error| Error::local("reading the terminal", error);
        let poll = Poll::new().map_err(failed)?;
        let waker = Arc::new(Waker::new(poll.registry(), HERE).map_err(failed)?);
        let (sender, received) = channel();
        let signals = Signals::new([SIGWINCH, SIGTERM, SIGHUP]).map_err(failed)?;
        let (to, wakes) = (sender.clone(), waker.clone());
        thread::spawn(move || tell_signals(signals, &to, &wakes));
        thread::spawn(move || tell_keys(&sender, &waker));
        Ok(Self { poll, received })
    }

    /// Also waits for this connection.
    pub fn watch(&mut self, stream: &TcpStream) -> Result<(), Error> {
        let interest = Interest::READABLE | Interest::WRITABLE;
        // The previous connection was closed, and is not watched any more.
        let fd = stream.as_raw_fd();
        let watched = self.poll.registry().register(&mut SourceFd(&fd), SOCKET, interest);
        watched.map_err(|error| Error::local("waiting for the connection", error))
    }

    /// Waits until something happens. Returns only local input.
    pub fn wait(&mut self) -> Result<Vec<Input>, Error> {
        let mut events = Events::with_capacity(8);
        match self.poll.poll(&mut events, None) {
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                Err(Error::local("waiting for the connection", error))
            }
            _ => Ok(self.received.try_iter().collect()),
        }
    }

    /// Whether the user gives up waiting, by Ctrl-C or a signal. Other keys are lost.
    pub fn gives_up(&mut self) -> bool {
        self.received.try_iter().any(|input| match input {
            Input::Typed(bytes) => bytes.contains(&CTRL_C),
            Input::Gone | Input::Signal(_) => true,
            Input::Resized => false,
        })
    }
}

fn tell_signals(mut signals: Signals, to: &Sender<Input>, waker: &Waker) {
    for signal in signals.forever() {
        let input = match signal {
            SIGWINCH => Input::Resized,
            other => Input::Signal(u8::try_from(other).unwrap_or(0)),
        };
        if to.send(input).is_err() || waker.wake().is_err() {
            return;
        }
    }
}

fn tell_keys(to: &Sender<Input>, waker: &Waker) {
    let mut buffer = [0; 4096];
    loop {
        let input = match stdin().read(&mut buffer) {
            Ok(count) if count > 0 => Input::Typed(buffer.iter().take(count).copied().collect()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            _ => Input::Gone,
        };
        let is_last = matches!(input, Input::Gone);
        if to.send(input).is_err() || waker.wake().is_err() || is_last {
            return;
        }
    }
}
