//! Delete some of the session's snapshots by an operator's rule.

use crate::api::operation::{Call, Descriptor, OperationKind, Reply, answer};
use crate::domain::snapshot::prune::PruneOwn;
use crate::domain::{Needs, Result};

pub(crate) struct Prune;

impl OperationKind for Prune {
    type Input = PruneOwn;

    const DESCRIPTOR: Descriptor =
        Descriptor { stops: true, ..Descriptor::new("prune", Needs::Trust) };

    async fn run(call: Call<'_>, input: PruneOwn) -> Result<Reply> {
        answer(&call.session.prune_by_rule(&input).await?)
    }
}
