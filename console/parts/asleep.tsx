import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { WorkspaceStatus } from "snapshotter-client";

interface AsleepProps {
  status: WorkspaceStatus | undefined;
  /** What would start the container. */
  what: string;
  verb: string;
  children: () => ComponentChildren;
}

/** Asks before its children start a workspace's container, because this costs money and some people only look around. */
export function Asleep({ status, what, verb, children }: AsleepProps) {
  const [isAsked, setAsked] = useState(status === "running");
  if (isAsked) return <>{children()}</>;
  const is = status === "paused" ? "The workspace is paused." : status ? "The workspace is asleep." : "The workspace may be asleep.";
  return (
    <section class="shell" aria-label={what}>
      <p>{is} {what} starts its container, with the files of its last save.</p>
      <p class="buttons"><button type="button" class="primary" onClick={() => setAsked(true)}>{verb}</button></p>
    </section>
  );
}
