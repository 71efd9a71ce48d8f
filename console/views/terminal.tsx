/** A shell on a terminal in a workspace's container. */

import { useEffect, useRef, useState } from "preact/hooks";
import { REFUSED, useAccess, useSession } from "../access.ts";
import { Shell, type ShellState } from "../live/connection.ts";
import { LEAVE_KEY, Screen } from "../live/screen.ts";
import { offerOf, Picker, type Offer } from "../look/offer.tsx";
import { treeOf, addressOf } from "../session/trees.ts";
import { Asleep } from "../parts/asleep.tsx";
import { Loaded, Problem, useLoad } from "../parts/loading.tsx";
import { sessionHref, type ViewProps } from "../routes.ts";

/** A shell. `view` is the view that shows it: a choice of a workspace stays in that view. */
export default function TerminalView({ query, view = "terminal" }: ViewProps & { view?: string }) {
  const { api, name, can } = useSession();
  // A holder who may only write gets a terminal, and no list of workspaces.
  const offer = useLoad(async (signal) => (can("workspace_list_workspaces") ? { ...(await offerOf(api, signal)), snapshots: [] } : { active: "", workspaces: [], snapshots: [] }), [api]);
  const workspace = treeOf(query.get("in"));
  return (
    <Loaded of={offer}>
      {(value: Offer) => (
        <>
          {value.workspaces.length > 1 && (
            <Picker
              label="Shell in" offer={value} value={workspace} none="the active workspace"
              onPick={(tree) => void (location.hash = sessionHref(name, view, { ...Object.fromEntries(query), in: tree && addressOf(tree) }))}
            />
          )}
          <Asleep key={workspace?.id} what="A shell" verb="Start it and open a shell" status={value.workspaces.find(({ ref }) => ref.ref.id === (workspace?.id ?? value.active))?.status}>
            {() => <OnScreen workspace={workspace?.id} />}
          </Asleep>
        </>
      )}
    </Loaded>
  );
}

/** Keys that phones lack. */
const KEYS: [label: string, typed: string][] = [["Esc", "\x1b"], ["Tab", "\t"], ["Ctrl-C", "\x03"], ["Ctrl-D", "\x04"], ["↑", "\x1b[A"], ["↓", "\x1b[B"]];

function OnScreen({ workspace }: { workspace: string | undefined }) {
  const { api } = useSession();
  const { signOut } = useAccess();
  const host = useRef<HTMLDivElement>(null);
  const after = useRef<HTMLButtonElement>(null);
  const live = useRef<{ screen: Screen; shell: Shell }>(null);
  const [state, setState] = useState<ShellState>({ is: "connecting" });
  const [omitted, setOmitted] = useState(0);
  const [readsAloud, setReadsAloud] = useState(false);
  const [round, setRound] = useState(0);

  useEffect(() => {
    setState({ is: "connecting" });
    setOmitted(0);
    const screen = new Screen(host.current!, {
      typed: (bytes) => shell.type(bytes),
      resized: (size) => shell.resize(size),
      left: () => after.current?.focus(),
      readsAloud,
    });
    const shell = new Shell(api, workspace, {
      size: () => screen.size,
      print: (bytes, shown) => screen.print(bytes, shown),
      clear: () => screen.clear(),
      omitted: (bytes) => setOmitted((before) => before + bytes),
      state: (next) => {
        // An invalid token signs out, as after any other call.
        if (next.is === "failed" && (next.error as { code?: string }).code === "UNAUTHENTICATED") signOut(REFUSED);
        else setState(next);
      },
    });
    live.current = { screen, shell };
    screen.focus();
    return () => {
      shell.leave();
      screen.dispose();
    };
  }, [api, workspace, round]);
  useEffect(() => void (live.current && (live.current.screen.readsAloud = readsAloud)), [readsAloud]);

  const isOver = state.is === "exited" || state.is === "failed";
  const press = (typed: string) => {
    live.current?.shell.type(new TextEncoder().encode(typed));
    live.current?.screen.focus();
  };
  return (
    <section class="shell" aria-label="Terminal">
      <p class="state" role="status" data-state={state.is}>{stateText(state)}{omitted > 0 && ` ${omitted} bytes were printed faster than they could be shown, and are left out.`}</p>
      {state.is === "failed" && <Problem error={state.error} />}
      <div class="screen" ref={host} />
      <div class="buttons keys">
        {KEYS.map(([label, typed]) => <button key={label} type="button" class="key" disabled={state.is !== "open"} onClick={() => press(typed)}>{label}</button>)}
      </div>
      <div class="buttons">
        <button type="button" ref={after} onClick={() => (isOver ? setRound(round + 1) : live.current?.screen.focus())}>{isOver ? "Open another shell" : "Back to the terminal"}</button>
        <label class="check"><input type="checkbox" checked={readsAloud} onChange={({ currentTarget }) => setReadsAloud(currentTarget.checked)} /> For screen readers</label>
      </div>
      <p class="hint">The shell gets every key, Tab too; <kbd>{LEAVE_KEY}</kbd> leaves the terminal. If the connection is cut, the page comes back to the same shell within a minute.</p>
    </section>
  );
}

function stateText(state: ShellState): string {
  switch (state.is) {
    case "connecting": return "Connecting. A workspace that sleeps has to wake first.";
    case "open": return state.resumed ? "Connected to the same shell again." : "Connected.";
    case "reconnecting": return "The connection was cut. Coming back to the shell…";
    case "exited": return `The shell has ended, with exit code ${state.exitCode}.`;
    case "failed": return "The terminal has ended.";
  }
}
