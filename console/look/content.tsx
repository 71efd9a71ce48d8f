/** The content of one file: parts of a text, an image, or a note that it is neither. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAccess, useSession } from "../access.ts";
import { bytes } from "../parts/format.tsx";
import { Loaded, Problem, useLoad, Waiting } from "../parts/loading.tsx";
import { save } from "../parts/save.ts";
import { Lines, Text, visible } from "../parts/text.tsx";
import { highlighted, languageOf, type Piece } from "./highlight.ts";
import { Image, isShown } from "./image.tsx";
import { addressOf, bytesOf, read, type FilePart, type Part, type Tree } from "../session/trees.ts";

/** Lines of one part. */
const LINES = 1000;
/** The largest file that one call reads whole. */
const WHOLE_MAX = 2 * 1024 * 1024;
/** The largest file to download here. Larger files need the command line. */
const DOWNLOAD_MAX = 64 * 1024 * 1024;
interface ContentProps {
  tree: Tree;
  path: string;
  /** The number of the line to show, from 1. */
  line: number | undefined;
}

export function Content({ tree, path, line }: ContentProps) {
  const { api } = useSession();
  const [part, setPart] = useState<Part>({ startLine: Math.floor(((line ?? 1) - 1) / LINES) * LINES + 1, lineCount: LINES });
  const file = useLoad((signal) => read(api, tree, path, part, signal), [api, addressOf(tree), path, part]);
  return (
    <article class="file" aria-busy={file.loading}>
      <header>
        <h2><Text>{path}</Text></h2>
        {file.value && <p class="soft">{bytes(file.value.sizeBytes)} <Download tree={tree} path={path} size={file.value.sizeBytes} /></p>}
      </header>
      <Loaded of={file}>
        {(shown) => <Shown tree={tree} path={path} file={shown} part={part} line={line} go={setPart} />}
      </Loaded>
    </article>
  );
}

interface ShownProps extends ContentProps {
  file: FilePart;
  part: Part;
  go: (part: Part) => void;
}

function Shown({ tree, path, file, part, line, go }: ShownProps) {
  if (file.sizeBytes === 0) return <p class="soft">The file is empty.</p>;
  if (file.encoding === "base64") return file.mimeType && isShown(file.mimeType) ? <Picture tree={tree} path={path} file={file} /> : <Binary file={file} />;
  const start = "startLine" in part ? part.startLine : undefined;
  const rest: Part | undefined = file.nextLine ? { startLine: file.nextLine, lineCount: LINES } : file.nextOffset ? { offset: file.nextOffset, maxBytes: 65_536 } : undefined;
  return (
    <>
      <Code text={file.content} path={path} start={start} mark={line} />
      <Parts>
        {file.offset > 0 && <button type="button" onClick={() => go({ startLine: 1, lineCount: LINES })}>From the beginning</button>}
        {rest && <button type="button" onClick={() => go(rest)}>{"startLine" in rest ? `From line ${rest.startLine}` : "The next part"}</button>}
        {(rest || file.offset > 0) && <span class="soft">This part begins at byte {file.offset} of {file.sizeBytes}.</span>}
      </Parts>
    </>
  );
}

const Parts = ({ children }: { children: ComponentChildren }) => <p class="buttons">{children}</p>;

function Code({ text, path, start, mark }: { text: string; path: string; start: number | undefined; mark: number | undefined }) {
  const [pieces, setPieces] = useState<Piece[][]>();
  const marked = useRef<HTMLElement>(null);
  const language = languageOf(path);
  useEffect(() => {
    let ended = false;
    setPieces(undefined);
    // Without colours, the text is still complete.
    if (language) highlighted(text, language).then((lines) => ended || setPieces(lines), () => {});
    return () => void (ended = true);
  }, [text, language]);
  useEffect(() => marked.current?.scrollIntoView({ block: "nearest" }), [text, mark]);
  const lines: Piece[][] = pieces ?? text.split("\n").map((line) => [{ text: line }]);
  const shown = text.endsWith("\n") ? lines.slice(0, -1) : lines;
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={`Content of ${visible(path)}`}>
      {shown.map((line, at) => {
        const number = start === undefined ? undefined : start + at;
        const isMarked = number !== undefined && number === mark;
        return (
          <span key={at} class={isMarked ? "code-line marked" : "code-line"} data-line={number} ref={isMarked ? marked : null}>
            {line.map((piece, index) => <span key={index} class={piece.class}><Lines>{piece.text}</Lines></span>)}{"\n"}
          </span>
        );
      })}
    </pre>
  );
}

function Picture({ tree, path, file }: { tree: Tree; path: string; file: FilePart }) {
  const { api } = useSession();
  const isTooLarge = file.sizeBytes > WHOLE_MAX;
  const whole = useLoad(async (signal) => (isTooLarge ? undefined : read(api, tree, path, { encoding: "base64" }, signal)), [file]);
  if (isTooLarge) return <p>An image of more than {bytes(WHOLE_MAX)} is not shown here. Download it.</p>;
  if (whole.error !== undefined) return <Problem error={whole.error} again={whole.again} />;
  return whole.value ? <Image base64={whole.value.content} mimeType={file.mimeType!} alt={path} /> : <Waiting />;
}

/** How many bytes of a binary file are shown. */
const BYTES = 512;

function Binary({ file }: { file: FilePart }) {
  const head = bytesOf(file.content).subarray(0, BYTES);
  const rows = Array.from({ length: Math.ceil(head.length / 16) }, (_, row) => head.subarray(row * 16, row * 16 + 16));
  const hex = rows.map((row, at) => {
    const letters = [...row].map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
    return `${(at * 16).toString(16).padStart(8, "0")}  ${[...row].map((byte) => byte.toString(16).padStart(2, "0")).join(" ").padEnd(47)}  ${letters}`;
  });
  return (
    <>
      <p>This file is no text{file.mimeType && <> (<code>{file.mimeType}</code>)</>}. Its first {head.length} bytes:</p>
      <pre class="code" tabIndex={0} role="region" aria-label="First bytes">{hex.join("\n")}</pre>
    </>
  );
}

/** Saves the file as bytes, so that nothing in it runs. */
function Download({ tree, path, size }: { tree: Tree; path: string; size: number }) {
  const { api } = useSession();
  const [share, setShare] = useState<number>();
  const [error, setError] = useState<unknown>();
  const { client } = useAccess();
  const ended = useRef(new AbortController());
  useEffect(() => () => ended.current.abort(), [client]);
  if (size > DOWNLOAD_MAX) return <span>Too large to download here: use <code>snapshotter get</code>.</span>;
  const download = async () => {
    setError(undefined);
    try {
      const parts: Uint8Array<ArrayBuffer>[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        setShare(size === 0 ? 1 : offset / size);
        const part: FilePart = await read(api, tree, path, { offset, maxBytes: WHOLE_MAX / 2, encoding: "base64" }, ended.current.signal);
        parts.push(bytesOf(part.content));
        offset = part.nextOffset ?? undefined;
      }
      save(new Blob(parts, { type: "application/octet-stream" }), path.split("/").at(-1)!);
    } catch (reason) {
      if (!ended.current.signal.aborted) setError(reason);
    }
    setShare(undefined);
  };
  return (
    <>
      <button type="button" class="quiet" disabled={share !== undefined} onClick={download}>{share === undefined ? "Download" : `Downloading, ${Math.round(share * 100)} %`}</button>
      {error !== undefined && <Problem error={error} />}
    </>
  );
}
