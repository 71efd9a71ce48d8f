//! Playing a step.

use crate::calls::{Done, Made, start};
use crate::check::{Had, had};
use crate::model::Model;
use crate::runtime::Object;
use crate::script::{Act, Call, Step};
use crate::world::SESSIONS;
use snapshotter::domain::error::Error;
use snapshotter::ports::clock::Clock;
use std::cell::RefCell;
use std::rc::Rc;

type Answer = Result<Done, Error>;

impl Model {
    /// Plays a step and checks its result.
    pub fn play(&mut self, step: &Step) -> Result<(), String> {
        let world = self.world.clone();
        let concurrent = matches!(step.act, Act::Calls(_, Some(_)));
        // The world comes to rest only if nothing breaks.
        let trouble = step.trouble.filter(|_| step.act != Act::Settle);
        world.runtime.begin(u64::from(step.order), trouble, concurrent);
        let session = step.session;
        match &step.act {
            Act::Calls(one, other) => {
                let mut made = vec![self.choose(session, one)];
                made.extend(other.as_ref().map(|other| self.choose(session, other)));
                self.make(session, &mut made)?;
                let ends = |one: &&Made| matches!(one.call, Call::DestroyContainer { .. });
                for one in made.iter().filter(ends).filter(|one| had(one) != Had::No) {
                    self.killed.extend(one.workspace.clone());
                }
                self.check(session, &made)
            }
            Act::Keyed(call) => self.play_keyed(session, call),
            Act::Repeat => self.repeat(session),
            Act::Kill { workspace } => {
                let id = self.workspace(session, *workspace);
                world.kill(&id);
                self.killed.insert(id);
                self.check(session, &[])
            }
            Act::RestartHost => {
                world.restart(&Object::Session(session));
                self.check(session, &[])
            }
            Act::Lose { claims, rebuilds } => self.lose(session, *claims, *rebuilds),
            Act::RestartSandbox { workspace } => {
                world.restart(&Object::Sandbox(self.workspace(session, *workspace)));
                self.check(session, &[])
            }
            Act::Pass { minutes } => {
                let until_ms = world.clock.now_ms() + minutes * 60_000;
                self.fire_until(until_ms)?;
                world.clock.0.set(world.clock.now_ms().max(until_ms));
                self.check(session, &[])
            }
            Act::Settle => {
                for session in 0..SESSIONS.len() {
                    self.recover(session)?;
                }
                self.check_rest()
            }
        }
    }

    /// Lets everything end and the alarm come to rest, and checks on the way.
    fn recover(&mut self, session: usize) -> Result<(), String> {
        let world = self.world.clone();
        if !world.run_until(|| world.runtime.is_idle()) {
            return Err("something never ends".into());
        }
        self.check(session, &[])?;
        for _ in 0..50 {
            // A look is a call, so the session notices what a crash left.
            let mut look = [self.choose(session, &Call::List { cross: false })];
            self.make(session, &mut look)?;
            self.check(session, &look)?;
            let due_ms = world.alarm(session).get();
            let due_ms = due_ms.filter(|at_ms| *at_ms <= world.clock.now_ms() + 3_600_000);
            let Some(at_ms) = due_ms else {
                let mut look = [self.choose(session, &Call::Look)];
                self.make(session, &mut look)?;
                return self.check(session, &look);
            };
            if let Some(Err(error)) = self.fire(session, at_ms)? {
                return Err(format!("the alarm fails: {error:?}"));
            }
        }
        Err("the alarm never rests".into())
    }

    /// Fires an alarm when it is due, and checks its effects.
    fn fire(&mut self, session: usize, at_ms: i64) -> Result<Option<Answer>, String> {
        // An alarm never fires exactly on time.
        self.world.clock.0.set(self.now_ms().max(at_ms + 1));
        self.check(session, &[])?;
        let mut fired = [self.choose(session, &Call::Alarm)];
        self.make(session, &mut fired)?;
        self.check(session, &fired)?;
        let [fired] = fired;
        Ok(fired.answer)
    }

    /// With autosave, fires alarms in time until they rest. Without, one may be
    /// late.
    fn fire_until(&mut self, until_ms: i64) -> Result<(), String> {
        for _ in 0..100 {
            let alarms = (0..SESSIONS.len())
                .filter_map(|session| Some((self.world.alarm(session).get()?, session)));
            let Some((at_ms, session)) = alarms.min() else { return Ok(()) };
            let rests = at_ms > until_ms.min(self.now_ms() + 3_600_000);
            if rests || !self.world.autosave {
                return Ok(());
            }
            self.fire(session, at_ms)?;
        }
        Err("the alarms never rest".into())
    }

    /// Makes concurrent calls, and waits for their answers.
    pub fn make(&self, session: usize, made: &mut [Made]) -> Result<(), String> {
        let world = &self.world;
        type Slot = Rc<RefCell<Option<Answer>>>;
        let mut slots: Vec<Option<Slot>> = Vec::new();
        let alone = made.len() == 1;
        world.runtime.begin_calls();
        for call in made.iter_mut() {
            let alarm = world.alarm(session);
            if call.call == Call::Alarm && alone {
                if alarm.get().is_none_or(|at_ms| at_ms > world.clock.now_ms()) {
                    call.answer = Some(Ok(Done::Nothing));
                    slots.push(None);
                    continue;
                }
                alarm.set(None);
            }
            let slot = Slot::default();
            slots.push(Some(slot.clone()));
            let future = start(world, session, call);
            // With another call, the alarm comes due during that call, however long it takes.
            let amid = (call.call == Call::Alarm && !alone).then(|| world.runtime.turns());
            let clock = world.clock.clone();
            world.runtime.spawn(Object::Session(session), None, async move {
                for _ in 0..amid.unwrap_or(0) {
                    futures::pending!();
                }
                let due_ms = alarm.get().filter(|at_ms| *at_ms < clock.now_ms() + 3_600_000);
                if let (Some(_), Some(due_ms)) = (amid, due_ms) {
                    clock.0.set(clock.now_ms().max(due_ms));
                    alarm.set(None);
                }
                let answer = match (amid, due_ms) {
                    (Some(_), None) => Ok(Done::Nothing),
                    _ => future.await,
                };
                *slot.borrow_mut() = Some(answer);
            });
        }
        let answered = || {
            slots.iter().flatten().all(|slot| slot.borrow().is_some())
                || !world.runtime.is_busy(&Object::Session(session))
        };
        // Work that an earlier crash left running goes on meanwhile, and after.
        if !world.run_until(answered) {
            return Err("a call never ends".into());
        }
        for (call, slot) in made.iter_mut().zip(slots) {
            let Some(slot) = slot else { continue };
            call.answer = slot.take();
            let again_ms = world.clock.now_ms() + 2_000;
            let alarm = world.alarm(session);
            if call.call == Call::Alarm && !matches!(call.answer, Some(Ok(_))) {
                // The runtime retries an alarm that failed.
                alarm.set(Some(alarm.get().map_or(again_ms, |at_ms| at_ms.min(again_ms))));
            }
        }
        Ok(())
    }
}
