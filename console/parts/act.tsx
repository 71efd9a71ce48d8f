/** A dialog that says what an action will do, runs it, and shows the outcome. */

import { createContext, type ComponentChildren } from "preact";
import { useCallback, useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { SnapshotterError } from "snapshotter-client";
import { Problem } from "./loading.tsx";
import { useNotify, type Notice } from "./notices.tsx";
import { Text } from "./text.tsx";

/** Options that each call of an action passes on, so that it can be followed, repeated and cancelled. */
export interface Call {
  signal: AbortSignal;
  operationId: string;
  idempotencyKey: string;
}

export interface Act {
  title: string;
  /** One sentence that says what the action will do, and what it will not do. */
  says: ComponentChildren;
  /** Inputs. Their names are the keys of `run`'s form. */
  fields?: ComponentChildren;
  /** The button's text. */
  verb: string;
  /** Whether the action can't be undone. */
  danger?: boolean;
  run: (form: FormData, call: Call) => Promise<Notice>;
}

const ActContext = createContext<(act: Act) => void>(() => {});

/** Opens the dialog of an action. */
export const useAct = () => useContext(ActContext);

interface ActingProps {
  /** Reloads the view: an action has ended, or failed halfway. */
  changed: () => void;
  /** The last step that a call began, if the server keeps a record of the call. */
  stepOf?: (operationId: string) => Promise<string | undefined>;
  children: ComponentChildren;
}

/** Lets its children open the dialogs of actions. */
export function Acting({ children, ...rest }: ActingProps) {
  const [opened, setOpened] = useState<{ act: Act; number: number }>();
  // The next dialog may open before the browser reports that the last one has closed.
  const close = (number: number) => setOpened((now) => (now?.number === number ? undefined : now));
  const open = useCallback((act: Act) => setOpened((last) => ({ act, number: (last?.number ?? 0) + 1 })), []);
  return (
    <ActContext.Provider value={open}>
      {children}
      {opened && <ActDialog key={opened.number} act={opened.act} close={() => close(opened.number)} {...rest} />}
    </ActContext.Provider>
  );
}

function ActDialog({ act, close, changed, stepOf }: { act: Act; close: () => void } & Omit<ActingProps, "children">) {
  const id = useId();
  const notify = useNotify();
  const dialog = useRef<HTMLDialogElement>(null);
  const running = useRef<{ ended: AbortController; operationId: string }>(undefined);
  const repeated = useRef<{ key: string; form: string }>(undefined);
  const [state, setState] = useState<{ began?: number; operationId?: string; error?: unknown }>({});
  const isBusy = state.began !== undefined;

  useEffect(() => {
    dialog.current!.showModal();
    return () => running.current?.ended.abort();
  }, []);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    const form = new FormData(event.target as HTMLFormElement);
    const call = { ended: new AbortController(), operationId: crypto.randomUUID() };
    const text = JSON.stringify([...form]);
    // If the outcome of a call is unknown, repeating it must not act twice.
    const idempotencyKey = repeated.current?.form === text ? repeated.current.key : crypto.randomUUID();
    running.current = call;
    setState({ began: Date.now(), operationId: call.operationId });
    try {
      const notice = await act.run(form, { signal: call.ended.signal, operationId: call.operationId, idempotencyKey });
      dialog.current?.close();
      notify(withChanges(notice, changed));
      changed();
    } catch (error) {
      repeated.current = error instanceof SnapshotterError && error.outcome === "unknown" ? { key: idempotencyKey, form: text } : undefined;
      setState({ error: call.ended.signal.aborted ? new Error("Cancelled. What was done before that is shown here.") : error });
      changed();
    } finally {
      running.current = undefined;
    }
  }

  function cancel(): void {
    if (running.current) running.current.ended.abort(new Error("cancelled"));
    else dialog.current?.close();
  }

  return (
    <dialog ref={dialog} class="act" aria-labelledby={`${id}-title`} aria-describedby={`${id}-says`} onClose={() => ended(close)}
      onCancel={(event) => { event.preventDefault(); cancel(); }}>
      <form onSubmit={submit}>
        <h2 id={`${id}-title`}>{act.title}</h2>
        <p id={`${id}-says`}>{act.says}</p>
        {act.fields && <fieldset disabled={isBusy}>{act.fields}</fieldset>}
        {isBusy && <Progress stepOf={stepOf} operationId={state.operationId!} began={state.began!} />}
        {state.error !== undefined && <><Problem error={state.error} /><Conflicts error={state.error} /></>}
        <div class="buttons">
          <button type="submit" class={act.danger ? "danger" : "primary"} disabled={isBusy}>{act.verb}</button>
          <button type="button" onClick={cancel}>{isBusy ? "Stop" : "Cancel"}</button>
        </div>
      </form>
    </dialog>
  );
}

