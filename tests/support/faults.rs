//! Failing at a chosen effect.

use snapshotter::domain::error::{Error, ErrorCode, Outcome, Result};
use std::cell::{Cell, RefCell};
use std::future::pending;
use std::rc::Rc;
use std::task::Poll;

/// What happens at the chosen effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It fails and has not happened.
    ErrorBefore,
    /// It happens and its answer is lost.
    ErrorAfter,
    /// The object dies before it.
    CrashBefore,
    /// The object dies after it.
    CrashAfter,
}

impl Fault {
    pub const ALL: [Self; 4] =
        [Self::ErrorBefore, Self::ErrorAfter, Self::CrashBefore, Self::CrashAfter];
}

/// Whether an effect of that name breaks now.
type Decide = Rc<dyn Fn(&str) -> Option<Fault>>;

/// Counts effects and breaks at one of them. Shared by all fakes of a world.
#[derive(Clone, Default)]
pub struct Faults {
    effects: Rc<Cell<usize>>,
    plan: Rc<Cell<Option<(usize, Fault)>>>,
    trace: Rc<RefCell<Vec<String>>>,
    /// Whether each effect first lets other calls run, once.
    pub slow: Rc<Cell<bool>>,
    /// Decides at each effect while nothing is armed.
    decide: Option<Decide>,
}

impl Faults {
    /// Breaks at the effects that `decide` chooses by name.
    pub fn decided_by(
        slow: Rc<Cell<bool>>,
        decide: impl Fn(&str) -> Option<Fault> + 'static,
    ) -> Self {
        Self { slow, decide: Some(Rc::new(decide)), ..Self::default() }
    }

    /// Breaks at the `nth` effect from now, counted from 0.
    pub fn arm(&self, nth: usize, fault: Fault) {
        self.effects.set(0);
        self.trace.borrow_mut().clear();
        self.plan.set(Some((nth, fault)));
    }

    /// Stops breaking effects. Returns whether the fault was reached.
    pub fn disarm(&self) -> bool {
        match self.plan.take() {
            Some((nth, _)) => self.effects.get() > nth,
            None => false,
        }
    }

    /// The effects since the last `arm`.
    pub fn trace(&self) -> Vec<String> {
        self.trace.borrow().clone()
    }

    fn fault_at(&self, name: &str) -> Option<Fault> {
        if let Some(decide) = &self.decide {
            return decide(name);
        }
        let nth = self.effects.replace(self.effects.get() + 1);
        self.trace.borrow_mut().push(name.to_owned());
        self.plan.get().filter(|(at, _)| *at == nth).map(|(_, fault)| fault)
    }

    /// Runs one effect, or breaks at it. A crash never returns: the caller's
    /// future stays pending and is dropped.
    pub async fn effect<T>(&self, name: &str, effect: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.slow.get() {
            let mut waited = false;
            std::future::poll_fn(|context| {
                if std::mem::replace(&mut waited, true) {
                    return Poll::Ready(());
                }
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
        }
        let fault = self.fault_at(name);
        let broken = || {
            Err(Error::new(ErrorCode::Unavailable, format!("injected at {name}"))
                .with_outcome(Outcome::Unknown))
        };
        match fault {
            None => effect(),
            Some(Fault::ErrorBefore) => broken(),
            Some(Fault::ErrorAfter) => effect().and_then(|_lost| broken()),
            Some(Fault::CrashBefore) => pending().await,
            Some(Fault::CrashAfter) => {
                let _ = effect();
                pending().await
            }
        }
    }
}
