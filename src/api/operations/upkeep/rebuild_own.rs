//! Put some of the session's snapshots back into its catalogue, for the operator's rebuild of all sessions.

use crate::api::operation::{Call, Descriptor, OperationKind, Reply, answer};
use crate::domain::{Needs, RebuildOwn, Result};

pub(crate) struct RebuildSome;

impl OperationKind for RebuildSome {
    type Input = RebuildOwn;

    const DESCRIPTOR: Descriptor = Descriptor::new("rebuildOwn", Needs::Trust);

    async fn run(call: Call<'_>, input: RebuildOwn) -> Result<Reply> {
        answer(&call.session.rebuild_own(input).await?)
    }
}
