//! Opens shells on terminals, and connects viewers to them.

mod view;

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::exec::terminal::TerminalSize;
use crate::domain::ids::TerminalId;
use crate::domain::limits::TERMINALS_MAX;
use crate::ports::container::Command;
use crate::ports::random::random_bytes;
use crate::ports::sandbox::TerminalOptions;
use crate::ports::stream::Bytes;
use crate::sandbox::exec::environment::environment;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::parts::terminals::{Open, Terminals};
use crate::sandbox::scripts::{OWN_DIR, TERMINAL, script};
use serde_json::json;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The terminal type for programs. Every viewer of today understands it.
const TERM: &str = "xterm-256color";

parts!(ViewTerminal {
    context: Rc<Context>,
    container: Rc<SandboxContainer>,
    terminals: Terminals,
});

impl ViewTerminal<'_> {
    /// Connects a viewer to the shell that it names, or to a new one.
    pub(crate) async fn view_terminal(
        &self,
        typed: Bytes,
        options: TerminalOptions,
    ) -> Result<Bytes> {
        options.size.check()?;
        self.container.require_disk(Some(&options.instance_id)).await?;
        self.terminals.forget_ended();
        let named = options.terminal.as_ref();
        let found = named.and_then(|id| self.terminals.find(id, &options.instance_id));
        let (id, open, resumed) = match (named, found) {
            (Some(id), Some(open)) => (id.clone(), open, true),
            _ => {
                let (id, open) = self.open_terminal(&options).await?;
                (id, open, false)
            }
        };
        self.view(id, open, resumed, typed, options.size)
    }

    async fn open_terminal(&self, options: &TerminalOptions) -> Result<(TerminalId, Rc<Open>)> {
        let opening = self.terminals.opening.clone();
        let others = Rc::strong_count(&opening) - 2 + self.terminals.open.borrow().len();
        if others >= TERMINALS_MAX {
            return Err(Error::new(
                ErrorCode::QuotaExceeded,
                format!("{TERMINALS_MAX} terminals of this workspace are open"),
            )
            .with_outcome(Outcome::None)
            .with_hint("end one of them by typing exit")
            .with_details(json!({ "limit": "terminals" })));
        }
        let random =
            || random_bytes(self.context.ports.random.as_ref()).map(TerminalId::from_random);
        let id = random()?;
        let mark = match self.terminals.mark.get() {
            Some(mark) => mark,
            None => {
                let mark = random()?;
                self.terminals.mark.get_or_init(|| mark)
            }
        };
        let own = format!("{OWN_DIR}/terminal-{mark}");
        let note = format!("{own}-{id}");
        let TerminalSize { cols, rows } = options.size;
        let (cols, rows) = (cols.to_string(), rows.to_string());
        let arguments = [note.as_str(), &own, options.cwd.as_str(), &cols, &rows];
        let term = BTreeMap::from([("TERM".to_owned(), TERM.to_owned())]);
        let command =
            Command { env: environment(self.context, term)?, ..script(TERMINAL, &arguments) };
        let terminal = match self.container.raw().open_terminal(&command).await {
            Ok(terminal) => terminal,
            Err(error) => return Err(self.container.explain(error).await),
        };
        let open = Rc::new(Open {
            terminal,
            instance: options.instance_id.clone(),
            note,
            viewer: Cell::default(),
            used_ms: Cell::default(),
        });
        self.terminals.open.borrow_mut().insert(id.clone(), open.clone());
        Ok((id, open))
    }
}
