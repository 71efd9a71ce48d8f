//! The steps of a sequence, and how a sequence is drawn.

use crate::runtime::Trouble;
use crate::support::faults::Fault;
use proptest::prelude::*;

/// A snapshot, named as a caller might. Numbers choose among the existing ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    Id(usize),
    Ref(usize),
    Name(u8),
    /// What the active workspace would wake from.
    Head,
    /// One of the session's own, with another origin.
    OtherOrigin(usize),
    /// The other session's, with its true origin.
    Foreign(usize),
    /// The other session's, claimed for this one.
    Claimed(usize),
    /// The backup of `@cloudflare/sandbox` 0.12.
    Old,
    Unknown,
}

/// A change of a snapshot's metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    Name {
        name: Option<u8>,
        replace: bool,
    },
    Pin(bool),
    Publish(bool),
    Label(u8),
    /// Expires in so many minutes; none means never.
    Expire(Option<u32>),
}

/// One call on a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    Open {
        destroy_on_close: bool,
    },
    Close,
    Snapshot {
        name: Option<u8>,
        replace: bool,
        short: bool,
        /// At the end of a turn, as a checkpoint.
        turn: bool,
    },
    Fork {
        branch: bool,
        which: Which,
        cross: bool,
    },
    /// A rewind, perhaps with an expected head, right or wrong.
    Rewind {
        which: Which,
        cross: bool,
        from_head: Option<bool>,
    },
    Get {
        which: Which,
        cross: bool,
    },
    Delete {
        which: Which,
        cross: bool,
        force: bool,
        purge: bool,
    },
    /// Makes a layer full.
    Flatten {
        which: Which,
    },
    Update {
        which: Which,
        edit: Edit,
    },
    List {
        cross: bool,
    },
    /// Deletes what the retention policy allows, now.
    Retain,
    /// Deletes by an operator's rule, from all of the bucket.
    Prune {
        minutes: u32,
        keep_last: u8,
    },
    Switch {
        to: usize,
    },
    Destroy {
        workspace: usize,
    },
    /// The operator destroys a workspace's container.
    DestroyContainer {
        workspace: usize,
    },
    StartFresh,
    /// Pauses the active workspace, unless another is named.
    Pause {
        workspace: Option<usize>,
    },
    Resume {
        workspace: Option<usize>,
    },
    /// Makes workspaces with the active one's files as they are.
    LiveFork {
        count: u32,
    },
    /// The operator rebuilds the catalogue from the bucket.
    Rebuild,
    /// Reads workspaces, lineage and usage.
    Look,
    Write {
        path: u8,
        text: u8,
    },
    Edit {
        path: u8,
        old: u8,
        new: u8,
    },
    Remove {
        path: u8,
    },
    Read {
        path: u8,
    },
    Run {
        path: u8,
        text: u8,
    },
    /// A command that changes something outside the workspace.
    Install {
        text: u8,
    },
    /// The alarm, if it is due.
    Alarm,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// One call, or two at once.
    Calls(Call, Option<Call>),
    /// One call, with a key to repeat it by.
    Keyed(Call),
    /// That call again, with its key.
    Repeat,
    /// A container stops.
    Kill {
        workspace: usize,
    },
    RestartHost,
    /// The host's object loses its storage. It is opened again, perhaps with a
    /// snapshot that the other session published, and perhaps rebuilt.
    Lose {
        claims: bool,
        rebuilds: bool,
    },
    RestartSandbox {
        workspace: usize,
    },
    /// Time passes, in minutes.
    Pass {
        minutes: i64,
    },
    /// Everything that runs ends, and the alarm comes to rest.
    Settle,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub session: usize,
    pub act: Act,
    pub trouble: Option<Trouble>,
    /// Decides the order of concurrent tasks.
    pub order: u8,
}

fn which() -> impl Strategy<Value = Which> {
    prop_oneof![
        5 => (0..8usize).prop_map(Which::Id),
        4 => (0..8usize).prop_map(Which::Ref),
        3 => (0..2u8).prop_map(Which::Name),
        3 => Just(Which::Head),
        1 => (0..8usize).prop_map(Which::OtherOrigin),
        1 => (0..8usize).prop_map(Which::Foreign),
        1 => (0..8usize).prop_map(Which::Claimed),
        1 => Just(Which::Old),
        1 => Just(Which::Unknown),
    ]
}

fn cross() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.2)
}

/// Some workspace, or none for the active one.
fn named() -> impl Strategy<Value = Option<usize>> {
    prop::option::weighted(0.4, 0..5usize)
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        2 => (prop::option::of(0..2u8), any::<bool>())
            .prop_map(|(name, replace)| Edit::Name { name, replace }),
        3 => prop::bool::weighted(0.7).prop_map(Edit::Pin),
        3 => prop::bool::weighted(0.8).prop_map(Edit::Publish),
        1 => (0..3u8).prop_map(Edit::Label),
        2 => prop_oneof![Just(None), Just(Some(0)), Just(Some(10))].prop_map(Edit::Expire),
    ]
}

/// Only a few paths, so that files return to earlier states.
fn path() -> impl Strategy<Value = u8> {
    prop_oneof![4 => Just(0), 1 => Just(1), 1 => Just(2)]
}

fn text() -> impl Strategy<Value = u8> {
    prop_oneof![3 => Just(0), 3 => Just(1), 1 => 2..4u8]
}

