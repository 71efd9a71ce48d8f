//! Code contexts: their interpreters run for real.

mod ended;

use crate::exec::stream::read_all;
use crate::{World, now};
use serde_json::{Value, json};
use snapshotter::domain::error::{ErrorBody, ErrorCode};
use snapshotter::domain::exec::code::Language;
use snapshotter::domain::ids::CodeContextId;
use snapshotter::domain::limits::CODE_CONTEXTS_MAX;
use snapshotter::ports::sandbox::exec_event::ExecEventKind;
use snapshotter::ports::sandbox::{
    CodeContextOptions, CreateCodeContextOptions, ExecResult, LeftInContext, ProcessOptions,
    RunInCodeContextOptions, SandboxApi,
};
use snapshotter::ports::stream::Bytes;
use std::fs;
use std::path::PathBuf;
use std::process;
use std::thread::yield_now;

/// A call that has the time it needs, and one that does not.
const LONG_MS: u64 = 60_000;
const SHORT_MS: u64 = 1_500;

struct Ran {
    exec: ExecResult,
    left: LeftInContext,
}

impl Ran {
    fn value(&self) -> Value {
        assert!(self.exec.success && self.left.context_ended.is_none(), "{:?}", self.exec);
        self.left.left.value.clone().unwrap_or_default()
    }

    /// Why the context ended.
    fn fate(&self) -> &str {
        self.left.context_ended.as_deref().unwrap()
    }
}

impl World {
    fn create(&self, language: Language, memory_mib: u32) -> CodeContextId {
        self.try_create(language, memory_mib).unwrap()
    }

    fn try_create(
        &self,
        language: Language,
        memory_mib: u32,
    ) -> Result<CodeContextId, snapshotter::domain::error::Error> {
        let (cwd, memory_mib) = (self.root.clone(), Some(memory_mib));
        let options = CreateCodeContextOptions { language, cwd, memory_mib, instance_id: None };
        now(self.sandbox.create_code_context(options)).map(|created| created.context)
    }

    fn start_in(&self, id: &CodeContextId, code: &str, ms: u64) -> Bytes {
        let options = RunInCodeContextOptions { timeout: Some(ms), ..Default::default() };
        now(self.sandbox.run_in_code_context(id.clone(), code.to_owned(), options)).unwrap()
    }

    /// Starts code, and waits until it has made the file `begun`.
    fn begun(&self, id: &CodeContextId, code: &str, ms: u64) -> Bytes {
        let events = self.start_in(id, code, ms);
        while !self.real("begun").exists() {
            yield_now();
        }
        events
    }

    fn try_in(&self, id: &CodeContextId, code: &str, ms: u64) -> Result<Ran, Box<ErrorBody>> {
        let mut left = LeftInContext::default();
        for event in read_all(self.start_in(id, code, ms)) {
            match event {
                ExecEventKind::Left { code } => left = code,
                ExecEventKind::Complete { result, .. } => return Ok(Ran { exec: result, left }),
                ExecEventKind::Error { error } => return Err(Box::new(error)),
                _ => {}
            }
        }
        panic!("it did not end")
    }

    fn within(&self, id: &CodeContextId, code: &str, ms: u64) -> Ran {
        self.try_in(id, code, ms).unwrap()
    }

    fn value(&self, id: &CodeContextId, code: &str) -> Value {
        self.within(id, code, LONG_MS).value()
    }

    fn dir_of(&self, id: &CodeContextId) -> PathBuf {
        self.own.path().join("contexts").join(id.as_str())
    }

    fn contexts(&self) -> Vec<CodeContextId> {
        let listed = now(self.sandbox.list_code_contexts(CodeContextOptions::default())).unwrap();
        listed.contexts.into_iter().map(|one| one.context).collect()
    }

    fn end(&self, id: &CodeContextId) {
        let options = CodeContextOptions::default();
        now(self.sandbox.delete_code_context(id.clone(), options)).unwrap();
    }

    /// The next call says that the context has ended.
    fn assert_over(&self, id: &CodeContextId) {
        let error = self.try_in(id, "1", LONG_MS).err().unwrap();
        assert_eq!(error.code, ErrorCode::NotFound, "{error:?}");
        assert!(!self.contexts().contains(id));
    }

