/** The viewer's end of a terminal's WebSocket. Reconnects to the same shell when the connection is cut. */

import { errorOf, type ErrorBody, type Session } from "snapshotter-client";

export interface Size {
  cols: number;
  rows: number;
}

export type ShellState =
  | { is: "connecting" }
  | { is: "open"; resumed: boolean }
  /** The connection was cut. The shell waits a minute. */
  | { is: "reconnecting" }
  | { is: "exited"; exitCode: number }
  | { is: "failed"; error: unknown };

export interface Viewer {
  size: () => Size;
  /** Shows output, and then calls `shown`. */
  print: (bytes: Uint8Array, shown: () => void) => void;
  /** Clears the output so far: the shell's last output comes again. */
  clear: () => void;
  /** Reports bytes that were left out, because the viewer was too slow. */
  omitted: (bytes: number) => void;
  state: (state: ShellState) => void;
}

type Told = { started?: { terminal: string; resumed: boolean }; omitted?: number; exited?: { exitCode: number }; error?: ErrorBody };

/** How long we try to reconnect: the shell is kept for a minute. */
const BACK_WITHIN_MS = 60_000;
const PAUSE_MS = { first: 500, longest: 5_000 };

export class Shell {
  readonly #api: Session;
  #workspace: string | undefined;
  readonly #viewer: Viewer;
  #socket: WebSocket | undefined;
  #terminal: string | undefined;
  #cutAt: number | undefined;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  constructor(api: Session, workspace: string | undefined, viewer: Viewer) {
    this.#api = api;
    this.#workspace = workspace;
    this.#viewer = viewer;
    void this.#connect();
  }

  type(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(bytes);
  }

  resize(size: Size): void {
    this.#say({ resize: size });
  }

  /** Leaves the shell. It ends within a minute, unless someone reconnects to it. */
  leave(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #say(said: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(said));
  }

  async #connect(): Promise<void> {
    if (this.#ended) return;
    const { cols, rows } = this.#viewer.size();
    let socket: WebSocket;
    try {
      // A reconnection must find the same shell, whichever workspace is active by then.
      this.#workspace ??= await this.#api.activeWorkspace().then(({ ref }) => ref.id, unlessForbidden);
      socket = await this.#api.terminal({
        cols, rows, ...(this.#workspace !== undefined && { workspace: this.#workspace }), ...(this.#terminal !== undefined && { terminal: this.#terminal }),
      });
    } catch (error) {
      return this.#ticketRefused(error);
    }
    // The viewer left while we waited for the ticket.
    if (this.#ended) return socket.close();
    this.#socket = socket;
    let received = 0;
    socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data === "string") return this.#told(JSON.parse(data) as Told);
      // The terminal sends at most 1 MiB that was not shown yet.
      this.#viewer.print(new Uint8Array(data), () => {
        received += data.byteLength;
        if (socket === this.#socket) this.#say({ received });
      });
    });
    socket.addEventListener("close", () => void this.#cut());
  }

  #told({ started, omitted, exited, error }: Told): void {
    if (started) {
      if (started.resumed) this.#viewer.clear();
      this.#terminal = started.terminal;
      this.#cutAt = undefined;
      this.#tries = 0;
      this.#viewer.state({ is: "open", resumed: started.resumed });
      // The size may have changed since the address was made.
      this.resize(this.#viewer.size());
    }
    if (omitted !== undefined) this.#viewer.omitted(omitted);
    if (exited) this.#end({ is: "exited", exitCode: exited.exitCode });
    if (error) this.#end({ is: "failed", error: errorOf(error) });
  }

  #end(state: ShellState): void {
    this.#ended = true;
    this.#viewer.state(state);
  }

  #ticketRefused(error: unknown): void {
    if (this.#ended) return;
    const { code, retryable } = error as { code?: string; retryable?: boolean };
    if (code !== "NO_ANSWER" && !retryable) return this.#end({ is: "failed", error });
    this.#comeBack();
  }

  /** A browser does not say why a WebSocket was refused. To find out, we make a call that needs only a valid token. */
  async #cut(): Promise<void> {
    if (this.#ended) return;
    this.#cutAt ??= Date.now();
    try {
      await this.#api.tools({ deadlineMs: 10_000 });
      if (this.#terminal === undefined) {
        const why = "The terminal was refused. The session may allow no shell, or the workspace may have reached its limit of terminals.";
        return this.#end({ is: "failed", error: new Error(why) });
      }
    } catch (error) {
      if ((error as { code?: string }).code !== "NO_ANSWER") return this.#end({ is: "failed", error });
    }
    if (!this.#ended) this.#comeBack();
  }

  #comeBack(): void {
    this.#cutAt ??= Date.now();
    if (Date.now() - this.#cutAt > BACK_WITHIN_MS) {
      return this.#end({ is: "failed", error: new Error("The connection was cut for more than a minute. The shell has ended.") });
    }
    this.#viewer.state({ is: "reconnecting" });
    const pauseMs = Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** this.#tries);
    this.#tries += 1;
    this.#timer = setTimeout(() => void this.#connect(), pauseMs);
  }
}

/** A holder who may only write does not see which workspace is active. */
function unlessForbidden(error: unknown): undefined {
  if ((error as { code?: string }).code !== "FORBIDDEN") throw error;
}
