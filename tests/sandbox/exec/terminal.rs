//! Terminals and their viewers.

use crate::support::stream::LiveBytes;
use crate::world::{World, now};
use futures::channel::mpsc::UnboundedSender;
use serde_json::json;
use snapshotter::domain::error::{ErrorBody, ErrorCode, Result};
use snapshotter::domain::exec::terminal::{
    Frame, FrameReader, ServerMessage, TerminalSize, ViewerMessage,
};
use snapshotter::domain::files::path::AbsolutePath;
use snapshotter::domain::ids::{InstanceId, TerminalId};
use snapshotter::domain::limits::{
    TERMINAL_DETACHED_MS, TERMINAL_IDLE_MS, TERMINAL_KEPT_BYTES, TERMINAL_MESSAGE_MAX_BYTES,
    TERMINAL_WINDOW_BYTES, TERMINALS_MAX,
};
use snapshotter::ports::sandbox::*;
use snapshotter::ports::stream::Bytes;
use snapshotter::sandbox::SandboxService;

/// Rows that no shell begins with, so that a test sees them.
const SIZE: TerminalSize = TerminalSize { cols: 100, rows: 30 };

struct Viewer {
    typed: Option<UnboundedSender<Vec<u8>>>,
    frames: Bytes,
}

impl Viewer {
    fn try_new(
        sandbox: &SandboxService,
        instance_id: &InstanceId,
        terminal: Option<TerminalId>,
    ) -> Result<Self> {
        let (typed, stream) = LiveBytes::pair();
        let cwd = AbsolutePath::parse("cwd", "/workspace").unwrap();
        let instance_id = instance_id.clone();
        let options = TerminalOptions { cwd, size: SIZE, terminal, instance_id };
        let frames = now(sandbox.terminal(stream, options))?;
        Ok(Self { typed: Some(typed), frames })
    }

    fn new(sandbox: &SandboxService, instance: &InstanceId, back: Option<TerminalId>) -> Self {
        Self::try_new(sandbox, instance, back).unwrap()
    }

    fn send(&self, frame: &Frame) {
        self.typed.as_ref().unwrap().unbounded_send(frame.to_bytes()).unwrap();
    }

    fn types(&self, text: &str) {
        self.send(&Frame::Bytes(text.into()));
    }

    fn says(&self, message: &ViewerMessage) {
        self.send(&Frame::Text(serde_json::to_string(message).unwrap()));
    }

    /// The next message that is no pulse. None: the connection has ended.
    fn next(&mut self) -> Option<Frame> {
        for _ in 0..100 {
            let frame = now(self.frames.next()).unwrap()?;
            let frame = FrameReader::default().read(&frame).unwrap().pop().unwrap();
            if frame != Frame::Bytes(Vec::new()) {
                return Some(frame);
            }
        }
        panic!("nothing comes");
    }

