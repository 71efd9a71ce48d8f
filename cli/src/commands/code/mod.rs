//! Code that runs in a session: scripts, and code contexts.

mod contexts;
mod script;

pub use contexts::Contexts;
pub use script::Script;

use crate::error::Error;
use crate::output::Out;
use serde_json::Value;
use std::fs::File;
use std::io::{Read, stdin};

fn read_code(file: &str) -> Result<String, Error> {
    let mut code = String::new();
    let read = if file == "-" {
        stdin().read_to_string(&mut code)
    } else {
        File::open(file).and_then(|mut file| file.read_to_string(&mut code))
    };
    match read {
        Ok(_) => Ok(code),
        Err(error) if file == "-" => Err(Error::local("standard input", error)),
        Err(error) => Err(Error::local(file, error)),
    }
}

/// Prints the code's value, if any: as JSON, or in the language's own notation if JSON can't
/// express it.
fn print_value(out: &Out, answer: &Value, as_text: Option<&str>) -> Result<(), Error> {
    match (answer.get("value"), as_text) {
        (Some(value), _) => out.json(value),
        (None, Some(text)) => out.block(text),
        (None, None) => Ok(()),
    }
}
