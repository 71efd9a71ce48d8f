/** Signal handling for programs that must clean up before they end. */

import { constants } from "node:os";

export class Signals {
  /** The exit status for the last signal. 0 before any signal. */
  status = 0;
  /** Rejects at the first signal. */
  readonly received: Promise<never>;

  constructor() {
    this.received = new Promise((_, reject) => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
        process.on(signal, () => {
          this.status = 128 + constants.signals[signal];
          reject(new Error(signal));
        });
      }
    });
    // Callers may wait for this promise. If none does, its rejection is not an error.
    this.received.catch(() => {});
  }
}
