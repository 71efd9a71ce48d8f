//! Files.

use crate::support::stream::MemoryBytes;
use crate::world::{World, now, path, within};
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::domain::ids::GitCheckpointName;
use snapshotter::ports::sandbox::*;

#[test]
fn file_scripts_answers_become_codes() {
    let world = World::new();
    let sandbox = world.sandbox();
    for (exit_code, code) in [
        (10, ErrorCode::NotFound),
        (11, ErrorCode::InvalidArgument),
        (12, ErrorCode::InvalidArgument),
        (13, ErrorCode::TooLarge),
        (1, ErrorCode::Unavailable),
    ] {
        world.container.script("read.sh", exit_code, "", "it said so\n");
        let error = now(sandbox.read_file(path("/workspace/a"), within())).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains("/workspace/a"), "{error}");
        if exit_code == 11 {
            assert!(
                error.message.contains("/workspace/a leads outside the workspace root /workspace"),
                "{error}"
            );
        }
    }
    world.container.script("mkdir.sh", 14, "", "exists\n");
    let error = now(sandbox.mkdir(path("/workspace/a"), within())).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    world.container.script("write.sh", 15, "", "not all arrived\n");
    let error = now(sandbox.write_file(path("/workspace/a"), "x".into(), within())).unwrap_err();
    assert_eq!(error.code, ErrorCode::Unavailable);
}

#[test]
fn a_killed_change_does_not_say_that_nothing_changed() {
    let world = World::new();
    let sandbox = world.sandbox();
    for (exit_code, outcome) in
        [(1, Outcome::None), (124, Outcome::Unknown), (137, Outcome::Unknown)]
    {
        world.container.script("write.sh", exit_code, "", "it ended\n");
        let written = sandbox.write_file(path("/workspace/a"), "x".into(), within());
        let error = now(written).unwrap_err();
        assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, outcome), "{exit_code}");
        world.container.script("import.sh", exit_code, "", "it ended\n");
        let archive = Box::new(MemoryBytes::of([b"an archive".to_vec()]));
        let imported = sandbox.import_tar(archive, path("/workspace"), within());
        let error = now(imported).unwrap_err();
        assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, outcome), "{exit_code}");
    }
}

#[test]
fn a_checkpoint_that_is_restored_in_part_says_so() {
    let world = World::new();
    let sandbox = world.sandbox();
    for (exit_code, code, outcome) in [
        (23, ErrorCode::RateLimited, Outcome::None),
        (28, ErrorCode::NotFound, Outcome::None),
        (30, ErrorCode::Unavailable, Outcome::Unknown),
        (1, ErrorCode::Unavailable, Outcome::Unknown),
        (0, ErrorCode::Internal, Outcome::Unknown),
    ] {
        world.container.script("restore_checkpoint.sh", exit_code, "", "it said so\n");
        let name = GitCheckpointName::parse("one").unwrap();
        let restored = sandbox.restore_git_checkpoint(name, path("/workspace"), within());
        let error = now(restored).unwrap_err();
        assert_eq!((error.code, error.outcome), (code, outcome), "{error}");
    }
}

#[test]
fn content_is_text_where_it_can_be_and_base64_where_not() {
    let world = World::new();
    let sandbox = world.sandbox();
    let read = |stdout: &str, encoding| {
        world.container.script("read.sh", 0, stdout, "");
        let options = FileOptions { encoding, ..within() };
        now(sandbox.read_file(path("/workspace/a"), options)).unwrap()
    };
    let text = read("hé", None);
    assert_eq!((text.content.as_str(), text.encoding, text.size_bytes), ("hé", Encoding::Utf8, 3));
    let coded = read("hé", Some(Encoding::Base64));
    assert_eq!((coded.content.as_str(), coded.encoding), ("aMOp", Encoding::Base64));

    let write = |content: &str, encoding| {
        let options = FileOptions { encoding, recursive: true, ..within() };
        now(sandbox.write_file(path("/workspace/a"), content.into(), options))
    };
    write("aMOp", Some(Encoding::Base64)).unwrap();
    let command = world.container.commands.borrow().last().unwrap().clone();
    assert_eq!(command.stdin.as_deref(), Some("hé".as_bytes()));
    assert_eq!(command.argv[4..], ["/workspace/a", "/workspace", "3", "yes"]);
    let error = write("no base64", Some(Encoding::Base64)).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    let error = write(&"x".repeat(4 * 1024 * 1024 + 1), None).unwrap_err();
    assert_eq!(error.code, ErrorCode::TooLarge);
}
