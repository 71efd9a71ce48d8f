//! Requests to servers in the container.

use crate::world::{World, now};
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::ids::InstanceId;
use snapshotter::ports::sandbox::SandboxApi;
use snapshotter::sandbox::{PortOptions, SandboxService};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// A server, and what happens to the next requests to it.
#[derive(Default)]
struct Server {
    fails: RefCell<VecDeque<bool>>,
    asked: Cell<usize>,
}

impl Server {
    fn failing(fails: &[bool]) -> Self {
        Self { fails: RefCell::new(fails.iter().copied().collect()), asked: Cell::default() }
    }

    fn answer(&self) -> Result<&'static str> {
        self.asked.set(self.asked.get() + 1);
        if self.fails.borrow_mut().pop_front().unwrap_or(false) {
            return Err(Error::new(ErrorCode::Unavailable, "refused"));
        }
        Ok("answer")
    }

    fn reached(
        &self,
        sandbox: &SandboxService,
        options: &PortOptions,
        is_repeatable: bool,
    ) -> Result<&'static str> {
        now(sandbox.send_to_port(options, is_repeatable, async || self.answer()))
    }
}

fn world(listens: &[&str]) -> (World, SandboxService, PortOptions) {
    let world = World::new();
    let sandbox = world.sandbox();
    let instance_id = now(sandbox.ensure_running()).unwrap();
    for said in listens {
        world.container.script("listening.sh", 0, &format!("{said}\n"), "");
    }
    (world, sandbox, PortOptions { port: 80, instance_id })
}

#[test]
fn a_request_waits_for_its_server_once() {
    let (world, sandbox, options) = world(&["all"]);
    let server = Server::default();
    for _ in 0..3 {
        assert_eq!(server.reached(&sandbox, &options, true), Ok("answer"));
    }
    assert_eq!((server.asked.get(), world.container.count("listening.sh")), (3, 1));
}

#[test]
fn a_request_that_can_be_repeated_outlives_a_restart_of_its_server() {
    let (world, sandbox, options) = world(&["all", "all", "all"]);
    let server = Server::failing(&[false, true, false, true]);
    assert!(server.reached(&sandbox, &options, true).is_ok());
    assert!(server.reached(&sandbox, &options, true).is_ok(), "again, once it listens");
    assert_eq!((server.asked.get(), world.container.count("listening.sh")), (3, 2));
    // Its server may have taken the body.
    let refused = server.reached(&sandbox, &options, false).unwrap_err();
    assert_eq!((refused.code, server.asked.get()), (ErrorCode::Unavailable, 4));
    assert!(server.reached(&sandbox, &options, false).is_ok());
    assert_eq!(world.container.count("listening.sh"), 3);
}

#[test]
fn a_server_that_is_not_there_or_hides_is_told_apart() {
    let (_world, sandbox, options) = world(&["none", "loopback", "loopback", "?"]);
    let server = Server::failing(&[true, false]);
    let code = |server: &Server| {
        server
            .reached(&sandbox, &options, true)
            .map_err(|error| (error.code, error.hint.unwrap_or_default()))
    };
    let (none, hint) = code(&server).unwrap_err();
    assert!(none == ErrorCode::Conflict && hint.contains("startProcess"), "{hint}");
    assert_eq!(server.asked.get(), 0);
    let (hides, hint) = code(&server).unwrap_err();
    assert!(hides == ErrorCode::Conflict && hint.contains("0.0.0.0"), "{hint}");
    assert!(code(&server).is_ok(), "where the platform reaches it");
    let other = PortOptions { port: 81, ..options.clone() };
    assert_eq!(server.reached(&sandbox, &other, true).unwrap_err().code, ErrorCode::Unavailable);
}

#[test]
fn another_disk_is_not_asked() {
    let (world, sandbox, options) = world(&["all"]);
    let server = Server::default();
    assert!(server.reached(&sandbox, &options, true).is_ok());
    let other = PortOptions {
        instance_id: InstanceId::parse("0w3ge1r70w3ge1r70w3ge1r70w").unwrap(),
        ..options.clone()
    };
    assert_eq!(server.reached(&sandbox, &other, true).unwrap_err().code, ErrorCode::WorkspaceLost);
    world.container.die();
    assert_eq!(
        server.reached(&sandbox, &options, true).unwrap_err().code,
        ErrorCode::WorkspaceLost
    );
    assert_eq!(server.asked.get(), 1);
}
