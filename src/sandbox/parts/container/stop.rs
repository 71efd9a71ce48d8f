//! Ends a process whose output nobody wants any more.

use crate::ports::container::{Happened, Process};
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::scripts::{STOP, script};
use futures::future::select;
use std::pin::pin;

/// Time limit for the end of a process: the script waits about 5 s for the group's file, and about
/// 5 s for the group's end.
const REST_MS: u64 = 15_000;

impl SandboxContainer {
    /// Ends a command and its process group, whose id is in the file `group`.
    pub(crate) async fn stop(&self, group: &str) {
        if let Err(error) = self.container.run(&script(STOP, &[group])).await {
            // The container has ended, and the command with it. Otherwise the command's time limit
            // ends it.
            self.context.warn("sandbox.stop", &error);
        }
    }

    /// As [`Self::stop`], for a process that is being read. Passes its remaining output to `reads`:
    /// a container engine with unread output does not report the end of any other process.
    pub(crate) async fn stop_reading(
        &self,
        group: &str,
        process: &mut dyn Process,
        reads: &mut dyn FnMut(&Happened),
    ) {
        let rest = async {
            while let Ok(happened @ (Happened::Stdout(_) | Happened::Stderr(_))) =
                process.next().await
            {
                reads(&happened);
            }
        };
        let both = async { futures::join!(self.stop(group), rest) };
        select(pin!(both), self.context.ports.clock.sleep_ms(REST_MS)).await;
    }
}
