/**
 * Untrusted text. Preact escapes it. Characters that would still be invisible or reorder their neighbours are shown as
 * codes.
 */

import type { ComponentChild } from "preact";

/** Control characters, and Unicode characters that change the direction of text or take no room. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|[\uD800-\uDFFF](?![\uDC00-\uDFFF])/u;
const PIECES = new RegExp(`(${INVISIBLE.source})`, "u");

const nameOf = (letter: string) => `U+${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;

/** Untrusted text as a plain string, for attributes and titles. */
export const visible = (text: string) => text.split(PIECES).map((piece) => (INVISIBLE.test(piece) ? `‹${nameOf(piece)}›` : piece)).join("");

/** One line of untrusted text. */
export function Text({ children: text }: { children: string }) {
  const pieces = text.split(PIECES).filter((piece) => piece !== "");
  const shown: ComponentChild[] = pieces.map((piece) => (INVISIBLE.test(piece) ? <span class="control">{nameOf(piece)}</span> : piece));
  return <bdi class="text">{shown}</bdi>;
}

/** Several lines of untrusted text: a command's output or a file. Line feeds and tabs stay. */
export function Lines({ children: text }: { children: string }) {
  const pieces = text.split(PIECES).filter((piece) => piece !== "");
  return <>{pieces.map((piece) => (piece === "\n" || piece === "\t" || !INVISIBLE.test(piece) ? piece : <span class="control">{nameOf(piece)}</span>))}</>;
}

/** An id. Screen readers and copies get the full id; the style sheet cuts it if there is no room. */
export const Id = ({ children: id }: { children: string }) => <code class="id"><Text>{id}</Text></code>;
