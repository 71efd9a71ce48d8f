/** Who is signed in, and what they may do. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { Snapshotter, type Session, type ToolName } from "snapshotter-client";

export type { ToolName };

/** Who holds a token. */
export type Holder =
  | { kind: "operator" }
  /** The claims of a session token. Only the server can tell whether they are true. */
  | { kind: "session"; session: string; scopes: string[]; expiresAt: Date };

export interface Access {
  holder: Holder;
  client: Snapshotter;
  /** Forgets the token, and says why on the page for signing in. */
  signOut: (reason?: string) => void;
}

/** A field of a tool's input, in JSON Schema. */
export interface InputField {
  description?: string;
  enum?: string[];
}

export interface OpenSession {
  name: string;
  api: Session;
  /** Whether the holder's scopes and the session's policy allow what this tool does. */
  can: (tool: ToolName) => boolean;
  /** What the holder may put into a field of a tool's input. The schema has only what the session's policy allows. */
  input: (tool: ToolName, field: string) => InputField | undefined;
  isClosed: boolean;
  /** Reloads every view of the session after a change. */
  changed: () => void;
  /** Counts the changes. A view that loads something depends on it. */
  changes: number;
}

export const AccessContext = createContext<Access | undefined>(undefined);
export const SessionContext = createContext<OpenSession | undefined>(undefined);

export function useAccess(): Access {
  const access = useContext(AccessContext);
  if (!access) throw new Error("no one is signed in");
  return access;
}

export function useSession(): OpenSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error("this view is not of a session");
  return session;
}

/** The reason that is shown when the server no longer accepts the token. */
export const REFUSED = "The token is wrong, expired or revoked. Sign in with another one.";

const KEY = "snapshotter-token";

/** The token that this tab keeps over a reload, if the holder asked for that. */
export const keptToken = () => sessionStorage.getItem(KEY) ?? undefined;

export function keepToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}

/**
 * Keeps the token of a link `/console#token=TOKEN`, and says whether there was one. The token leaves the address at
 * once: a copied address, a bookmark or the history must not sign anyone in.
 */
export function keepLinkedToken(): boolean {
  const token = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return false;
  history.replaceState(null, "", location.pathname);
  keepToken(token);
  return true;
}

/** A client that signs out once the server no longer accepts its token. */
export function clientOf(token: string, refused: () => void): Snapshotter {
  return new Snapshotter({
    url: location.origin,
    token,
    fetch: async (url, init) => {
      // Cookies of a surrounding site are left out: a call has only the token.
      const response = await fetch(url, { ...init, credentials: "omit", redirect: "error", referrerPolicy: "no-referrer" });
      if (response.status === 401) refused();
      return response;
    },
  });
}

/** Reads what a session token says of itself: `sst1.KEY.CLAIMS.MAC`. Any other token may be the operator's. */
export function holderOf(token: string): Holder {
  const claims = /^sst1\.[^.]+\.([\w-]+)\.[\w-]+$/.exec(token)?.[1];
  if (claims === undefined) return { kind: "operator" };
  try {
    const bytes = Uint8Array.from(atob(claims.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const { s, c, e } = JSON.parse(new TextDecoder().decode(bytes)) as { s: unknown; c: unknown; e: unknown };
    if (typeof s === "string" && Array.isArray(c) && typeof e === "number") {
      return { kind: "session", session: s, scopes: c.map(String), expiresAt: new Date(e) };
    }
  } catch {
    // If the claims can't be read, the server decides.
  }
  return { kind: "operator" };
}

/** Checks a token by the cheapest call that its holder may make. Throws the server's error. */
export async function check(client: Snapshotter, holder: Holder): Promise<void> {
  if (holder.kind === "session") await client.session(holder.session).tools();
  else for await (const _ of client.sessions({ limit: 1 }).pages()) break;
}
