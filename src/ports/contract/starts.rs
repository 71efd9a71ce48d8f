//! The queue of starts.

use crate::domain::starts::{PermitRequest, StartAnswer};
use crate::domain::{Result, SandboxId, StartId};
use crate::ports::contract::check;
use crate::ports::starts::Starts;

/// As many containers start as the limit allows, a repeated request keeps its permit or place, and
/// ending a request ends no other. The queue must be empty, and is afterwards.
///
/// # Errors
/// As [`crate::ports::contract::bucket`].
pub async fn starts(starts: &dyn Starts, now_ms: i64) -> Result<()> {
    let request = |nth: u8| -> Result<PermitRequest> {
        let sandbox = SandboxId::parse(&format!("contract-{nth}"))?;
        let id = StartId::from_random([nth; 16]);
        Ok(PermitRequest { id, sandbox, session: None, since_ms: now_ms })
    };
    let empty = starts.view(&[]).await?;
    check((empty.starting, empty.waiting) == (0, 0), "the queue is empty")?;
    let limit = empty.limit.and_then(|limit| u8::try_from(limit).ok()).unwrap_or(u8::MAX);
    check((1..100).contains(&limit), "the suite needs a small limit")?;
    for nth in 0..limit {
        let granted = starts.ask(&request(nth)?).await?;
        check(granted == StartAnswer::Granted, "as many start as the limit allows")?;
    }
    let (first, next, last) = (request(0)?, request(limit)?, request(limit + 1)?);
    for asked in [&next, &last, &last, &next] {
        let waits = matches!(starts.ask(asked).await?, StartAnswer::Wait { ask_again_ms: 1.. });
        check(waits, "one more waits, however often it asks")?;
    }
    check(starts.ask(&first).await? == StartAnswer::Granted, "a permit is kept")?;
    let view = starts.view(&[last.sandbox.clone(), first.sandbox.clone()]).await?;
    let counts = (view.starting, view.waiting);
    check(counts == (limit.into(), 2), "the queue counts what starts and waits")?;
    let shown = view.waits.first();
    let is_last = shown.is_some_and(|waits| waits.sandbox == last.sandbox && waits.place == 2);
    check(is_last && view.waits.len() == 1, "and says who waits, and where")?;
    starts.end(&first.sandbox, &next.id).await?;
    let waits = matches!(starts.ask(&next).await?, StartAnswer::Wait { .. });
    check(waits, "another request's id ends nothing")?;
    starts.end(&first.sandbox, &first.id).await?;
    starts.end(&first.sandbox, &first.id).await?;
    let waits = matches!(starts.ask(&last).await?, StartAnswer::Wait { .. });
    check(waits, "one that asks early takes no other's place")?;
    check(starts.ask(&next).await? == StartAnswer::Granted, "the first in line is next")?;
    let earlier = PermitRequest { since_ms: now_ms - 2_000, ..request(limit + 2)? };
    let later = PermitRequest { since_ms: now_ms - 1_000, ..request(limit + 3)? };
    starts.ask(&earlier).await?;
    starts.leave(&earlier.sandbox, &later.id).await?;
    check(starts.view(&[]).await?.waiting == 2, "another request's id leaves no place")?;
    starts.leave(&earlier.sandbox, &earlier.id).await?;
    starts.leave(&earlier.sandbox, &earlier.id).await?;
    check(starts.view(&[]).await?.waiting == 1, "one that is to ask again does not wait")?;
    starts.ask(&later).await?;
    let again = PermitRequest { id: request(limit + 4)?.id, since_ms: now_ms, ..earlier };
    starts.ask(&again).await?;
    let view = starts.view(&[later.sandbox.clone(), again.sandbox.clone()]).await?;
    let order: Vec<&SandboxId> = view.waits.iter().map(|waits| &waits.sandbox).collect();
    check(order == [&again.sandbox, &later.sandbox], "and then has its old place")?;
    starts.end(&again.sandbox, &again.id).await?;
    for nth in 0..=limit + 3 {
        let ended = request(nth)?;
        starts.end(&ended.sandbox, &ended.id).await?;
    }
    let view = starts.view(&[]).await?;
    check((view.starting, view.waiting) == (0, 0), "what has ended is gone")
}
