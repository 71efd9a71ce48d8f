//! The session itself.

use crate::api::operation::absence::{OF_THE_PROGRAM, SHOWN_ELSEWHERE};
use crate::api::operation::{
    CURSOR, Call, Descriptor, Entry, LIMIT, Link, Method, NamedWorkspace, NoArgs, Operation,
    OperationKind, PageArgs, Reply, Resolves, Route, Verb, answer, flag,
};
use crate::domain::{ErrorCode, Needs, Result, Scope, SessionUsage, WorkspaceConfig};
use crate::session::{DeletedSession, EventPage, SessionView};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<Open>(),
    Entry::of::<Resolve>(),
    Entry::of::<Describe>(),
    Entry::of::<Close>(),
    Entry::of::<DeleteSession>(),
    Entry::of::<ShowUsage>(),
    Entry::of::<ListEvents>(),
];

/// Open the session.
pub(crate) struct Open;

/// Arguments of `open`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OpenArgs {
    /// The session's configuration.
    pub config: Box<WorkspaceConfig>,
}

impl OperationKind for Open {
    type Input = OpenArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Put,
            "/v1/sessions/{session}",
            "openSession",
            "Open the session; repeating it with an equal configuration does nothing",
            |asked| Ok(Operation::of::<Open>(OpenArgs { config: asked.body()? })),
        )
        .without_view(OF_THE_PROGRAM)
        .takes::<WorkspaceConfig>()
        .example(r#"{"sleepAfter":"20m","envVars":{"CI":"1"},"capabilities":{"fs":true,"shell":true,"snapshot":true}}"#)
        .answers::<SessionView>()
        .leads(&[
            Link { name: "describe", to: "describeSession", path: &[], body: None },
            Link { name: "snapshot", to: "takeSnapshot", path: &[], body: Some("{}") },
            Link { name: "close", to: "closeSession", path: &[], body: None },
        ])
        .errors(&[
            ErrorCode::SnapshotNotOwned,
            ErrorCode::Conflict,
            ErrorCode::SnapshotExpired,
            ErrorCode::SnapshotGone,
            ErrorCode::Unsupported,
        ])],
        ..Descriptor::new("open", Needs::Trust)
    };

    const METHOD: Option<Method> = Some(Method::takes::<OpenArgs>().at(&["config"]).describe(
        "Opens the session. Opening it again with an equal configuration does nothing. Starts \
             no container. A later open may change `envVars`, `secrets`, `services`, `previewPorts`, `sleepAfter`, `keepAwake`, \
             `autosave`, `tools`, `destroyOnClose`, `forceImage`, `credentials` of buckets and the `size` of a pool. Fields that it leaves out keep their values, and so do values \
             that are `<redacted>`. Any other change is `CONFLICT`, with the fields in \
             `details.fields`; so is an open while a close destroys the session's workspaces.",
    ));

    async fn run(call: Call<'_>, input: OpenArgs) -> Result<Reply> {
        if let Some(selection) = &input.config.tools {
            call.tools.check_selection(selection)?;
        }
        let view = call.session.open(*input.config).await?;
        call.session.announce().await;
        answer(&view)
    }
}

/// Show the session.
pub(crate) struct Describe;

impl OperationKind for Describe {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}",
            "describeSession",
            "Show the session",
            |_| Ok(Operation::of::<Describe>(NoArgs {})),
        )
        .answers::<SessionView>()],
        ..Descriptor::new("describe", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<NoArgs>().describe(
        "Returns the session as it was opened, even after it was closed. `NOT_FOUND` before \
             the first `open`. Starts no container.",
    ));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.describe()?)
    }
}

/// Re-attach to the session: show its active workspace.
pub(crate) struct Resolve;

impl OperationKind for Resolve {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/active-workspace",
            "getActiveWorkspace",
            "Show the workspace that tools act on",
            |_| Ok(Operation::of::<Resolve>(NoArgs {})),
        )
        .answers::<NamedWorkspace>()
        .errors(&[ErrorCode::Conflict])
        .tagged()],
        ..Descriptor::new("resolve", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<NoArgs>()
            .resolves(Resolves::Field("ref"))
            .describe("Returns the active workspace of an open session."),
    );

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&NamedWorkspace { r#ref: call.session.resolve()? })
    }
}

/// Show how much the session stores.
pub(crate) struct ShowUsage;

