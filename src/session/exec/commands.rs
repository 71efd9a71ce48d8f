//! List the commands that ran last.

use crate::domain::limits::COMMANDS_PAGE_MAX;
use crate::domain::{CommandRecord, Result, RowPage};
use crate::session::Session;
use crate::session::parts::{Context, Recorder};
use serde::{Deserialize, Serialize};

/// A page of commands: on the first one those that run, then those that have ended, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandPage {
    /// The commands.
    pub commands: Vec<CommandRecord>,
    /// Where the next page begins, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

parts!(Commands { context: Context, recorder: Recorder });

impl Session {
    /// Lists the commands and the code that ran in the session's workspaces, newest first, each
    /// with the end of what it printed. Running commands come first. The last 200 that ended are
    /// remembered.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `INVALID_ARGUMENT` for a foreign cursor.
    pub fn list_commands(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<CommandPage> {
        Commands::from(self).list(limit, cursor)
    }
}

impl Commands<'_> {
    fn list(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<CommandPage> {
        self.context.load()?;
        let page = RowPage::parse(limit, COMMANDS_PAGE_MAX, cursor)?;
        let mut commands =
            self.context.catalogue.list_commands(page.before_seq, page.rows_to_read())?;
        let next_cursor = page.cut(&mut commands, |record| record.command.seq.unwrap_or(0))?;
        if page.before_seq.is_none() {
            commands.splice(..0, self.recorder.running());
        }
        Ok(CommandPage { commands, next_cursor })
    }
}
