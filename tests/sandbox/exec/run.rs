//! Commands.

use crate::world::{World, now, path};
use snapshotter::domain::error::ErrorCode;
use snapshotter::ports::sandbox::*;

fn shell(text: &str) -> CommandLine {
    CommandLine::Shell(text.to_owned())
}

#[test]
fn a_time_limit_is_told_apart_from_a_programs_own_124() {
    let world = World::new();
    let sandbox = world.sandbox();
    let exec = || now(sandbox.exec(shell("x"), ExecOptions::default()));
    world.container.script("exec.sh", 124, "partial", "");
    let result = exec().unwrap();
    assert!(result.timed_out && !result.success && result.exit_code == 124);
    assert_eq!(result.stdout, "partial");

    world.container.script("exec.sh", 124, "", "");
    world.container.script("other", 0, "own\n", "");
    let result = exec().unwrap();
    assert!(!result.timed_out && result.exit_code == 124);

    world.container.script("exec.sh", 124, "", "");
    world.container.script("other", 0, "cwd\n", "");
    let error = exec().unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);

    world.container.script("exec.sh", 3, "out", "err");
    let result = exec().unwrap();
    assert_eq!(
        (result.exit_code, result.stdout.as_str(), result.stderr.as_str()),
        (3, "out", "err")
    );
    assert!(!result.success && !result.timed_out);
}

#[test]
fn everything_from_the_caller_is_an_argument() {
    let world = World::new();
    let sandbox = world.sandbox();
    let options = ExecOptions {
        cwd: Some(path("/workspace/$(rm -rf)")),
        timeout: Some(1_500),
        stdin: Some("in".into()),
        ..ExecOptions::default()
    };
    let argv = CommandLine::Argv(vec!["a b".into(), "';".into(), String::new()]);
    now(sandbox.exec(argv, options)).unwrap();
    let command = world.container.commands.borrow().last().unwrap().clone();
    assert_eq!(command.argv[..2], ["sh", "-c"]);
    let expected = ["1.500", "/workspace/$(rm -rf)", "16 8388608", "argv", "a b", "';", ""];
    assert_eq!(command.argv[6..], expected);
    assert_eq!(command.stdin.as_deref(), Some(&b"in"[..]));
    assert_eq!(command.kill_after_ms, Some(16_500));
    let script = command.argv[2].clone();
    now(sandbox.exec(shell("echo \"$0\""), ExecOptions::default())).unwrap();
    let command = world.container.commands.borrow().last().unwrap().clone();
    assert_eq!(command.argv[2], script, "the script's own text is the same for every call");
    assert_eq!(command.argv[9..], ["shell", "echo \"$0\""]);
}

#[test]
fn bad_commands_start_nothing() {
    let world = World::new();
    let sandbox = world.sandbox();
    let bad_env = [("A B".to_owned(), String::new())];
    for (line, options, code) in [
        (shell(""), ExecOptions::default(), ErrorCode::InvalidArgument),
        (
            shell("x"),
            ExecOptions { max_output_bytes: Some(1 << 21), ..Default::default() },
            ErrorCode::InvalidArgument,
        ),
        (
            shell("ls"),
            ExecOptions { timeout: Some(0), ..Default::default() },
            ErrorCode::InvalidArgument,
        ),
        (
            shell("x"),
            ExecOptions { timeout: Some(3_600_001), ..Default::default() },
            ErrorCode::InvalidArgument,
        ),
        (
            shell("x"),
            ExecOptions { env: bad_env.into(), ..Default::default() },
            ErrorCode::InvalidArgument,
        ),
        (
            shell("x"),
            ExecOptions { stdin: Some("x".repeat(4 * 1024 * 1024 + 1)), ..Default::default() },
            ErrorCode::TooLarge,
        ),
    ] {
        assert_eq!(now(sandbox.exec(line, options)).unwrap_err().code, code);
    }
    assert!(world.container.starts.borrow().is_empty());
}

#[test]
fn a_container_that_dies_meanwhile_has_lost_the_workspace() {
    let world = World::new();
    let sandbox = world.sandbox();
    now(sandbox.ensure_running()).unwrap();
    // The object believes that the container runs, but it does not answer.
    world.container.script("exec.sh", 137, "", "Killed");
    let result = now(sandbox.exec(shell("x"), ExecOptions::default())).unwrap();
    assert_eq!(result.exit_code, 137, "the container lives: someone killed the command");
    assert!(!result.timed_out);
}

#[test]
fn a_command_that_an_earlier_object_began_is_asked_for_within_its_time_limit() {
    let world = World::with_files(b"files");
    let runs_commands = || now(world.sandbox().runs_commands()).unwrap();
    let asked = || world.container.count("running.sh");
    assert!(!runs_commands());
    assert_eq!(asked(), 0, "none was begun");
    let hour = ExecOptions { timeout: Some(3_600_000), ..ExecOptions::default() };
    now(world.sandbox().exec(shell("make"), hour)).unwrap();
    world.container.script("running.sh", 0, "running\n", "");
    assert!(runs_commands(), "another object, which serves none");
    assert!(!runs_commands(), "it has ended");
    world.container.script("running.sh", 1, "", "no such directory");
    assert_eq!(now(world.sandbox().runs_commands()).unwrap_err().code, ErrorCode::Unavailable);
    world.clock.advance(3_600_000 - 1);
    for _ in 0..2 {
        world.container.script("running.sh", 0, "running\n", "");
    }
    assert!(runs_commands());
    world.clock.advance(5 * 60_000);
    let before = asked();
    assert!(!runs_commands(), "it holds the container no longer");
    assert_eq!(asked(), before);
    world.container.die();
    assert!(!runs_commands());
    assert_eq!(world.container.starts.borrow().len(), 1, "asking starts nothing");
}

#[test]
fn a_container_that_was_found_running_may_run_commands() {
    let world = World::with_files(b"files");
    // As one that an earlier version started.
    world.database.run("DELETE FROM container", &[]).unwrap();
    now(world.sandbox().disk()).unwrap();
    world.container.script("running.sh", 0, "running\n", "");
    assert!(now(world.sandbox().runs_commands()).unwrap());
}
