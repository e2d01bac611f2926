// Debian's Chromium, told to stay offline and to itself, and what the tests of pages share.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { inflateSync } from "node:zlib";
import { chromium } from "playwright-core";
import { load } from "../../web/tests/module.mjs";

const { namesOf } = await load("places");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

// Opens a page, waits for its charts (or until it is `ready`), and keeps everything that should not have happened.
export async function open(browser, address, options = {}, ready = drawn) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const trouble = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) trouble.push(message.text());
  });
  page.on("pageerror", (error) => trouble.push(error.message));
  page.on("request", (request) => {
    // The page itself, and what it holds inside.
    if (request.url() !== address.split("#")[0] && !/^(data|blob):/.test(request.url())) trouble.push(`request: ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  await page.goto(address);
  await ready(page);
  return { page, trouble };
}

export function drawn(page) {
  return page.waitForFunction(() => {
    const charts = [...document.querySelectorAll(".chart")];
    return document.getElementById("content") && charts.every((chart) => chart.dataset.state);
  });
}

// Charts of sections that were asked for are drawn when they come near.
export function drawnAll(page) {
  return page.waitForFunction(() => {
    const waiting = [...document.querySelectorAll(".chart")].find((chart) => !chart.dataset.state);
    waiting?.scrollIntoView();
    return !waiting;
  });
}

// A busy machine may take long to draw anew.
export async function until(holds) {
  for (const end = Date.now() + 30_000; !(await holds()) && Date.now() < end; ) await new Promise((go) => setTimeout(go, 50));
}

export const states = (page) => page.evaluate(() => [...document.querySelectorAll(".chart")].map((c) => c.dataset.state));

// Large data are packed.
export async function payloadOf(page) {
  const text = await page.evaluate(() => document.getElementById("sightglass-data").textContent);
  return JSON.parse(text.startsWith("{") ? text : inflateSync(Buffer.from(text, "base64")).toString());
}

// The addresses of a page's sections.
export const addressesOf = ({ sections }) =>
  namesOf(sections.map(({ name, title, kind }) => ({ name: name ?? title, kind: kind ?? "feature" }))).map((name) => `#${encodeURIComponent(name)}`);

// Goes to every section (or every tenth), also to those that come only when asked for; `visit` is called at each. Returns how many charts
// were drawn.
export async function visitAll(page, visit = async () => {}, every = 1) {
  const addresses = addressesOf(await payloadOf(page));
  let charts = 0;
  for (let i = 0; i < addresses.length; i += every) {
    await page.evaluate((hash) => { location.hash = hash; }, addresses[i]);
    await page.waitForFunction((n) => {
      const found = [...document.querySelectorAll(`[data-place="${n}"] .chart`)];
      found.find((chart) => !chart.dataset.state)?.scrollIntoView(); // a section may be longer than what is near
      return found.length > 0 && found.every((chart) => chart.dataset.state === "drawn" && chart.querySelector("svg path, canvas"));
    }, i);
    charts += await page.locator(`[data-place="${i}"] .chart`).count();
    await visit(`[data-place="${i}"]`);
  }
  return charts;
}

// Opens what is one line until then.
export const unfold = (page) => page.evaluate(() => document.querySelectorAll("details:is(.fold, .whole)").forEach((fold) => (fold.open = true)));

export const heightOf = (page) => page.evaluate(() => document.documentElement.scrollHeight);

const longestPage = 8000; // of 400 features, too

// What somebody sees who looks for half a minute ends here; the page is not long before anything is opened.
export async function measureFirstScreen(page, most) {
  const found = await page.evaluate(() => {
    const box = (selector) => document.querySelector(selector)?.getBoundingClientRect();
    const parts = [".headline", ".scores", ".matters", ".acts"].map((selector) => [selector, box(selector)?.bottom ?? Infinity]);
    return { graphic: box(".first-screen svg")?.top ?? Infinity, parts, pictures: document.querySelectorAll(".acts li svg").length };
  });
  assert.ok(found.graphic < most / 2, `the first graphic begins at ${found.graphic} px`);
  for (const [part, bottom] of found.parts) assert.ok(bottom <= most, `${part} ends at ${bottom} px`);
  assert.ok(found.pictures > 0);
  // Sentences are whole.
  const cut = await page.evaluate(() => [...document.querySelectorAll(".first-screen p")]
    .filter((part) => part.scrollHeight > part.clientHeight + 1 || getComputedStyle(part).webkitLineClamp !== "none").map((part) => part.textContent));
  assert.deepEqual(cut, []);
  // A model that explains itself is drawn whole, on top of that.
  const model = await page.evaluate(() => document.getElementById("model")?.offsetHeight ?? 0);
  const height = (await heightOf(page)) - model;
  assert.ok(height <= longestPage, `${height} px long`);
}

// Labels of the same axis or legend that lie over one another, of all charts that are drawn as SVG.
export function overlaps(page) {
  return page.evaluate(() => {
    const found = [];
    for (const group of document.querySelectorAll(".chart svg .role-axis-label, .chart svg .role-legend-label, .chart svg .role-axis-title")) {
      const texts = [...group.querySelectorAll("text")].filter((text) => text.textContent.trim() !== "" && getComputedStyle(text).opacity !== "0");
      const places = texts.map((text) => {
        const matrix = text.getScreenCTM();
        return { text, box: text.getBoundingClientRect(), angle: Math.atan2(matrix.b, matrix.a), x: matrix.e, y: matrix.f };
      }).filter(({ box }) => box.width > 0);
      for (let i = 1; i < places.length; ++i) {
        const [a, b] = [places[i - 1], places[i]];
        const letters = parseFloat(getComputedStyle(a.text).fontSize) || 10;
        const slanted = Math.abs(a.angle) > 0.01;
        // Parallel lines of letters: how far one is from the other, across.
        const across = Math.abs((b.x - a.x) * Math.sin(a.angle) - (b.y - a.y) * Math.cos(a.angle));
        const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left), high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        // Boxes of letters have air above and below.
        const over = wide > 1 && high > 0.35 * Math.min(a.box.height, b.box.height);
        if (slanted ? over && across < 0.7 * letters : over) found.push(`${a.text.textContent} over ${b.text.textContent}`);
      }
    }
    return found;
  });
}

// What axe finds, in words; the page must be opened with bypassCSP.
export async function problems(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run());
  return found.violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 120)} ${v.nodes[0].failureSummary}`);
}
