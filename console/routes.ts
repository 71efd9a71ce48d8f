/** Addresses of views. They know no view, so that views can link to each other. */

export interface ViewProps {
  /** The address's parameters after the `?`. */
  query: URLSearchParams;
}

export interface Place {
  session: string | undefined;
  /** Name of the view; empty for the first one. */
  view: string;
  query: URLSearchParams;
}

/** The place that an address's fragment names. */
export function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?");
  const segments = path.split("/").map(decoded);
  const place = { query: new URLSearchParams(query) };
  if (segments[0] === "sessions" && segments[1]) return { ...place, session: segments[1], view: segments[2] ?? "" };
  return { ...place, session: undefined, view: segments[0] ?? "" };
}

/** The address of a session's view. Only this file puts data into addresses: encoded, and after the `#`. */
export function sessionHref(session: string, view = "", query: Record<string, string | undefined> = {}): string {
  return `#/sessions/${encodeURIComponent(session)}${view && `/${view}`}${queryOf(query)}`;
}

/** The address of an operator's view. */
export const operatorHref = (view: string, query: Record<string, string | undefined> = {}) => `#/${view}${queryOf(query)}`;

function queryOf(query: Record<string, string | undefined>): string {
  const text = new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)).toString();
  return text && `?${text}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
