//! The contract of isolates.

use crate::domain::Result;
use crate::ports::contract::check;
use crate::ports::isolates::{Isolates, Program, Started};
use crate::ports::{ByteStream, Bytes};
use async_trait::async_trait;
use std::any::Any;

const ECHO: &str = "// echo: answers what it is sent.
export default { fetch: (request) => new Response(request.body) };";
const COUNT: &str = "// count: answers how often its isolate was used.
globalThis.uses = 0;
export default { fetch: () => new Response(String(++globalThis.uses)) };";
const BINDINGS: &str = "// bindings: answers the names of its bindings.
export default { fetch: (request, env) => Response.json(Object.keys(env)) };";
const OFFLINE: &str = "// offline: answers what fetch does.
export default {
  async fetch() {
    const reached = fetch('http://127.0.0.1:9/').then(() => 'reached', ({ message }) => message);
    return new Response((await reached).includes('not permitted') ? 'off' : await reached);
  },
};";
const BROKEN: &str = "// broken: does not compile.
export default {";

struct Sent(Option<Vec<u8>>);

#[async_trait(?Send)]
impl ByteStream for Sent {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        Ok(self.0.take())
    }

    async fn cancel(&mut self) {
        self.0 = None;
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}

/// A program has an isolate of its own without bindings or network. Bytes flow both ways. A program
/// that does not compile is refused with the reason.
///
/// # Errors
/// As [`bucket`](super::bucket).
pub async fn isolates(isolates: &dyn Isolates) -> Result<()> {
    check(isolates.are_available(), "the binding is there")?;
    let program = |source: &str| Program {
        modules: vec![("main.js", source.to_owned())],
        network: false,
        cpu_ms: 1_000,
        subrequests: 1,
    };
    for (source, expected, rule) in [
        (ECHO, "hello", "it is sent bytes, and answers with bytes"),
        (COUNT, "1", "it has an isolate of its own"),
        (COUNT, "1", "also if an equal program ran before"),
        (BINDINGS, "[]", "it has no bindings"),
        (OFFLINE, "off", "it has no network"),
    ] {
        let sent = Box::new(Sent(Some(b"hello".to_vec())));
        let Started::Running(mut stream) = isolates.start(&program(source), sent).await? else {
            return check(false, "a sound program starts");
        };
        let mut answered = Vec::new();
        while let Some(bytes) = stream.next().await? {
            answered.extend(bytes);
        }
        check(answered == expected.as_bytes(), rule)?;
    }
    let sent = Box::new(Sent(None));
    match isolates.start(&program(BROKEN), sent).await? {
        Started::Running(_) => check(false, "one that does not compile is refused"),
        Started::Refused(why) => {
            check(why.starts_with("SyntaxError"), "the refusal says what is wrong")
        }
    }
}
