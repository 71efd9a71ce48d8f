//! Sends calls, and reads their answers.

use super::{BaseUrl, Call, Events};
use crate::error::{ApiError, Error, ErrorBody};
use crate::progress::Waiting;
use serde_json::Value;
use std::fmt;
use std::io::{self, Read};
use std::thread::sleep;
use std::time::Duration;
use ureq::http::{Request, Response, StatusCode, request};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, AsSendBody, Body, SendBody};

const USER_AGENT: &str = concat!("snapshotter-cli/", env!("CARGO_PKG_VERSION"));
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Longer than the longest call: an import or a command takes up to an hour.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(65 * 60);
const ANSWER_MAX_BYTES: u64 = 256 << 20;
/// How often a call is repeated after a broken connection, if a repetition is harmless.
const RETRIES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// How often we ask for the answer of a call whose first attempt still runs.
const PENDING_POLLS: u32 = 600;

/// A bearer token. It is never printed.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Reads a token. Ignores surrounding white space, such as a file's last line break.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::Usage(
                "the token is empty or has characters that no token has".to_owned(),
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// The token's text, for storing and sending.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// A client of one server, with one token.
#[derive(Clone)]
pub struct Client {
    agent: Agent,
    url: BaseUrl,
    token: Option<Token>,
}

impl Client {
    /// A client. Certificates are checked against those that the system trusts.
    pub fn new(url: BaseUrl, token: Option<Token>) -> Self {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect could lead the token elsewhere.
            .max_redirects(0)
            .user_agent(USER_AGENT)
            .tls_config(tls)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(ANSWER_TIMEOUT));
        if url.is_loopback() {
            config = config.proxy(None);
        }
        Self { agent: config.build().into(), url, token }
    }

    /// The server's address.
    pub fn url(&self) -> &BaseUrl {
        &self.url
    }

    /// The token, if there is one.
    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// Makes a call and reads its JSON answer.
    pub fn json(&self, call: &Call) -> Result<Value, Error> {
        self.json_with_date(call).map(|(answer, _)| answer)
    }

    /// Like `json`, but also returns the answer's `Date` header.
    pub fn json_with_date(&self, call: &Call) -> Result<(Value, Option<String>), Error> {
        self.respond(call, |mut response| {
            let date = response.headers().get("date").and_then(|date| date.to_str().ok());
            let date = date.map(str::to_owned);
            Ok((json_of(&mut response)?, date))
        })
    }

    /// Makes a call and returns its body as a stream.
    pub fn stream(&self, call: &Call) -> Result<impl Read + Send + use<>, Error> {
        let body = self.respond(call, |response| Ok(response.into_body()))?;
        Ok(body.into_with_config().limit(u64::MAX).reader())
    }

    /// Makes a call and reads its answer as Server-Sent Events. Returns before the server answers.
    pub fn events(&self, call: Call) -> Events {
        let client = self.clone();
        Events::of(move || client.stream(&call))
    }

    /// Sends `bytes` as the call's body, and moves `bar` on. Repeats the call after a broken
    /// connection: sending a part or an archive again replaces what arrived.
    pub fn upload(&self, call: &Call, bytes: &[u8], bar: &Waiting) -> Result<Value, Error> {
        let mut failures = 0;
        let mut pause = FIRST_PAUSE;
        loop {
            let mut body = Sending { left: bytes, sent_bytes: 0, bar };
            match self.attempt_upload(call, &mut body, bytes.len()) {
                Err(Error::Network(_)) if failures < RETRIES => {
                    bar.take_back(body.sent_bytes);
                    failures += 1;
                    sleep(pause);
                    pause *= 2;
                }
                result => return result,
            }
        }
    }

    /// Makes a call whose body is read from `body`. Never repeats the call, because it would act twice.
    pub fn send_once(
        &self,
        call: &Call,
        body: &mut dyn Read,
        length_bytes: u64,
    ) -> Result<Value, Error> {
        let length_bytes = usize::try_from(length_bytes)
            .map_err(|error| Error::Usage(format!("the archive is too large: {error}")))?;
        self.attempt_upload(call, body, length_bytes)
    }

    fn attempt_upload(
        &self,
        call: &Call,
        body: &mut dyn Read,
        length_bytes: usize,
    ) -> Result<Value, Error> {
        let request = self.request(call).header("content-length", length_bytes);
        let request =
            request.body(SendBody::from_reader(body)).map_err(|error| self.unsendable(&error))?;
        let mut response = self.send(request)?;
        refuse_failure(&mut response)?;
        json_of(&mut response)
    }

    /// Makes a call and passes the response to `receive`. After a broken connection, repeats the
    /// call if it can't act twice.
    fn respond<T>(
        &self,
        call: &Call,
        receive: impl Fn(Response<Body>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let key = call.operation.takes_key.then(new_key).transpose()?;
        let is_repeatable = key.is_some() || call.operation.method == "GET";
        let (mut failures, mut polls) = (0, 0);
        let mut pause = FIRST_PAUSE;
        loop {
            match self.attempt(call, key.as_deref()).and_then(&receive) {
                Err(Error::Network(_)) if is_repeatable && failures < RETRIES => {
                    failures += 1;
                    sleep(pause);
                    pause *= 2;
                }
                // The first attempt arrived, and still runs.
                Err(Error::Api(error))
                    if failures > 0 && key.is_some() && polls < PENDING_POLLS =>
                {
                    let Some(after_ms) = retry_after_ms(&error.body) else {
                        return Err(Error::Api(error));
                    };
                    polls += 1;
                    sleep(Duration::from_millis(after_ms.clamp(100, 10_000)));
                }
                result => return result,
            }
        }
    }

    fn attempt(&self, call: &Call, key: Option<&str>) -> Result<Response<Body>, Error> {
        let mut request = self.request(call);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if let Some(name) = &call.name {
            request = request.header("operation-id", name);
        }
        let mut response = if call.operation.takes_json {
            let body = Value::Object(call.body.clone()).to_string();
            let request = request.header("content-type", "application/json").body(body);
            self.send(request.map_err(|error| self.unsendable(&error))?)?
        } else {
            self.send(request.body(()).map_err(|error| self.unsendable(&error))?)?
        };
        refuse_failure(&mut response)?;
        Ok(response)
    }

    fn request(&self, call: &Call) -> request::Builder {
        let url = format!("{}{}", self.url, call.target);
        let request = Request::builder().method(call.operation.method).uri(url);
        match &self.token {
            Some(token) => request.header("authorization", format!("Bearer {}", token.secret())),
            None => request,
        }
    }

    fn send(&self, request: Request<impl AsSendBody>) -> Result<Response<Body>, Error> {
        self.agent.run(request).map_err(|error| match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => self.unsendable(&error),
            error => Error::Network(format!("{} can't be reached: {error}", self.url)),
        })
    }

    fn unsendable(&self, error: &dyn fmt::Display) -> Error {
        Error::Usage(format!("the request to {} can't be sent: {error}", self.url))
    }
}

