//! Operational metrics in Prometheus' text format. Only logged events are counted.

use crate::domain::starts::StartsView;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Upper bounds of the histogram's buckets. The last bucket has none.
const BUCKETS_MS: [u64; 8] = [50, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];

const CALLS: &str = "snapshotter_calls_total";
const SECONDS: &str = "snapshotter_call_seconds";
const BYTES: &str = "snapshotter_bytes_total";
const LINES: &str = "snapshotter_log_lines_total";

/// Name, type and help.
const FAMILIES: [(&str, &str, &str); 4] = [
    (CALLS, "counter", "Ended calls, by what they did and how they ended: ok, or an error code."),
    (SECONDS, "histogram", "How long calls took."),
    (BYTES, "counter", "Bytes that calls moved, stored or freed."),
    (LINES, "counter", "Log lines that belong to no call: what the objects noticed by themselves."),
];

/// The fields of a log line that are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted<'a> {
    /// The line's event.
    pub event: &'a str,
    /// The tool that was called, if any.
    pub tool: Option<&'a str>,
    /// The line's severity.
    pub level: &'a str,
    /// How the call ended. None if the line is not about a call.
    pub outcome: Option<&'a str>,
    /// How long the call took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// How many bytes the call moved, stored or freed.
    pub bytes: Option<u64>,
}

/// Counters by sample, e.g. `snapshotter_calls_total{outcome="ok"}`. Times are in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters(BTreeMap<String, u64>);

impl Counters {
    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The samples and their values, in order.
    pub fn samples(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(sample, value)| (sample.as_str(), *value))
    }

    /// Counts a log line.
    pub fn count(&mut self, line: Counted<'_>) {
        let mut labels = vec![("event", line.event)];
        labels.extend(line.tool.map(|tool| ("tool", tool)));
        let Some(outcome) = line.outcome else {
            labels.push(("level", line.level));
            return self.add(LINES, &labels, 1);
        };
        self.add(CALLS, &with(&labels, "outcome", outcome), 1);
        if let Some(bytes) = line.bytes {
            self.add(BYTES, &labels, bytes);
        }
        let Some(took_ms) = line.duration_ms else { return };
        for bound_ms in BUCKETS_MS.into_iter().filter(|bound_ms| took_ms <= *bound_ms) {
            self.add(&format!("{SECONDS}_bucket"), &with(&labels, "le", &seconds(bound_ms)), 1);
        }
        self.add(&format!("{SECONDS}_bucket"), &with(&labels, "le", "+Inf"), 1);
        self.add(&format!("{SECONDS}_sum"), &labels, took_ms);
        self.add(&format!("{SECONDS}_count"), &labels, 1);
    }

    fn add(&mut self, name: &str, labels: &[(&str, &str)], value: u64) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let counter = self.0.entry(format!("{name}{{{}}}", labels.join(","))).or_default();
        *counter = counter.saturating_add(value);
    }

    /// Adds the counts of others.
    pub fn merge(&mut self, others: Self) {
        for (sample, value) in others.0 {
            let counter = self.0.entry(sample).or_default();
            *counter = counter.saturating_add(value);
        }
    }

    /// Renders the counters and the number of sessions in Prometheus' text format 0.0.4.
    #[must_use]
    pub fn to_text(&self, sessions: u64, version: &str) -> String {
        let mut text = format!(
            "# HELP snapshotter_build_info The version that answered.\n\
             # TYPE snapshotter_build_info gauge\n\
             snapshotter_build_info{{version=\"{version}\"}} 1\n\
             # HELP snapshotter_sessions Sessions that were ever opened.\n\
             # TYPE snapshotter_sessions gauge\n\
             snapshotter_sessions {sessions}\n"
        );
        for (family, kind, help) in FAMILIES {
            let mut samples =
                self.0.iter().filter(|(sample, _)| sample.starts_with(family)).peekable();
            if samples.peek().is_none() {
                continue;
            }
            // Writing to a String can't fail.
            let _ = write!(text, "# HELP {family} {help}\n# TYPE {family} {kind}\n");
            for (sample, value) in samples {
                let is_time = sample.split('{').next().is_some_and(|name| name.ends_with("_sum"));
                let value = if is_time { seconds(*value) } else { value.to_string() };
                let _ = writeln!(text, "{sample} {value}");
            }
        }
        text
    }
}

