/** Text that others wrote. Preact escapes it; what would still be invisible, or reorder its neighbours, is shown. */

import type { ComponentChild } from "preact";

/** Controls, and what Unicode has to change the direction of text or to take no room. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|[\uD800-\uDFFF](?![\uDC00-\uDFFF])/u;
const PIECES = new RegExp(`(${INVISIBLE.source})`, "u");

const nameOf = (letter: string) => `U+${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;

/** The same as plain text, for attributes and titles. */
export const visible = (text: string) => text.split(PIECES).map((piece) => (INVISIBLE.test(piece) ? `‹${nameOf(piece)}›` : piece)).join("");

/** One line of such text. */
export function Text({ children: text }: { children: string }) {
  const pieces = text.split(PIECES).filter((piece) => piece !== "");
  const shown: ComponentChild[] = pieces.map((piece) => (INVISIBLE.test(piece) ? <span class="control">{nameOf(piece)}</span> : piece));
  return <bdi class="text">{shown}</bdi>;
}

/** Several lines: a command's output, a file. Line feeds and tabs are shown as such. */
export function Lines({ children: text }: { children: string }) {
  const pieces = text.split(PIECES).filter((piece) => piece !== "");
  return <>{pieces.map((piece) => (piece === "\n" || piece === "\t" || !INVISIBLE.test(piece) ? piece : <span class="control">{nameOf(piece)}</span>))}</>;
}

/** An id, in full for a screen reader and for copying, cut by the style sheet where there is no room. */
export const Id = ({ children: id }: { children: string }) => <code class="id"><Text>{id}</Text></code>;