struct Sending<'a> {
    left: &'a [u8],
    sent_bytes: u64,
    bar: &'a Waiting,
}

impl Read for Sending<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.left.read(buffer)?;
        self.sent_bytes += count as u64;
        self.bar.add(count as u64);
        Ok(count)
    }
}

fn refuse_failure(response: &mut Response<Body>) -> Result<(), Error> {
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    if status.is_redirection() {
        let to = response.headers().get("location").and_then(|to| to.to_str().ok());
        let to = to.unwrap_or("another address");
        return Err(Error::Usage(format!(
            "the server redirects to {to}: use the URL that it redirects to"
        )));
    }
    let text = body_text(response)?;
    Err(match ApiError::read(&text) {
        Some(error) => Error::Api(Box::new(error)),
        None => foreign(status, &text),
    })
}

/// An error from something between us and the Worker, such as the edge or a proxy.
fn foreign(status: StatusCode, text: &str) -> Error {
    let start: String = text.chars().take(200).collect();
    let message = format!("the answer {status} is not from a Snapshotter: {start}");
    if status.is_server_error() { Error::Network(message) } else { Error::Answer(message) }
}

fn json_of(response: &mut Response<Body>) -> Result<Value, Error> {
    let text = body_text(response)?;
    serde_json::from_str(&text).map_err(|_| foreign(response.status(), &text))
}

fn body_text(response: &mut Response<Body>) -> Result<String, Error> {
    let body = response.body_mut().with_config().limit(ANSWER_MAX_BYTES).lossy_utf8(true);
    body.read_to_string().map_err(|error| Error::Network(format!("the answer broke off: {error}")))
}

fn retry_after_ms(error: &ErrorBody) -> Option<u64> {
    let details = error.details.as_ref().filter(|_| error.code == "CONFLICT")?;
    details.get("retryAfterMs")?.as_u64()
}

/// A random key or name of a call, with 128 bits.
pub fn new_key() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Error::local("random numbers", error))?;
    Ok(format!("cli-{:032x}", u128::from_le_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_shown_and_cannot_add_headers() {
        let token = Token::parse(" secret-1\n").unwrap();
        assert_eq!(token.secret(), "secret-1");
        assert!(!format!("{token:?}").contains("secret"));
        for bad in ["", " ", "a b", "a\nb", "a\r\nX-Other: b", "\u{e9}"] {
            assert!(Token::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn keys_differ() {
        assert_ne!(new_key().unwrap(), new_key().unwrap());
    }
}
