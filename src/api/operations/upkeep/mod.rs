//! Retention, rebuilding and tests.

use crate::api::operation::Entry;

pub(crate) mod plan_retention;
pub(crate) mod prune;
pub(crate) mod rebuild;
pub(crate) mod rebuild_own;
pub(crate) mod retain;
#[cfg(feature = "test-hooks")]
pub(crate) mod test_contracts;
#[cfg(feature = "test-hooks")]
pub(crate) mod test_panic;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<rebuild::Rebuild>(),
    Entry::of::<rebuild_own::RebuildSome>(),
    Entry::of::<prune::Prune>(),
    Entry::of::<plan_retention::PlanRetention>(),
    Entry::of::<retain::Retain>(),
    #[cfg(feature = "test-hooks")]
    Entry::of::<test_panic::Panic>(),
    #[cfg(feature = "test-hooks")]
    Entry::of::<test_contracts::Contracts>(),
];