fn call() -> BoxedStrategy<Call> {
    let files = prop_oneof![
        3 => (path(), text()).prop_map(|(path, text)| Call::Write { path, text }),
        2 => (path(), text(), text()).prop_map(|(path, old, new)| Call::Edit { path, old, new }),
        1 => path().prop_map(|path| Call::Remove { path }),
        1 => path().prop_map(|path| Call::Read { path }),
        2 => (path(), prop_oneof![5 => text(), 1 => Just(4)])
            .prop_map(|(path, text)| Call::Run { path, text }),
        2 => text().prop_map(|text| Call::Install { text }),
    ];
    let snapshots = prop_oneof![
        5 => (prop::option::of(0..2u8), any::<bool>(), prop::bool::weighted(0.2))
            .prop_map(|(name, replace, short)| Call::Snapshot { name, replace, short, turn: false }),
        3 => Just(TURN),
        5 => (any::<bool>(), which(), cross())
            .prop_map(|(branch, which, cross)| Call::Fork { branch, which, cross }),
        2 => (1..=3u32).prop_map(|count| Call::LiveFork { count }),
        3 => (which(), cross(), prop::option::weighted(0.2, prop::bool::weighted(0.7)))
            .prop_map(|(which, cross, from_head)| Call::Rewind { which, cross, from_head }),
        1 => (which(), cross()).prop_map(|(which, cross)| Call::Get { which, cross }),
        2 => (which(), cross(), prop::bool::weighted(0.3), prop::bool::weighted(0.3))
            .prop_map(|(which, cross, force, purge)| Call::Delete { which, cross, force, purge }),
        2 => which().prop_map(|which| Call::Flatten { which }),
        3 => (which(), edit()).prop_map(|(which, edit)| Call::Update { which, edit }),
        1 => cross().prop_map(|cross| Call::List { cross }),
        1 => Just(Call::Retain),
        1 => (prop_oneof![Just(0), Just(10), Just(24 * 60)], 0..2u8)
            .prop_map(|(minutes, keep_last)| Call::Prune { minutes, keep_last }),
    ];
    let workspaces = prop_oneof![
        5 => (0..5usize).prop_map(|to| Call::Switch { to }),
        3 => (0..5usize).prop_map(|workspace| Call::Destroy { workspace }),
        1 => (0..5usize).prop_map(|workspace| Call::DestroyContainer { workspace }),
        2 => Just(Call::StartFresh),
        3 => named().prop_map(|workspace| Call::Pause { workspace }),
        3 => named().prop_map(|workspace| Call::Resume { workspace }),
        1 => Just(Call::Look),
        1 => Just(Call::Rebuild),
        1 => prop::bool::weighted(0.6).prop_map(|destroy_on_close| Call::Open { destroy_on_close }),
        1 => Just(Call::Close),
        3 => Just(Call::Alarm),
    ];
    prop_oneof![3 => files, 5 => snapshots, 3 => workspaces].boxed()
}

/// The end of a turn.
const TURN: Call = Call::Snapshot { name: None, replace: false, short: false, turn: true };

/// A call that takes a key.
fn keyed() -> impl Strategy<Value = Call> {
    prop_oneof![
        2 => prop::option::of(0..2u8)
            .prop_map(|name| Call::Snapshot { name, replace: true, short: false, turn: false }),
        1 => Just(TURN),
        1 => (any::<bool>(), which())
            .prop_map(|(branch, which)| Call::Fork { branch, which, cross: false }),
        1 => which().prop_map(|which| Call::Rewind { which, cross: false, from_head: None }),
        1 => (1..=3u32).prop_map(|count| Call::LiveFork { count }),
        1 => named().prop_map(|workspace| Call::Pause { workspace }),
        1 => named().prop_map(|workspace| Call::Resume { workspace }),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        20 => call().prop_map(|call| Act::Calls(call, None)),
        8 => (call(), call()).prop_map(|(one, other)| Act::Calls(one, Some(other))),
        2 => keyed().prop_map(Act::Keyed),
        2 => Just(Act::Repeat),
        1 => (0..5usize).prop_map(|workspace| Act::Kill { workspace }),
        1 => Just(Act::RestartHost),
        1 => (any::<bool>(), prop::bool::weighted(0.7))
            .prop_map(|(claims, rebuilds)| Act::Lose { claims, rebuilds }),
        1 => (0..5usize).prop_map(|workspace| Act::RestartSandbox { workspace }),
        2 => prop_oneof![Just(1), Just(10), Just(24 * 60), Just(8 * 24 * 60)]
            .prop_map(|minutes| Act::Pass { minutes }),
        2 => Just(Act::Settle),
    ]
}

fn trouble() -> impl Strategy<Value = Option<Trouble>> {
    let fault = prop::sample::select(Fault::ALL.as_slice());
    let trouble = prop_oneof![
        5 => (0..24usize, fault).prop_map(|(nth, fault)| Trouble::Once(nth, fault)),
        2 => (0..20usize, 2..8usize).prop_map(|(from, count)| Trouble::Outage(from, count)),
        1 => (0..16usize).prop_map(Trouble::Death),
    ];
    prop::option::weighted(0.3, trouble)
}

/// Steps that are played in a world of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// Whether the sessions save their workspaces by themselves.
    pub autosave: bool,
    /// Whether each session's snapshots hold the machine, too.
    pub machines: [bool; 2],
    pub steps: Vec<Step>,
}

/// Sequences of up to so many steps.
pub fn sequences(longest: usize) -> impl Strategy<Value = Sequence> {
    let session = prop_oneof![5 => Just(0usize), 1 => Just(1usize)];
    let step = (session, act(), trouble(), any::<u8>())
        .prop_map(|(session, act, trouble, order)| Step { session, act, trouble, order });
    // Most often both do or neither does, as the same application opens them.
    let machines = prop_oneof![
        3 => Just([true, true]),
        3 => Just([false, false]),
        1 => Just([true, false]),
        1 => Just([false, true]),
    ];
    (prop::bool::weighted(0.3), machines, prop::collection::vec(step, 1..=longest))
        .prop_map(|(autosave, machines, steps)| Sequence { autosave, machines, steps })
}
