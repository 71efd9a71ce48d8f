//! Completes `/commands`, and the names of snapshots and workspaces after them.

use super::line::COMMANDS;
use crate::api::{operations as op, read};
use crate::commands::snapshots::SnapshotPage;
use crate::commands::workspaces::WorkspaceList;
use crate::error::Error;
use crate::output::escape;
use crate::remote::Remote;
use reedline::{Completer, CompletionResult, Span, Suggestion};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long names are remembered. They expire because others may take snapshots, too.
const REMEMBERED: Duration = Duration::from_secs(10);

/// The names that can be completed.
#[derive(Clone)]
pub struct Names {
    remote: Arc<Remote>,
    known: Arc<Mutex<Option<Known>>>,
}

#[derive(Clone)]
struct Known {
    at: Instant,
    snapshots: Vec<String>,
    workspaces: Vec<String>,
}

impl Names {
    /// Fetches the names when they are needed.
    pub fn new(remote: Arc<Remote>) -> Self {
        Self { remote, known: Arc::default() }
    }

    /// Forgets the names, because they have changed.
    pub fn forget(&self) {
        if let Ok(mut known) = self.known.lock() {
            *known = None;
        }
    }

    fn known(&self) -> Option<Known> {
        let mut known = self.known.lock().ok()?;
        if known.as_ref().is_none_or(|known| known.at.elapsed() > REMEMBERED) {
            // Without an answer there is nothing to complete.
            *known = self.ask().ok();
        }
        known.clone()
    }

    fn ask(&self) -> Result<Known, Error> {
        let session = self.remote.session()?;
        let page: SnapshotPage =
            read(&self.remote.client.json(&op::list_snapshots::call(session)?)?)?;
        let snapshots =
            page.snapshots.into_iter().map(|snapshot| snapshot.name.unwrap_or(snapshot.id));
        let list: WorkspaceList =
            read(&self.remote.client.json(&op::list_workspaces::call(session)?)?)?;
        let workspaces =
            list.workspaces.into_iter().map(|workspace| workspace.r#ref.id().to_owned());
        Ok(Known {
            at: Instant::now(),
            snapshots: typable(snapshots),
            workspaces: typable(workspaces),
        })
    }
}

/// Names that a terminal shows unchanged.
fn typable(names: impl Iterator<Item = String>) -> Vec<String> {
    names.filter(|name| escape::line(name) == *name).collect()
}

impl Completer for Names {
    fn complete(&mut self, line: &str, position: usize) -> CompletionResult {
        let typed = line.get(..position).unwrap_or(line);
        let (start, candidates) = match typed.split_once(char::is_whitespace) {
            None if typed.starts_with('/') => {
                (0, COMMANDS.iter().map(|(_, name, ..)| (*name).to_owned()).collect())
            }
            Some(("/rewind" | "/branch" | "/diff", rest)) => (
                typed.len() - rest.len(),
                self.known().map(|known| known.snapshots).unwrap_or_default(),
            ),
            Some(("/switch", rest)) => (
                typed.len() - rest.len(),
                self.known().map(|known| known.workspaces).unwrap_or_default(),
            ),
            _ => return CompletionResult::fresh(Vec::new()),
        };
        let word = typed.get(start..).unwrap_or_default();
        let found = candidates.into_iter().filter(|name| name.starts_with(word));
        let suggestions = found.map(|value| Suggestion {
            value,
            span: Span::new(start, position),
            append_whitespace: start == 0,
            ..Suggestion::default()
        });
        CompletionResult::fresh(suggestions.collect::<Vec<_>>())
    }
}
