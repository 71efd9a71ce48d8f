//! Report changes in a workspace as they happen.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Error, ErrorCode, Result, WorkspaceRef};
use crate::ports::sandbox::watch::{WatchEventKind, WatchOptions};
use crate::ports::{ByteStream, Bytes, Clock};
use crate::session::files::{Files, root_path};
use crate::session::parts::Watchers;
use crate::session::{Abort, Session};
use async_trait::async_trait;
use futures::future::{Either, select};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::pin::pin;
use std::rc::Rc;

/// A directory to watch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WatchRequest {
    /// Directory under the workspace. Default: its root.
    #[serde(default = "root_path")]
    pub path: String,
    /// Also watch all directories below it, and those made later. Default true.
    #[serde(default = "crate::session::files::list::yes")]
    pub recursive: bool,
    /// Globs of names, not of paths, to skip with their contents: `[".git", "node_modules"]`. At
    /// most 64.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// A workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Streams a directory's changes, without counting as use: Server-Sent Events, each a
    /// [`WatchEvent`](crate::ports::sandbox::watch::WatchEvent).
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; `TOO_LARGE`, `QUOTA_EXCEEDED`; `UNSUPPORTED`.
    pub async fn watch(&self, request: WatchRequest) -> Result<Bytes> {
        let files = Files::from(self);
        let follows_active = request.workspace.is_none();
        let open = files.context.require_open()?;
        let place = files.place(&open, request.workspace.as_ref(), &request.path).await?;
        let options = WatchOptions {
            within: Some(place.root.clone()),
            instance_id: place.instance(),
            shallow: !request.recursive,
            exclude: request.exclude,
        };
        let id = place.active.workspace.sandbox_id.clone();
        // Added before the check below, so that no switch is missed.
        let mut watched = Watched {
            left: if follows_active { files.watchers.add(id.clone()) } else { Abort::default() },
            watchers: files.watchers.clone(),
            clock: files.context.ports.clock.clone(),
            events: None,
        };
        let mut events = place.sandbox().watch(place.path.clone(), options).await?;
        if follows_active && files.context.load()?.row.active_sandbox_id != id {
            events.cancel().await;
            return Err(switched());
        }
        watched.events = Some(events);
        Ok(Box::new(watched))
    }
}

fn switched() -> Error {
    Error::new(ErrorCode::Conflict, "another workspace of the session became active")
        .with_hint("watch again to follow the active workspace")
}

/// If the caller named no workspace, the events end when theirs is no longer the active one.
struct Watched {
    events: Option<Bytes>,
    left: Abort,
    watchers: Watchers,
    clock: Rc<dyn Clock>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.watchers.remove(&self.left);
    }
}

#[async_trait(?Send)]
impl ByteStream for Watched {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(events) = &mut self.events else { return Ok(None) };
        let read = match select(pin!(self.left.given_up()), events.next()).await {
            Either::Left(((), _)) => None,
            Either::Right((read, _)) => Some(read),
        };
        let error = match read {
            Some(Ok(Some(bytes))) => return Ok(Some(bytes)),
            Some(Ok(None)) => {
                self.events = None;
                return Ok(None);
            }
            // The sandbox's object has ended.
            Some(Err(error)) => error,
            None => {
                events.cancel().await;
                switched()
            }
        };
        self.events = None;
        WatchEventKind::failed(&error).to_sse(self.clock.now_ms()).map(Some)
    }

    async fn cancel(&mut self) {
        if let Some(mut events) = self.events.take() {
            events.cancel().await;
        }
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}
