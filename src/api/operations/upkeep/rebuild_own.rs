//! Put some of the session's snapshots back into its catalogue, for the operator's rebuild of all sessions.

use crate::api::operation::descriptor::{Call, Descriptor, OperationKind, answer};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::Needs;
use crate::domain::snapshot::rebuild::RebuildOwn;

pub(crate) struct RebuildSome;

impl OperationKind for RebuildSome {
    type Input = RebuildOwn;

    const DESCRIPTOR: Descriptor = Descriptor::new("rebuildOwn", Needs::Trust);

    async fn run(call: Call<'_>, input: RebuildOwn) -> Result<Reply> {
        answer(&call.session.rebuild_own(input).await?)
    }
}
