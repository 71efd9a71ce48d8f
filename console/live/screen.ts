/** A terminal on the page: xterm, with the page's colours. Untrusted output can't misuse it. */

import { FitAddon } from "@xterm/addon-fit";
import { Terminal, type ITheme } from "@xterm/xterm";
import type { Size } from "./connection.ts";
import { withoutStyleAttributes, withoutStyleElements } from "./styles.ts";

/** The key that moves the focus out of the terminal: Tab is typed into the shell. */
export const LEAVE_KEY = "F6";

/** The sixteen colours. xterm adjusts each one to a contrast that people can read. */
const COLOURS: Record<"light" | "dark", string[]> = {
  light: ["#24292f", "#a3262a", "#116329", "#8a5200", "#0a5ea8", "#7a3e9d", "#0b665d", "#57606a", "#4b535d", "#b8383c", "#1a7f37", "#9a6700", "#1f6fc0", "#8e55b3", "#157f74", "#6e7781"],
  dark: ["#484f58", "#ff9c97", "#7fd88f", "#f0b866", "#8fb8ff", "#d8b4fe", "#6fd0c2", "#d0d7de", "#7d8590", "#ffb3ae", "#9be9a8", "#f5cf8e", "#b1ceff", "#e4ccff", "#97e2d6", "#ffffff"],
};
const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/**
 * Characters that make a browser show neighbouring characters in another order. Terminals show them in the order of
 * their cells.
 */
const DIRECTIONS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

export interface ScreenOptions {
  typed: (bytes: Uint8Array<ArrayBuffer>) => void;
  resized: (size: Size) => void;
  left: () => void;
  readsAloud: boolean;
}

export class Screen {
  readonly #terminal: Terminal;
  readonly #undo: (() => void)[] = [];
  /** A character may come in two pieces. */
  #decoder = new TextDecoder();

  constructor(host: HTMLElement, { typed, resized, left, readsAloud }: ScreenOptions) {
    withoutStyleAttributes();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const theme = () => themeOf(host, dark.matches ? "dark" : "light");
    const terminal = new Terminal({
      fontFamily: getComputedStyle(host).fontFamily, fontSize: 14, lineHeight: 1.2, theme: theme(), minimumContrastRatio: 4.5, scrollback: 5_000, screenReaderMode: readsAloud,
      // The program that printed a link chose its target, so links can't be followed here.
      linkHandler: { activate: () => {} },
    });
    this.#terminal = terminal;
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    withoutStyleElements(() => terminal.open(host));
    fit.fit();
    const encoder = new TextEncoder();
    terminal.onData((text) => typed(encoder.encode(text)));
    terminal.onBinary((text) => typed(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
    terminal.onResize(({ cols, rows }) => resized({ cols, rows }));
    terminal.attachCustomKeyEventHandler((event) => {
      if (event.key !== LEAVE_KEY) return true;
      if (event.type === "keydown") left();
      event.preventDefault();
      return false;
    });
    const fitted = new ResizeObserver(() => fit.fit());
    fitted.observe(host);
    const recolour = () => void (terminal.options.theme = theme());
    dark.addEventListener("change", recolour);
    this.#undo.push(() => dark.removeEventListener("change", recolour), () => fitted.disconnect(), () => terminal.dispose());
  }

  get size(): Size {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  set readsAloud(readsAloud: boolean) {
    this.#terminal.options.screenReaderMode = readsAloud;
  }

  print(bytes: Uint8Array, shown: () => void): void {
    this.#terminal.write(this.#decoder.decode(bytes, { stream: true }).replaceAll(DIRECTIONS, "\uFFFD"), shown);
  }

  clear(): void {
    this.#decoder = new TextDecoder();
    this.#terminal.reset();
  }

  focus(): void {
    this.#terminal.focus();
  }

  dispose(): void {
    for (const undo of this.#undo) undo();
  }
}

function themeOf(host: HTMLElement, scheme: "light" | "dark"): ITheme {
  const { color, backgroundColor } = getComputedStyle(host);
  const bright = (name: string) => `bright${name[0]!.toUpperCase()}${name.slice(1)}`;
  const colours = Object.fromEntries(COLOURS[scheme].map((colour, at) => [at < 8 ? NAMES[at]! : bright(NAMES[at - 8]!), colour]));
  return { ...colours, foreground: color, background: backgroundColor, cursor: color, cursorAccent: backgroundColor, selectionBackground: scheme === "dark" ? "#4a5568" : "#b9d8d3" };
}
