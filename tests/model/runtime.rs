//! Concurrent calls, run one step at a time in a drawn order, and objects that stop
//! in the middle of them.

use crate::support::faults::{Fault, Faults};
use crate::support::ports::TestClock;
use async_trait::async_trait;
use futures::future::LocalBoxFuture;
use futures::task::noop_waker_ref;
use snapshotter::domain::ids::SandboxId;
use snapshotter::ports::clock::Clock;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Context;

/// Numbers that follow from a seed (SplitMix64).
#[derive(Default)]
pub struct Dice(Cell<u64>);

impl Dice {
    pub fn seed(&self, seed: u64) {
        self.0.set(seed);
    }

    pub fn below(&self, bound: usize) -> usize {
        self.0.set(self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut mixed = self.0.get();
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }
}

/// A Durable Object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// The host of the session of that number.
    Session(usize),
    Sandbox(SandboxId),
}

/// What goes wrong in a step, counted in effects from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// One effect breaks.
    Once(usize, Fault),
    /// The effects from the first number break, at most as many as the second.
    Outage(usize, usize),
    /// The active workspace's container dies.
    Death(usize),
}

struct Task {
    /// The task stops with this object.
    object: Object,
    /// The object that waits for the task, which may stop with it.
    caller: Option<Object>,
    future: LocalBoxFuture<'static, ()>,
}

/// Runs everything. Clones share it.
#[derive(Clone, Default)]
pub struct Runtime(Rc<Inner>);

#[derive(Default)]
struct Inner {
    dice: Dice,
    tasks: RefCell<Vec<Task>>,
    stopped: RefCell<Vec<Object>>,
    slow: Rc<Cell<bool>>,
    effects: Cell<usize>,
    trouble: Cell<Option<Trouble>>,
    /// Whether the step's trouble came.
    struck: Cell<bool>,
    /// Whether nothing of an earlier step ran when the last calls began.
    began_idle: Cell<bool>,
    /// Whether a container must die now.
    dying: Cell<bool>,
}

impl Runtime {
    /// Prepares a step.
    pub fn begin(&self, seed: u64, trouble: Option<Trouble>, concurrent: bool) {
        self.0.dice.seed(seed);
        self.0.trouble.set(trouble);
        self.0.effects.set(0);
        self.0.struck.set(false);
        self.0.slow.set(concurrent);
    }

    /// Whether something went wrong since `begin`.
    pub fn struck(&self) -> bool {
        self.0.struck.get()
    }

    /// Notes that calls begin.
    pub fn begin_calls(&self) {
        self.0.began_idle.set(self.is_idle());
    }

    /// Whether nothing of an earlier step ran beside the last calls.
    pub fn was_undisturbed(&self) -> bool {
        self.0.began_idle.get() && self.is_idle()
    }

    pub fn take_death(&self) -> bool {
        self.0.dying.take()
    }

    /// The faults that break an object's effects.
    pub fn faults_of(&self, object: Object) -> Faults {
        let runtime = Rc::downgrade(&self.0);
        Faults::decided_by(self.0.slow.clone(), move |_name| {
            let inner = runtime.upgrade()?;
            let nth = inner.effects.replace(inner.effects.get() + 1);
            let fault = match inner.trouble.get()? {
                Trouble::Once(at, fault) if at == nth => fault,
                Trouble::Outage(from, count) if (from..from + count).contains(&nth) => {
                    Fault::ErrorBefore
                }
                Trouble::Death(at) if at == nth => {
                    inner.struck.set(true);
                    inner.dying.set(true);
                    return None;
                }
                _ => return None,
            };
            inner.struck.set(true);
            if matches!(fault, Fault::CrashBefore | Fault::CrashAfter) {
                inner.stopped.borrow_mut().push(object.clone());
            }
            Some(fault)
        })
    }

    pub fn spawn(
        &self,
        object: Object,
        caller: Option<Object>,
        future: impl Future<Output = ()> + 'static,
    ) {
        self.0.tasks.borrow_mut().push(Task { object, caller, future: Box::pin(future) });
    }

    pub fn clear(&self) {
        drop(self.0.tasks.take());
    }

    /// Draws a number of turns to wait.
    pub fn turns(&self) -> usize {
        self.0.dice.below(24)
    }

    /// Whether nothing of an earlier step runs any more.
    pub fn is_idle(&self) -> bool {
        self.0.tasks.borrow().is_empty()
    }

    /// Whether a call of this object has not ended.
    pub fn is_busy(&self, object: &Object) -> bool {
        self.0.tasks.borrow().iter().any(|task| &task.object == object)
    }

    /// Runs one step of one task, and returns the objects that it stopped.
    pub fn turn(&self) -> Vec<Object> {
        let mut task = {
            let mut tasks = self.0.tasks.borrow_mut();
            let drawn = if tasks.len() > 1 { self.0.dice.below(tasks.len()) } else { 0 };
            tasks.swap_remove(drawn)
        };
        let pending = task.future.as_mut().poll(&mut Context::from_waker(noop_waker_ref()));
        if pending.is_pending() {
            self.0.tasks.borrow_mut().push(task);
        }
        let stopped = self.0.stopped.take();
        for object in &stopped {
            self.stop(object);
        }
        stopped
    }

    /// Ends an object's tasks. Its calls to other objects go on, or not.
    pub fn stop(&self, object: &Object) {
        let dice = &self.0.dice;
        let (ended, kept) = self.0.tasks.take().into_iter().partition(|task: &Task| {
            &task.object == object || (task.caller.as_ref() == Some(object) && dice.below(2) == 0)
        });
        *self.0.tasks.borrow_mut() = kept;
        drop::<Vec<Task>>(ended);
    }
}

/// A clock whose sleeps end only after other tasks had their turns.
pub struct SlowClock(pub TestClock, pub Runtime);

#[async_trait(?Send)]
impl Clock for SlowClock {
    fn now_ms(&self) -> i64 {
        self.0.now_ms()
    }

    async fn sleep_ms(&self, ms: u64) {
        for _ in 0..self.1.turns() {
            futures::pending!();
        }
        self.0.sleep_ms(ms).await;
    }
}