/** Reloads after an undo, too, because it is also a change. */
function withChanges({ message, undo }: Notice, changed: () => void): Notice {
  return { message, undo: undo && { ...undo, run: () => undo.run().then((next) => withChanges(next, changed)).finally(changed) } };
}

/** The browser has returned the focus, unless the focused element is gone. */
function ended(close: () => void): void {
  close();
  setTimeout(() => {
    if (document.activeElement === null || document.activeElement === document.body) document.getElementById("main")?.focus();
  });
}

function Progress({ stepOf, operationId, began }: { stepOf: ActingProps["stepOf"]; operationId: string; began: number }) {
  const [step, setStep] = useState<string>();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      setSeconds(Math.round((Date.now() - began) / 1000));
      stepOf?.(operationId).then(setStep, () => {});
    }, 1_000);
    return () => clearInterval(timer);
  }, [operationId]);
  return (
    <div class="progress">
      <progress aria-label="Working" />
      <p><span role="status">{step ? <Text>{step}</Text> : "Working"}</span>… <span class="soft">{seconds} s</span></p>
    </div>
  );
}

const CONFLICTS_SHOWN = 20;

/** The conflicts of a refused promotion. */
function Conflicts({ error }: { error: unknown }) {
  const conflicts = error instanceof SnapshotterError ? error.details["conflicts"] : undefined;
  if (!Array.isArray(conflicts)) return null;
  const left = conflicts.length - CONFLICTS_SHOWN;
  return (
    <ul class="conflicts" aria-label="Conflicts">
      {conflicts.slice(0, CONFLICTS_SHOWN).map(({ path, conflict }, at) => <li key={at}><Text>{String(path)}</Text> <span class="soft">{String(conflict)}</span></li>)}
      {left > 0 && <li class="soft">and {left.toLocaleString("en")} more</li>}
    </ul>
  );
}

/** A text input of an action. */
export function Field({ name, label, value = "", help }: { name: string; label: string; value?: string; help?: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} name={name} type="text" defaultValue={value} autocomplete="off" spellcheck={false} aria-describedby={help && `${id}-help`} />
      {help && <p class="hint" id={`${id}-help`}>{help}</p>}
    </div>
  );
}

/** A text input of several lines. */
export function Lines({ name, label, value = "", help }: { name: string; label: string; value?: string; help?: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} name={name} rows={3} defaultValue={value} autocomplete="off" spellcheck={false} aria-describedby={help && `${id}-help`} />
      {help && <p class="hint" id={`${id}-help`}>{help}</p>}
    </div>
  );
}

/** A file on the user's computer. */
export function FileField({ name, label, accept }: { name: string; label: string; accept: string }) {
  const id = useId();
  return <div class="field"><label for={id}>{label}</label><input id={id} name={name} type="file" accept={accept} required /></div>;
}

export const Check = ({ name, label, checked = false }: { name: string; label: string; checked?: boolean }) => (
  <label class="check"><input type="checkbox" name={name} defaultChecked={checked} /> <span>{label}</span></label>
);

export function Select({ name, label, options }: { name: string; label: string; options: [value: string, label: string][] }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>{options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}</select>
    </div>
  );
}

/** A text as an input gives it back. */
export const asTyped = (text: string) => text.replaceAll(/\r\n?/g, "\n").trim();

/** The text of a form's input. Undefined if it is empty. */
export const textOf = (form: FormData, name: string) => asTyped(String(form.get(name) ?? "")) || undefined;

