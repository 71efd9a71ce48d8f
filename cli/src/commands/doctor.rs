//! `doctor`: checks everything that a command needs, and says how to fix what is wrong.

use super::profiles::About;
use crate::api::{BaseUrl, operations as op, read};
use crate::error::Error;
use crate::global::Global;
use crate::output::{Out, hint};
use crate::profile;
use crate::remote::Remote;
use clap::Args;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant;

/// The most that clocks may differ, because expiry times and signatures depend on them.
const CLOCK_MAX_SECONDS: u64 = 30;
const ROUND_TRIPS: u32 = 3;

/// Check address, token, scopes, clock and versions, and say what is wrong
#[derive(Debug, Args)]
pub struct Doctor {}

#[derive(Default)]
struct Report {
    checks: Vec<Check>,
}

struct Check {
    name: &'static str,
    is_ok: bool,
    found: String,
    advice: Option<String>,
}

impl Report {
    fn good(&mut self, name: &'static str, found: impl Into<String>) {
        self.checks.push(Check { name, is_ok: true, found: found.into(), advice: None });
    }

    /// Nothing is wrong, but there is something to do next.
    fn next(&mut self, name: &'static str, found: impl Into<String>, advice: impl Into<String>) {
        let (found, advice) = (found.into(), Some(advice.into()));
        self.checks.push(Check { name, is_ok: true, found, advice });
    }

    fn bad(&mut self, name: &'static str, found: impl Into<String>, advice: impl Into<String>) {
        let (found, advice) = (found.into(), Some(advice.into()));
        self.checks.push(Check { name, is_ok: false, found, advice });
    }

    fn failed(&mut self, name: &'static str, error: &Error, advice: &str) {
        let (found, hint) = match error {
            Error::Api(api) => {
                (format!("{} ({})", api.body.message, api.body.code), hint::of(&api.body))
            }
            Error::Usage(text)
            | Error::Network(text)
            | Error::Answer(text)
            | Error::Local(text) => (text.clone(), None),
            Error::Pipe | Error::Exit(_) => (String::new(), None),
        };
        self.bad(name, found, hint.unwrap_or_else(|| advice.to_owned()));
    }
}

impl Doctor {
    /// Runs the command.
    pub fn run(self, global: &Global) -> Result<(), Error> {
        let mut report = Report::default();
        match Remote::of(global) {
            Ok(remote) => examine(&remote, &mut report),
            Err(error) => report.failed(
                "settings",
                &error,
                "check the profile, the environment and the command line",
            ),
        }
        examine_file(&mut report);
        print(&global.out(), &report)?;
        if report.checks.iter().all(|check| check.is_ok) { Ok(()) } else { Err(Error::Exit(1)) }
    }
}

fn examine(remote: &Remote, report: &mut Report) {
    let url = remote.client.url();
    report.good("address", url.as_str());
    match op::about::call().and_then(|call| remote.client.json_with_date(&call)) {
        Ok((answer, date)) => {
            tell_connection(url, report);
            examine_version(&answer, report);
            examine_clock(date.as_deref(), report);
        }
        Err(error) => {
            report.failed(
                "connection",
                &error,
                "check the address, the network, and that the server's certificate is trusted here",
            );
            return;
        }
    }
    match op::health::call().and_then(|call| remote.client.json(&call)) {
        Ok(_) => report.good("configuration", "the server has what it needs"),
        Err(error) => {
            report.failed("configuration", &error, "the operator has to set what is missing")
        }
    }
    examine_token(remote, report);
}

fn tell_connection(url: &BaseUrl, report: &mut Report) {
    let how = if url.is_encrypted() {
        "encrypted, with a trusted certificate"
    } else {
        "not encrypted, on this machine"
    };
    report.good("connection", how);
}

fn examine_version(answer: &Value, report: &mut Report) {
    let own = env!("CARGO_PKG_VERSION");
    match read::<About>(answer) {
        Ok(about) if about.version == own => {
            report.good("version", format!("{own}, here and on the server"))
        }
        Ok(about) => report.bad(
            "version",
            format!("{own} here, {} on the server", about.version),
            "most commands still work; install the command line of the server's version",
        ),
        Err(_) => report.bad("version", "the server is no Snapshotter", "check the address"),
    }
}

fn examine_clock(date: Option<&str>, report: &mut Report) {
    let Some(server) = date.and_then(|date| rfc2822::parse(date).ok()) else {
        report.good("clock", "not compared: the server sends no date");
        return;
    };
    let seconds = Timestamp::now().duration_since(server.timestamp()).as_secs();
    let direction = if seconds < 0 { "behind" } else { "ahead of" };
    let found = format!("{} s {direction} the server's", seconds.unsigned_abs());
    if seconds.unsigned_abs() <= CLOCK_MAX_SECONDS {
        report.good("clock", found);
    } else {
        report.bad(
            "clock",
            found,
            "set this machine's clock: ages and expiry times shown here are wrong",
        );
    }
}

