//! Reads a command's output to its end and keeps it up to a limit.

use crate::domain::error::Result;
use crate::domain::limits::{BUDGET_FREE_BYTES, BUDGET_WAIT_MS};
use crate::domain::text::tail::Ends;
use crate::platform::budgets;
use crate::platform::container::js::{ExecProcess, JsStream, exit_status, get, unavailable};
use crate::ports::container::{Command, Needed, Output};
use crate::support::budget::Held;
use futures::lock::Mutex;
use js_sys::Uint8Array;
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// Limit for each end of a stream while the budget has no room for more.
const LITTLE_BYTES: usize = 64 * 1024;
const _: () = assert!(LITTLE_BYTES as u64 >= BUDGET_FREE_BYTES);

/// A command's output so far. The caller shares it with a future that it may drop: what that future
/// has read is then still here.
pub struct Captured {
    stdout: RefCell<Ends>,
    stderr: RefCell<Ends>,
    room: Room,
}

#[derive(Default)]
struct Room {
    needed: Needed,
    /// Maximum bytes that the counted streams may keep.
    bytes: u64,
    /// In a mutex, because both streams ask for it.
    granted: Mutex<Granted>,
}

#[derive(Default)]
enum Granted {
    #[default]
    NotAsked,
    All {
        _held: Held,
    },
    Little,
}

impl Room {
    /// Whether there is room for the rest of the output. `length` is the stream's length so far.
    async fn is_enough(&self, length: usize) -> bool {
        if self.needed == Needed::Nothing || length as u64 <= BUDGET_FREE_BYTES {
            return true;
        }
        let mut granted = self.granted.lock().await;
        if matches!(*granted, Granted::NotAsked) {
            let held = if self.needed == Needed::Both {
                budgets::hold_printed(self.bytes).await
            } else {
                budgets::hold_read(self.bytes, 0).await
            };
            *granted = held.map_or(Granted::Little, |held| Granted::All { _held: held });
        }
        matches!(*granted, Granted::All { .. })
    }
}

impl Captured {
    pub fn of(command: &Command) -> Self {
        let kept = (command.output_max_bytes + command.output_tail_bytes) as u64;
        let bytes = match command.room {
            Needed::Nothing => 0,
            Needed::Stdout => kept,
            Needed::Both => 2 * kept,
        };
        let room = Room { needed: command.room, bytes, ..Room::default() };
        Self { room, ..Self::new(command.output_max_bytes, command.output_tail_bytes) }
    }

    /// If the command lacked room and has to run again, waits for room and returns a new capture.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub async fn again(&self, command: &Command) -> Result<Option<Self>> {
        let lacked = matches!(*self.room.granted.lock().await, Granted::Little);
        if !lacked || command.room != Needed::Stdout {
            return Ok(None);
        }
        let held = budgets::hold_read(self.room.bytes, BUDGET_WAIT_MS).await?;
        let mut again = Self::of(command);
        again.room.granted = Mutex::new(Granted::All { _held: held });
        Ok(Some(again))
    }

    /// Keeps the first `head_max` and the last `tail_max` bytes of each stream.
    pub fn new(head_max: usize, tail_max: usize) -> Self {
        let ends = || RefCell::new(Ends::new(head_max, tail_max));
        Self { stdout: ends(), stderr: ends(), room: Room::default() }
    }

    /// Reads both streams to their end, then the exit code.
    pub async fn until_end(&self, process: &ExecProcess) -> Result<i32> {
        let (stdout, stderr, exit) = futures::join!(
            drain(process.stdout(), &self.stdout, &self.room),
            drain(process.stderr(), &self.stderr, &self.room),
            JsFuture::from(process.exit_code()),
        );
        stdout?;
        stderr?;
        exit_status(exit)
    }

    pub fn take_output(&self, exit_code: i32, killed: bool) -> Output {
        let (stdout, stderr) = (self.stdout.take(), self.stderr.take());
        let (stdout_truncated, stderr_truncated) = (stdout.is_cut(), stderr.is_cut());
        let (stdout, stderr) = (stdout.into_bytes(), stderr.into_bytes());
        Output { exit_code, stdout, stderr, stdout_truncated, stderr_truncated, killed }
    }
}

/// Reads a stream to its end, outside the budgets.
pub async fn drain_uncounted(stream: JsStream, kept: &RefCell<Ends>) -> Result<()> {
    drain(stream, kept, &Room::default()).await
}

/// Copies only the kept bytes into WebAssembly.
async fn drain(stream: JsStream, kept: &RefCell<Ends>, room: &Room) -> Result<()> {
    let reader = stream.reader().map_err(unavailable)?;
    let mut length = 0_usize;
    loop {
        let promise = reader.read().map_err(unavailable)?;
        let item = JsFuture::from(promise).await.map_err(unavailable)?;
        if get(&item, "done").is_truthy() {
            return Ok(());
        }
        let chunk: Uint8Array = get(&item, "value").unchecked_into();
        let chunk_length = usize::try_from(chunk.length()).unwrap_or(usize::MAX);
        length = length.saturating_add(chunk_length);
        let enough = room.is_enough(length).await;
        // No borrow is held across an await: the next read comes after this block.
        let mut kept = kept.borrow_mut();
        if !enough {
            kept.limit(LITTLE_BYTES);
        }
        let wanted = kept.wanted(chunk_length);
        if wanted > 0 {
            kept.push(&chunk.subarray(0, u32::try_from(wanted).unwrap_or(u32::MAX)).to_vec());
        }
        kept.skip(chunk_length - wanted);
    }
}
