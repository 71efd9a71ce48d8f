//! What retention decides, over all rows at once: the catalogue, which finds
//! what is due by index, must decide the same (`scale.rs`).

use proptest::prelude::*;
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::SnapshotTrigger;
use snapshotter::domain::snapshot::retention::{
    Candidate, DeleteReason, Exceeded, KeepReason, RetentionPolicy, Verdict, protection,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

const DAY_MS: i64 = 24 * 3_600_000;

/// A candidate and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The snapshot.
    pub candidate: Candidate,
    /// What becomes of it.
    pub verdict: Verdict,
}

impl Decision {
    const fn is_kept(&self) -> bool {
        matches!(self.verdict, Verdict::Keep(_))
    }

    const fn is_protected(&self) -> bool {
        matches!(
            self.verdict,
            Verdict::Keep(
                KeepReason::Newest
                    | KeepReason::Pinned
                    | KeepReason::Head
                    | KeepReason::BeingRead
                    | KeepReason::Rebuilt
                    | KeepReason::Retired
            )
        )
    }
}

/// What becomes of a session's snapshots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionPlan {
    /// Newest first.
    pub decisions: Vec<Decision>,
    /// How many are kept.
    pub kept_count: u64,
    /// Bytes of those that are kept.
    pub kept_bytes: u64,
    /// Bytes that executing it frees.
    pub freed_bytes: u64,
    /// A limit that what may not be deleted exceeds alone.
    pub exceeded: Option<Exceeded>,
    /// When time alone changes the plan next, in milliseconds since the epoch.
    pub next_due_ms: Option<i64>,
}

impl RetentionPlan {
    /// The snapshots to delete, oldest first.
    pub fn deletions(&self) -> impl Iterator<Item = (&Candidate, DeleteReason)> {
        self.decisions.iter().rev().filter_map(|decision| match decision.verdict {
            Verdict::Delete(reason) => Some((&decision.candidate, reason)),
            Verdict::Keep(_) => None,
        })
    }
}

/// Decides what becomes of each ready snapshot of a session.
///
/// In this order, the first that applies:
/// 1. The newest, and the newest that was asked for, a pinned one, one that a
///    wake needs, one being read, one that was rebuilt lately and the last save
///    of a retired workspace, until its time is up, stay, whatever else holds.
/// 2. One whose time is up goes.
/// 3. Of each workspace's autosaves that no wake needs the latest
///    `keep_autosaves` stay.
/// 4. Where there are keep rules, those of the others that fall under none go.
///    Safety snapshots count for themselves: a rewind costs nothing that was
///    asked for.
/// 5. Past a limit more go: autosaves first, then safety snapshots, then the
///    rest, each oldest first.
///
/// Keep rules count all there are, expired ones too: so what time does to one
/// snapshot never brings another one back.
pub fn plan(candidates: &[Candidate], policy: &RetentionPolicy, now_ms: i64) -> RetentionPlan {
    let mut sorted = candidates.to_vec();
    sorted.sort_by_key(|candidate| Reverse((candidate.created_at_ms, candidate.seq)));
    let asked_for = sorted.iter().position(|row| row.trigger == SnapshotTrigger::Manual);
    let autosaves = latest_autosaves(&sorted, policy.keep_autosaves);
    let (mut last, mut daily) = (BTreeSet::new(), BTreeSet::new());
    for trigger in [SnapshotTrigger::Manual, SnapshotTrigger::Safety] {
        last.extend(latest(&sorted, trigger, policy.keep_last.unwrap_or(0)));
        daily.extend(latest_of_days(&sorted, trigger, policy.keep_daily.unwrap_or(0)));
    }
    let decide = |index: usize, candidate: &Candidate| {
        let newest = index == 0 || Some(index) == asked_for;
        if let Some(reason) = protection(newest, candidate, now_ms) {
            return Verdict::Keep(reason);
        }
        if candidate.expires_at_ms.is_some_and(|at_ms| at_ms <= now_ms) {
            return Verdict::Delete(DeleteReason::Expired);
        }
        if candidate.trigger == SnapshotTrigger::Auto {
            return if autosaves.contains(&index) {
                Verdict::Keep(KeepReason::Unexpired)
            } else {
                Verdict::Delete(DeleteReason::SupersededAutosave)
            };
        }
        match (last.contains(&index), daily.contains(&index)) {
            (true, _) => Verdict::Keep(KeepReason::KeepLast),
            (_, true) => Verdict::Keep(KeepReason::KeepDaily),
            _ if policy.has_keep_rules() => Verdict::Delete(DeleteReason::Superseded),
            _ => Verdict::Keep(KeepReason::Unexpired),
        }
    };
    let mut decisions: Vec<Decision> = sorted
        .into_iter()
        .enumerate()
        .map(|(index, candidate)| Decision { verdict: decide(index, &candidate), candidate })
        .collect();
    let exceeded = apply_limits(&mut decisions, policy);
    summed(decisions, exceeded, now_ms)
}

