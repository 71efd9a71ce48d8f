//! What a command prints, as progress tells it: bounded for each call, so that
//! no flood swamps a client. Who follows the command bounds each piece.

use crate::domain::limits::MCP_OUTPUT_TOTAL_BYTES;

/// What was printed and has not been told yet, and how much was.
#[derive(Default)]
pub(crate) struct Printed {
    stdout: String,
    stderr: String,
    told_bytes: usize,
}

impl Printed {
    /// Adds what was printed to stdout.
    pub(crate) fn stdout(&mut self, text: &str) {
        self.stdout.push_str(text);
    }

    /// Adds what was printed to stderr.
    pub(crate) fn stderr(&mut self, text: &str) {
        self.stderr.push_str(text);
    }

    /// Takes what there is to tell, with the name of the stream it is from.
    pub(crate) fn take(&mut self) -> Vec<(&'static str, String)> {
        let mut told = Vec::new();
        for (name, printed) in [("stdout", &mut self.stdout), ("stderr", &mut self.stderr)] {
            let mut text = std::mem::take(printed);
            if text.is_empty() || self.told_bytes >= MCP_OUTPUT_TOTAL_BYTES {
                continue;
            }
            self.told_bytes += text.len();
            if self.told_bytes >= MCP_OUTPUT_TOTAL_BYTES {
                text.push_str("\n[no more is told; the result has it]");
            }
            told.push((name, text));
        }
        told
    }
}
