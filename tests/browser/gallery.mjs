// The pictures of docs/gallery.md: runs each of its commands and takes the first figure of the page that it writes.
// node gallery.mjs FOLDER-OF-SIGHTGLASS [NAME...]
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { drawn, launch } from "./browser.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const [tools, ...only] = process.argv.slice(2);
const out = path.join(root, "docs/images/gallery");
// Neither wider than a phone can show nor so high that a page of them is endless.
const width = 760;
const highest = 620;

const folder = mkdtempSync(path.join(os.tmpdir(), "gallery-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
cpSync(path.join(root, "examples"), path.join(folder, "examples"), { recursive: true });
mkdirSync(out, { recursive: true });

const gallery = readFileSync(path.join(root, "docs/gallery.md"), "utf8");
const browser = await launch();
for (const [, picture, commands] of gallery.matchAll(/\(images\/gallery\/([\w-]+)\.webp\)\s+```sh\n(.*?)```/gs)) {
  if (only.length > 0 && !only.includes(picture)) continue;
  execFileSync("bash", ["-ec", commands], {
    cwd: folder,
    env: { ...process.env, PATH: `${path.resolve(tools)}:${process.env.PATH}` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const page = await browser.newPage({ viewport: { width, height: 900 }, deviceScaleFactor: 1.5, colorScheme: "light" });
  await page.goto(pathToFileURL(path.join(folder, `${picture}.html`)).href);
  await drawn(page);
  const shown = (await page.$("figure .plot")) ?? (await page.$("#key"));
  const box = await shown.boundingBox();
  const clip = { x: 0, y: box.y - 12, width, height: Math.min(box.height + 12, highest), scale: 1 };
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: 80,
    captureBeyondViewport: true,
    clip,
  });
  writeFileSync(path.join(out, `${picture}.webp`), Buffer.from(data, "base64"));
  await page.close();
  console.log(picture);
}
await browser.close();
