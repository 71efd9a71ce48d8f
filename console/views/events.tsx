/** Live events of the session, and live changes of files. */

import { useState } from "preact/hooks";
import type { EventView } from "snapshotter-client";
import { useSession } from "../access.ts";
import { useEvents, useWatch, type Change } from "../live/follow.ts";
import { Asleep } from "../parts/asleep.tsx";
import { plural, When } from "../parts/format.tsx";
import { Loaded, Problem, useLoad, Waiting } from "../parts/loading.tsx";
import { useKnown, type Known } from "../session/facts.tsx";
import { Text } from "../parts/text.tsx";
import { told } from "../session/event.tsx";
import { sessionHref } from "../routes.ts";

export default function Events() {
  const session = useSession();
  const { api } = session;
  // An event has only ids: this map has the names.
  const known = useKnown(session);
  const { events, fresh, error, again } = useEvents(api);
  return (
    <div class="beside">
      <section>
        <h2>Session</h2>
        {error !== undefined && <Problem error={error} again={again} />}
        <p class="visually-hidden" role="status">{fresh > 0 && <>{plural(fresh, "new event")}, the last one: {events[0] && told(events[0], known)}</>}</p>
        <ol class="rows" aria-label="Events of the session, newest first">{events.map((event) => <Event key={event.seq} event={event} known={known} />)}</ol>
        {events.length > 0 && <p class="soft">Older ones are in the <a href={sessionHref(session.name, "timeline")}>timeline</a>.</p>}
        {events.length === 0 && error === undefined && <p class="soft">No events yet.</p>}
      </section>
      <FileChanges />
    </div>
  );
}

function Event({ event, known }: { event: EventView; known: Known }) {
  const { kind, at, payload, warning } = event;
  const fields = Object.entries((payload ?? {}) as Record<string, unknown>).filter(([, value]) => value !== null);
  return (
    <li>
      <p>{told(event, known)} <When at={at} /></p>
      <details>
        <summary><code><Text>{kind}</Text></code></summary>
        <dl class="fields">
          {fields.map(([name, value]) => <div key={name}><dt>{name}</dt><dd><Text>{typeof value === "string" ? value : JSON.stringify(value)}</Text></dd></div>)}
        </dl>
      </details>
      {warning && <p class="hint"><Text>{warning}</Text></p>}
    </li>
  );
}

/** Watching starts the workspace's container, so the user is asked first. */
function FileChanges() {
  const { api, changes, can } = useSession();
  const active = useLoad(async (signal) => {
    if (!can("workspace_list_workspaces")) return { status: undefined };
    return { status: (await api.workspaces({ signal })).workspaces.find(({ active }) => active)?.status };
  }, [api, changes]);
  return (
    <section>
      <h2>Files of the active workspace</h2>
      <Loaded of={active}>
        {({ status }) => <Asleep status={status} what="Watching files" verb="Start it">{() => <Watched />}</Asleep>}
      </Loaded>
    </section>
  );
}

function Watched() {
  const { api } = useSession();
  const [on, setOn] = useState(false);
  const { events, error, directories, again } = useWatch(api, on);
  return (
    <>
      <p class="buttons"><button type="button" aria-pressed={on} onClick={() => setOn(!on)}>{on ? "Stop watching" : "Watch files"}</button></p>
      <div role="status">
        {on && error === undefined && (directories === undefined ? <Waiting what="Beginning to watch…" /> : <p class="soft">Watching {directories} {directories === 1 ? "directory" : "directories"}, without .git and node_modules.</p>)}
      </div>
      {error !== undefined && <Problem error={error} again={again} />}
      <ol class="rows" aria-label="Changes of files, newest first">{events.map((event, at) => <FileChange key={events.length - at} event={event} />)}</ol>
    </>
  );
}

function FileChange({ event }: { event: Change }) {
  const time = <time dateTime={event.timestamp}>{new Date(event.timestamp).toLocaleTimeString()}</time>;
  if (!("path" in event)) return <li>{time} Too much changed at once: some changes are not listed.</li>;
  return <li>{time} <span class={`kind ${event.type}`}>{event.type}</span> {event.type === "renamed" && <><Text>{event.from}</Text> → </>}<Text>{event.path}</Text>{event.directory && "/"}</li>;
}