/// Indexes of the latest `count` of a kind.
fn latest(sorted: &[Candidate], trigger: SnapshotTrigger, count: u32) -> BTreeSet<usize> {
    let of_kind = sorted.iter().enumerate().filter(|(_, candidate)| candidate.trigger == trigger);
    of_kind.map(|(index, _)| index).take(count as usize).collect()
}

/// Indexes of the latest `count` autosaves of each workspace. One that a wake
/// needs, or that is kept for a retired workspace, takes no place.
fn latest_autosaves(sorted: &[Candidate], count: u32) -> BTreeSet<usize> {
    let mut taken: BTreeMap<&SandboxId, u32> = BTreeMap::new();
    let mut chosen = BTreeSet::new();
    for (index, candidate) in sorted.iter().enumerate() {
        if candidate.trigger != SnapshotTrigger::Auto || candidate.head || candidate.retired {
            continue;
        }
        let places = taken.entry(&candidate.origin).or_default();
        if *places < count {
            *places += 1;
            chosen.insert(index);
        }
    }
    chosen
}

/// Indexes of the latest one of a kind of each of the latest `days` days (in
/// UTC) that have one.
fn latest_of_days(sorted: &[Candidate], trigger: SnapshotTrigger, days: u32) -> BTreeSet<usize> {
    let mut chosen = BTreeSet::new();
    let mut day_before = None;
    for (index, candidate) in sorted.iter().enumerate() {
        let day = candidate.created_at_ms.div_euclid(DAY_MS);
        if candidate.trigger != trigger || day_before == Some(day) {
            continue;
        }
        if chosen.len() >= days as usize {
            break;
        }
        day_before = Some(day);
        chosen.insert(index);
    }
    chosen
}

/// Has more go until the limits hold, if enough may.
fn apply_limits(decisions: &mut [Decision], policy: &RetentionPolicy) -> Option<Exceeded> {
    let mut order: Vec<usize> = (0..decisions.len()).collect();
    // Oldest first within each kind: the decisions are newest first.
    order.sort_by_key(|index| {
        let trigger = decisions.get(*index).map(|decision| decision.candidate.trigger);
        let rank = match trigger {
            Some(SnapshotTrigger::Auto) => 0,
            Some(SnapshotTrigger::Safety) => 1,
            _ => 2,
        };
        (rank, Reverse(*index))
    });
    let max_count = policy.max_count.map_or(u64::MAX, u64::from);
    let max_bytes = policy.max_bytes.unwrap_or(u64::MAX);
    let kept = || decisions.iter().filter(|decision| decision.is_kept());
    let mut count = kept().count() as u64;
    let mut bytes = kept().fold(0_u64, |sum, kept| sum.saturating_add(kept.candidate.size_bytes));
    for index in order {
        let reason = if count > max_count {
            DeleteReason::MaxCount
        } else if bytes > max_bytes {
            DeleteReason::MaxBytes
        } else {
            return None;
        };
        if let Some(decision) = decisions.get_mut(index)
            && decision.is_kept()
            && !decision.is_protected()
            // An empty one takes no bytes.
            && (reason == DeleteReason::MaxCount || decision.candidate.size_bytes > 0)
        {
            decision.verdict = Verdict::Delete(reason);
            count -= 1;
            bytes = bytes.saturating_sub(decision.candidate.size_bytes);
        }
    }
    match (count > max_count, bytes > max_bytes) {
        (true, _) => Some(Exceeded::MaxCount),
        (_, true) => Some(Exceeded::MaxBytes),
        _ => None,
    }
}

