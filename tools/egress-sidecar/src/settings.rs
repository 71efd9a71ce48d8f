//! What workerd tells us: by arguments at the start, then by `PUT /egress`.

use crate::Result;
use serde::Deserialize;
use std::cell::{Cell, RefCell};

/// workerd reads this port from the image.
pub const INGRESS_PORT: u16 = 39001;

/// The current settings.
pub struct Settings {
    /// workerd's port on the gateway.
    pub egress_port: Cell<u16>,
    /// Whether connections that nothing intercepts reach the Internet.
    pub internet: Cell<bool>,
    /// Names that resolve even if no DNS server knows them: globs of those that are
    /// intercepted.
    pub names: RefCell<Vec<String>>,
}

/// The body of `PUT /egress`. What is absent stays.
#[derive(Deserialize)]
pub struct Update {
    port: Option<u16>,
    internet: Option<Internet>,
    dns: Option<Dns>,
}

#[derive(Deserialize)]
struct Internet {
    enabled: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Dns {
    allow_hostnames: Option<Vec<String>>,
}

impl Settings {
    /// Reads the only argument that concerns us.
    pub fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut port = 0;
        while let Some(argument) = arguments.next() {
            if argument == "--http-egress-port" {
                port = arguments.next().unwrap_or_default().parse()?;
            }
        }
        Ok(Self {
            egress_port: Cell::new(port),
            internet: Cell::new(true),
            names: RefCell::default(),
        })
    }

    pub fn update(&self, update: Update) {
        if let Some(port) = update.port {
            self.egress_port.set(port);
        }
        if let Some(enabled) = update.internet.and_then(|internet| internet.enabled) {
            self.internet.set(enabled);
        }
        if let Some(names) = update.dns.and_then(|dns| dns.allow_hostnames) {
            self.names.replace(names.iter().map(|name| normal(name)).collect());
        }
    }

    /// Whether connections and queries have to come to us at all.
    pub fn intercepts(&self) -> bool {
        !self.internet.get() || !self.names.borrow().is_empty()
    }

    /// Whether connections to the name may be intercepted.
    pub fn knows(&self, name: &str) -> bool {
        self.names.borrow().iter().any(|glob| matches(glob.as_bytes(), normal(name).as_bytes()))
    }
}

fn normal(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

/// Whether the glob matches the whole name. `*` stands for any characters.
fn matches(glob: &[u8], name: &[u8]) -> bool {
    match (glob.split_first(), name.split_first()) {
        (Some((b'*', rest)), _) if matches(rest, name) => true,
        (Some((b'*', _)), Some((_, left))) => matches(glob, left),
        (Some((wanted, rest)), Some((found, left))) => wanted == found && matches(rest, left),
        (None, None) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn updated(bodies: &[&str]) -> Settings {
        let settings = Settings::from_arguments(std::iter::empty()).unwrap();
        for body in bodies {
            settings.update(serde_json::from_str(body).unwrap());
        }
        settings
    }

    #[test]
    fn nothing_is_intercepted_until_workerd_says_so() {
        let open = r#"{"port":1,"internet":{"enabled":true},"dns":{"allowHostnames":[]}}"#;
        assert!(!updated(&[]).intercepts());
        assert!(!updated(&[open]).intercepts());
        assert!(updated(&[open, r#"{"internet":{"enabled":false}}"#]).intercepts());
        let named =
            updated(&[open, r#"{"dns":{"allowHostnames":["a.example"]}}"#, r#"{"port":2}"#]);
        assert!(named.intercepts());
        assert_eq!(named.egress_port.get(), 2);
    }

    #[test]
    fn names_match_by_globs() {
        let settings = updated(&[r#"{"dns":{"allowHostnames":["*.Example.com","x.org."]}}"#]);
        for name in ["a.example.com", "A.b.example.com.", "x.org"] {
            assert!(settings.knows(name), "{name}");
        }
        for name in ["example.com", "a.example.com.evil", "xx.org", ""] {
            assert!(!settings.knows(name), "{name}");
        }
        assert!(updated(&[r#"{"dns":{"allowHostnames":["*"]}}"#]).knows("anything"));
    }

    #[test]
    fn the_port_is_an_argument() {
        let arguments = ["--dns-enabled", "--http-egress-port", "1234"].map(String::from);
        let settings = Settings::from_arguments(arguments.into_iter()).unwrap();
        assert_eq!(settings.egress_port.get(), 1234);
    }
}
