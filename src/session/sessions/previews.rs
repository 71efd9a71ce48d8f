//! Previews: share a port of a workspace, list and revoke what is shared, and open a port.

#[cfg(schemas)]
use crate::domain::limits::FRAME_ANCESTORS_MAX;
use crate::domain::limits::{PREVIEW_TTL_DEFAULT_SECS, PREVIEW_TTL_MAX_SECS, PREVIEWS_MAX};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::session::embedding::{FrameAncestor, check_frame_ancestors};
use crate::domain::session::preview::{
    PreviewClaims, PreviewLabel, check_port, check_preview_host, no_preview,
};
use crate::domain::session::token::{TokenKeys, no_keys, unauthenticated};
use crate::domain::snapshot::flat_ids;
use crate::domain::time::rfc3339;
use crate::domain::{
    Caller, Error, ErrorCode, Event, InstanceId, PreviewId, Result, SandboxId, TicketId,
    WorkspaceRef,
};
use crate::ports::random::random_bytes;
use crate::session::Session;
use crate::session::catalogue::PreviewRow;
use crate::session::parts::tickets::Tickets;
use crate::session::parts::{Context, Workspaces};
use crate::session::sessions::tokens::Revoked;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A preview to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShareRequest {
    /// The port in the container; one of the session's `previewPorts`.
    #[cfg_attr(schemas, schemars(range(min = 1)))]
    pub port: u16,
    /// How long the link is good, in seconds. Default one day, at most 30, and no longer than
    /// the caller's own token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = PREVIEW_TTL_MAX_SECS)))]
    pub ttl_seconds: Option<u64>,
    /// Whose container: a workspace's id. Default: the active one. The preview stays with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
    /// Origins of the pages that may embed the preview in a frame, as `https://app.example.com`.
    /// Default none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(schemas, schemars(with = "Vec<String>", length(max = FRAME_ANCESTORS_MAX)))]
    pub frame_ancestors: Vec<FrameAncestor>,
}

/// A preview as it is shown: never with its link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct PreviewView {
    /// Id to revoke it by. Not secret.
    pub id: PreviewId,
    /// The port in the container.
    pub port: u16,
    /// The workspace whose server it shows.
    #[serde(flatten, with = "flat_ids::placed_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::PlacedWithId"))]
    pub workspace: WorkspaceRef,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub expires_at: String,
}

impl From<PreviewRow> for PreviewView {
    fn from(row: PreviewRow) -> Self {
        Self {
            id: row.id,
            port: row.port,
            workspace: WorkspaceRef::new(row.sandbox_id),
            created_at: rfc3339(row.created_at_ms),
            expires_at: rfc3339(row.expires_at_ms),
        }
    }
}

/// A fresh preview.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct SharedPreview {
    /// The link. Anyone who has it can use the server until it expires or is revoked. It is
    /// returned only here, and stored nowhere.
    pub url: String,
    /// The preview, without its link.
    #[serde(flatten)]
    pub view: PreviewView,
}

/// Previews of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct PreviewList {
    /// All valid previews, newest first.
    pub previews: Vec<PreviewView>,
}

/// A port to reach: by its workspace, or by the preview that the caller has a link to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenPortRequest {
    /// The port in the container.
    pub port: u16,
    /// The workspace of the container. Default: the active one. Not for the holder of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceRef>,
    /// Only checks the caller's access: wakes nothing, and does not count as use.
    #[serde(default)]
    pub only_checks: bool,
    /// The step that the holder of a link takes with a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<CodeStep>,
}

/// A link is exchanged for a code, and the code for the cookie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CodeStep {
    /// Makes the id of a code.
    Make,
    /// Uses up a code.
    Use(TicketId),
}

/// The container to send a request to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenedPort {
    /// The container's sandbox.
    pub sandbox: SandboxId,
    /// The container's disk. None after a mere check.
    pub instance: Option<InstanceId>,
    /// The id of the code that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<TicketId>,
}

impl Context {
    pub(crate) fn check_preview(&self, id: &PreviewId) -> Result<PreviewRow> {
        let preview = self.catalogue.preview(id)?;
        preview.filter(|row| row.expires_at_ms > self.now_ms()).ok_or_else(no_preview)
    }
}

parts!(Previews { context: Context, workspaces: Workspaces, tickets: Tickets });