fn summed(decisions: Vec<Decision>, exceeded: Option<Exceeded>, now_ms: i64) -> RetentionPlan {
    let (mut kept_count, mut kept_bytes, mut freed_bytes) = (0_u64, 0_u64, 0_u64);
    let mut next_due_ms: Option<i64> = None;
    for decision in &decisions {
        let size_bytes = decision.candidate.size_bytes;
        if !decision.is_kept() {
            freed_bytes = freed_bytes.saturating_add(size_bytes);
            continue;
        }
        kept_count += 1;
        kept_bytes = kept_bytes.saturating_add(size_bytes);
        // What protects the others ends with an operation, which looks again.
        let due_ms = match decision.verdict {
            Verdict::Keep(KeepReason::Rebuilt) => decision.candidate.rebuilt_until_ms,
            Verdict::Keep(KeepReason::Retired) => decision.candidate.expires_at_ms,
            _ if decision.is_protected() => None,
            _ => decision.candidate.expires_at_ms,
        };
        if let Some(at_ms) = due_ms.filter(|at_ms| *at_ms > now_ms) {
            next_due_ms = Some(next_due_ms.map_or(at_ms, |due_ms| due_ms.min(at_ms)));
        }
    }
    RetentionPlan { decisions, kept_count, kept_bytes, freed_bytes, exceeded, next_due_ms }
}

const NOW_MS: i64 = 1_800_000_000_000;

fn candidate(number: u8, age_days: i64) -> Candidate {
    Candidate {
        id: BackupId::from_random([number; 16]),
        origin: SandboxId::parse("a").unwrap(),
        seq: i64::from(number),
        created_at_ms: NOW_MS - age_days * DAY_MS,
        expires_at_ms: Some(NOW_MS + DAY_MS),
        size_bytes: 10,
        trigger: SnapshotTrigger::Manual,
        pinned: false,
        head: false,
        being_read: false,
        rebuilt_until_ms: None,
        retired: false,
    }
}

fn verdicts(candidates: &[Candidate], policy: &RetentionPolicy) -> Vec<Verdict> {
    let plan = plan(candidates, policy, NOW_MS);
    plan.decisions.into_iter().map(|decision| decision.verdict).collect()
}

const fn keep(reason: KeepReason) -> Verdict {
    Verdict::Keep(reason)
}

const fn delete(reason: DeleteReason) -> Verdict {
    Verdict::Delete(reason)
}

#[test]
fn what_is_protected_outlives_its_time() {
    let mut rows =
        [candidate(5, 1), candidate(4, 2), candidate(3, 3), candidate(2, 4), candidate(1, 5)];
    for row in &mut rows {
        row.expires_at_ms = Some(NOW_MS);
    }
    rows[1].pinned = true;
    rows[2].head = true;
    rows[3].being_read = true;
    assert_eq!(
        verdicts(&rows, &RetentionPolicy::default()),
        [
            keep(KeepReason::Newest),
            keep(KeepReason::Pinned),
            keep(KeepReason::Head),
            keep(KeepReason::BeingRead),
            delete(DeleteReason::Expired),
        ]
    );
    rows[4].expires_at_ms = Some(NOW_MS + 1);
    let later = plan(&rows, &RetentionPolicy::default(), NOW_MS);
    assert_eq!((later.freed_bytes, later.kept_bytes, later.next_due_ms), (0, 50, Some(NOW_MS + 1)));
}

#[test]
fn keep_rules_keep_the_last_and_the_last_of_each_day() {
    // Newest first: three of today, one of each of three days before.
    let mut rows: Vec<Candidate> = [0, 0, 0, 1, 2, 9]
        .iter()
        .zip((1..=6).rev())
        .map(|(age, number)| candidate(number, *age))
        .collect();
    let policy =
        RetentionPolicy { keep_last: Some(2), keep_daily: Some(3), ..RetentionPolicy::default() };
    let expected = [
        keep(KeepReason::Newest),
        keep(KeepReason::KeepLast),
        delete(DeleteReason::Superseded),
        keep(KeepReason::KeepDaily),
        keep(KeepReason::KeepDaily),
        delete(DeleteReason::Superseded),
    ];
    assert_eq!(verdicts(&rows, &policy), expected);
    // An autosave among them takes no place.
    rows.push(Candidate { trigger: SnapshotTrigger::Auto, seq: 9, ..candidate(9, 0) });
    let with_autosave = verdicts(&rows, &policy);
    // It is the newest, and beside it the newest that was asked for.
    assert_eq!(with_autosave[..2], [keep(KeepReason::Newest); 2]);
    assert_eq!(with_autosave[2], keep(KeepReason::KeepLast));
    assert_eq!(with_autosave[3..], expected[2..]);
}

