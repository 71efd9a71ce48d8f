/** What happens, while it happens: the session's events, and changes of files. */

import { useState } from "preact/hooks";
import type { EventView } from "snapshotter-client";
import { useSession } from "../access.ts";
import { useEvents, useWatch, type Change } from "../live/follow.ts";
import { plural, When } from "../parts/format.tsx";
import { Problem, Waiting } from "../parts/loading.tsx";
import { Text } from "../parts/text.tsx";

export default function Events() {
  const { api } = useSession();
  const { events, fresh, error, again } = useEvents(api);
  return (
    <div class="beside">
      <section>
        <h2>Session</h2>
        {error !== undefined && <Problem error={error} again={again} />}
        <p class="visually-hidden" role="status">{fresh > 0 && `${plural(fresh, "new event")}, the last one ${events[0]?.kind}`}</p>
        <ol class="rows" aria-label="Events of the session, newest first">{events.map((event) => <Event key={event.seq} event={event} />)}</ol>
        {events.length === 0 && error === undefined && <p class="soft">No events yet.</p>}
      </section>
      <FileChanges />
    </div>
  );
}

function Event({ event: { kind, at, payload, warning } }: { event: EventView }) {
  const fields = Object.entries((payload ?? {}) as Record<string, unknown>).filter(([, value]) => value !== null);
  return (
    <li>
      <p><strong><Text>{kind}</Text></strong> <When at={at} /></p>
      {fields.length > 0 && (
        <dl class="fields">
          {fields.map(([name, value]) => <div key={name}><dt>{name}</dt><dd><Text>{typeof value === "string" ? value : JSON.stringify(value)}</Text></dd></div>)}
        </dl>
      )}
      {warning && <p class="hint"><Text>{warning}</Text></p>}
    </li>
  );
}

function FileChanges() {
  const { api } = useSession();
  const [on, setOn] = useState(false);
  const { events, error, directories, again } = useWatch(api, on);
  return (
    <section>
      <h2>Files of the active workspace</h2>
      <p class="buttons"><button type="button" aria-pressed={on} onClick={() => setOn(!on)}>{on ? "Stop watching" : "Watch files"}</button></p>
      <div role="status">
        {on && error === undefined && (directories === undefined ? <Waiting what="Beginning to watch…" /> : <p class="soft">Watching {directories} {directories === 1 ? "directory" : "directories"}, without .git and node_modules.</p>)}
      </div>
      {error !== undefined && <Problem error={error} again={again} />}
      <ol class="rows" aria-label="Changes of files, newest first">{events.map((event, at) => <FileChange key={events.length - at} event={event} />)}</ol>
    </section>
  );
}

function FileChange({ event }: { event: Change }) {
  const time = <time dateTime={event.timestamp}>{new Date(event.timestamp).toLocaleTimeString()}</time>;
  if (!("path" in event)) return <li>{time} Too much changed at once: some changes are not listed.</li>;
  return <li>{time} <span class={`kind ${event.type}`}>{event.type}</span> {event.type === "renamed" && <><Text>{event.from}</Text> → </>}<Text>{event.path}</Text>{event.directory && "/"}</li>;
}
