/** The benchmark's results, as a table and as JSON. */

/** Times of one operation, in milliseconds, next to those of its floor if it has one. */
export interface Measure {
  group: string;
  what: string;
  productMs: number[];
  floorMs?: number[];
  /** The parts of the floor, if they run one after the other. */
  floorPartsMs?: Parts;
}

export type Parts = Record<string, number[]>;

export interface Memory {
  what: string;
  /** Resident memory of workerd before the calls. */
  baselineBytes: number;
  /** The peak during the calls. */
  peakBytes: number;
}

/** Processor time of a call in workerd, which includes miniflare's R2 and SQLite. */
export interface Cpu {
  what: string;
  calls: number;
  perCallMs: number;
}

export interface Report {
  at: string;
  commit: string;
  machine: { cpu: string; cpus: number; loadBefore: number; loadAfter: number };
  measures: Measure[];
  memory: Memory[];
  cpu: Cpu[];
  wasm: { rawBytes: number; gzipBytes: number };
  tookMs: number;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Ratios of the medians and of the best times. Other load on the machine makes times longer, never shorter. */
function ratios({ productMs, floorMs }: Measure): { ratio?: number; bestRatio?: number } {
  if (!floorMs) return {};
  return { ratio: median(productMs) / median(floorMs), bestRatio: Math.min(...productMs) / Math.min(...floorMs) };
}

export function table(report: Report): string {
  const { machine, wasm } = report;
  const lines = [
    `${report.at}  commit ${report.commit}  ${machine.cpus} × ${machine.cpu}  load ${machine.loadBefore} before, ${machine.loadAfter} after`,
  ];
  let group: string | undefined;
  for (const measure of report.measures) {
    if (measure.group !== group) lines.push("", row((group = measure.group), "median", "min–max", "floor", "min–max", "ratio", "of best"));
    const { productMs, floorMs, floorPartsMs = {} } = measure;
    lines.push(
      row(
        `  ${measure.what}`,
        time(median(productMs)),
        range(productMs),
        floorMs ? time(median(floorMs)) : "",
        floorMs ? range(floorMs) : "",
        ...Object.values(ratios(measure)).map((ratio) => ratio.toFixed(ratio < 0.1 ? 3 : 2)),
      ),
    );
    const parts = Object.entries(floorPartsMs).map(([part, ms]) => `${part} ${time(median(ms))}`);
    if (parts.length > 0) lines.push(`    floor: ${parts.join(", ")}`);
  }
  lines.push("", row("memory of workerd", "peak", "", "before", "", "more"));
  for (const { what, baselineBytes, peakBytes } of report.memory) {
    lines.push(row(`  ${what}`, mib(peakBytes), "", mib(baselineBytes), "", mib(peakBytes - baselineBytes)));
  }
  lines.push("", row("CPU of workerd", "a call", "", "calls"));
  for (const { what, calls, perCallMs } of report.cpu) lines.push(row(`  ${what}`, time(perCallMs), "", String(calls)));
  lines.push("", `wasm: ${kib(wasm.rawBytes)}, ${kib(wasm.gzipBytes)} gzipped; all took ${(report.tookMs / 1000).toFixed(0)} s`);
  return lines.join("\n");
}

/** Medians, ratios and all times. */
export function json(report: Report): string {
  const measures = report.measures.map((measure) => ({
    ...measure,
    medianMs: median(measure.productMs),
    ...(measure.floorMs && { floorMedianMs: median(measure.floorMs) }),
    ...ratios(measure),
  }));
  return JSON.stringify({ ...report, measures }, undefined, 2);
}

function row(name: string, ...cells: string[]): string {
  return (name.padEnd(44) + cells.map((cell, column) => cell.padStart([9, 13, 9, 13, 8, 8][column]!)).join("")).trimEnd();
}

const inSeconds = (ms: number) => ms >= 100;
const time = (ms: number) => (inSeconds(ms) ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(1)} ms`);

/** A range of times, in the unit that `time` chooses for the largest. */
function range(values: number[]): string {
  const ends = [Math.min(...values), Math.max(...values)];
  return ends.map((ms) => (inSeconds(ends[1]!) ? (ms / 1000).toFixed(2) : ms.toFixed(1))).join("–");
}

const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
const kib = (bytes: number) => `${(bytes / 2 ** 10).toFixed(0)} KiB`;
