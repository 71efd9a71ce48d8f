//! `contexts`: interpreters in a workspace that keep their variables between calls.

use super::{print_value, read_code};
use crate::api::{answer, operations as op, read};
use crate::commands::selectors;
use crate::error::Error;
use crate::output::Out;
use crate::output::format::age;
use crate::remote::Remote;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use std::io::Write;

answer! {
    /// Running code contexts.
    pub struct CodeContextList { contexts: Vec<CodeContext> }

    /// A code context.
    pub struct CodeContext {
        context: String,
        language: String,
        memory_mib: u64,
        created_at: String,
    }

    /// How code in a context ended.
    pub struct RanInContext {
        exit_code: i64,
        stdout: String,
        stderr: String,
        stdout_truncated: bool,
        stderr_truncated: bool,
        timed_out: bool,
        value_text: Option<String>,
        images: Vec<CodeImage>,
        omitted: Vec<String>,
        context_ended: Option<String>,
        hint: Option<String>,
    }

    /// An image that the code made.
    pub struct CodeImage { name: String }
}

/// Make, list and end interpreters that keep their variables, and run code in them
///
/// A context ends with its container, in a rewind, or after 30 minutes without a run. The session needs
/// capabilities.code.stateful.
#[derive(Debug, Args)]
pub struct Contexts {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Start an interpreter and print its id
    Create {
        /// The language of the context's code
        #[arg(value_parser = PossibleValuesParser::new(op::values::Language))]
        language: String,
        /// How much memory the context may use, in MiB [default: 1024]
        #[arg(long, value_name = "MIB")]
        memory: Option<u32>,
        /// In this workspace [default: the active one]
        #[arg(long, short, value_name = "ID")]
        workspace: Option<String>,
    },
    /// List the contexts of a workspace, the oldest first
    List {
        /// List the contexts of this workspace [default: the active one]
        #[arg(long, short, value_name = "ID")]
        workspace: Option<String>,
    },
    Run(Run),
    /// End a context; its variables are lost
    Delete {
        /// The context's id
        context: String,
        /// In this workspace [default: the active one]
        #[arg(long, short, value_name = "ID")]
        workspace: Option<String>,
    },
}

/// Run code in a context, print its output and the value of its last line, and exit with its exit code
///
/// The exit code is 1 if the code fails, and 124 at its time limit. Ctrl-C interrupts the code; the context and its
/// variables stay.
#[derive(Debug, Args)]
struct Run {
    /// The context's id
    context: String,
    /// File with the code; - is standard input
    #[arg(default_value = "-")]
    file: String,
    /// Interrupt the code after this time, such as 10m [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = selectors::seconds)]
    timeout: Option<u64>,
    /// In this workspace [default: the active one]
    #[arg(long, short, value_name = "ID")]
    workspace: Option<String>,
}

impl Contexts {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let session = remote.session()?;
        match self.what {
            What::Create { language, memory, workspace } => {
                use op::create_code_context::field;
                let call = op::create_code_context::call(session)?
                    .doing("Starting an interpreter")
                    .field(field::LANGUAGE, language)
                    .field(field::MEMORY_MIB, memory)
                    .field(field::WORKSPACE, workspace);
                // The id is alone on standard output, for a pipe.
                remote.show(&call, |out, answer| out.line(&read::<CodeContext>(answer)?.context))
            }
            What::List { workspace } => {
                let call = op::list_code_contexts::call(session)?
                    .doing("Listing contexts")
                    .query(op::list_code_contexts::query::WORKSPACE, workspace);
                remote.show(&call, |out, answer| {
                    let now = Timestamp::now();
                    let rows = read::<CodeContextList>(answer)?.contexts.into_iter().map(|one| {
                        let memory = format!("{} MiB", one.memory_mib);
                        [one.context, one.language, memory, age(&one.created_at, now)]
                    });
                    out.table(["ID", "LANGUAGE", "MEMORY", "MADE"], rows.collect())
                })
            }
            What::Run(run) => run.run(remote),
            What::Delete { context, workspace } => {
                let call = op::delete_code_context::call(session, &context)?
                    .doing("Ending the interpreter")
                    .query(op::delete_code_context::query::WORKSPACE, workspace);
                remote.show(&call, |out, _| out.line(format!("context {context} is gone")))
            }
        }
    }
}

impl Run {
    fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::run_in_code_context::field;
        let call = op::run_in_code_context::call(remote.session()?, &self.context)?
            .doing("Running the code")
            .field(field::CODE, read_code(&self.file)?)
            .field(field::TIMEOUT_MS, self.timeout.map(|seconds| seconds.saturating_mul(1000)))
            .field(field::WORKSPACE, self.workspace);
        let answer = remote.call_until_signal(call)?;
        let ran: RanInContext = read(&answer)?;
        if remote.out.is_json() {
            remote.out.json(&answer)?;
        } else {
            print_run(&remote.out, &ran, &answer)?;
        }
        match ran.exit_code {
            0 => Ok(()),
            code => Err(Error::Exit(u8::try_from(code).unwrap_or(1))),
        }
    }
}

fn print_run(out: &Out, ran: &RanInContext, answer: &Value) -> Result<(), Error> {
    let mut to = out.others();
    to.write_all(ran.stdout.as_bytes())?;
    if !ran.stdout.is_empty() && !ran.stdout.ends_with('\n') {
        to.write_all(b"\n")?;
    }
    to.finish()?;
    drop(to);
    let mut errors = out.others_errors();
    errors.write_all(ran.stderr.as_bytes())?;
    errors.finish()?;
    print_value(out, answer, ran.value_text.as_deref())?;
    if ran.stdout_truncated || ran.stderr_truncated {
        out.note("the output was longer: only a part of it is shown")?;
    }
    for image in &ran.images {
        out.note(format!("image {}: -o json prints its bytes", image.name))?;
    }
    for name in &ran.omitted {
        out.note(format!(
            "{name} is left out: it is too large, one file too many, or not an image"
        ))?;
    }
    if ran.timed_out {
        out.note("the code was interrupted at its time limit: raise it with --timeout")?;
    }
    if let Some(why) = &ran.context_ended {
        out.note(format!("the context and its variables are gone: {why}"))?;
    }
    match &ran.hint {
        Some(hint) => out.note(hint),
        None => Ok(()),
    }
}
