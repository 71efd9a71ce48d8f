//! Open a shell on a terminal.

use crate::api::operation::{
    Call, Descriptor, ENTERS, LogFields, Operation, OperationKind, Param, ParamKind, Reply, Route,
    Verb, WORKSPACE,
};
use crate::domain::limits::{TERMINAL_ID_CHARS, TERMINAL_SIDE_MAX};
use crate::domain::{Needs, Result, Scope};
use crate::session::TerminalRequest;

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
