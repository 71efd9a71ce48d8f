//! Progress on standard error while the user waits.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::thread;
use std::time::Duration;

/// Few enough that a slow terminal does not slow us down.
const DRAWS_PER_SECOND: u8 = 8;
const TICK: Duration = Duration::from_millis(120);
/// A call that takes less time shows nothing.
const PATIENCE: Duration = Duration::from_millis(400);

/// A line on standard error. Dropping this removes the line.
pub struct Waiting(Option<ProgressBar>);

impl Waiting {
    /// Shows `what` with the elapsed time, if standard error is a terminal.
    pub fn spinner(what: &str, is_quiet: bool) -> Self {
        if what.is_empty() || is_quiet || !stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} … {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        let later = bar.clone();
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            if !later.is_finished() {
                later.set_draw_target(ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND));
                later.enable_steady_tick(TICK);
            }
        });
        Self(Some(bar))
    }

    /// A bar up to `total_bytes`, or a counter if the total is unknown.
    pub fn bytes(what: &str, total_bytes: Option<u64>, is_quiet: bool) -> Self {
        if is_quiet || !stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(
            total_bytes,
            ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND),
        );
        let template = match total_bytes {
            Some(_) => {
                "{msg} [{bar:30}] {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec} {eta}"
            }
            None => "{spinner} {msg} {decimal_bytes} {decimal_bytes_per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what.to_owned());
        Self(Some(bar))
    }

    /// Shows another text from now on.
    pub fn say(&self, what: &'static str) {
        if let Some(bar) = &self.0 {
            bar.set_message(what);
        }
    }

    /// Advances the bar.
    pub fn add(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(bytes);
        }
    }

    /// Moves the bar back: sent bytes did not arrive.
    pub fn take_back(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.dec(bytes);
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
