//! How code contexts end.

#![expect(clippy::disallowed_methods, reason = "real processes take real time")]

use crate::World;
use crate::exec::code_contexts::{LONG_MS, SHORT_MS};
use crate::machine::{TempDir, sandbox_with_idle_contexts, sandbox_with_path};
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::exec::code::Language;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process;
use std::thread::sleep;
use std::time::{Duration, Instant};

#[test]
fn what_does_not_react_to_the_interrupt_is_killed_and_the_answer_says_so() {
    let world = World::new();
    let spinning = [
        (Language::Python, "print('begun')\nsum(range(10 ** 13))"),
        (Language::JavaScript, "console.log('begun'); await 0; while (true) {}"),
    ];
    for (language, code) in spinning {
        let id = world.create(language, 256);
        let ran = world.within(&id, code, SHORT_MS);
        assert!(ran.exec.timed_out && ran.exec.stdout == "begun\n", "{:?}", ran.exec);
        assert!(ran.fate().contains("did not react"), "{}", ran.fate());
        world.assert_over(&id);
    }
    world.assert_tidy();
}

#[test]
fn code_that_ends_its_interpreter_ends_the_context_with_an_answer() {
    let world = World::new();
    for (language, code, status) in [
        (Language::Python, "print('bye')\nimport sys\nsys.exit(7)", 7),
        (Language::Python, "print('bye', flush=True)\nimport os\nos._exit(3)", 3),
        (
            Language::Python,
            "print('bye')\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
            137,
        ),
        (Language::JavaScript, "console.log('bye'); process.exit(7)", 7),
    ] {
        let id = world.create(language, 256);
        let ran = world.within(&id, code, LONG_MS);
        assert_eq!((ran.exec.exit_code, ran.exec.stdout.as_str()), (status, "bye\n"), "{code}");
        assert!(!ran.fate().is_empty() && !ran.exec.timed_out, "{code}");
        world.assert_over(&id);
    }
    let id = world.create(Language::JavaScript, 64);
    let ran =
        world.within(&id, "const a = []; while (true) a.push(new Array(1000).fill({}))", LONG_MS);
    assert!(ran.fate().contains("memory"), "{}", ran.fate());
    world.assert_over(&id);
}

#[test]
fn the_interrupt_has_3_s_on_a_slow_machine_too() {
    let slow = TempDir::new();
    let program = slow.path().join("sleep");
    fs::write(&program, "#!/bin/sh\n/bin/sleep 0.5\nexec /bin/sleep \"$@\"\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let usual = std::env::var("PATH").unwrap();
    let path = format!("{}:{usual}", slow.path().display());
    let world = World::of(|own| sandbox_with_path(own, path.as_ref()));
    let id = world.create(Language::Python, 256);
    let began = Instant::now();
    let ran = world.within(&id, "sum(range(10 ** 13))", SHORT_MS);
    assert!(ran.exec.timed_out && ran.fate().contains("did not react"), "{:?}", ran.exec);
    // 60 turns, each with a `sleep` of 0.05 s, would take twice as long.
    let took = began.elapsed();
    assert!(took < Duration::from_secs(15), "{took:?}");
    world.assert_over(&id);
}

#[test]
fn an_idle_context_ends_and_one_that_is_called_does_not() {
    let world = World::of(|own| sandbox_with_idle_contexts(own, 2));
    for language in Language::ALL {
        let id = world.create(language, 256);
        // Longer than it may be idle. The code's own time does not count.
        let busy = match language {
            Language::Python => "import time; time.sleep(2.5)",
            Language::JavaScript => "await new Promise((done) => setTimeout(done, 2500))",
        };
        world.within(&id, busy, LONG_MS);
        for _ in 0..3 {
            sleep(Duration::from_millis(500));
            assert_eq!(world.value(&id, "7"), json!(7), "{language:?}");
        }
        let gone = (0..400).any(|_| {
            sleep(Duration::from_millis(50));
            !world.contexts().contains(&id)
        });
        assert!(gone, "{language:?}");
        let error = world.try_in(&id, "1", LONG_MS).err().unwrap();
        assert_eq!(error.code, ErrorCode::NotFound, "{error:?}");
        assert!(error.message.contains("it had no call for"), "{error:?}");
    }
}

#[test]
fn a_call_that_a_context_no_longer_takes_did_not_run() {
    let world = World::of(|own| sandbox_with_idle_contexts(own, 1));
    for language in Language::ALL {
        let id = world.create(language, 256);
        let leader = fs::read_to_string(world.dir_of(&id).join("leader")).unwrap();
        let leader = leader.split(' ').next().unwrap();
        // The supervisor stops, so that it can't say that the interpreter has ended.
        let stopped = process::Command::new("kill").args(["-STOP", leader]).status();
        assert!(stopped.unwrap().success());
        let why = world.dir_of(&id).join("why");
        let idle = (0..400).any(|_| {
            sleep(Duration::from_millis(50));
            why.exists()
        });
        assert!(idle, "{language:?}");
        let later = format!("sleep 1; kill -CONT {leader}");
        let mut later = process::Command::new("sh").args(["-c", &later]).spawn().unwrap();
        let error = world.try_in(&id, "1", LONG_MS).err().unwrap();
        assert_eq!(error.code, ErrorCode::NotFound, "{error:?}");
        assert!(error.message.contains("it had no call for"), "{error:?}");
        assert!(error.hint.is_some(), "{error:?}");
        later.wait().unwrap();
    }
}
