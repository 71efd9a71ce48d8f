/** What the containers of a session can reach: hosts, with their secrets, and buckets. */

import type { BucketMountConfig, BucketView, Session, SessionView } from "snapshotter-client";
import { useSession } from "../access.ts";
import { plural, When } from "../parts/format.tsx";
import { Loaded, useLoad } from "../parts/loading.tsx";
import { Id, Text } from "../parts/text.tsx";

/** How many pages of events are searched for refused hosts. */
const EVENT_PAGES_MAX = 3;
const EVENTS_OF_A_PAGE = 100;

interface Refused {
  host: string;
  count: number;
  /** The time of the last refusal. */
  at: string;
  workspaces: string[];
}

interface Reached {
  config: SessionView["config"];
  /** The state of the session's buckets, if the session is open. */
  buckets: BucketView[];
  refused: Refused[];
}

export function Reach() {
  const { api, isClosed, changes } = useSession();
  const reached = useLoad(async (signal): Promise<Reached> => {
    const [{ config }, refused] = await Promise.all([api.describe({ signal }), refusedHosts(api, signal)]);
    const asked = !isClosed && config.bucketMounts?.length ? await api.callTool("workspace_describe", {}, { signal }) : undefined;
    return { config, buckets: asked?.buckets ?? [], refused };
  }, [api, isClosed, changes]);
  return (
    <section aria-labelledby="reach">
      <h2 id="reach">What containers reach</h2>
      <Loaded of={reached}>
        {({ config, buckets, refused }) => (
          <>
            <dl class="details">
              <dt>Network</dt><dd><Network config={config} /></dd>
              <dt>Secrets</dt><dd><Secrets secrets={config.secrets ?? {}} /></dd>
              <dt>Buckets</dt><dd><Buckets mounts={config.bucketMounts ?? []} views={buckets} /></dd>
            </dl>
            {refused.length > 0 && <RefusedHosts refused={refused} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Network({ config: { network, enableInternet } }: { config: SessionView["config"] }) {
  const mode = network?.mode ?? (enableInternet === false ? "off" : "open");
  if (mode === "open") return <>the Internet</>;
  if (mode === "off") return <>nothing outside</>;
  return <>these hosts alone, over HTTP and HTTPS: <Labels of={network?.hosts ?? []} /></>;
}

/** The names of secrets and where they are sent. Nobody gets their values. */
function Secrets({ secrets }: { secrets: NonNullable<SessionView["config"]["secrets"]> }) {
  const all = Object.entries(secrets);
  if (all.length === 0) return <>none</>;
  return <ul>{all.map(([name, { header, hosts }]) => <li key={name}><b><Text>{name}</Text></b>, as the header <code><Text>{header}</Text></code> of requests to <Labels of={hosts} /></li>)}</ul>;
}

function Buckets({ mounts, views }: { mounts: BucketMountConfig[]; views: BucketView[] }) {
  if (mounts.length === 0) return <>none</>;
  return (
    <ul>
      {mounts.map(({ bucket, mountPath, prefix, readOnly }) => {
        const view = views.find((one) => one.mountPath === mountPath);
        return (
          <li key={mountPath}>
            <b><Text>{bucket}</Text></b>{prefix && <> below <code><Text>{prefix}</Text></code></>}{readOnly && <span class="badge">read-only</span>}
            {view && <>, for S3 clients at <code><Text>{view.url}</Text></code></>}
            ; as the directory <code><Text>{mountPath}</Text></code>{view && <>: <Text>{textOf(view.mount)}</Text></>}
          </li>
        );
      })}
    </ul>
  );
}

const textOf = (state: unknown) => (typeof state === "string" ? state : JSON.stringify(state));

function RefusedHosts({ refused }: { refused: Refused[] }) {
  return (
    <div class="scroll" role="group" aria-label="Refused hosts" tabIndex={0}>
      <table>
        <caption>Hosts that programs asked for and did not reach, of the last {EVENT_PAGES_MAX * EVENTS_OF_A_PAGE} events</caption>
        <thead><tr><th scope="col">Host</th><th scope="col">Refused</th><th scope="col">Workspaces</th><th scope="col">Last</th></tr></thead>
        <tbody>
          {refused.map(({ host, count, workspaces, at }) => (
            <tr key={host}><th scope="row"><Text>{host}</Text></th><td>{plural(count, "time")}</td><td>{workspaces.map((id) => <p key={id}><Id>{id}</Id></p>)}</td><td><When at={at} /></td></tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Labels = ({ of }: { of: string[] }) => <span class="labels">{of.map((one) => <span class="label" key={one}><Text>{one}</Text></span>)}</span>;

/** The refused hosts in the newest events, the latest first. */
async function refusedHosts(api: Session, signal: AbortSignal): Promise<Refused[]> {
  const found = new Map<string, Refused>();
  let pages = 0;
  for await (const { events } of api.events({ limit: EVENTS_OF_A_PAGE, signal }).pages()) {
    for (const { kind, at, payload } of events) {
      if (kind !== "egress.refused") continue;
      const { host, count, sandboxId } = payload as { host: string; count: number; sandboxId: string };
      const before = found.get(host) ?? { host, count: 0, at, workspaces: [] };
      const workspaces = before.workspaces.includes(sandboxId) ? before.workspaces : [...before.workspaces, sandboxId];
      found.set(host, { ...before, count: before.count + count, workspaces });
    }
    if (++pages === EVENT_PAGES_MAX) break;
  }
  return [...found.values()];
}
