/** Commands, running and ended, with the end of each command's output. */

import { useState } from "preact/hooks";
import type { CommandRecord, CommandView, Session, TurnView } from "snapshotter-client";
import { plural, When } from "../parts/format.tsx";
import { Problem, Waiting } from "../parts/loading.tsx";
import { usePolled, type Polled } from "../parts/polled.ts";
import { Text } from "../parts/text.tsx";
import { Output } from "./output.tsx";

export interface Commands extends Polled {
  /** Newest first; undefined: not known yet. */
  list: CommandRecord[] | undefined;
}

/** All commands that the session remembers. New ones are polled. */
export function useCommands(api: Session): Commands {
  const [list, setList] = useState<CommandRecord[]>();
  const polled = usePolled(() => {
    let known: CommandRecord[] = [];
    setList(undefined);
    return async (signal) => {
      known = await withNewer(api, known, signal);
      // An equal list is not drawn again.
      if (!signal.aborted) setList((shown) => (JSON.stringify(shown) === JSON.stringify(known) ? shown : known));
    };
  }, [api]);
  return { list, ...polled };
}

/** Running commands, then ended ones that are not in `known`, then the ended ones in `known`. */
async function withNewer(api: Session, known: CommandRecord[], signal: AbortSignal): Promise<CommandRecord[]> {
  const before = known.filter(hasEnded);
  const newest = before[0]?.seq ?? 0;
  const found: CommandRecord[] = [];
  for await (const { commands } of api.commands({ ...(newest > 0 && { limit: 10 }), signal }).pages()) {
    const fresh = commands.filter(({ seq }) => (seq ?? newest + 1) > newest);
    found.push(...fresh);
    if (fresh.length < commands.length) break;
  }
  return [...found, ...before];
}

/** A list of commands. */
export function Ran({ commands: { error, again }, list }: { commands: Commands; list: CommandRecord[] | undefined }) {
  return (
    <section>
      <h2>Commands</h2>
      {error !== undefined && <Problem error={error} again={again} />}
      {list === undefined && error === undefined && <Waiting />}
      {list?.length === 0 && <p class="soft">No commands are remembered.</p>}
      <ul class="rows">{list?.map((ran) => <li key={ran.seq ?? `${ran.at} ${lineOf(ran)}`}><Command ran={ran} /></li>)}</ul>
    </section>
  );
}

function Command({ ran }: { ran: CommandRecord }) {
  const printed = [{ from: "stdout" as const, text: ran.stdout }, { from: "stderr" as const, text: ran.stderr }].filter(({ text }) => text !== "");
  return (
    <details class="ran">
      <summary><CommandLine ran={ran} /></summary>
      <p class="soft">
        Began <When at={ran.at} />{typeof ran.durationMs === "number" && `, took ${lasted(ran.durationMs)}`}, in <code><Text>{ran.workspaceId}</Text></code>
      </p>
      {printed.length > 0 ? <Output printed={printed} label={`End of the output of ${lineOf(ran)}`} /> : <p class="soft">{!hasEnded(ran) ? "Its output is shown here once it has ended." : "It printed nothing."}</p>}
    </details>
  );
}

/** A command on one line, and how it ended. */
export const CommandLine = ({ ran }: { ran: CommandView }) => (
  <><code><Text>{lineOf(ran)}</Text></code> <span class={hasFailed(ran) ? "bad" : "soft"}>{endingOf(ran)}</span></>
);

/** How many commands ran, and how many of them failed. */
export function RanTally({ ran: { commands = [], earlierCommands } }: { ran: Pick<TurnView, "commands" | "earlierCommands"> }) {
  const count = commands.length + (earlierCommands ?? 0);
  const failed = commands.filter(hasFailed).length;
  return count === 0 ? null : <span class="tally">{plural(count, "command")}{failed > 0 && <>, <span class="bad">{failed} failed</span></>}</span>;
}

const hasEnded = ({ seq }: CommandView) => typeof seq === "number";

const hasFailed = ({ exitCode }: CommandView) => (exitCode ?? 0) !== 0;

const lineOf = ({ command, language }: CommandView) => `${language ? `${language}: ` : ""}${typeof command === "string" ? command : command.join(" ")}`.replaceAll(/\s+/g, " ");

function endingOf(ran: CommandView): string {
  if (typeof ran.exitCode === "number") return `exit code ${ran.exitCode}`;
  if (!hasEnded(ran)) return "running";
  return ran.process ? `in the background, as ${ran.process}` : "its end is unknown";
}

const lasted = (ms: number) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
