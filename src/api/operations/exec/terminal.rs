//! Open a shell on a terminal.

use crate::api::operation::{
    Call, DIRECTORY, Descriptor, ENTERS, EVENT_STREAM, Entry, LogFields, Method, Operation,
    OperationKind, Param, ParamKind, Reply, Resolves, Route, Verb, WORKSPACE, flag,
};
use crate::domain::limits::{TERMINAL_ID_CHARS, TERMINAL_SIDE_MAX, WATCH_EXCLUDE_MAX_BYTES};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::watch::WatchEvent;
use crate::session::{TerminalRequest, WatchRequest};

pub(crate) static OPERATIONS: &[&Entry] = &[Entry::of::<OpenTerminal>(), Entry::of::<Watch>()];

const SIDE: ParamKind = ParamKind::Count { min: 1, max: TERMINAL_SIDE_MAX as u64 };

const COLS: Param =
    Param { name: "cols", kind: SIDE, description: "Columns of the viewer. Default 80." };

const ROWS: Param =
    Param { name: "rows", kind: SIDE, description: "Rows of the viewer. Default 24." };

const TERMINAL: Param = Param {
    name: "terminal",
    kind: ParamKind::Text { max: TERMINAL_ID_CHARS },
    description: "The shell to come back to, within a minute. If it no longer runs, a new one is opened.",
};

pub(crate) struct OpenTerminal;

impl OperationKind for OpenTerminal {
    type Input = TerminalRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/terminal",
            "openTerminal",
            "Open a shell on a terminal, as a WebSocket",
            |asked| Ok(Operation::of::<OpenTerminal>(asked.query()?)),
        )
        .describe(
            "Binary messages carry what is typed and printed. Text messages are JSON. The viewer \
            sends `{\"resize\":{\"cols\":100,\"rows\":30}}`, and `{\"received\":N}` with the \
            number of printed bytes that it has processed: the terminal is at most 1 MiB ahead. \
            The server sends `{\"started\":{\"terminal\":ID,\"resumed\":false}}` first, \
            `{\"omitted\":N}` where the viewer was too slow for N bytes, and \
            `{\"exited\":{\"exitCode\":N}}` or `{\"error\":…}` last. Subprotocol: `snapshotter`. A \
            page, which can't set `Authorization`, adds the subprotocol `ticket.TICKET`, with a \
            ticket that `createTicket` makes.",
        )
        .query(&[COLS, ROWS, TERMINAL, WORKSPACE])
        .socket()
        .errors(ENTERS)],
        ..Descriptor::new("terminal", Needs::Scope(Scope::Write))
    };

    fn log(input: &TerminalRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(mut call: Call<'_>, input: TerminalRequest) -> Result<Reply> {
        let typed = call.stream("what is typed")?;
        Ok(Reply::Stream(call.session.terminal(input, typed).await?))
    }
}

const RECURSIVE: Param =
    flag("recursive", "Also watch all directories below it, and those made later. Default true.");

const EXCLUDE: Param = Param {
    name: "exclude",
    kind: ParamKind::Texts { max: WATCH_EXCLUDE_MAX_BYTES },
    description: "A glob of names to skip with their contents, such as node_modules; may be repeated.",
};

/// Stream changes in a directory.
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
