// Debian's Chromium, told to stay offline and to itself, and what the tests of pages share.
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

// Opens a page, waits for its charts, and keeps everything that should not have happened.
export async function open(browser, address, options = {}) {
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
  await drawn(page);
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

// Goes to every section, also to those that come only when asked for; `visit` is called at each. Returns how many charts
// were drawn.
export async function visitAll(page, visit = async () => {}) {
  const addresses = addressesOf(await payloadOf(page));
  let charts = 0;
  for (let i = 0; i < addresses.length; ++i) {
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

// What axe finds, in words; the page must be opened with bypassCSP.
export async function problems(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run());
  return found.violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 120)} ${v.nodes[0].failureSummary}`);
}
