//! A command's output in progress notifications. It is bounded for each call, so that a flood does
//! not swamp the client. The code that reads the command's output bounds each piece.

use crate::domain::limits::MCP_OUTPUT_TOTAL_BYTES;

/// Output that waits to be sent, and the number of bytes sent so far.
#[derive(Default)]
pub(crate) struct Printed {
    stdout: String,
    stderr: String,
    taken_bytes: usize,
}

impl Printed {
    /// Adds output from stdout.
    pub(crate) fn stdout(&mut self, text: &str) {
        self.stdout.push_str(text);
    }

    /// Adds output from stderr.
    pub(crate) fn stderr(&mut self, text: &str) {
        self.stderr.push_str(text);
    }

    /// Takes the waiting output, with the name of its stream.
    pub(crate) fn take(&mut self) -> Vec<(&'static str, String)> {
        let mut taken = Vec::new();
        for (name, printed) in [("stdout", &mut self.stdout), ("stderr", &mut self.stderr)] {
            let mut text = std::mem::take(printed);
            if text.is_empty() || self.taken_bytes >= MCP_OUTPUT_TOTAL_BYTES {
                continue;
            }
            self.taken_bytes += text.len();
            if self.taken_bytes >= MCP_OUTPUT_TOTAL_BYTES {
                text.push_str("\n[no more is shown here; the result has the rest]");
            }
            taken.push((name, text));
        }
        taken
    }
}
