import { useAccess } from "../access.ts";
import { Loaded, useLoad } from "../parts/loading.tsx";
import { Text } from "../parts/text.tsx";
import { sessionHref } from "../routes.ts";

export default function Sessions() {
  const { client } = useAccess();
  const sessions = useLoad(async (signal) => {
    for await (const page of client.sessions({ limit: 50, signal }).pages()) return page.sessions;
    return [];
  }, [client]);
  return (
    <Loaded of={sessions}>
      {(list) => <ul>{list.map(({ session }) => <li key={session}><a href={sessionHref(session)}><Text>{session}</Text></a></li>)}</ul>}
    </Loaded>
  );
}
