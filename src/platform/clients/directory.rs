//! [`Directory`] over requests to its object.

use crate::api::objects::DirectoryCall;
use crate::domain::error::Result;
use crate::domain::ids::SessionId;
use crate::domain::metrics::Counters;
use crate::domain::session::event::{EventView, StoredEvent};
use crate::platform::stubs::{ask, directory};
use crate::ports::directory::{Counts, Directory, ListedSession};
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::Value;
use worker::Env;

/// The directory behind the binding `DIRECTORY`.
pub struct BoundDirectory {
    env: Env,
}

impl BoundDirectory {
    /// The directory of this environment, if it has one.
    pub const fn new(env: Env) -> Self {
        Self { env }
    }

    async fn call<T: DeserializeOwned>(&self, call: &DirectoryCall) -> Result<T> {
        ask(&directory(&self.env)?, "/", call).await
    }
}

#[async_trait(?Send)]
impl Directory for BoundDirectory {
    fn is_bound(&self) -> bool {
        directory(&self.env).is_ok()
    }

    async fn register(&self, session: &SessionId) -> Result<()> {
        let call = DirectoryCall::Register { session: session.clone() };
        self.call::<Value>(&call).await.map(drop)
    }

    async fn sessions(&self, after: Option<&SessionId>, limit: u32) -> Result<Vec<ListedSession>> {
        self.call(&DirectoryCall::Sessions { after: after.cloned(), limit }).await
    }

    async fn note(&self, events: &[StoredEvent]) -> Result<()> {
        let call = DirectoryCall::Note { events: events.to_vec() };
        self.call::<Value>(&call).await.map(drop)
    }

    async fn events(&self, before_seq: Option<i64>, limit: u32) -> Result<Vec<EventView>> {
        self.call(&DirectoryCall::Events { before_seq, limit }).await
    }

    async fn count(&self, counters: &Counters) -> Result<()> {
        let call = DirectoryCall::Count { counters: counters.clone() };
        self.call::<Value>(&call).await.map(drop)
    }

    async fn counts(&self) -> Result<Counts> {
        self.call(&DirectoryCall::Counts {}).await
    }
}
