//! Catches signals that end this program, for commands that have to end something else first.

use crate::error::Error;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How long it may take until Ctrl-C is noticed.
pub const PATIENCE: Duration = Duration::from_millis(100);

/// The signals that arrived since this was made.
#[derive(Debug, Clone, Default)]
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Catches Ctrl-C and termination signals, which then no longer end this program.
    pub fn catch() -> Result<Self, Error> {
        Self::of(&[SIGINT, SIGTERM, SIGHUP])
    }

    /// Catches Ctrl-C, which then no longer ends this program.
    pub fn catch_interrupt() -> Result<Self, Error> {
        Self::of(&[SIGINT])
    }

    fn of(signals: &[i32]) -> Result<Self, Error> {
        let last = Arc::new(AtomicUsize::new(0));
        for &signal in signals {
            let number = usize::try_from(signal).unwrap_or(0);
            flag::register_usize(signal, last.clone(), number)
                .map_err(|error| Error::local("waiting for signals", error))?;
        }
        Ok(Self(last))
    }

    /// The last signal's number, if a signal arrived since the last call.
    pub fn take(&self) -> Option<u8> {
        let last = self.0.swap(0, Ordering::SeqCst);
        u8::try_from(last).ok().filter(|signal| *signal != 0)
    }
}
