// Three attempts side by side, compared by a test. The changes of the best one come into the active workspace.
import { Snapshotter } from "snapshotter-client";

const session = new Snapshotter().session(`best-of-three-${Date.now()}`);

const TEST = "from sorting import ordered; import random; xs = [random.random() for _ in range(8000)]; assert ordered(xs) == sorted(xs)";

/** What three models would write, or one model at three temperatures. */
const ATTEMPTS = [
  "def ordered(xs): return [x for x in xs]",
  "def ordered(xs): return [xs.pop(xs.index(min(xs))) for xs in [list(xs)] for _ in range(len(xs))]",
  "def ordered(xs): return sorted(xs)",
];

await session.open({ destroyOnClose: true });
await session.writeFile("README", "Sorting.\n");
const { forks } = await session.fork({ count: ATTEMPTS.length });
await Promise.all(forks.map((fork, at) => fork.writeFile("sorting.py", `${ATTEMPTS[at]}\n`)));

const compared = await session.compare({ workspaces: forks, command: ["python3", "-Bc", TEST], timeoutMs: 20_000 });
console.log(compared.text);
const passed = compared.workspaces.flatMap(({ workspaceId, command }) =>
  workspaceId && command && "exitCode" in command && command.exitCode === 0 ? [{ workspaceId, ms: command.durationMs }] : [],
);
const [best] = passed.sort((one, other) => one.ms - other.ms);
if (!best) throw new Error("no attempt passes the test");

// Merges its changes into the active workspace, after a safety snapshot, and destroys the forks.
await session.promote({ workspace: best.workspaceId }, { discardOthers: true });
console.log(`promoted: ${(await session.readFile("sorting.py")).content.trim()}`);
await session.close();
