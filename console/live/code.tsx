/** A form for code that runs elsewhere, and the results of the code. */

import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { CodeImage } from "snapshotter-client";
import { Image, isShown } from "../look/image.tsx";
import { bytesOf } from "../session/trees.ts";
import { save } from "../parts/save.ts";
import { Lines, Text, visible } from "../parts/text.tsx";

interface CodeFormProps {
  label: string;
  help: string;
  /** Runs the code. Resolves when it has ended, which it does soon after the signal aborts. */
  run: (code: string, signal: AbortSignal) => Promise<void>;
}

/** A text area for code, with a button that runs it. Control and Enter run it, too. */
export function CodeForm({ label, help, run }: CodeFormProps) {
  const id = useId();
  const [isRunning, setRunning] = useState(false);
  const ended = useRef<AbortController>(null);
  useEffect(() => () => ended.current?.abort(), []);
  const begin = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isRunning) return;
    const { signal } = (ended.current = new AbortController());
    setRunning(true);
    await run(String(new FormData(event.currentTarget as HTMLFormElement).get("code")), signal);
    setRunning(false);
  };
  const submits = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form!.requestSubmit();
  };
  return (
    <form class="code-form" onSubmit={begin}>
      <label for={id}>{label}</label>
      <textarea id={id} name="code" required rows={6} spellcheck={false} autocomplete="off" autocapitalize="off" aria-describedby={`${id}-help`} onKeyDown={submits} />
      <p class="hint" id={`${id}-help`}>{help}</p>
      <p class="buttons">
        <button type="submit" class="primary" disabled={isRunning}>Run</button>
        {isRunning && <button type="button" onClick={() => ended.current?.abort()}>Stop</button>}
      </p>
    </form>
  );
}

/** The value of code: as JSON, or else in the language's own notation. */
export function Value({ of: { value, valueText }, label = "Value" }: { of: { value?: unknown; valueText?: string | null }; label?: string }) {
  const text = value === undefined ? valueText : JSON.stringify(value, null, 2);
  if (text === undefined || text === null) return null;
  return <pre class="code output" tabIndex={0} role="region" aria-label={label}><Lines>{text}</Lines></pre>;
}

/** Images that code made. An image that could run scripts can only be saved. */
export function Images({ images, omitted }: { images: CodeImage[]; omitted: string[] }) {
  return (
    <>
      {images.map(({ name, mimeType, data }) => (
        <figure key={name}>
          {isShown(mimeType) && <Image base64={data} mimeType={mimeType} alt={name} />}
          <figcaption>
            <Text>{name}</Text>{" "}
            <button type="button" class="quiet" onClick={() => save(new Blob([bytesOf(data)], { type: "application/octet-stream" }), name)}>Download<span class="visually-hidden"> {visible(name)}</span></button>
          </figcaption>
        </figure>
      ))}
      {omitted.length > 0 && <p class="hint">Not returned, because they are too large, too many or no images: <Text>{omitted.join(", ")}</Text></p>}
    </>
  );
}