impl Session {
    /// Makes a link to a port of a workspace.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` without `TOKEN_KEYS` or `PREVIEW_HOST`; `FORBIDDEN` for a port that the
    /// session does not allow; `INVALID_ARGUMENT`; `WORKSPACE_NOT_OWNED`; `QUOTA_EXCEEDED`.
    pub fn share_preview(&self, caller: &Caller, request: &ShareRequest) -> Result<SharedPreview> {
        let parts = Previews::from(self);
        let settings = &parts.context.settings;
        let host = settings.preview_host.as_deref().ok_or_else(no_preview_host)?;
        check_preview_host(host)?;
        let keys = TokenKeys::parse(settings.token_keys.as_deref().ok_or_else(no_keys)?)?;
        let open = parts.context.require_open()?.writable()?;
        check_port(request.port, &open.config.preview_ports)?;
        check_frame_ancestors(&request.frame_ancestors)?;
        let sandbox_id = parts.context.chosen_or_active(&open, request.workspace.as_ref())?;
        let now_ms = parts.context.now_ms();
        let mut expires_at_ms = now_ms + lifetime_ms(request.ttl_seconds)?;
        let mut token_id = None;
        if let Caller::Token { id, .. } = caller {
            let token = parts.context.catalogue.token(id)?.ok_or_else(unauthenticated)?;
            expires_at_ms = expires_at_ms.min(token.expires_at_ms);
            token_id = Some(token.id);
        }
        parts.context.catalogue.remove_expired_previews(now_ms)?;
        if parts.context.catalogue.good_previews(now_ms)?.len() >= PREVIEWS_MAX {
            return Err(Error::new(
                ErrorCode::QuotaExceeded,
                format!("the session already has {PREVIEWS_MAX} previews, the maximum"),
            )
            .with_hint("revoke one that is no longer needed")
            .with_details(json!({ "limit": "previews" })));
        }
        let preview = PreviewRow {
            id: PreviewId::from_random(random_bytes(parts.context.ports.random.as_ref())?),
            port: request.port,
            sandbox_id,
            token_id,
            created_at_ms: now_ms,
            expires_at_ms,
        };
        let signed = keys.sign(&PreviewClaims {
            session: parts.context.session.clone(),
            preview: preview.id.clone(),
            expires_at_ms,
            frame_ancestors: request.frame_ancestors.clone(),
        })?;
        // No await since the count: the row and the event are stored together.
        parts.context.catalogue.put_preview(&preview)?;
        let event = Event::PreviewShared {
            preview_id: preview.id.clone(),
            port: preview.port,
            sandbox_id: preview.sandbox_id.clone(),
        };
        parts.context.catalogue.add_event(now_ms, &event)?;
        let label = PreviewLabel { port: preview.port, preview: preview.id.clone() };
        Ok(SharedPreview { url: label.link(host, &signed), view: preview.into() })
    }

    /// Lists the valid previews.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub fn list_previews(&self) -> Result<PreviewList> {
        let parts = Previews::from(self);
        parts.context.load()?;
        let previews = parts.context.catalogue.good_previews(parts.context.now_ms())?;
        Ok(PreviewList { previews: previews.into_iter().map(PreviewView::from).collect() })
    }

    /// Ends a preview: the next request with its link is refused. Repeating it succeeds.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub fn revoke_preview(&self, id: &PreviewId) -> Result<Revoked> {
        let previews = Previews::from(self);
        previews.context.load()?;
        if previews.context.catalogue.preview(id)?.is_some() {
            previews.context.catalogue.remove_preview(id)?;
            let event = Event::PreviewRevoked { preview_id: id.clone() };
            previews.context.catalogue.add_event(previews.context.now_ms(), &event)?;
        }
        Ok(Revoked { revoked: true })
    }

    /// Wakes the workspace of a port, and says where its container is.
    ///
    /// # Errors
    /// `FORBIDDEN` for a port not allowed; `NOT_FOUND` for a preview of another port; as any use.
    pub async fn open_port(&self, caller: &Caller, request: OpenPortRequest) -> Result<OpenedPort> {
        let previews = Previews::from(self);
        let open = previews.context.require_open()?.writable()?;
        check_port(request.port, &open.config.preview_ports)?;
        let workspace = match caller {
            Caller::Preview { id } => {
                let preview = previews.context.check_preview(id)?;
                if preview.port != request.port {
                    return Err(no_preview());
                }
                Some(WorkspaceRef::new(preview.sandbox_id))
            }
            _ => request.workspace,
        };
        if request.only_checks {
            let sandbox = previews.context.chosen_or_active(&open, workspace.as_ref())?;
            let code = match (caller, request.code) {
                (Caller::Preview { id }, Some(CodeStep::Make)) => {
                    Some(previews.tickets.add_code(id)?)
                }
                (Caller::Preview { id }, Some(CodeStep::Use(code))) => {
                    previews.tickets.use_code(&code, id)?;
                    None
                }
                _ => None,
            };
            return Ok(OpenedPort { sandbox, instance: None, code });
        }
        let active = previews.workspaces.chosen(&open, workspace.as_ref()).await?;
        Ok(OpenedPort {
            sandbox: active.workspace.sandbox_id.clone(),
            instance: Some(active.instance.clone()),
            code: None,
        })
    }
}

fn lifetime_ms(asked_secs: Option<u64>) -> Result<i64> {
    let secs = asked_secs.unwrap_or(PREVIEW_TTL_DEFAULT_SECS);
    match i64::try_from(secs) {
        Ok(signed) if (1..=PREVIEW_TTL_MAX_SECS).contains(&secs) => Ok(signed * 1_000),
        _ => Err(Error::invalid("ttlSeconds", format!("must be 1 to {PREVIEW_TTL_MAX_SECS}"))),
    }
}

fn no_preview_host() -> Error {
    Error::new(ErrorCode::NotConfigured, "the variable PREVIEW_HOST is not set").with_hint(
        "links need a wildcard host, see docs/previews.md; with a token, ports are reached at \
         /v1/sessions/{session}/ports/{port}/",
    )
}
