//! The `Sandbox` object's methods over RPC: they take positional arguments, and return the result
//! shapes of `@cloudflare/sandbox` 0.12.

use crate::domain::arguments::read;
use crate::domain::time::rfc3339;
use crate::domain::{AbsolutePath, Error, Result, SleepAfter};
use crate::ports::Bytes;
use crate::ports::crossing::Crossing;
use crate::ports::sandbox::SandboxApi;
use crate::ports::sandbox::rpc::{Call, find};
use serde_json::{Value, json};

/// A parsed call.
pub struct SandboxCall {
    call: Call,
    /// The arguments that 0.12 repeats in the answer, if any.
    repeated: Option<Value>,
}

impl SandboxCall {
    /// Reads a call from its method, the stream among its arguments, and the other arguments in
    /// order. Missing and null options get their defaults.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the argument; `UNSUPPORTED` for an unknown method.
    pub fn parse(method: &str, stream: Option<Bytes>, arguments: Value) -> Result<Self> {
        let Value::Array(mut values) = arguments else {
            return Err(Error::invalid("arguments", "must be an array"));
        };
        if method == "configure"
            && let Some(options) = values.first_mut()
        {
            read_sleep_after(options)?;
        }
        let repeated = repeated(method, &values);
        let values = values.into_iter().map(Crossing::Value);
        let arguments: Vec<Crossing> =
            stream.map(Crossing::Stream).into_iter().chain(values).collect();
        let call = (find(method)?.parse)(arguments)?;
        Ok(Self { call, repeated })
    }

    /// Runs the call, and gives the answer the shape of 0.12. `now_ms` becomes the answer's
    /// `timestamp`.
    ///
    /// # Errors
    /// The method's errors.
    pub async fn run(self, sandbox: &dyn SandboxApi, now_ms: impl Fn() -> i64) -> Result<Crossing> {
        match ((self.call)(sandbox).await?, self.repeated) {
            (Crossing::Value(answer), Some(repeated)) => {
                Ok(Crossing::Value(shaped(repeated, answer, now_ms())))
            }
            (answer, _) => Ok(answer),
        }
    }
}

/// Reads `sleepAfter`, which callers of 0.12 send in seconds or as text.
fn read_sleep_after(options: &mut Value) -> Result<()> {
    if let Some(options) = options.as_object_mut()
        && let Some(sleep_after) = options.remove("sleepAfter")
        && !sleep_after.is_null()
        && !options.contains_key("sleepAfterMs")
    {
        let sleep_after: SleepAfter = read("sleepAfter", sleep_after)?;
        options.insert("sleepAfterMs".to_owned(), json!(sleep_after.as_ms()));
    }
    Ok(())
}

/// The arguments that 0.12 repeats in its answer.
fn repeated(method: &str, arguments: &[Value]) -> Option<Value> {
    let path = || AbsolutePath::parse("path", arguments.first()?.as_str()?).ok();
    match method {
        "exec" => Some(json!({ "command": arguments.first() })),
        "mkdir" => {
            let recursive =
                arguments.get(1).and_then(|options| options.get("recursive")?.as_bool());
            Some(json!({ "path": path(), "recursive": recursive.unwrap_or_default() }))
        }
        "readFile" | "writeFile" | "listFiles" | "deleteFile" | "exists" => {
            Some(json!({ "path": path() }))
        }
        _ => None,
    }
}

