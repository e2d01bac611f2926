// Bundles script and style and joins them into page.html: a page whose policy allows exactly these two (by
// hash) and nothing else. The C++ side fills in the two marks: the title and the data.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(here, process.argv[2] ?? "dist");

const bundled = await build({
  absWorkingDir: here,
  entryPoints: { page: "src/page.ts" },
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  outdir: out,
  write: false,
  metafile: true,
  loader: { ".css": "css" },
  // vega-loader reaches for files only outside browsers.
  external: ["fs", "node-fetch"],
  logLevel: "warning",
});
const text = (ending) => bundled.outputFiles.find((file) => file.path.endsWith(ending)).text;

// Packages inside the bundle, with their licences: their terms ask for it.
const packages = new Set();
for (const input of Object.keys(bundled.metafile.inputs)) {
  const match = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (match) packages.add(match[1]);
}
const notices = [];
const names = [];
for (const name of [...packages].sort()) {
  const folder = path.join(here, "node_modules", name);
  const info = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const licence = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license"]
    .map((file) => path.join(folder, file))
    .find((file) => existsSync(file));
  names.push(`${name} ${info.version} (${info.license})`);
  notices.push(`${name} ${info.version}, ${info.license}\n\n${licence ? await readFile(licence, "utf8") : ""}`);
}

const script = text(".js").trim();
const style = text(".css").trim();
for (const [what, code] of Object.entries({ script, style })) {
  // Each of these would end the element early or change its bytes on the way through the HTML parser.
  const bad = /<\/(script|style)|<!--|\r|\0|@@sightglass-/i.exec(code);
  if (bad) throw new Error(`the bundled ${what} contains ${JSON.stringify(bad[0])}`);
}
const hash = (code) => `'sha256-${createHash("sha256").update(code, "utf8").digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const icon =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="13" fill="#fff" stroke="#0b5c8c" stroke-width="4"/><path d="M5 18c4-5 7 3 11 0s7-5 11 0a11 11 0 0 1-22 0z" fill="#0b5c8c"/></svg>',
  );
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="sightglass">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>@@sightglass-title@@</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<noscript>This report draws its charts with a script inside this file; please allow it.</noscript>
<div id="sightglass"></div>
<script type="application/json" id="sightglass-data">@@sightglass-data@@</script>
<script>${script}</script>
<!-- Contains: ${names.join(", ")} -->
</body>
</html>
`;

await mkdir(out, { recursive: true });
// Whole or not at all, page.html last: another build may be reading.
const put = async (name, content) => {
  const file = path.join(out, name);
  await writeFile(`${file}.${process.pid}`, content);
  await rename(`${file}.${process.pid}`, file);
};
await put("page.js", script);
await put("page.css", style);
await put("NOTICE.txt", notices.join("\n\n----\n\n"));
await put("page.html", page);
