/** A command's output, as it comes. */

import { useEffect, useRef } from "preact/hooks";
import { Lines, visible } from "../parts/text.tsx";

/** How many characters stay on the page. */
const KEPT = 256 * 1024;

/** A piece of one stream's output. */
export interface Printed {
  from: "stdout" | "stderr";
  text: string;
}

const CUT: Printed = { from: "stderr", text: "[earlier output is left out]\n" };

/** Appends new output, and drops the oldest that a page can't show. */
export function joined(printed: Printed[], { from, text }: Printed): Printed[] {
  const before = printed[0] === CUT ? printed.slice(1) : printed;
  const last = before.at(-1);
  const all = last?.from === from ? [...before.slice(0, -1), { from, text: last.text + text }] : [...before, { from, text }];
  if (printed[0] !== CUT && all.reduce((sum, one) => sum + one.text.length, 0) <= KEPT) return all;
  let room = KEPT;
  const kept: Printed[] = [];
  for (const one of all.toReversed()) {
    if (room <= 0) break;
    kept.push({ from: one.from, text: one.text.slice(-room) });
    room -= one.text.length;
  }
  return [CUT, ...kept.reverse()];
}

/** Shows output. Stays scrolled to the end while the reader is there. */
export function Output({ printed, label }: { printed: Printed[]; label: string }) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [printed]);
  const scrolled = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: { currentTarget: HTMLPreElement }) => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 20;
  };
  return (
    <pre class="code output" tabIndex={0} role="log" aria-label={visible(label)} ref={box} onScroll={scrolled}>
      {printed.map(({ from, text }, at) => <span key={at} class={from}><Lines>{text}</Lines></span>)}
    </pre>
  );
}
