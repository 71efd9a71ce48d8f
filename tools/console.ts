/**
 * Builds the console into a directory: node tools/console.ts DIRECTORY. Views that are imported dynamically become
 * separate files. Each file except the page has a hash of its content in its name, so that browsers may cache it.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import * as esbuild from "esbuild";

const CONSOLE = path.resolve(import.meta.dirname, "../console");
const [out] = process.argv.slice(2);
if (!out) throw new Error("usage: node tools/console.ts DIRECTORY");

const { metafile } = await esbuild.build({
  absWorkingDir: CONSOLE,
  entryPoints: { app: "main.tsx", style: "style/all.css", icon: "icon.svg" },
  outdir: path.resolve(out),
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: ["es2022", "safari17"],
  loader: { ".svg": "copy" },
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
});

let page = fs.readFileSync(path.join(CONSOLE, "index.html"), "utf8");
for (const [file, { entryPoint, inputs }] of Object.entries(metafile.outputs)) {
  // A copied file has no entry point, only its input.
  page = page.replace(`"${entryPoint ?? Object.keys(inputs)[0]}"`, `"/console/${path.basename(file)}"`);
}
fs.writeFileSync(path.join(out, "index.html"), page);
