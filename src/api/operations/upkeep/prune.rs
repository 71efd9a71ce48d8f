//! Delete some of the session's snapshots by an operator's rule.

use crate::api::operation::descriptor::{Call, Descriptor, OperationKind, answer};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::Needs;
use crate::domain::snapshot::prune::PruneOwn;

pub(crate) struct Prune;

impl OperationKind for Prune {
    type Input = PruneOwn;

    const DESCRIPTOR: Descriptor =
        Descriptor { stops: true, ..Descriptor::new("prune", Needs::Trust) };

    async fn run(call: Call<'_>, input: PruneOwn) -> Result<Reply> {
        answer(&call.session.prune_by_rule(&input).await?)
    }
}