/// Adds `success`, unless the answer has that field, and a `timestamp`.
fn shaped(repeated: Value, answer: Value, now_ms: i64) -> Value {
    let mut shaped = json!({ "success": true });
    let files = answer.get("files").and_then(Value::as_array);
    let count = files.map_or(Value::Null, |files| json!({ "count": files.len() }));
    let timestamp = json!({ "timestamp": rfc3339(now_ms) });
    for fields in [repeated, count, answer, timestamp] {
        if let (Some(shaped), Value::Object(fields)) = (shaped.as_object_mut(), fields) {
            shaped.extend(fields);
        }
    }
    shaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ErrorCode;
    use crate::ports::sandbox::METHODS;
    use crate::ports::sandbox::rpc::{Transport, published};
    use futures::FutureExt;
    use futures::future::LocalBoxFuture;
    use std::cell::RefCell;

    /// Keeps the arguments of the last call, and answers every call with null.
    #[derive(Default)]
    struct Kept(RefCell<Vec<Value>>);

    impl Transport for Kept {
        fn call<'a>(
            &'a self,
            _method: &'a str,
            arguments: Vec<Crossing>,
        ) -> LocalBoxFuture<'a, Result<Crossing>> {
            let values = arguments.into_iter().filter_map(|argument| match argument {
                Crossing::Value(value) => Some(value),
                Crossing::Stream(_) => None,
            });
            self.0.replace(values.collect());
            Box::pin(async { Ok(Crossing::Value(Value::Null)) })
        }
    }

    /// The arguments as the method receives them.
    fn read_as(method: &str, arguments: Value) -> Value {
        let kept = Kept::default();
        let call = SandboxCall::parse(method, None, arguments).unwrap();
        let _answer = call.run(&kept, || 0).now_or_never().unwrap();
        kept.0.take().into()
    }

    fn refused(method: &str, arguments: Value) -> Error {
        SandboxCall::parse(method, None, arguments).map(drop).unwrap_err()
    }

    #[test]
    fn options_may_be_left_out() {
        let defaults = json!({ "recursive": false, "includeHidden": false, "offset": 0 });
        for arguments in [json!(["/a"]), json!(["/a", null]), json!(["//a", {}])] {
            assert_eq!(read_as("readFile", arguments), json!(["/a", defaults]));
        }
        let read = read_as("writeFile", json!(["/a", "x", { "encoding": "base64" }]));
        let mut options = defaults;
        options["encoding"] = json!("base64");
        assert_eq!(read, json!(["/a", "x", options]));
    }

    #[test]
    fn both_kinds_of_command_and_of_sleep_after_are_read() {
        for command in [json!("ls | wc"), json!(["ls", "-l"])] {
            assert_eq!(read_as("exec", json!([command])), json!([command, {}]));
        }
        for (options, ms) in [
            (json!({ "sleepAfter": "10m", "sandboxName": { "name": "x" } }), 600_000),
            (json!({ "sleepAfter": 30 }), 30_000),
            (json!({ "sleepAfterMs": 5_000 }), 5_000),
        ] {
            assert_eq!(read_as("configure", json!([options])), json!([{ "sleepAfterMs": ms }]));
        }
    }

    #[test]
    fn broken_arguments_are_named() {
        for (method, arguments, says) in [
            ("readFile", json!([]), "path"),
            ("readFile", json!(["a"]), "path"),
            ("readFile", json!(["/a/../b"]), "path"),
            ("readFile", json!({}), "arguments"),
            ("createBackup", json!([{ "dir": "/etc" }]), "dir"),
            ("createBackup", json!([{ "dir": "/workspace", "ttl": 60 }]), "ttl: must"),
            ("createBackup", json!([{ "dir": "/workspace", "ttl": 61.5 }]), "ttl: invalid type"),
            ("createBackup", json!([]), "options: invalid type: null"),
            ("recoverBackup", json!(["../../x"]), "id: must be"),
            ("restoreBackup", json!([]), "backup"),
            ("importTar", json!(["/a"]), "stream: is missing"),
            ("writeFile", json!(["/a"]), "content"),
            ("configure", json!([{ "sleepAfter": "7h" }]), "sleepAfter"),
        ] {
            let error = refused(method, arguments);
            assert_eq!(error.code, ErrorCode::InvalidArgument);
            assert!(error.message.contains(says), "{error} should say {says}");
            assert!(!error.message.contains("INVALID_ARGUMENT"), "{error}");
        }
        for unknown in ["free", "read_file", "call"] {
            assert_eq!(refused(unknown, json!([])).code, ErrorCode::Unsupported, "{unknown}");
        }
    }

    /// Remote callers reach only the names on the prototype.
    #[test]
    fn the_object_publishes_the_methods_of_the_trait() {
        let names: Vec<String> = METHODS.iter().map(|method| published(method.name)).collect();
        let made = serde_json::to_string_pretty(&names).unwrap() + "\n";
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write("entry/sandbox-methods.json", &made).unwrap();
        }
        let committed = include_str!("../../entry/sandbox-methods.json");
        assert!(made == committed, "the methods changed; see git diff after UPDATE_GOLDEN=1");
    }
}
