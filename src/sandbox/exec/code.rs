//! Runs code in its own process and its own directory, which is removed afterwards.

use crate::domain::error::{Error, ErrorCode, Next, Result};
use crate::domain::exec::code::Language;
use crate::domain::files::mime::mime_type;
use crate::domain::limits::{
    CODE_FILE_MAX_BYTES, CODE_FILES_MAX, CODE_MAX_BYTES, CODE_VALUE_MAX_BYTES,
};
use crate::ports::container::Needed;
use crate::ports::sandbox::code::{CodeImage, CodeLeft, RunCodeOptions, RunCodeResult};
use crate::ports::sandbox::files::shown;
use crate::sandbox::exec::Exec;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::scripts::{
    CODE_COLLECT, CODE_PREPARE, OWN_DIR, RUN_JAVASCRIPT, RUN_PYTHON, complaint, remove_tree,
    script, status,
};

use crate::ports::sandbox::{CommandLine, ExecOptions, ExecResult, LeftRunning};
use crate::sandbox::exec::left as left_running;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

/// Variable that names the directory for the code's images.
const OUTPUT_DIR: &str = "OUTPUT_DIR";
/// Name of a too large value in `omitted`.
const VALUE: &str = "value";

/// The output of `scripts/exec/code_collect.sh`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Collected {
    /// Note of `run_in_context.sh` about a call on a code context. Empty if nothing special
    /// happened.
    pub note: String,
    /// What such a call left running in the background.
    pub running: Option<LeftRunning>,
    pub left: CodeLeft,
}

impl Exec<'_> {
    pub(crate) async fn run_source(
        &self,
        code: String,
        options: RunCodeOptions,
    ) -> Result<RunCodeResult> {
        check_size(&code)?;
        let dir = self.code_dir()?;
        let interpreter = options.language.interpreter();
        self.container.require_disk(options.instance_id.as_ref()).await?;
        let mut prepare =
            script(CODE_PREPARE, &[dir.as_str(), interpreter, &code.len().to_string()]);
        prepare.stdin = Some(code.into_bytes());
        let output = self.container.run(&prepare).await?;
        match output.exit_code {
            0 => {}
            status::TOOL_MISSING => return Err(no_interpreter(complaint(&output))),
            _ => return Err(Error::new(ErrorCode::Unavailable, complaint(&output))),
        }
        let ran = match self.run_prepared(&dir, &options).await {
            Ok(exec) => collect(self.container, &dir).await.map(|collected| (exec, collected.left)),
            Err(error) => {
                // The caller gets the run's own error. Removing the directory is best effort.
                self.context.note_leftover(self.container.run(&remove_tree(&dir)).await.err());
                Err(error)
            }
        };
        let (exec, left) = ran?;
        Ok(RunCodeResult { exec, left })
    }

    pub(crate) fn code_dir(&self) -> Result<String> {
        Ok(format!("{OWN_DIR}/code-{}", self.context.new_tag()?))
    }

    async fn run_prepared(&self, dir: &str, options: &RunCodeOptions) -> Result<ExecResult> {
        let (flag, runner) = match options.language {
            Language::Python => ("-c", RUN_PYTHON),
            Language::JavaScript => ("-e", RUN_JAVASCRIPT),
        };
        let argv = [options.language.interpreter(), flag, runner, dir];
        let exec = ExecOptions {
            cwd: options.cwd.clone(),
            env: [(OUTPUT_DIR.to_owned(), format!("{dir}/out"))].into(),
            timeout: options.timeout,
            max_output_bytes: options.max_output_bytes,
            instance_id: options.instance_id.clone(),
            ..ExecOptions::default()
        };
        self.run_command(CommandLine::Argv(argv.map(str::to_owned).to_vec()), exec).await
    }
}

pub(crate) fn check_size(code: &str) -> Result<()> {
    if code.len() <= CODE_MAX_BYTES {
        return Ok(());
    }
    let problem = format!("code: is larger than {CODE_MAX_BYTES} bytes");
    Err(Error::new(ErrorCode::TooLarge, problem).with_hint(Next::WriteCodeToFile))
}

pub(crate) fn no_interpreter(said: String) -> Error {
    Error::new(ErrorCode::Unsupported, said)
        .with_hint("use an image that has it, or another language")
}