    fn assert_tidy(&self) {
        let left: Vec<_> = fs::read_dir(self.own.path()).unwrap().flatten().collect();
        let known = |name: &str| name == "instance" || name == "contexts";
        assert!(left.iter().all(|one| known(&one.file_name().to_string_lossy())), "{left:?}");
    }
}

#[test]
fn python_keeps_variables_modules_and_the_directory() {
    let world = World::new();
    world.put("helper.py", "ANSWER = 42\n");
    let id = world.create(Language::Python, 512);
    let first = world.within(
        &id,
        "import helper, os\nx = 5\nprint('hi')\nos.system('echo child')\nx",
        LONG_MS,
    );
    assert_eq!((first.exec.stdout.as_str(), first.value()), ("hi\nchild\n", json!(5)));
    assert_eq!(world.value(&id, "x += helper.ANSWER\nx"), json!(47));
    let failed = world.within(&id, "def f():\n    raise ValueError('boom')\nf()", LONG_MS);
    assert_eq!((failed.exec.exit_code, failed.exec.success), (1, false));
    let later = world.within(&id, "f()", LONG_MS).exec.stderr;
    assert!(later.contains("line 2, in f") && later.contains("raise ValueError"), "{later}");
    assert!(!later.contains("attempt"), "the driver is not its caller's business: {later}");
    assert_eq!(world.value(&id, "x"), json!(47));
    let image = "open(os.environ['OUTPUT_DIR'] + '/a.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n')";
    assert_eq!(world.within(&id, image, LONG_MS).left.left.images[0].data, "iVBORw0KGgo=");
    assert_eq!(world.within(&id, "1", LONG_MS).left.left.images, [], "of this call only");
    let table = "class Table:\n    def to_json(self, **_): return '{\"columns\":[\"a\"]}'\n\
                 Table.__module__ = 'pandas.core'\nTable()";
    assert_eq!(world.value(&id, table), json!({ "columns": ["a"] }));
    let out = world.within(&id, "b = bytearray(1 << 30)", LONG_MS);
    assert!(out.exec.stderr.contains("MemoryError"), "{}", out.exec.stderr);
    assert_eq!(world.value(&id, "x"), json!(47), "the context lives on");
    world.assert_tidy();
    world.end(&id);
}

#[test]
fn javascript_keeps_what_it_declares_even_twice_and_after_await() {
    let world = World::new();
    let id = world.create(Language::JavaScript, 256);
    let first =
        world.within(&id, "const x = await Promise.resolve(5); console.log('hi'); x", LONG_MS);
    assert_eq!((first.exec.stdout.as_str(), first.value()), ("hi\n", json!(5)));
    assert_eq!(world.value(&id, "const x = 7; ({ x })"), json!({ "x": 7 }));
    let child = "require('child_process').execSync('echo child', { stdio: 'inherit' }); x";
    assert_eq!(world.within(&id, child, LONG_MS).exec.stdout, "child\n");
    let failed = world.within(&id, "function f() {\n  throw new Error('boom');\n}\nf()", LONG_MS);
    assert_eq!(failed.exec.exit_code, 1);
    let stderr = &failed.exec.stderr;
    assert!(stderr.contains("code.js:2") && !stderr.contains("inspector"), "{stderr}");
    let late = world.within(&id, "setTimeout(() => { throw new Error('late') }); await new Promise(r => setTimeout(r, 50)); x", LONG_MS);
    assert!(late.exec.stderr.contains("late"), "an error of a callback ends nothing");
    assert_eq!(late.value(), json!(7));
    let big = world.within(&id, "10n", LONG_MS);
    assert_eq!(big.left.left.value_text.as_deref(), Some("10n"));
    assert_eq!(world.value(&id, "(await importModule('node:path')).sep"), json!("/"));
    world.assert_tidy();
    world.end(&id);
}

