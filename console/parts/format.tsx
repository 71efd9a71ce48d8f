/** Sizes and times for people. */

import { useEffect, useState } from "preact/hooks";

const UNITS = ["B", "KB", "MB", "GB", "TB"];

export function bytes(count: number | null | undefined): string {
  if (count === null || count === undefined) return "no size yet";
  const unit = Math.min(UNITS.length - 1, count < 1000 ? 0 : Math.floor(Math.log10(count) / 3));
  const size = count / 1000 ** unit;
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}

export const plural = (count: number, one: string, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]];
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** The distance of a time from now, such as “5 minutes ago”. */
export function fromNow(at: number, now: number): string {
  const away = at - now;
  const step = STEPS.find(([, ms]) => Math.abs(away) >= ms);
  // The server's clock and this one differ a little.
  return step ? RELATIVE.format(Math.trunc(away / step[1]), step[0]) : away < 30_000 ? "just now" : "in less than a minute";
}

/** A time, shown as its distance from now. Its tooltip shows the time itself. */
export function When({ at }: { at: string }) {
  const now = useNow(30_000);
  const time = new Date(at);
  return <time dateTime={at} title={time.toLocaleString()}>{fromNow(time.getTime(), now)}</time>;
}

/** The current time, updated regularly. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
