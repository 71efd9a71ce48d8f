//! The fakes keep the contracts that the real adapters keep (tests/e2e runs
//! the same suite under workerd).

use crate::support::bucket::MemoryBucket;
use crate::support::database::MemoryDatabase;
use crate::support::isolates::MemoryIsolates;
use crate::support::ports::{CountingRandom, TestAlarm, TestClock};
use crate::support::starts::MemoryStarts;
use crate::world::now;
use snapshotter::ports::contract;
use std::rc::Rc;

#[test]
fn fakes_keep_the_contracts() {
    now(contract::bucket(&MemoryBucket::default(), "contract/")).unwrap();
    contract::database(&MemoryDatabase::new()).unwrap();
    now(contract::clock(&TestClock::new())).unwrap();
    now(contract::isolates(&MemoryIsolates::default())).unwrap();
    contract::random(&CountingRandom::default()).unwrap();
    let starts = MemoryStarts::new(Some(2), Rc::new(TestClock::new()));
    now(contract::starts(&starts, 1_800_000_000_000)).unwrap();
    now(contract::pools(&crate::pools::Deployment::new(10).pools)).unwrap();
    now(contract::alarm(&TestAlarm::default(), 1_800_000_000_000)).unwrap();
}
