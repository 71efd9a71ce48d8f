import { bytes } from "../parts/format.tsx";
import type { Stored } from "./storage.ts";

const WIDTH = 300;
const HEIGHT = 36;

/** Bytes over time, as steps. `from` and `to` are the ends of the time axis, `most` is the top of the byte axis. */
export function Sparkline({ stored, from, to, most }: { stored: Stored; from: number; to: number; most: number }) {
  const x = (at: number) => (((Math.max(at, from) - from) / Math.max(1, to - from)) * WIDTH).toFixed(1);
  const y = (count: number) => (HEIGHT - 2 - (count / Math.max(1, most)) * (HEIGHT - 4)).toFixed(1);
  const [first, ...rest] = stored.points;
  if (!first) return null;
  const steps = rest.map((point) => `H${x(point.at)}V${y(point.bytes)}`).join("");
  const line = `M${x(first.at)} ${y(first.bytes)}${steps}`;
  const least = Math.min(...stored.points.map((point) => point.bytes));
  const top = Math.max(...stored.points.map((point) => point.bytes));
  const label = `Between ${bytes(least)} and ${bytes(top)} since ${new Date(first.at).toLocaleDateString("en")}${stored.complete ? "" : "; earlier sizes are not known"}`;
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path class="area" d={`${line}V${HEIGHT}H${x(first.at)}Z`} />
      <path class="edge" d={line} />
    </svg>
  );
}
