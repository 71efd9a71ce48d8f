//! The session's catalogue in SQLite: configuration, workspaces, snapshots, events.
//!
//! Every method is synchronous, so the statements of one method, and of several
//! called without an `await` between them, commit together or not at all.

mod due;
mod edits;
mod ended;
mod events;
mod leases;
mod operations;
mod pauses;
mod retention;
mod retries;
mod rewinds;
mod schema;
mod session;
mod snapshots;
mod tokens;
mod upkeep;
mod usage;
mod workspaces;

pub use due::Due;
pub use edits::EditedFields;
pub use leases::Borrowed;
pub use operations::NewOperation;
pub use retries::Retry;
pub use rewinds::{Rewind, RewindState};
pub use session::SessionRow;
pub use snapshots::{NewSnapshot, ReadyFacts, SnapshotFilter};
pub use tokens::TokenRow;
pub use upkeep::HaltedSweep;
pub use usage::StoredSums;

use crate::domain::error::Result;
use crate::ports::database::Database;
use crate::usecases::migrate::migrate;
use std::rc::Rc;

/// The session's persistent state.
#[derive(Clone)]
pub struct Catalogue {
    database: Rc<dyn Database>,
}

impl Catalogue {
    /// Opens the catalogue, migrating its schema where an older version wrote it.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails or a newer version wrote the schema.
    pub fn open(database: Rc<dyn Database>) -> Result<Self> {
        migrate(database.as_ref(), &schema::MIGRATIONS)?;
        Ok(Self { database })
    }
}