#[test]
fn an_interrupt_leaves_the_context_alive() {
    let world = World::new();
    for (language, sleep, spin, told) in [
        (
            Language::Python,
            "import time\nprint('begun')\ntime.sleep(300)",
            "while True: pass",
            "KeyboardInterrupt",
        ),
        (
            Language::JavaScript,
            "console.log('begun'); await new Promise(() => {})",
            "while (true) {}",
            "Interrupted",
        ),
    ] {
        let id = world.create(language, 256);
        world.value(&id, "x = 5");
        for code in [sleep, spin] {
            let ran = world.within(&id, code, SHORT_MS);
            assert_eq!((ran.exec.exit_code, ran.exec.timed_out), (124, true), "{code}");
            assert_eq!(ran.left.context_ended, None, "{code}");
            assert!(ran.exec.stderr.contains(told), "{code}: {}", ran.exec.stderr);
            assert_eq!(ran.exec.stdout, if code == sleep { "begun\n" } else { "" });
            assert_eq!(world.value(&id, "x"), json!(5), "{code}");
        }
        world.end(&id);
    }
}

#[test]
fn code_of_javascript_that_waits_ends_with_its_timers_and_prints_into_no_later_call() {
    let world = World::new();
    let id = world.create(Language::JavaScript, 256);
    world.value(
        &id,
        "let n = 0; const promises = require('timers/promises'); const sleep = promises.setTimeout",
    );
    // How the code waits, and whether its loop ends.
    for (wait, ends) in [
        ("new Promise((done) => setTimeout(done, 20))", true),
        ("sleep(20)", true),
        ("new Promise(setImmediate)", true),
        ("new Promise((done) => require('child_process').exec('sleep 0.02', done))", false),
    ] {
        let code = format!("while (true) {{ n++; console.log('loop'); await {wait}; }}");
        let ran = world.within(&id, &code, SHORT_MS);
        assert_eq!((ran.exec.exit_code, ran.left.context_ended), (124, None), "{wait}");
        assert!(ran.exec.stdout.starts_with("loop\nloop\n"), "{wait}");
        let told = "What else it waits for may go on until the context is deleted";
        assert!(ran.exec.stderr.contains(told), "{}", ran.exec.stderr);
        let watch = "{ const before = n; await sleep(500); console.log('mine'); n - before }";
        let next = world.within(&id, watch, LONG_MS);
        assert_eq!(next.exec.stdout, "mine\n", "{wait}");
        assert_eq!(next.value() == json!(0), ends, "{wait}: {}", next.value());
    }
    let interval = "let beats = 0; setInterval(() => beats++, 20); await new Promise(() => {})";
    world.within(&id, interval, SHORT_MS);
    let still = "{ const before = beats; await sleep(200); [before > 0, beats - before] }";
    assert_eq!(world.value(&id, still), json!([true, 0]));
    // A call that is not interrupted keeps its timers.
    world.value(&id, "const timer = setInterval(() => console.log('beats'), 20); 1");
    let heard = world.within(&id, "await sleep(500)", LONG_MS);
    assert!(heard.exec.stdout.contains("beats\nbeats\n"), "{:?}", heard.exec);
    world.end(&id);
}

#[test]
fn hostile_code_harms_only_its_own_call() {
    let world = World::new();
    let id = world.create(Language::Python, 512);
    world.value(&id, "import os, subprocess, sys\nx = 5");
    for code in [
        "os.closerange(0, 200)\nprint('gone')",
        "sys.stdout.close()\nsys.stderr.close()",
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)",
        "pid = os.fork()\nif pid: os.waitpid(pid, 0)",
        "left = subprocess.Popen(['sleep', '300'])",
    ] {
        let _ = world.within(&id, code, LONG_MS);
        let next = world.within(&id, "print('next')\nx", LONG_MS);
        assert_eq!((next.exec.stdout.as_str(), next.value()), ("next\n", json!(5)), "{code}");
    }
    let flood =
        world.within(&id, "for i in range(200_000): print('y' * 40)\nprint('end')\nx", LONG_MS);
    assert!(flood.exec.stdout_truncated && flood.exec.stdout.len() <= 1024 * 1024);
    assert_eq!(flood.value(), json!(5));
    world.end(&id);
    assert_eq!(world.contexts(), [], "with what its code had started");
}

