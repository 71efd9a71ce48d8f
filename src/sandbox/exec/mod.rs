//! Runs commands and code in the container.

pub(crate) mod busy;
pub(crate) mod code;
pub(crate) mod environment;
pub(crate) mod left;
pub(crate) mod port;
pub(crate) mod run;
pub(crate) mod stream;
pub(crate) mod terminal;

use crate::sandbox::parts::active_streams::ActiveStreams;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::parts::given_up::GivenUp;
use crate::sandbox::parts::refused_hosts::RefusedHosts;
use std::rc::Rc;

parts!(Exec {
    context: Rc<Context>,
    container: Rc<SandboxContainer>,
    active_streams: ActiveStreams,
    refused: Rc<RefusedHosts>,
    given_up: Rc<GivenUp>,
});