    fn message(&mut self) -> ServerMessage {
        match self.next() {
            Some(Frame::Text(text)) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    fn started(&mut self) -> (TerminalId, bool) {
        match self.message() {
            ServerMessage::Started { terminal, resumed } => (terminal, resumed),
            other => panic!("{other:?}"),
        }
    }

    fn printed(&mut self) -> Vec<u8> {
        match self.next() {
            Some(Frame::Bytes(bytes)) => bytes,
            other => panic!("{other:?}"),
        }
    }

    fn refused(&mut self) -> ErrorBody {
        let ServerMessage::Error(error) = self.message() else { panic!("no error") };
        assert_eq!(self.next(), None);
        error
    }

    /// Whether it is sent nothing but pulses.
    fn is_silent(&mut self) -> bool {
        let frame = now(self.frames.next()).unwrap();
        frame == Some(Frame::Bytes(Vec::new()).to_bytes())
    }

    /// Goes away. The sandbox notices when it reads.
    fn leave(mut self) {
        self.typed = None;
        assert_eq!(self.next(), None);
    }
}

fn world() -> (World, SandboxService, InstanceId) {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    let instance = now(sandbox.ensure_running()).unwrap();
    (world, sandbox, instance)
}

#[test]
fn what_is_typed_reaches_the_shell_and_what_it_prints_the_viewer() {
    let (world, sandbox, instance) = world();
    assert!(!now(sandbox.runs_commands()).unwrap());
    let mut viewer = Viewer::new(&sandbox, &instance, None);
    let (_, resumed) = viewer.started();
    assert!(!resumed);
    let script = world.container.commands.borrow().last().unwrap().clone();
    assert_eq!(script.argv[6..], ["/workspace", "100", "30"]);
    assert_eq!(script.env["TERM"], "xterm-256color");
    viewer.types("ls\n");
    assert_eq!(viewer.printed(), b"ls\n");
    assert!(now(sandbox.runs_commands()).unwrap(), "a terminal is use");
    viewer.types("exit 7\n");
    assert_eq!(viewer.printed(), b"exit 7\n");
    assert_eq!(viewer.message(), ServerMessage::Exited { exit_code: 7 });
    assert_eq!(viewer.next(), None);
    assert!(!now(sandbox.runs_commands()).unwrap());
}

#[test]
fn a_viewer_comes_back_to_its_shell_and_its_last_output() {
    let (world, sandbox, instance) = world();
    let mut viewer = Viewer::new(&sandbox, &instance, None);
    let (id, _) = viewer.started();
    viewer.types("make\n");
    viewer.printed();
    viewer.leave();
    let terminal = world.container.terminals.borrow()[0].clone();
    assert_eq!(terminal.hang_up_ms.get(), Some(TERMINAL_DETACHED_MS));
    terminal.print(b"done\n");
    assert!(now(sandbox.runs_commands()).unwrap(), "it may come back");

    let mut viewer = Viewer::new(&sandbox, &instance, Some(id.clone()));
    assert_eq!(viewer.started(), (id, true));
    assert_eq!(viewer.printed(), b"make\ndone\n");
    assert_eq!(terminal.hang_up_ms.get(), None);
    assert!(viewer.is_silent());
    assert_eq!(world.container.count("resize_terminal.sh"), 1, "it may have another size");
    assert_eq!(world.container.count("terminal.sh"), 1);
}

#[test]
fn who_names_a_shell_that_is_gone_gets_a_new_one() {
    let (world, sandbox, instance) = world();
    let mut viewer = Viewer::new(&sandbox, &instance, None);
    let (id, _) = viewer.started();
    world.container.terminals.borrow()[0].end(129);
    let mut viewer = Viewer::new(&sandbox, &instance, Some(id.clone()));
    let (other, resumed) = viewer.started();
    assert!(!resumed && other != id);
    // Another object knows none. Its script takes them for those of an object that is gone.
    let sandbox = world.sandbox();
    let mut viewer = Viewer::new(&sandbox, &instance, Some(other.clone()));
    assert!(viewer.started().0 != other);
    let commands = world.container.commands.borrow();
    let argument = commands.iter().filter_map(|command| command.argv.get(5));
    let owns: Vec<&String> = argument.filter(|own| own.contains("/terminal-")).collect();
    assert!(owns.len() == 3 && owns[0] == owns[1] && owns[1] != owns[2], "{owns:?}");
}

#[test]
fn the_last_viewer_has_the_terminal() {
    let (world, sandbox, instance) = world();
    let mut first = Viewer::new(&sandbox, &instance, None);
    let (id, _) = first.started();
    let mut second = Viewer::new(&sandbox, &instance, Some(id));
    assert_eq!(first.refused().code, ErrorCode::Conflict);
    second.started();
    second.types("mine\n");
    assert_eq!(second.printed(), b"mine\n");
    let terminal = world.container.terminals.borrow()[0].clone();
    assert_eq!(terminal.hang_up_ms.get(), None, "the first one's end is not the second one's");
}

#[test]
fn a_slow_viewer_gets_a_window_and_then_the_newest_output() {
    let (world, sandbox, instance) = world();
    let mut viewer = Viewer::new(&sandbox, &instance, None);
    viewer.started();
    let terminal = world.container.terminals.borrow()[0].clone();
    let piece = vec![b'x'; TERMINAL_MESSAGE_MAX_BYTES];
    let mut sent = 0;
    while sent < TERMINAL_WINDOW_BYTES {
        terminal.print(&piece);
        sent += viewer.printed().len() as u64;
    }
    assert_eq!(sent, TERMINAL_WINDOW_BYTES);
    terminal.print(&[b'y'; 2 * TERMINAL_KEPT_BYTES]);
    assert!(viewer.is_silent(), "it has confirmed nothing");
    viewer.types("typed");
    assert!(viewer.is_silent());
    assert_eq!(*terminal.typed.borrow(), b"typed", "and can still type");
    // It cannot confirm what it was not sent.
    viewer.says(&ViewerMessage::Received(u64::MAX));
    let omitted = TERMINAL_KEPT_BYTES as u64 + 5;
    assert_eq!(viewer.message(), ServerMessage::Omitted(omitted));
    let newest = viewer.printed();
    assert_eq!(newest.len(), TERMINAL_KEPT_BYTES);
    assert!(newest.ends_with(b"typed"));
}

#[test]
fn the_end_of_a_shell_comes_after_its_output_if_its_viewer_is_slow() {
    let (world, sandbox, instance) = world();
    let mut viewer = Viewer::new(&sandbox, &instance, None);
    viewer.started();
    let terminal = world.container.terminals.borrow()[0].clone();
    for _ in 0..TERMINAL_WINDOW_BYTES / TERMINAL_MESSAGE_MAX_BYTES as u64 {
        terminal.print(&[b'x'; TERMINAL_MESSAGE_MAX_BYTES]);
        viewer.printed();
    }
    terminal.print(b"bye");
    terminal.end(0);
    assert!(viewer.is_silent());
    viewer.says(&ViewerMessage::Received(TERMINAL_WINDOW_BYTES));
    assert_eq!(viewer.printed(), b"bye");
    assert_eq!(viewer.message(), ServerMessage::Exited { exit_code: 0 });
}

#[test]
fn a_terminal_that_takes_nothing_holds_up_what_is_typed_and_not_what_is_printed() {
    let (world, sandbox, instance) = world();
    let mut viewer = Viewer::new(&sandbox, &instance, None);
    viewer.started();
    let terminal = world.container.terminals.borrow()[0].clone();
    terminal.full.set(true);
    viewer.types("one");
    viewer.types("two");
    assert!(viewer.is_silent());
    terminal.print(b"busy");
    assert_eq!(viewer.printed(), b"busy");
    assert!(terminal.typed.borrow().is_empty());
}

#[test]
fn sizes_are_set_and_bad_messages_end_the_connection_but_not_the_shell() {
    let (world, sandbox, instance) = world();
    let mut viewer = Viewer::new(&sandbox, &instance, None);
    let (id, _) = viewer.started();
    viewer.says(&ViewerMessage::Resize(TerminalSize { cols: 132, rows: 50 }));
    assert!(viewer.is_silent());
    let resize = world.container.commands.borrow().last().unwrap().clone();
    assert_eq!(resize.argv[5..], ["132", "50"]);
    viewer.send(&Frame::Text(r#"{"resize":{"cols":0,"rows":50}}"#.to_owned()));
    assert_eq!(viewer.refused().code, ErrorCode::InvalidArgument);
    let terminal = world.container.terminals.borrow()[0].clone();
    assert_eq!(terminal.hang_up_ms.get(), Some(TERMINAL_DETACHED_MS));
    assert!(Viewer::new(&sandbox, &instance, Some(id)).started().1);
}

#[test]
fn an_unused_terminal_is_closed() {
    let (world, sandbox, instance) = world();
    let mut viewer = Viewer::new(&sandbox, &instance, None);
    viewer.started();
    world.clock.advance(TERMINAL_IDLE_MS);
    assert_eq!(viewer.refused().code, ErrorCode::Aborted);
    let terminal = world.container.terminals.borrow()[0].clone();
    assert_eq!(terminal.hang_up_ms.get(), Some(0), "nobody can come back");
    terminal.end(129);
    assert!(!now(sandbox.runs_commands()).unwrap());
}

#[test]
fn terminals_are_few_and_of_the_disk_that_the_caller_means() {
    let (world, sandbox, instance) = world();
    let viewers: Vec<Viewer> =
        (0..TERMINALS_MAX).map(|_| Viewer::new(&sandbox, &instance, None)).collect();
    let refused = Viewer::try_new(&sandbox, &instance, None).err().unwrap();
    assert_eq!(refused.code, ErrorCode::QuotaExceeded);
    assert_eq!(refused.details, Some(json!({ "limit": "terminals" })));
    drop(viewers);
    world.container.terminals.borrow()[0].end(0);
    Viewer::new(&sandbox, &instance, None);
    world.container.die();
    let refused = Viewer::try_new(&sandbox, &instance, None).err().unwrap();
    assert_eq!(refused.code, ErrorCode::WorkspaceLost);
}
