//! The session's catalogue in SQLite: configuration, workspaces, snapshots, events.
//!
//! Every method is synchronous, so the statements of one method, and of several
//! called without an `await` between them, commit together or not at all.

pub(crate) mod calls;
pub(crate) mod clean;
pub(crate) mod commands;
pub(crate) mod edits;
pub(crate) mod events;
pub(crate) mod flattening;
pub(crate) mod leases;
pub(crate) mod lost;
pub(crate) mod pauses;
pub(crate) mod previews;
pub(crate) mod restarts;
pub(crate) mod retention;
pub(crate) mod rewinds;
pub(crate) mod schema;
pub(crate) mod selectors;
pub(crate) mod session;
pub(crate) mod snapshots;
pub(crate) mod tokens;
pub(crate) mod turns;
pub(crate) mod upkeep;
pub(crate) mod usage;
pub(crate) mod workspaces;

use crate::domain::Result;
use crate::ports::Database;
pub use crate::session::catalogue::calls::NewOperation;
pub use crate::session::catalogue::commands::EndedCommand;
pub use crate::session::catalogue::edits::EditedFields;
pub use crate::session::catalogue::leases::Borrowed;
pub use crate::session::catalogue::previews::PreviewRow;
pub use crate::session::catalogue::restarts::Restart;
pub use crate::session::catalogue::retention::due::Due;
pub use crate::session::catalogue::rewinds::{Rewind, RewindState};
pub use crate::session::catalogue::session::SessionRow;
pub use crate::session::catalogue::snapshots::{NewSnapshot, ReadyFacts, SnapshotFilter};
pub use crate::session::catalogue::tokens::TokenRow;
pub use crate::session::catalogue::turns::{ChangedPath, TurnChanges, TurnRow};
pub use crate::session::catalogue::upkeep::HaltedSweep;
pub use crate::session::catalogue::upkeep::retries::Retry;
pub use crate::session::catalogue::usage::StoredSums;
use crate::support::schema_version::migrate;
use std::rc::Rc;

/// The session's persistent state.
#[derive(Clone)]
pub struct Catalogue {
    database: Rc<dyn Database>,
}

impl Catalogue {
    /// Opens the catalogue, migrating a schema that an older version wrote.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails or a newer version wrote the schema.
    pub fn open(database: Rc<dyn Database>) -> Result<Self> {
        migrate(database.as_ref(), &schema::MIGRATIONS)?;
        Ok(Self { database })
    }
}