impl OperationKind for ShowUsage {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/usage",
            "getUsage",
            "Show the count and size of the session's snapshots",
            |_| Ok(Operation::of::<ShowUsage>(NoArgs {})),
        )
        .without_view(SHOWN_ELSEWHERE)
        .answers::<SessionUsage>()],
        ..Descriptor::new("usage", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<NoArgs>()
            .describe("Returns what the session keeps: counts and bytes, from the catalogue."),
    );

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.usage()?)
    }
}

/// Read the event log.
pub(crate) struct ListEvents;

impl OperationKind for ListEvents {
    type Input = PageArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/events",
            "listEvents",
            "Read the event log, newest first",
            |asked| Ok(Operation::of::<ListEvents>(asked.query()?)),
        )
        .query(&[LIMIT, CURSOR])
        .answers::<EventPage>()],
        ..Descriptor::new("listEvents", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<PageArgs>().describe("Lists the session's events, newest first."));

    async fn run(call: Call<'_>, input: PageArgs) -> Result<Reply> {
        answer(&call.session.list_events(input.limit, input.cursor.as_deref())?)
    }
}

/// Close the session.
pub(crate) struct Close;

impl OperationKind for Close {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/close",
            "closeSession",
            "Close the session; its snapshots are kept",
            |_| Ok(Operation::of::<Close>(NoArgs {})),
        )
        .without_view(OF_THE_PROGRAM)
        .describe(
            "Saves the workspaces that run, and ends their containers; with `destroyOnClose`, destroys them unsaved.",
        )
        .answers::<SessionView>()
        .errors(&[ErrorCode::Conflict, ErrorCode::Unsupported])],
        ..Descriptor::new("close", Needs::Scope(Scope::Admin))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<NoArgs>().describe(
            "Closes the session. Its workspaces are saved and their containers end, or are destroyed with \
             `destroyOnClose`. Its snapshots are kept.",
        ));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.close().await?)
    }
}

/// Delete the session with everything it has.
pub(crate) struct DeleteSession;

/// Arguments of `deleteSession`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DeleteSessionArgs {
    /// Must be true: all workspaces and snapshots of the session are lost.
    pub force: bool,
}

impl OperationKind for DeleteSession {
    type Input = DeleteSessionArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}",
            "deleteSession",
            "Delete the session with all that it has; repeating it succeeds",
            |asked| {
                let force = asked.flag("force")?;
                Ok(Operation::of::<DeleteSession>(DeleteSessionArgs { force }))
            },
        )
        .without_view(OF_THE_PROGRAM)
        .describe(
            "Destroys its workspaces unsaved, and deletes its snapshots, pinned and published ones too, its tokens, \
             previews, events and configuration. A later open begins anew. `POST …/close` keeps the snapshots.",
        )
        .query(&[flag("force", "Must be true: all workspaces and snapshots of the session are lost.")])
        .answers::<DeletedSession>()
        .errors(&[ErrorCode::Conflict, ErrorCode::Unsupported])],
        ..Descriptor::new("deleteSession", Needs::Scope(Scope::Admin))
    };

    const METHOD: Option<Method> = Some(Method::takes::<DeleteSessionArgs>().describe(
        "Deletes the session: its workspaces with what they have not saved, its snapshots, pinned \
         and published ones too, its tokens, previews, events and configuration. Needs `force`. A \
         later `open` begins anew. Deleting a session that does not exist succeeds.",
    ));

    async fn run(call: Call<'_>, input: DeleteSessionArgs) -> Result<Reply> {
        answer(&call.session.delete_session(input.force).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::config::reopen::REOPENABLE;

    #[test]
    fn what_a_later_open_may_change_is_described() {
        let decision = include_str!("../../../docs/decisions/policy-at-first-open.md");
        for described in [Open::METHOD.unwrap().description, decision] {
            for field in REOPENABLE {
                assert!(described.contains(&format!("`{field}`")), "{field} in {described}");
            }
        }
        let page = include_str!("../../../docs/session.md");
        let document = include_str!("../../../docs/openapi.json");
        let document: serde_json::Value = serde_json::from_str(document).unwrap();
        let fields = &document["components"]["schemas"]["WorkspaceConfig"]["properties"];
        for field in fields.as_object().unwrap().keys() {
            let row = page.lines().find(|line| {
                line.split('|').nth(1).is_some_and(|cell| cell.contains(&format!("`{field}`")))
            });
            let row = row.unwrap_or_else(|| panic!("docs/session.md has no {field}"));
            let later = if REOPENABLE.contains(&field.as_str()) { "yes |" } else { "no |" };
            assert!(row.ends_with(later), "{row}");
        }
    }
}