/// Renders running and waiting starts. Empty if starts are not limited.
#[must_use]
pub fn starts_text(starts: &StartsView) -> String {
    let Some(limit) = starts.limit else { return String::new() };
    let gauge = |name: &str, help: &str, value: u64| {
        format!("# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}\n")
    };
    [
        gauge("snapshotter_starts_limit", "Containers that may start at once.", limit.into()),
        gauge("snapshotter_starts_running", "Containers that start now.", starts.starting),
        gauge("snapshotter_starts_waiting", "Containers that wait to start.", starts.waiting),
    ]
    .concat()
}

fn with<'a>(
    labels: &[(&'a str, &'a str)],
    name: &'a str,
    value: &'a str,
) -> Vec<(&'a str, &'a str)> {
    [labels, &[(name, value)]].concat()
}

fn seconds(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / 1_000, ms % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call<'a>(event: &'a str, outcome: &'a str, ms: u64) -> Counted<'a> {
        let (outcome, duration_ms) = (Some(outcome), Some(ms));
        Counted { event, level: "info", outcome, duration_ms, ..Counted::default() }
    }

    #[test]
    fn lines_become_counters_and_a_histogram() {
        let mut counters = Counters::default();
        counters.count(Counted { bytes: Some(10), ..call("snapshot", "ok", 100) });
        counters.count(Counted { bytes: Some(5), ..call("snapshot", "ok", 2_500) });
        counters.count(Counted { tool: Some("workspace_run"), ..call("callTool", "ABORTED", 0) });
        counters.count(Counted { event: "autosave.failed", level: "warn", ..Counted::default() });
        let text = counters.to_text(3, "1.2.3");
        for line in [
            "snapshotter_build_info{version=\"1.2.3\"} 1",
            "snapshotter_sessions 3",
            "# TYPE snapshotter_calls_total counter",
            "snapshotter_calls_total{event=\"snapshot\",outcome=\"ok\"} 2",
            "snapshotter_calls_total{event=\"callTool\",tool=\"workspace_run\",outcome=\"ABORTED\"} 1",
            "# TYPE snapshotter_call_seconds histogram",
            "snapshotter_call_seconds_bucket{event=\"snapshot\",le=\"0.1\"} 1",
            "snapshotter_call_seconds_bucket{event=\"snapshot\",le=\"1\"} 1",
            "snapshotter_call_seconds_bucket{event=\"snapshot\",le=\"3\"} 2",
            "snapshotter_call_seconds_bucket{event=\"snapshot\",le=\"+Inf\"} 2",
            "snapshotter_call_seconds_sum{event=\"snapshot\"} 2.6",
            "snapshotter_call_seconds_count{event=\"snapshot\"} 2",
            "snapshotter_bytes_total{event=\"snapshot\"} 15",
            "snapshotter_log_lines_total{event=\"autosave.failed\",level=\"warn\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains("le=\"0.05\"} 2"));
    }

    #[test]
    fn counters_of_several_objects_add_up() {
        let mut one = Counters::default();
        one.count(call("open", "ok", 1));
        let mut all = one.clone();
        all.merge(one.clone());
        all.merge(Counters::default());
        assert_eq!(all.samples().find(|(sample, _)| sample.starts_with(CALLS)).unwrap().1, 2);
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Counters>(&text).unwrap(), all);
    }

    #[test]
    fn labels_cannot_end_a_sample() {
        let mut counters = Counters::default();
        counters.count(Counted { event: "a\"} 9\nb", level: "info", ..Counted::default() });
        assert!(counters.to_text(0, "1").ends_with("{event=\"a\\\"} 9\\nb\",level=\"info\"} 1\n"));
    }
}
