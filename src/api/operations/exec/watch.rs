//! Stream changes in a directory.

use crate::api::operation::descriptor::{Call, Descriptor, OperationKind};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::{Needs, Scope};
use crate::session::WatchRequest;

pub(crate) struct Watch;

impl OperationKind for Watch {
    type Input = WatchRequest;

    const DESCRIPTOR: Descriptor = Descriptor::new("watch", Needs::Scope(Scope::Read));

    async fn run(call: Call<'_>, input: WatchRequest) -> Result<Reply> {
        Ok(Reply::Stream(call.session.watch(input).await?))
    }
}