#[test]
fn a_context_runs_one_call_and_a_workspace_has_eight() {
    let world = World::new();
    let id = world.create(Language::Python, 256);
    let code = "import os, time\nopen('begun', 'w').close()\nwhile not os.path.exists('go'): time.sleep(0.01)\n7";
    let mut first = world.begun(&id, code, LONG_MS);
    let busy = world.try_in(&id, "1", LONG_MS).err().unwrap();
    assert_eq!(busy.code, ErrorCode::Conflict);
    // A caller who gives up interrupts it, and the next call finds the context as it was.
    now(first.cancel());
    assert_eq!(world.value(&id, "os.path.exists('go')"), json!(false));
    let mut all = vec![id];
    for _ in 1..CODE_CONTEXTS_MAX {
        all.push(world.create(Language::Python, 64));
    }
    assert_eq!(world.contexts().len(), all.len());
    let refused = world.try_create(Language::Python, 64).unwrap_err();
    assert_eq!(refused.code, ErrorCode::QuotaExceeded);
    assert_eq!(refused.details, Some(json!({ "limit": "codeContexts" })));
    world.end(&all[0]);
    world.end(&all[0]);
    let absent = world.try_in(&all[0], "1", LONG_MS).err().unwrap();
    assert_eq!(absent.code, ErrorCode::NotFound);
    world.create(Language::Python, 64);
    for id in world.contexts() {
        world.end(&id);
    }
    let code = |memory| world.try_create(Language::Python, memory).unwrap_err().code;
    assert_eq!((code(1), code(1 << 20)), (ErrorCode::InvalidArgument, ErrorCode::InvalidArgument));
    world.assert_tidy();
}

#[test]
fn a_call_waits_for_one_that_was_interrupted() {
    let world = World::new();
    let id = world.create(Language::Python, 256);
    // It has begun to end when the next call comes.
    let code = "import time\ntry: time.sleep(60)\nexcept KeyboardInterrupt: open('begun', 'w').close(); time.sleep(2)";
    let mut first = world.begun(&id, code, SHORT_MS);
    assert_eq!(world.value(&id, "7"), json!(7));
    now(first.cancel());
    world.end(&id);
}

#[test]
fn a_call_whose_client_was_killed_is_ended_by_the_next() {
    let world = World::new();
    let id = world.create(Language::Python, 256);
    world.value(&id, "x = 5");
    let code = "import time\nopen('begun', 'w').close()\ntime.sleep(300)";
    let _orphan = world.begun(&id, code, LONG_MS);
    let entries = fs::read_dir(world.own.path()).unwrap().flatten().map(|entry| entry.path());
    let group = { entries }.find(|path| path.extension().is_some_and(|one| one == "group"));
    let group = fs::read_to_string(group.unwrap()).unwrap();
    let group = format!("-{}", group.trim());
    let killed = process::Command::new("kill").args(["-KILL", "--", &group]).status();
    assert!(killed.unwrap().success());
    assert_eq!(world.value(&id, "x"), json!(5), "it was interrupted");
    world.end(&id);
}

#[test]
fn a_server_that_code_started_lives_on_and_its_output_is_found() {
    for (language, code) in [
        (
            Language::Python,
            "import subprocess\nserver = subprocess.Popen(['sh', '-c', 'while [ ! -e go ]; do sleep 0.05; done; echo later; echo lives >lived; exec sleep 300'])\nprint('begun')",
        ),
        (
            Language::JavaScript,
            "const { spawn } = require('child_process'); var server = spawn('sh', ['-c', 'while [ ! -e go ]; do sleep 0.05; done; echo later; echo lives >lived; exec sleep 300'], { stdio: 'inherit' }); console.log('begun')",
        ),
    ] {
        let world = World::new();
        let id = world.create(language, 128);
        let ran = world.within(&id, code, LONG_MS);
        assert_eq!(
            (ran.exec.stdout.as_str(), ran.exec.exit_code),
            ("begun\n", 0),
            "{:?}",
            ran.exec
        );
        let left = ran.exec.left_running.unwrap();
        assert!(left.programs.iter().any(|one| one.command.starts_with("sh -c while")), "{left:?}");
        let again = world.within(&id, "1 + 1", LONG_MS);
        assert_eq!((again.value(), again.exec.left_running), (json!(2), None));
        world.put("go", "");
        while !world.real("lived").exists() {
            yield_now();
        }
        let options = ProcessOptions::default();
        let log = now(world.sandbox.read_process_log(left.process.unwrap(), options)).unwrap();
        assert_eq!(log.text, "later\n");
        now(world.sandbox.delete_code_context(id, CodeContextOptions::default())).unwrap();
    }
}
