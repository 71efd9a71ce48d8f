/**
 * Fills a session's catalogue with snapshots that were never taken.
 *
 * The catalogue is the SQLite of the session's AgentHost. miniflare keeps one file per object. While workerd is
 * stopped, we copy the row of a real snapshot there under new ids. A list reads only the catalogue, so R2 gets no
 * objects for them.
 */

import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/**
 * Raises the number of snapshots of `session` to `count`. The session has one already. `state` is the directory of
 * workerd's state.
 */
export function seedSnapshots(state: string, session: string, count: number): void {
  for (const file of fs.globSync(path.join(state, "do", "*-AgentHost", "*.sqlite"))) {
    const database = new DatabaseSync(file);
    try {
      if (sessionOf(database) === session) return addCopies(database, count);
    } finally {
      database.close();
    }
  }
  throw new Error(`no catalogue of ${session} under ${state}`);
}

function sessionOf(database: DatabaseSync): unknown {
  // miniflare keeps its own database in the same directory.
  const has = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'session'").get();
  return has && database.prepare("SELECT session_id FROM session").get()?.["session_id"];
}

function addCopies(database: DatabaseSync, count: number): void {
  const { seq, ...row } = database.prepare("SELECT * FROM snapshots").get() as Record<string, SQLInputValue>;
  // SQLite computes the generated columns itself.
  const generated = database.prepare("SELECT name FROM pragma_table_xinfo('snapshots') WHERE hidden <> 0").all();
  for (const { name } of generated) delete row[String(name)];
  const columns = Object.keys(row);
  const insert = database.prepare(
    `INSERT INTO snapshots (${columns.join(", ")}) VALUES (${columns.map((column) => `:${column}`).join(", ")})`,
  );
  database.exec("BEGIN");
  for (let n = Number(seq) + 1; n <= count; n++) {
    const id = randomUUID();
    insert.run({ ...row, id, name: `seeded ${n}`, handle: String(row["handle"]).replaceAll(String(row["id"]), id) });
  }
  database.exec("COMMIT");
}
