//! Run code.

use crate::{World, code, now};
use serde_json::json;
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::exec::code::Language;
use snapshotter::ports::sandbox::{RunCodeOptions, RunCodeResult, SandboxApi};
use std::fs;

impl World {
    fn run(&self, language: Language, source: &str) -> Result<RunCodeResult, Error> {
        let options = RunCodeOptions {
            max_output_bytes: None,
            language,
            cwd: Some(self.root.clone()),
            timeout: Some(20_000),
            instance_id: None,
        };
        now(self.sandbox.run_code(source.to_owned(), options))
    }

    fn runs(&self, language: Language, source: &str) -> RunCodeResult {
        let result = self.run(language, source).unwrap();
        let left: Vec<_> = fs::read_dir(self.own.path()).unwrap().flatten().collect();
        assert!(left.iter().all(|entry| entry.file_name() == "instance"), "{left:?}");
        result
    }
}

#[test]
fn python_has_a_value_output_and_tracebacks_of_its_own() {
    let world = World::new();
    world.put("helper.py", "ANSWER = 42\n");
    let run = |source: &str| world.runs(Language::Python, source);
    let result = run("import helper\nprint('hi')\n{'answer': helper.ANSWER}");
    assert_eq!(
        (result.exec.stdout.as_str(), result.left.value),
        ("hi\n", Some(json!({ "answer": 42 })))
    );
    assert!(result.exec.success && result.left.value_text.is_none());
    assert_eq!(run("x = 1").left.value, None);
    assert_eq!(run("{1}").left.value_text.as_deref(), Some("{1}"));
    let failed = run("def f():\n    raise ValueError('boom')\nf()");
    assert_eq!((failed.exec.exit_code, failed.exec.success), (1, false));
    assert!(failed.exec.stderr.contains("line 2, in f") && failed.exec.stderr.contains("boom"));
    assert!(!failed.exec.stderr.contains("in main"), "the runner is not its caller's business");
    let unclosed = run("x = (\n").exec.stderr;
    assert!(unclosed.contains("SyntaxError") && unclosed.contains("x = ("), "{unclosed}");
    assert_eq!(run("import sys; sys.exit(7)").exec.exit_code, 7);
}

#[test]
fn javascript_has_a_value_output_and_promises() {
    let world = World::new();
    world.put("helper.cjs", "exports.answer = 42;\n");
    let run = |source: &str| world.runs(Language::JavaScript, source);
    let result =
        run("console.log('hi');\nconst { answer } = require('./helper.cjs');\n({ answer })");
    assert_eq!(
        (result.exec.stdout.as_str(), result.left.value),
        ("hi\n", Some(json!({ "answer": 42 })))
    );
    assert_eq!(run("const x = await Promise.resolve(5);\nreturn x + 1").left.value, Some(json!(6)));
    assert_eq!(run("const x = 1;").left.value, None);
    assert_eq!(run("10n").left.value_text.as_deref(), Some("10n"));
    let failed = run("function f() {\n  throw new Error('boom');\n}\nf()");
    assert!(!failed.exec.success && failed.exec.stderr.contains("code.js:2"), "{failed:?}");
    assert!(run("const x = (").exec.stderr.contains("SyntaxError"));
    assert_eq!(run("process.exit(7)").exec.exit_code, 7);
}

#[test]
fn a_picture_is_shown_as_text_and_as_an_image() {
    let world = World::new();
    for (module, method) in [("PIL.JpegImagePlugin", "save"), ("matplotlib.figure", "savefig")] {
        let source = format!(
            "class Picture:\n    def {method}(self, path, format):\n        \
             open(path, 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' if format == 'png' else b'')\n    \
             def __repr__(self): return 'a picture'\n\
             Picture.__module__ = '{module}'\nPicture()"
        );
        let left = world.runs(Language::Python, &source).left;
        assert_eq!((left.value, left.value_text.as_deref()), (None, Some("a picture")), "{module}");
        let named: Vec<_> = left.images.iter().map(|image| image.name.as_str()).collect();
        assert_eq!(named, ["value.png"], "{module}");
        // One that can't be drawn is only a text.
        let broken = world.runs(Language::Python, &source.replace("(path, 'wb')", "(1 / 0)")).left;
        assert_eq!(broken.value_text.as_deref(), Some("a picture"), "{module}");
        assert_eq!((broken.images.len(), broken.omitted.len()), (0, 0), "{module}");
    }
}

#[test]
fn images_come_back_and_other_files_are_named() {
    let world = World::new();
    let result = world.runs(
        Language::Python,
        "import os\nout = os.environ['OUTPUT_DIR'] + '/'\n\
         open(out + 'a b.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n')\n\
         open(out + 'c.svg', 'w').write('<svg/>')\n\
         open(out + 'data.csv', 'w').write('1,2')\n\
         open(out + 'large.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' * 300_000)\n\
         os.symlink('/etc/hostname', out + 'link.png')\n",
    );
    let shown: Vec<(&str, &str)> = result
        .left
        .images
        .iter()
        .map(|image| (image.name.as_str(), image.mime_type.as_str()))
        .collect();
    assert_eq!(shown, [("a b.png", "image/png"), ("c.svg", "image/svg+xml")]);
    assert_eq!(result.left.images[0].data, "iVBORw0KGgo=");
    assert_eq!(result.left.omitted, ["data.csv", "large.png", "link.png"]);
    let large = world.runs(Language::Python, "'x' * 2_000_000");
    assert_eq!((large.left.value, large.left.omitted), (None, vec!["value".to_owned()]));
}

#[test]
fn code_that_does_not_end_is_ended_and_cleaned_up() {
    let world = World::new();
    let options = RunCodeOptions {
        max_output_bytes: None,
        language: Language::Python,
        cwd: None,
        timeout: Some(4_000),
        instance_id: None,
    };
    let source = "import time\nprint('begun', flush=True)\ntime.sleep(60)";
    let result = now(world.sandbox.run_code(source.to_owned(), options)).unwrap();
    assert!(result.exec.timed_out && result.exec.exit_code == 124);
    assert_eq!(result.exec.stdout, "begun\n");
    let left = fs::read_dir(world.own.path()).unwrap().count();
    assert_eq!(left, 1, "only the disk's identity");
    let large = "#".repeat(1024 * 1024 + 1);
    assert_eq!(code(world.run(Language::Python, &large)), ErrorCode::TooLarge);
}

/// Output that finds no room in the isolate is dropped, and the script runs again.
#[test]
fn what_code_left_can_be_read_twice() {
    let top = crate::machine::TempDir::new();
    std::fs::create_dir(top.path().join("out")).unwrap();
    std::fs::write(top.path().join("result"), "{}").unwrap();
    std::fs::write(top.path().join("out/image"), "image").unwrap();
    let read = || {
        let dir = top.path().to_str().unwrap();
        let arguments = ["-c", crate::texts::CODE_COLLECT, "sh", dir, "100", "100", "3"];
        let ran = std::process::Command::new("sh").args(arguments).output().unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    assert_eq!(read(), "\0\0e30=\0image\0aW1hZ2U=\0");
    assert_eq!(read(), "\0\0e30=\0image\0aW1hZ2U=\0");
}
