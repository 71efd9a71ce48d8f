//! Counts this isolate's log lines, and reports them to the directory. The counts of an isolate's
//! last seconds are lost with it, but the log has every line.

use crate::domain::metrics::{Counted, Counters};
use crate::platform::clients::directory::BoundDirectory;
use crate::platform::clock::RuntimeClock;
use crate::ports::clock::Clock;
use crate::ports::directory::Directory;
use crate::ports::log::{Level, LogLine};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use wasm_bindgen_futures::spawn_local;
use worker::{AnalyticsEngineDataPointBuilder, Env};

/// The binding of a Workers Analytics Engine dataset, if there is one.
const DATASET: &str = "METRICS";
/// How long counters wait for more, so that a burst of calls makes one report.
const WAIT_MS: u64 = 5_000;
/// A planned report that has not come after this time was lost with its object.
const LOST_MS: i64 = 60_000;
/// Data points of one report: the platform accepts 250 per call.
const POINTS_MAX: usize = 200;

thread_local! {
    static COUNTERS: RefCell<Counters> = RefCell::default();
    /// When the next report was planned. 0 if none is planned.
    static PLANNED_MS: Cell<i64> = const { Cell::new(0) };
}

/// Counts a line.
pub fn count(line: &LogLine) {
    let text = |field: &str| line.fields.get(field).and_then(Value::as_str);
    let number = |field: &str| line.fields.get(field).and_then(Value::as_u64);
    let outcome = text("outcome");
    let line = Counted {
        event: &line.event,
        // A refused call may name anything.
        tool: text("tool").filter(|_| outcome == Some("ok")),
        level: match line.level {
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        },
        outcome,
        duration_ms: number("durationMs"),
        bytes: ["sizeBytes", "freedBytes", "sentBytes"].into_iter().find_map(number),
    };
    COUNTERS.with_borrow_mut(|counters| counters.count(line));
}

/// Reports the counts soon. Objects call this after each call: their tasks outlive the call.
pub fn report_soon(env: &Env) {
    if let Some(reported) = reported(env) {
        spawn_local(reported);
    }
}

/// The report of a Worker, whose tasks end with the request unless the runtime waits for them. None
/// if there is nothing to report, or a report is already planned.
pub fn reported(env: &Env) -> Option<impl Future<Output = ()> + use<>> {
    let now_ms = RuntimeClock.now_ms();
    let is_planned = PLANNED_MS.get() > now_ms - LOST_MS;
    if is_planned || COUNTERS.with_borrow(Counters::is_empty) {
        return None;
    }
    PLANNED_MS.set(now_ms);
    let env = env.clone();
    Some(async move {
        RuntimeClock.sleep_ms(WAIT_MS).await;
        PLANNED_MS.set(0);
        report(&env).await;
    })
}

async fn report(env: &Env) {
    let counters = COUNTERS.take();
    if let Ok(dataset) = env.analytics_engine(DATASET) {
        let family_of = |sample: &str| sample.split('{').next().unwrap_or(sample).to_owned();
        // There are many histogram buckets, and they are of little use there.
        let samples =
            counters.samples().filter(|(sample, _)| !family_of(sample).ends_with("_bucket"));
        for (sample, value) in samples.take(POINTS_MAX) {
            let point = AnalyticsEngineDataPointBuilder::new()
                .indexes([family_of(sample).as_str()])
                .add_blob(sample)
                .add_double(value as f64)
                .build();
            // A point that is not accepted is missing only in the dataset, not in the directory.
            let _ = dataset.write_data_point(&point);
        }
    }
    let directory = BoundDirectory::new(env.clone());
    if directory.is_bound() && directory.count(&counters).await.is_err() {
        COUNTERS.with_borrow_mut(|later| later.merge(counters));
    }
}
