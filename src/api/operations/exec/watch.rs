//! Stream changes in a directory.

use crate::api::operation::{
    Call, DIRECTORY, Descriptor, ENTERS, EVENT_STREAM, LogFields, Method, Operation, OperationKind,
    Param, ParamKind, Reply, Resolves, Route, Verb, WORKSPACE, flag,
};
use crate::domain::limits::WATCH_EXCLUDE_MAX_BYTES;
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::watch::WatchEvent;
use crate::session::WatchRequest;

const RECURSIVE: Param =
    flag("recursive", "Also watch all directories below it, and those made later. Default true.");

const EXCLUDE: Param = Param {
    name: "exclude",
    kind: ParamKind::Texts { max: WATCH_EXCLUDE_MAX_BYTES },
    description: "A glob of names to skip with their contents, such as node_modules; may be repeated.",
};

pub(crate) struct Watch;

impl OperationKind for Watch {
    type Input = WatchRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/watch",
            "watchFiles",
            "Stream changes in a directory",
            |asked| Ok(Operation::of::<Watch>(asked.query()?)),
        )
        .describe(
            "Server-Sent Events: first `watching`, last `ended` or `error`. If the client goes away, the watch ends. It does not \
            count as use of the workspace.",
        )
        .query(&[DIRECTORY, RECURSIVE, EXCLUDE, WORKSPACE])
        .streams(EVENT_STREAM)
        .errors(ENTERS)],
        ..Descriptor::new("watch", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<WatchRequest>()
            .at(&["path"])
            .answers::<WatchEvent>()
            .resolves(Resolves::Stream)
            .describe(
                "Reports changes in a directory of a workspace, by default its root, and \
             below it: Server-Sent Events, each a `WatchEvent` as JSON. Resolves once the watch \
             has begun: it reports every later change. Cancelling the stream ends the watch; a reader that goes away \
             does the same within seconds.\n\n\
             A watch does not count as use, so an unused workspace is stopped. The last event is \
             then the error `WORKSPACE_LOST`. It is `CONFLICT` when another workspace becomes \
             active, unless `workspace` names the watched one, and `NOT_FOUND` when the directory is removed or moved. After an hour the \
             last event is `ended`.\n\n\
             Paths are as for file tools; symbolic links are not followed. `TOO_LARGE` for more \
             than 20,000 directories, `QUOTA_EXCEEDED` for more than 16 watches of a workspace, \
             `UNSUPPORTED` if the image has no Python 3.",
            ),
    );

    fn log(input: &WatchRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: WatchRequest) -> Result<Reply> {
        Ok(Reply::Stream(call.session.watch(input).await?))
    }
}
