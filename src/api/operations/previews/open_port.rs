//! Find the container of a port, so that the Worker can send a request there.

use crate::api::operation::{Call, Descriptor, LogFields, OperationKind, Reply, answer};
use crate::domain::{Needs, Result};
use crate::session::OpenPortRequest;

pub(crate) struct OpenPort;

impl OperationKind for OpenPort {
    type Input = OpenPortRequest;

    const DESCRIPTOR: Descriptor = Descriptor::new("openPort", Needs::Port);

    fn log(input: &OpenPortRequest, fields: &mut LogFields) {
        fields.note("port", input.port);
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: OpenPortRequest) -> Result<Reply> {
        answer(&call.session.open_port(call.caller, input).await?)
    }
}
