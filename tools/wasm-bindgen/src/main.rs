//! The part of the `wasm-bindgen` command that worker-build uses.
//!
//! Without it, worker-build would download a prebuilt binary.
//! `wasm-bindgen-cli` would bring a test runner with its own web server and
//! client. The underlying library does all the work: this program only maps the
//! flags that worker-build passes. An unknown flag is an error, so that none is
//! lost silently.

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut bindgen = Bindgen::new();
    let mut out_dir = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--out-dir" => out_dir = Some(value()?),
            "--out-name" => _ = bindgen.out_name(&value()?),
            "--target" => match value()?.as_str() {
                "module" => _ = bindgen.module(true)?,
                "bundler" => _ = bindgen.bundler(true)?,
                other => bail!("unsupported target {other}"),
            },
            "--typescript" => _ = bindgen.typescript(true),
            "--no-typescript" => _ = bindgen.typescript(false),
            "--debug" => _ = bindgen.debug(true),
            "--no-demangle" => _ = bindgen.demangle(false),
            "--keep-debug" => _ = bindgen.keep_debug(true),
            "--omit-default-module-path" => _ = bindgen.omit_default_module_path(true),
            "--split-linked-modules" => _ = bindgen.split_linked_modules(true),
            "--experimental-reset-state-function" => _ = bindgen.reset_state_function(true),
            "--force-enable-abort-handler" => _ = bindgen.force_enable_abort_handler(true),
            flag if flag.starts_with('-') => bail!("unsupported flag {flag}"),
            input => _ = bindgen.input_path(input),
        }
    }
    bindgen.generate(out_dir.context("--out-dir is missing")?)
}
