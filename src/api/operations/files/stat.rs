//! Look at a file.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::session::{Seen, StatRequest, StatView};

pub(crate) struct Stat;

impl ToolKind for Stat {
    type Input = StatRequest;
    type Output = Seen<StatView>;

    const TOOL: Tool = Tool {
        name: "workspace_stat",
        title: "Look at a file",
        module: Module::Look,
        scope: Scope::Read,
        description: "Show the type, size, time, mode and owner of a path of the active workspace or, with at, of \
                      a snapshot or another workspace; of a symbolic link, which is not followed, also its \
                      target. Use it to learn whether something exists (NOT_FOUND if not) or how large it is.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: StatRequest) -> Result<Seen<StatView>> {
        call.session.stat(input).await
    }
}
