//! End a process whose output nobody wants any more.

use crate::ports::clock::Clock;
use crate::ports::container::{Happened, Process};
use crate::ports::log::{Level, Log, LogLine};
use crate::sandbox::machine::ensure_running::Machine;
use crate::sandbox::scripts::{STOP, script};
use futures::future::select;
use serde_json::json;
use std::pin::pin;

/// How long its end may take: the script looks for its group for 5 s or a little
/// more, and as long for its end.
const REST_MS: u64 = 15_000;

/// Ends a command and all of its process group, whose id the file `group` holds.
pub(crate) async fn stop(machine: &Machine, log: &dyn Log, label: &str, group: &str) {
    if let Err(error) = machine.container().run(&script(STOP, &[group])).await {
        // The container has ended, and the command with it; or its time limit ends it.
        log.write(LogLine::new(
            Level::Warn,
            "sandbox.stop",
            json!({ "sandbox": label, "code": error.code, "cause": error.cause }),
        ));
    }
}

/// The same for one that is being read. What it still prints is read meanwhile:
/// an engine that can't get rid of the output of one process tells the end of
/// no other.
pub(crate) async fn stop_reading(
    machine: &Machine,
    log: &dyn Log,
    clock: &dyn Clock,
    label: &str,
    group: &str,
    process: &mut dyn Process,
) {
    let rest =
        async { while let Ok(Happened::Stdout(_) | Happened::Stderr(_)) = process.next().await {} };
    let both = async { futures::join!(stop(machine, log, label, group), rest) };
    select(pin!(both), clock.sleep_ms(REST_MS)).await;
}
