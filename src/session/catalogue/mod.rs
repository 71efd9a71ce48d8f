//! The session's catalogue in SQLite. Every method is synchronous, so the statements of one method,
//! and of several called without an `await` between them, commit together or not at all.

pub(crate) mod access;
pub(crate) mod calls;
pub(crate) mod containers;
pub(crate) mod leases;
pub(crate) mod retention;
pub(crate) mod rewinds;
pub(crate) mod schema;
pub(crate) mod selectors;
pub(crate) mod session;
pub(crate) mod snapshot_work;
pub(crate) mod snapshots;
pub(crate) mod turns;
pub(crate) mod upkeep;
pub(crate) mod workspaces;

use crate::domain::Result;
use crate::ports::Database;
pub use crate::session::catalogue::access::PreviewRow;
pub use crate::session::catalogue::access::TokenRow;
pub use crate::session::catalogue::calls::EndedCommand;
pub use crate::session::catalogue::calls::NewOperation;
pub use crate::session::catalogue::containers::Restart;
pub use crate::session::catalogue::leases::Borrowed;
pub use crate::session::catalogue::retention::due::Due;
pub use crate::session::catalogue::rewinds::{Rewind, RewindState};
pub use crate::session::catalogue::session::{EventSubject, SessionRow, StoredSums};
pub(crate) use crate::session::catalogue::snapshot_work::EDITS;
pub use crate::session::catalogue::snapshot_work::EditedFields;
pub use crate::session::catalogue::snapshots::{NewSnapshot, ReadyFacts, SnapshotFilter};
pub use crate::session::catalogue::turns::{ChangedPath, TurnChanges, TurnRow};
pub use crate::session::catalogue::upkeep::HaltedSweep;
pub use crate::session::catalogue::upkeep::Retry;
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
