//! [`Sessions`] over the namespace of our own `AgentHost`.

use crate::domain::error::{Error, ErrorCode, ErrorEnvelope, Outcome, Result};
use crate::domain::ids::SessionId;
use crate::domain::json::read_own;
use crate::domain::snapshot::lease::{LeaseAnswer, LeaseRequest};
use crate::domain::snapshot::lease::{OwnDelete, OwnDeleted};
use crate::domain::snapshot::turn::{TurnAnswer, TurnRequest};
use crate::platform::stubs::{DELETE_PATH, LEASE_PATH, TURN_PATH, agent_host, post};
use crate::ports::sessions::Sessions;
use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use worker::Env;

/// The namespace behind the binding `AGENT_HOST`.
pub struct BoundSessions {
    env: Env,
}

impl BoundSessions {
    /// The namespace of this environment.
    pub const fn new(env: Env) -> Self {
        Self { env }
    }
}

#[async_trait(?Send)]
impl Sessions for BoundSessions {
    async fn lend(&self, owner: &SessionId, request: LeaseRequest) -> Result<LeaseAnswer> {
        self.ask(owner, LEASE_PATH, &request).await
    }

    async fn delete(&self, owner: &SessionId, request: OwnDelete) -> Result<OwnDeleted> {
        self.ask(owner, DELETE_PATH, &request).await
    }

    async fn earlier_turn(&self, owner: &SessionId, request: TurnRequest) -> Result<TurnAnswer> {
        self.ask(owner, TURN_PATH, &request).await
    }
}

impl BoundSessions {
    async fn ask<T: DeserializeOwned>(
        &self,
        owner: &SessionId,
        path: &str,
        request: &impl Serialize,
    ) -> Result<T> {
        let host = agent_host(&self.env, owner)?;
        let answer = post(&host, path, request).await;
        // The request may have reached the owner.
        let mut answer = answer.map_err(|error| error.with_outcome(Outcome::Unknown))?;
        let answer: Value = answer.json().await.map_err(|error| {
            Error::new(ErrorCode::Interrupted, "the session that owns the snapshot did not answer")
                .with_outcome(Outcome::Unknown)
                .with_cause(error.to_string())
        })?;
        match read_own::<ErrorEnvelope>("an answer", answer.clone()) {
            Ok(refused) => Err(refused.error.into()),
            // If the object's class belongs to another Worker, it may not know this request.
            Err(_done) => read_own("an answer", answer).map_err(|error| {
                let problem = "the session that owns the snapshot can't be asked";
                Error::new(ErrorCode::Unsupported, problem)
                    .with_cause(error.cause.unwrap_or_default())
            }),
        }
    }
}
