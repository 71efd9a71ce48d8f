//! Servers in the container that answered.

use crate::domain::ids::InstanceId;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The destination of a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PortOptions {
    /// The server's port.
    pub port: u16,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    pub instance_id: InstanceId,
}

/// The servers that answered the last request to them.
#[derive(Default)]
pub(crate) struct Answering(RefCell<BTreeSet<PortOptions>>);

impl Answering {
    pub(crate) fn has(&self, server: &PortOptions) -> bool {
        self.0.borrow().contains(server)
    }

    pub(crate) fn note(&self, server: &PortOptions, answered: bool) {
        let mut servers = self.0.borrow_mut();
        if answered {
            servers.insert(server.clone());
        } else {
            servers.remove(server);
        }
    }
}