#[test]
fn safety_snapshots_take_no_place_of_what_was_asked_for() {
    // Of today, newest first: two of rewinds, two that were asked for, one more of each.
    let mut rows: Vec<Candidate> = (1..=6).rev().map(|number| candidate(number, 0)).collect();
    for index in [0, 1, 4] {
        rows[index].trigger = SnapshotTrigger::Safety;
    }
    let superseded = delete(DeleteReason::Superseded);
    let of = |policy| verdicts(&rows, &policy);
    let newest = keep(KeepReason::Newest);
    let last = keep(KeepReason::KeepLast);
    assert_eq!(
        of(RetentionPolicy { keep_last: Some(2), ..RetentionPolicy::default() }),
        [newest, last, newest, last, superseded, superseded]
    );
    assert_eq!(
        of(RetentionPolicy { keep_daily: Some(2), ..RetentionPolicy::default() }),
        [newest, superseded, newest, superseded, superseded, superseded]
    );
}

#[test]
fn the_newest_that_was_asked_for_outlives_later_autosaves() {
    let mut rows = [candidate(3, 1), candidate(2, 2), candidate(1, 3)];
    rows[0].trigger = SnapshotTrigger::Auto;
    for row in &mut rows {
        row.expires_at_ms = Some(NOW_MS);
    }
    assert_eq!(
        verdicts(&rows, &RetentionPolicy::default()),
        [keep(KeepReason::Newest), keep(KeepReason::Newest), delete(DeleteReason::Expired),]
    );
}

#[test]
fn autosaves_go_first_and_safety_snapshots_next() {
    let mut rows: Vec<Candidate> =
        (1..=5).map(|number| candidate(number, 9 - i64::from(number))).collect();
    rows[1].trigger = SnapshotTrigger::Safety;
    rows[2].trigger = SnapshotTrigger::Auto;
    let of = |max_count| {
        let policy = RetentionPolicy { max_count: Some(max_count), ..RetentionPolicy::default() };
        let deleted: Vec<i64> =
            plan(&rows, &policy, NOW_MS).deletions().map(|(row, _)| row.seq).collect();
        deleted
    };
    assert_eq!(of(5), [0_i64; 0]);
    assert_eq!(of(4), [3]);
    assert_eq!(of(3), [2, 3]);
    assert_eq!(of(2), [1, 2, 3]);
}

#[test]
fn old_autosaves_make_room_for_new_ones() {
    let rows: Vec<Candidate> = (1..=6)
        .map(|number| Candidate {
            trigger: SnapshotTrigger::Auto,
            head: number == 1,
            ..candidate(number, 9 - i64::from(number))
        })
        .collect();
    let policy = RetentionPolicy { keep_autosaves: 2, ..RetentionPolicy::default() };
    let superseded = delete(DeleteReason::SupersededAutosave);
    assert_eq!(
        verdicts(&rows, &policy),
        [
            keep(KeepReason::Newest),
            keep(KeepReason::Unexpired),
            superseded,
            superseded,
            superseded,
            keep(KeepReason::Head)
        ]
    );
}

#[test]
fn those_that_a_wake_needs_take_no_place_among_the_autosaves() {
    let rows: Vec<Candidate> = (1..=4)
        .map(|number| Candidate {
            trigger: SnapshotTrigger::Auto,
            head: number > 2,
            ..candidate(number, 9 - i64::from(number))
        })
        .collect();
    let policy = RetentionPolicy { keep_autosaves: 1, ..RetentionPolicy::default() };
    let head = keep(KeepReason::Head);
    let expected =
        [head, head, keep(KeepReason::Unexpired), delete(DeleteReason::SupersededAutosave)];
    assert_eq!(verdicts(&rows, &policy), expected);
}

#[test]
fn autosaves_of_one_workspace_displace_no_other_s() {
    let mut rows: Vec<Candidate> = (1..=6)
        .map(|number| Candidate {
            trigger: SnapshotTrigger::Auto,
            ..candidate(number, 9 - i64::from(number))
        })
        .collect();
    rows[0].origin = SandboxId::parse("b").unwrap();
    rows[1].retired = true;
    let policy = RetentionPolicy { keep_autosaves: 1, ..RetentionPolicy::default() };
    let (kept, superseded) =
        (keep(KeepReason::Unexpired), delete(DeleteReason::SupersededAutosave));
    assert_eq!(
        verdicts(&rows, &policy),
        [
            keep(KeepReason::Newest),
            superseded,
            superseded,
            superseded,
            keep(KeepReason::Retired),
            kept
        ]
    );
}

