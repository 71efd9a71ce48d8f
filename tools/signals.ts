/** For programs that have something to end before they end themselves. */

import { constants } from "node:os";

export class Signals {
  /** The exit status that the last signal asks for; 0 as long as there was none. */
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
    // Whoever waits for it hears of it; it is no error that nobody does.
    this.received.catch(() => {});
  }
}
