import { useSession } from "../access.ts";
import { Loaded, useLoad } from "../parts/loading.tsx";
import { Text } from "../parts/text.tsx";

export default function Timeline() {
  const { api, changes } = useSession();
  const snapshots = useLoad(async (signal) => {
    for await (const page of api.list({ includeAuto: true, signal }).pages()) return page.snapshots;
    return [];
  }, [api, changes]);
  return (
    <Loaded of={snapshots}>
      {(list) => <ol>{list.map(({ id, name }) => <li key={id}><Text>{name ?? id}</Text></li>)}</ol>}
    </Loaded>
  );
}