/// Finds out what the token may do, without changing anything.
fn examine_token(remote: &Remote, report: &mut Report) {
    let tried = op::list_sessions::call()
        .and_then(|call| remote.client.json(&call.query(op::list_sessions::query::LIMIT, Some(1))));
    match tried {
        Ok(_) => report.good("token", "the operator's: everything is allowed"),
        Err(error) if error.is_code("FORBIDDEN") => report.good("token", "a session's"),
        Err(error) => {
            report.failed("token", &error, "log in again: snapshotter login URL");
            return;
        }
    }
    let Ok(session) = remote.session() else {
        report.next(
            "session",
            "none is chosen yet",
            "open one: snapshotter open NAME --default. Or name it: --session NAME, SNAPSHOTTER_SESSION",
        );
        return;
    };
    examine_session(remote, session, report);
}

fn examine_session(remote: &Remote, session: &str, report: &mut Report) {
    let began = Instant::now();
    let described = op::describe_session::call(session)
        .and_then(|call| (0..ROUND_TRIPS).try_fold(Value::Null, |_, _| remote.client.json(&call)));
    match described {
        Ok(answer) => {
            let status = answer.get("status").and_then(Value::as_str).unwrap_or("unknown");
            report.good("session", format!("{session:?} is {status}"));
            let each = began.elapsed() / ROUND_TRIPS;
            report.good("round trip", format!("{} ms", each.as_millis()));
        }
        Err(error) if error.is_code("NOT_FOUND") => {
            report.next(
                "session",
                format!("{session:?} is not open yet"),
                format!("make it: snapshotter open {session}"),
            );
            return;
        }
        Err(error) if missing_scope(&error).is_some() => {
            report.bad(
                "session",
                "the token may not read it",
                "use a token with the scope read to look at it",
            );
        }
        Err(error) => {
            report.failed("session", &error, "check the session's name");
            return;
        }
    }
    examine_tools(remote, session, report);
}

fn missing_scope(error: &Error) -> Option<&str> {
    let Error::Api(api) = error else { return None };
    api.body.details.as_ref()?.get("missingScope")?.as_str()
}

/// The tools that the token may use show its scopes.
fn examine_tools(remote: &Remote, session: &str, report: &mut Report) {
    let all = op::list_tools::query::TOOLS;
    let asked = op::list_tools::call(session).map(|call| call.query(all, Some("all")));
    let tools = match asked.and_then(|call| remote.client.json(&call)) {
        Ok(answer) => answer,
        Err(error) => {
            report.failed("scopes", &error, "check the session's name and the token");
            return;
        }
    };
    let tools = tools.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
    let has = |name: &str| {
        tools.iter().any(|tool| tool.get("name").and_then(Value::as_str) == Some(name))
    };
    let scopes = [
        ("read", "workspace_describe"),
        ("write", "workspace_switch"),
        ("snapshot", "workspace_snapshot"),
    ];
    let held: Vec<&str> =
        scopes.iter().filter(|(_, tool)| has(tool)).map(|(scope, _)| *scope).collect();
    let shown = if held.is_empty() { "none".to_owned() } else { held.join(", ") };
    let found = format!("{shown}; {} tools", tools.len());
    if held.is_empty() {
        report.bad("scopes", found, "ask the operator for a token with more scopes");
    } else {
        report.good("scopes", found);
    }
}

/// Checks that other users can't read the stored tokens.
fn examine_file(report: &mut Report) {
    let Ok(path) = profile::path() else { return };
    let Ok(metadata) = fs::metadata(&path) else { return };
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        report.good("profile file", format!("{}, mode {mode:o}", path.display()));
    } else {
        report.bad(
            "profile file",
            format!("{} has mode {mode:o}: others may read your tokens", path.display()),
            format!("chmod 600 {}", path.display()),
        );
    }
}

fn print(out: &Out, report: &Report) -> Result<(), Error> {
    if out.is_json() {
        let checks = report.checks.iter().map(|check| {
            json!({ "check": check.name, "ok": check.is_ok, "found": check.found, "advice": check.advice })
        });
        return out.json(&json!({ "checks": checks.collect::<Vec<_>>() }));
    }
    for check in &report.checks {
        out.check(check.is_ok, check.name, &check.found)?;
        if let Some(advice) = &check.advice {
            out.line(format!("      {advice}"))?;
        }
    }
    Ok(())
}
