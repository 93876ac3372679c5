// Build the front end into the package: one ES module and one style sheet, with the hash of their
// sources at the top. With --check nothing is written: it fails where the built files are old.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const OUT = join(HERE, "..", "src", "needlescope", "explorer", "assets");

/** SHA-256 of the sources: of each its name, its length and its bytes, in the order of names. */
function digest() {
  const names = ["build.js", "package.json", ...readdirSync(join(HERE, "src")).map((name) => `src/${name}`)].sort();
  const hash = createHash("sha256");
  for (const name of names) {
    const bytes = readFileSync(join(HERE, name));
    hash.update(`${name} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}

const version = JSON.parse(readFileSync(join(HERE, "package.json"), "utf-8")).devDependencies.uplot;
const licence = readFileSync(join(HERE, "node_modules", "uplot", "LICENSE"), "utf-8").trim();
const header = `/*
The explorer of needlescope, built from frontend/src: npm --prefix frontend run build
sources sha256 ${digest()}

Contains uPlot ${version}, under the MIT licence:

${licence}
*/
`;

const result = await build({
  entryPoints: { explorer: join(HERE, "src", "main.js"), style: join(HERE, "src", "explorer.css") },
  outdir: OUT,
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  target: ["es2022", "chrome111", "firefox113", "safari16.4"],
  legalComments: "none",
  charset: "utf8",
  logLevel: "warning",
});
const names = { "explorer.js": "explorer.js", "style.css": "explorer.css" };
let old = false;
for (const { path, text } of result.outputFiles) {
  const name = names[path.split("/").pop()];
  const file = join(OUT, name);
  const built = header + text;
  if (process.argv.includes("--check")) old ||= readFileSync(file, "utf-8") !== built;
  else {
    writeFileSync(file, built);
    console.log(`${name}: ${Buffer.byteLength(built).toLocaleString("en")} bytes`);
  }
}
if (old) {
  console.error("the built files are not those of the sources: npm --prefix frontend run build");
  process.exit(1);
}
