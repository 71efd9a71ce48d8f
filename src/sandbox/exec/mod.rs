//! Runs commands and code in the container.

pub(crate) mod busy;
pub(crate) mod code;
pub(crate) mod left;
pub(crate) mod port;
pub(crate) mod run;
pub(crate) mod stop;
pub(crate) mod stream;
pub(crate) mod terminal;
