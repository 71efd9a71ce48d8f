/** Messages about completed actions, with an undo if one exists. A screen reader reads them out. */

import { createContext, type ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { Problem } from "./loading.tsx";
import { Text } from "./text.tsx";

export interface Undo {
  /** The undo's effect, as the label of its button. */
  label: string;
  run: () => Promise<Notice>;
}

export interface Notice {
  message: string;
  undo?: Undo | undefined;
}

const NoticeContext = createContext<(notice: Notice) => void>(() => {});

export const useNotify = () => useContext(NoticeContext);

/** Lets its children show notices. The last notice stays until it is dismissed or replaced. */
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
