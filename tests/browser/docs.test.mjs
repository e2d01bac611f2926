// The documentation as a website, opened from its folder as somebody without a server and without the network would.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const site = path.join(root, "site");
const address = (page) => pathToFileURL(path.join(site, page)).href;
let browser;

before(async () => {
  execFileSync(path.join(root, "tools/docs.sh"), { stdio: ["ignore", "ignore", "inherit"] });
  browser = await launch();
});
after(() => browser.close());

async function open(name, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const trouble = [];
  page.on("console", (message) => message.type() === "error" && trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(error.message));
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || trouble.push(`request: ${request.url()}`));
  page.on("requestfailed", (request) => trouble.push(`failed: ${request.url()}`));
  await page.goto(address(name));
  return { page, trouble };
}

test("every page loads all that it needs from its folder", async () => {
  const pages = readdirSync(site, { recursive: true }).filter((file) => file.endsWith(".html") && file !== "404.html");
  assert.ok(pages.length > 45, `${pages.length} pages`);
  for (const name of pages) {
    const { page, trouble } = await open(name);
    // Pictures far below are loaded when they come near.
    const broken = await page.evaluate(async () => {
      const pictures = [...document.images];
      for (const picture of pictures) picture.loading = "eager";
      await Promise.all(pictures.map((picture) => picture.decode().catch(() => null)));
      return pictures.filter((picture) => picture.naturalWidth === 0).map((picture) => picture.src);
    });
    assert.deepEqual([...broken, ...trouble], [], name);
    await page.close();
  }
});

test("the search finds a method without a server", async () => {
  const { page, trouble } = await open("index.html");
  await page.getByRole("textbox", { name: "Search" }).first().fill("Friedman");
  await page.waitForFunction(() => document.querySelector(".md-search-result__link"));
  const found = await page.evaluate(() => [...document.querySelectorAll(".md-search-result__link")].map((link) => link.href));
  assert.ok(found.some((link) => link.includes("interactions.html")), found.join("\n"));
  assert.deepEqual(trouble, []);
  await page.close();
});

test("on a phone no page is wider than the window", async () => {
  for (const name of ["index.html", "gallery.html", "tutorials/notebook.html", "shap.html", "caveats.html"]) {
    const { page } = await open(name, { viewport: { width: 375, height: 800 } });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name);
    await page.close();
  }
});
