/** The frame around a view: headings, navigation and the session. */

import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { Session, ToolName } from "snapshotter-client";
import { SessionContext, useAccess, type InputField, type OpenSession } from "./access.ts";
import { Acting } from "./parts/act.tsx";
import { Loaded, Problem, useLoad, Waiting } from "./parts/loading.tsx";
import { Text, visible } from "./parts/text.tsx";
import { operatorHref, sessionHref, type Place, type ViewProps } from "./routes.ts";
import { OPERATOR_VIEWS, SESSION_VIEWS, type View } from "./views.ts";

export function OperatorFrame({ place }: { place: Place }) {
  const view = OPERATOR_VIEWS.find(({ name }) => name === place.view) ?? OPERATOR_VIEWS[0]!;
  useTitle(view.label);
  return (
    <Frame title="All sessions" views={OPERATOR_VIEWS} view={view} href={({ name }) => operatorHref(name)}>
      <Shown view={view} query={place.query} />
    </Frame>
  );
}

export function SessionFrame({ name, place }: { name: string; place: Place }) {
  const { client } = useAccess();
  const api = useMemo(() => client.session(name), [client, name]);
  // The tools that are offered to this holder reflect both the scopes and the session's policy.
  const tools = useLoad(async (signal) => new Map((await api.tools({ tools: "all", signal })).map((tool) => [tool.name, tool])), [api]);
  const [changes, changed] = useReducer((count: number) => count + 1, 0);
  const mayDescribe = tools.value?.has("workspace_describe") ?? false;
  const status = useLoad(async (signal) => (mayDescribe ? (await api.describe({ signal })).status : undefined), [api, mayDescribe, changes]);
  const isClosed = status.value === "closed";
  const can = (tool: string) => (tools.value?.has(tool) ?? false) && !(isClosed && NEEDS_OPEN.has(tool));
  useNews(api, can("workspace_list_snapshots"), () => changed(undefined));
  const input = (tool: string, field: string) => (tools.value?.get(tool)?.inputSchema as { properties?: Record<string, InputField> } | undefined)?.properties?.[field];
  const views = SESSION_VIEWS.filter(({ needs = [] }) => needs.every(can));
  const view = views.find((one) => one.name === place.view) ?? views[0];
  const session: OpenSession = useMemo(() => ({ name, api, can, input, isClosed, changes, changed: () => changed(undefined) }), [name, api, tools.value, isClosed, changes]);
  useTitle(view ? `${view.label}, ${visible(name)}` : visible(name));
  return (
    <SessionContext.Provider value={session}>
      <Frame title={<><Text>{name}</Text>{isClosed && <> <span class="badge warm">closed</span></>}</>} views={views} view={view} href={(one) => sessionHref(name, one.name)}>
        <Acting changed={session.changed} stepOf={async (id) => (await api.operation(id, { deadlineMs: 5_000 })).step ?? undefined}>
          <Loaded of={tools}>
            {() => (view ? <Shown view={view} query={place.query} /> : <p>{can("workspace_describe") ? "The session's policy leaves nothing to show." : <>This token may not look at the session: it needs the scope <code>read</code>.</>}</p>)}
          </Loaded>
        </Acting>
      </Frame>
    </SessionContext.Provider>
  );
}

/** Tools that a closed session refuses. Its snapshots can still be read, edited and deleted. */
const NEEDS_OPEN = new Set<string>([
  "workspace_snapshot", "workspace_fork", "workspace_rewind", "workspace_restore", "workspace_branch", "workspace_promote", "workspace_compare",
  "workspace_switch", "workspace_pause", "workspace_resume", "workspace_destroy", "workspace_run", "workspace_processes", "workspace_list_code_contexts", "workspace_script",
] satisfies ToolName[]);

/** How often we ask for new events of the session. */
const NEWS_EVERY_MS = 5_000;

/** Calls `changed` when the session has a new event, while the page is visible. */
function useNews(api: Session, mayRead: boolean, changed: () => void): void {
  useEffect(() => {
    if (!mayRead) return;
    let newest: number | undefined;
    const look = async () => {
      if (document.visibilityState !== "visible") return;
      const { value: page } = await api.events({ limit: 1, deadlineMs: NEWS_EVERY_MS }).pages().next().catch(() => ({ value: undefined }));
      const seq = page?.events[0]?.seq;
      if (seq === undefined) return;
      if (newest !== undefined && seq !== newest) changed();
      newest = seq;
    };
    void look();
    const timer = setInterval(look, NEWS_EVERY_MS);
    return () => clearInterval(timer);
  }, [api, mayRead]);
}

interface FrameProps {
  title: ComponentChildren;
  views: View[];
  view: View | undefined;
  href: (view: View) => string;
  children: ComponentChildren;
}

function Frame({ title, views, view, href, children }: FrameProps) {
  const { holder } = useAccess();
  const current = useRef<HTMLAnchorElement>(null);
  // On a phone, the list of views is wider than the screen.
  useEffect(() => current.current?.scrollIntoView({ block: "nearest", inline: "nearest" }), [view]);
  const { list, more } = useMore(views.length);
  return (
    <>
      <nav class="views" aria-label="Views" data-more={more}>
        <ul ref={list}>
          {holder.kind === "operator" && views !== OPERATOR_VIEWS && <li><a class="up" href={operatorHref("sessions")}>All sessions</a></li>}
          {views.map((one) => <li key={one.name}><a href={href(one)} aria-current={one === view ? "page" : undefined} ref={one === view ? current : null}>{one.label}</a></li>)}
        </ul>
      </nav>
      <main id="main" tabIndex={-1}>
        <h1>{title}</h1>
        {children}
      </main>
    </>
  );
}

/** The sides on which a list continues beyond its visible part. */
function useMore(length: number) {
  const list = useRef<HTMLUListElement>(null);
  const [more, setMore] = useState("");
  useEffect(() => {
    const { current } = list;
    if (!current) return;
    const look = () => {
      const { scrollLeft, clientWidth, scrollWidth } = current;
      // Widths are rounded.
      setMore([scrollLeft > 1 && "before", scrollLeft + clientWidth < scrollWidth - 1 && "after"].filter(Boolean).join(" "));
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    current.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      sizes.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, [length]);
  return { list, more };
}

/** Networks change on the way: a second attempt often succeeds. */
async function loadedView(view: View): ReturnType<View["load"]> {
  for (let triesLeft = 3; ; triesLeft--) {
    try {
      return await view.load();
    } catch (error) {
      if (triesLeft === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** A view, once its file is loaded. */
function Shown({ view, query }: { view: View; query: URLSearchParams }) {
  const [loaded, setLoaded] = useState<{ view: View; shown?: ComponentType<ViewProps>; error?: unknown }>();
  useEffect(() => {
    let ended = false;
    loadedView(view).then(
      ({ default: shown }) => ended || setLoaded({ view, shown }),
      // A deploy may have replaced the files while the page was open.
      () => ended || setLoaded({ view, error: new Error("This part of the page could not be loaded. Reload the page.") }),
    );
    return () => void (ended = true);
  }, [view]);
  if (loaded?.view !== view) return <Waiting />;
  return loaded.shown ? <loaded.shown query={query} /> : <Problem error={loaded.error} />;
}

function useTitle(title: string): void {
  useEffect(() => void (document.title = `${title} · Snapshotter`), [title]);
}
