import { useId, useRef, useState } from "preact/hooks";
import { SnapshotterError } from "snapshotter-client";
import { REFUSED } from "./access.ts";
import { Problem } from "./parts/loading.tsx";

interface Props {
  signIn: (token: string, keep: boolean) => Promise<void>;
  /** Why the user was signed out. */
  reason: string | undefined;
}

export function SignIn({ signIn, reason }: Props) {
  const id = useId();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const keep = useRef<HTMLInputElement>(null);
  const token = useRef<HTMLInputElement>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    await signIn(token.current!.value.trim(), keep.current!.checked).catch((problem: unknown) => {
      setBusy(false);
      setError(problem instanceof SnapshotterError && problem.code === "UNAUTHENTICATED" ? new Error(REFUSED) : problem);
      token.current?.select();
    });
  }

  return (
    <section class="signin" aria-labelledby={`${id}-title`}>
      <h1 id={`${id}-title`}>Snapshotter</h1>
      <p>Workspaces for agents: what they did, what was saved, and the way back.</p>
      {reason !== undefined && error === undefined && <div class="problem" role="alert"><p>{reason}</p></div>}
      {error !== undefined && <Problem error={error} />}
      <form onSubmit={submit}>
        <label for={`${id}-token`}>Token</label>
        <input id={`${id}-token`} ref={token} type="password" required autocomplete="off" spellcheck={false} aria-describedby={`${id}-help`} />
        <p class="hint" id={`${id}-help`}>A session's token, or the operator's. It stays in this tab and is sent to this server alone.</p>
        <label class="check"><input ref={keep} type="checkbox" defaultChecked /> Stay signed in when this tab reloads</label>
        <button type="submit" class="primary" disabled={busy}>{busy ? "Signing in…" : "Sign in"}</button>
      </form>
    </section>
  );
}