/// Reads what a run left in its directory, and removes the directory.
pub(crate) async fn collect(container: &SandboxContainer, dir: &str) -> Result<Collected> {
    let numbers = [CODE_VALUE_MAX_BYTES, CODE_FILE_MAX_BYTES, CODE_FILES_MAX];
    let [value, file, files] = numbers.map(|number| number.to_string());
    let mut command = script(CODE_COLLECT, &[dir, &value, &file, &files]);
    // Base64 takes four bytes for three. The names need extra room.
    command.output_max_bytes =
        (CODE_VALUE_MAX_BYTES + CODE_FILES_MAX * CODE_FILE_MAX_BYTES) / 3 * 4 + 256 * 1024;
    command.room = Needed::Stdout;
    let output = loop {
        match container.run(&command).await {
            // The code has run, so its result is worth any wait.
            Err(error) if error.code == ErrorCode::RateLimited => {}
            ended => break ended?,
        }
    };
    // The script may have run twice, so it can't remove what it prints. Best effort.
    let _ = container.run(&remove_tree(dir)).await;
    if output.exit_code != 0 {
        return Err(Error::new(ErrorCode::Unavailable, complaint(&output)));
    }
    Ok(parse(&output.stdout))
}

fn parse(printed: &[u8]) -> Collected {
    let mut left = CodeLeft::default();
    let mut records = printed
        .split_inclusive(|byte| *byte == 0)
        // A record that the limit cut off has no NUL.
        .filter_map(|record| record.strip_suffix(&[0]));
    let mut decoded =
        || records.next().and_then(|coded| BASE64.decode(coded).ok()).unwrap_or_default();
    let (note, running, value) = (decoded(), decoded(), decoded());
    let note = String::from_utf8_lossy(&note).trim().to_owned();
    let running = String::from_utf8_lossy(&running);
    let mut lines = running.lines();
    let running = lines.next().and_then(|process| left_running::read(process, lines));
    if value.len() > CODE_VALUE_MAX_BYTES {
        left.omitted.push(VALUE.to_owned());
    } else if let Ok(Value::Object(mut value)) = serde_json::from_slice(&value) {
        left.value = value.remove("json");
        left.value_text = value.remove("text").and_then(|text| text.as_str().map(str::to_owned));
    }
    while let (Some(name), Some(coded)) = (records.next(), records.next()) {
        let (name, _) = shown(name);
        let bytes = BASE64.decode(coded).unwrap_or_default();
        let is_text = std::str::from_utf8(&bytes).is_ok();
        let mime_type = mime_type(&name, Some(&bytes), is_text);
        let fits = (1..=CODE_FILE_MAX_BYTES).contains(&bytes.len());
        if fits && mime_type.starts_with("image/") {
            let data = BASE64.encode(bytes);
            left.images.push(CodeImage { name, mime_type: mime_type.to_owned(), data });
        } else {
            left.omitted.push(name);
        }
    }
    Collected { note, running, left }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_images_and_what_is_left_out_are_told_apart() {
        let value = BASE64.encode(json!({ "json": [1, null] }).to_string());
        let png = BASE64.encode(b"\x89PNG\r\n\x1a\n");
        let text = BASE64.encode("a,b");
        let large = BASE64.encode(vec![0; CODE_FILE_MAX_BYTES + 1]);
        let printed =
            format!("\0\0{value}\0a\nb.png\0{png}\0b.csv\0{text}\0c.png\0{large}\0d.png\0\0cut.p");
        let Collected { note, running, left } = parse(printed.as_bytes());
        assert_eq!((note.as_str(), running), ("", None));
        assert_eq!((left.value, left.value_text), (Some(json!([1, null])), None));
        let images = left.images.as_slice();
        assert!(
            matches!(images, [image] if image.name == "a\nb.png" && image.mime_type == "image/png")
        );
        assert_eq!(left.omitted, ["b.csv", "c.png", "d.png"]);

        assert_eq!(parse(b"\0\0\0"), Collected::default());
        let text = BASE64.encode(json!({ "text": "{1}" }).to_string());
        let note = BASE64.encode("ended 7 -\n");
        let server = BASE64.encode("left-2\n5 node server.js\n");
        let printed = format!("{note}\0{server}\0{text}\0");
        let Collected { note, running, left } = parse(printed.as_bytes());
        assert_eq!(running.unwrap().programs[0].command, "node server.js");
        assert_eq!((note.as_str(), left.value_text.as_deref()), ("ended 7 -", Some("{1}")));
        let large = BASE64.encode(vec![b' '; CODE_VALUE_MAX_BYTES + 1]);
        assert_eq!(parse(format!("\0\0{large}\0").as_bytes()).left.omitted, [VALUE]);
    }
}
