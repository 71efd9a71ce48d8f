/** Syntax colours of a program's text, as pieces of its lines. Nothing here makes HTML. */

export interface Piece {
  text: string;
  /** Classes of highlight.js, such as `hljs-keyword`. */
  class?: string;
}

/** Longer texts and lines stay plain: highlighting them could take minutes, in which the page would be frozen. */
const LENGTH_MAX = 200_000;
const LINE_MAX = 2_000;

/** The languages by file name extension. */
const LANGUAGES: Record<string, string> = {
  bash: "bash", c: "c", cc: "cpp", cfg: "ini", cjs: "javascript", cpp: "cpp", cs: "csharp", css: "css", diff: "diff", go: "go", h: "c", hpp: "cpp",
  html: "xml", ini: "ini", java: "java", js: "javascript", json: "json", jsx: "javascript", kt: "kotlin", less: "less", lua: "lua", md: "markdown",
  mjs: "javascript", mts: "typescript", patch: "diff", php: "php", pl: "perl", py: "python", r: "r", rb: "ruby", rs: "rust", scss: "scss", sh: "bash",
  sql: "sql", svg: "xml", swift: "swift", toml: "ini", ts: "typescript", tsx: "typescript", xml: "xml", yaml: "yaml", yml: "yaml", makefile: "makefile",
};

export const languageOf = (path: string): string | undefined => LANGUAGES[path.toLowerCase().split(/[./]/).at(-1) ?? ""];

/** The lines of a text in pieces. Loads the languages on first use. */
export async function highlighted(text: string, language: string): Promise<Piece[][] | undefined> {
  if (text.length > LENGTH_MAX || text.split("\n").some((line) => line.length > LINE_MAX)) return undefined;
  const { lowlight } = await import("./languages.ts");
  return linesOf(lowlight.highlight(language, text).children);
}

type Node = ReturnType<(typeof import("./languages.ts"))["lowlight"]["highlight"]>["children"][number];

function linesOf(nodes: Node[]): Piece[][] {
  const lines: Piece[][] = [[]];
  const add = (node: Node, classes: string) => {
    if (node.type === "text") {
      for (const [at, text] of node.value.split("\n").entries()) {
        if (at > 0) lines.push([]);
        if (text) lines.at(-1)!.push({ text, ...(classes && { class: classes }) });
      }
    } else if (node.type === "element") {
      for (const child of node.children) add(child as Node, [node.properties["className"]].flat().join(" "));
    }
  };
  for (const node of nodes) add(node, "");
  return lines;
}