#[test]
fn what_was_rebuilt_stays_for_its_time() {
    let until_ms = NOW_MS + 3 * DAY_MS;
    let rows: Vec<Candidate> = (1..=3)
        .map(|number| Candidate {
            rebuilt_until_ms: (number == 1).then_some(until_ms),
            ..candidate(number, 9 - i64::from(number))
        })
        .collect();
    let policy = RetentionPolicy { keep_last: Some(1), ..RetentionPolicy::default() };
    let now = plan(&rows, &policy, NOW_MS);
    assert_eq!(now.deletions().map(|(row, _)| row.seq).collect::<Vec<_>>(), [2]);
    assert_eq!(now.next_due_ms, Some(until_ms));
    let then = plan(&rows, &policy, until_ms);
    assert_eq!(then.deletions().map(|(row, _)| row.seq).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn an_empty_archive_frees_nothing_and_stays() {
    let mut rows = [candidate(1, 3), candidate(2, 2), candidate(3, 1)];
    rows[0].size_bytes = 0;
    let policy = RetentionPolicy { max_bytes: Some(10), ..RetentionPolicy::default() };
    assert_eq!(
        verdicts(&rows, &policy),
        [keep(KeepReason::Newest), delete(DeleteReason::MaxBytes), keep(KeepReason::Unexpired)]
    );
}

#[test]
fn what_may_not_be_deleted_can_exceed_a_limit_and_that_is_said() {
    let rows: Vec<Candidate> =
        (1..=3).map(|number| Candidate { pinned: true, ..candidate(number, 1) }).collect();
    let of = |max_count, max_bytes| {
        plan(&rows, &RetentionPolicy { max_count, max_bytes, ..RetentionPolicy::default() }, NOW_MS)
            .exceeded
    };
    assert_eq!(of(Some(3), Some(30)), None);
    assert_eq!(of(Some(2), Some(30)), Some(Exceeded::MaxCount));
    assert_eq!(of(Some(3), Some(29)), Some(Exceeded::MaxBytes));
}

fn any_rows() -> impl Strategy<Value = Vec<Candidate>> {
    let row = (
        (0..40_i64, -3..30_i64, 0..4_u8, 0..1_000_u64),
        (
            proptest::bool::weighted(0.1),
            proptest::bool::weighted(0.1),
            proptest::bool::weighted(0.1),
            proptest::bool::weighted(0.1),
            proptest::bool::weighted(0.1),
            0..3_u8,
        ),
    );
    proptest::collection::vec(row, 0..40).prop_map(|rows| {
        (0_u8..)
            .zip(rows)
            .map(|(number, ((half_days, expires_days, trigger, size_bytes), flags))| Candidate {
                id: BackupId::from_random([number; 16]),
                origin: SandboxId::parse(["a", "b", "c"][usize::from(flags.5)]).unwrap(),
                seq: i64::from(number),
                created_at_ms: NOW_MS - half_days * DAY_MS / 2,
                expires_at_ms: (expires_days < 29).then(|| NOW_MS + expires_days * DAY_MS),
                size_bytes,
                trigger: match trigger {
                    0 => SnapshotTrigger::Auto,
                    1 => SnapshotTrigger::Safety,
                    _ => SnapshotTrigger::Manual,
                },
                pinned: flags.0,
                head: flags.1,
                being_read: flags.2,
                rebuilt_until_ms: flags.3.then_some(NOW_MS + DAY_MS),
                retired: flags.4,
            })
            .collect()
    })
}

fn any_policy() -> impl Strategy<Value = RetentionPolicy> {
    let some = |most: u32| proptest::option::of(1..=most);
    (some(8), some(8), 0..5_u32, some(30), proptest::option::of(0..9_000_u64)).prop_map(
        |(keep_last, keep_daily, keep_autosaves, max_count, max_bytes)| RetentionPolicy {
            keep_last,
            keep_daily,
            keep_autosaves,
            max_count,
            max_bytes,
            ..RetentionPolicy::default()
        },
    )
}

fn deleted(plan: &RetentionPlan) -> BTreeSet<String> {
    plan.deletions().map(|(row, _)| row.id.to_string()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_protected_are_never_deleted(rows in any_rows(), policy in any_policy()) {
        let plan = plan(&rows, &policy, NOW_MS);
        let newest = rows.iter().max_by_key(|row| (row.created_at_ms, row.seq)).map(|row| row.id.clone());
        for (row, _) in plan.deletions() {
            prop_assert!(!row.pinned && !row.head && !row.being_read);
            prop_assert!(row.rebuilt_until_ms.is_none());
            prop_assert!(!row.retired || row.expires_at_ms.is_some_and(|at_ms| at_ms <= NOW_MS));
            prop_assert!(newest.as_ref() != Some(&row.id));
        }
    }

    #[test]
    fn every_row_has_one_verdict_and_the_sums_are_right(rows in any_rows(), policy in any_policy()) {
        let plan = plan(&rows, &policy, NOW_MS);
        let mut ids: Vec<&BackupId> = plan.decisions.iter().map(|decision| &decision.candidate.id).collect();
        ids.sort();
        let mut expected: Vec<&BackupId> = rows.iter().map(|row| &row.id).collect();
        expected.sort();
        prop_assert_eq!(ids, expected);
        let freed: u64 = plan.deletions().map(|(row, _)| row.size_bytes).sum();
        let all: u64 = rows.iter().map(|row| row.size_bytes).sum();
        prop_assert_eq!((plan.freed_bytes, plan.kept_bytes), (freed, all - freed));
        prop_assert_eq!(plan.kept_count as usize, rows.len() - plan.deletions().count());
    }

    #[test]
    fn limits_hold_unless_the_protected_alone_exceed_them(rows in any_rows(), policy in any_policy()) {
        let plan = plan(&rows, &policy, NOW_MS);
        let over_count = policy.max_count.is_some_and(|max| plan.kept_count > max.into());
        let over_bytes = policy.max_bytes.is_some_and(|max| plan.kept_bytes > max);
        prop_assert_eq!(plan.exceeded.is_some(), over_count || over_bytes);
        let spared = plan.decisions.iter().filter(|decision| decision.is_kept() && !decision.is_protected());
        for decision in spared {
            prop_assert!(!over_count);
            prop_assert!(!over_bytes || decision.candidate.size_bytes == 0);
        }
    }

    #[test]
    fn autosaves_go_before_what_was_asked_for(rows in any_rows(), policy in any_policy()) {
        let plan = plan(&rows, &policy, NOW_MS);
        let count_limited = plan.deletions().any(|(row, reason)| {
            reason == DeleteReason::MaxCount && row.trigger == SnapshotTrigger::Manual
        });
        let spared_autosave = plan.decisions.iter().any(|decision| {
            decision.is_kept() && !decision.is_protected() && decision.candidate.trigger == SnapshotTrigger::Auto
        });
        prop_assert!(!(count_limited && spared_autosave));
    }

    #[test]
    fn the_order_of_the_rows_is_of_no_account(rows in any_rows(), policy in any_policy()) {
        let mut reversed = rows.clone();
        reversed.reverse();
        prop_assert_eq!(plan(&rows, &policy, NOW_MS), plan(&reversed, &policy, NOW_MS));
    }

    #[test]
    fn executing_a_plan_leaves_nothing_to_do(rows in any_rows(), policy in any_policy()) {
        let first = plan(&rows, &policy, NOW_MS);
        let kept: Vec<Candidate> = first.decisions.iter().filter(|decision| decision.is_kept()).map(|decision| decision.candidate.clone()).collect();
        let second = plan(&kept, &policy, NOW_MS);
        prop_assert_eq!(deleted(&second), BTreeSet::new());
        prop_assert_eq!((second.kept_bytes, second.exceeded), (first.kept_bytes, first.exceeded));
    }

    #[test]
    fn time_alone_spares_nothing(rows in any_rows(), policy in any_policy(), later_ms in 0..30 * DAY_MS) {
        // Limits are left out: what expires makes room under them.
        let policy = RetentionPolicy { max_count: None, max_bytes: None, ..policy };
        let sooner = plan(&rows, &policy, NOW_MS);
        prop_assert!(deleted(&sooner).is_subset(&deleted(&plan(&rows, &policy, NOW_MS + later_ms))));
    }

    #[test]
    fn nothing_is_due_before_the_plan_says(rows in any_rows(), policy in any_policy()) {
        let policy = RetentionPolicy { max_count: None, max_bytes: None, ..policy };
        let first = plan(&rows, &policy, NOW_MS);
        let Some(due_ms) = first.next_due_ms else {
            prop_assert_eq!(deleted(&first), deleted(&plan(&rows, &policy, NOW_MS + 1_000 * DAY_MS)));
            return Ok(());
        };
        prop_assert_eq!(deleted(&first), deleted(&plan(&rows, &policy, due_ms - 1)));
        // One that was rebuilt may stay for another reason then.
        if rows.iter().all(|row| row.rebuilt_until_ms.is_none()) {
            prop_assert_ne!(deleted(&first), deleted(&plan(&rows, &policy, due_ms)));
        }
    }
}
