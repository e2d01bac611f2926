// A TypeScript module of the page, for tests outside a browser.
import { build } from "esbuild";
import path from "node:path";
import { fileURLToPath } from "node:url";

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../src");

export async function load(name) {
  const { outputFiles } = await build({
    entryPoints: [path.join(source, `${name}.ts`)],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "warning",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}
