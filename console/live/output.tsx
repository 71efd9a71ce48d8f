/** What a command prints, as it comes. */

import { useEffect, useRef } from "preact/hooks";
import { Lines, visible } from "../parts/text.tsx";

/** Letters that stay on the page. */
const KEPT = 256 * 1024;

/** A piece of output, of one stream. */
export interface Printed {
  from: "stdout" | "stderr";
  text: string;
}

/** Joins what came to what is there, and drops the oldest beyond what a page can show. */
export function joined(printed: Printed[], { from, text }: Printed): Printed[] {
  const last = printed.at(-1);
  const all = last?.from === from ? [...printed.slice(0, -1), { from, text: last.text + text }] : [...printed, { from, text }];
  let room = KEPT;
  const kept: Printed[] = [];
  for (const one of all.toReversed()) {
    if (room <= 0) break;
    kept.push({ from: one.from, text: one.text.slice(-room) });
    room -= one.text.length;
  }
  return kept.reverse();
}

/** Stays at the end, as long as its reader is there. */
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
