/** What was done, with a way back where there is one. A screen reader says it. */

import { createContext, type ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { Problem } from "./loading.tsx";
import { Text } from "./text.tsx";

export interface Undo {
  /** What it will do, as a button says it. */
  label: string;
  run: () => Promise<Notice>;
}

export interface Notice {
  message: string;
  undo?: Undo | undefined;
}

const NoticeContext = createContext<(notice: Notice) => void>(() => {});

export const useNotify = () => useContext(NoticeContext);

/** Everything within may notify. The last notice stays until it is dismissed or replaced. */
export function Notices({ children }: { children: ComponentChildren }) {
  const [notice, setNotice] = useState<Notice>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const show = (next: Notice | undefined) => {
    setError(undefined);
    setNotice(next);
  };
  const undo = async (run: Undo["run"]) => {
    setBusy(true);
    await run().then(show, setError);
    setBusy(false);
  };
  return (
    <NoticeContext.Provider value={show}>
      {children}
      <section class="notices" aria-label="Result">
        <div role="status" aria-live="polite">{notice && <p><Text>{notice.message}</Text></p>}{busy && <p>Undoing…</p>}</div>
        {error !== undefined && <Problem error={error} />}
        {notice && (
          <p class="buttons">
            {notice.undo && <button type="button" disabled={busy} onClick={() => undo(notice.undo!.run)}>{notice.undo.label}</button>}
            <button type="button" class="quiet" disabled={busy} onClick={() => show(undefined)}>Dismiss</button>
          </p>
        )}
      </section>
    </NoticeContext.Provider>
  );
}
