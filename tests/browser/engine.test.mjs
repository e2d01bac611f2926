// A report as the engine makes it, from the bike model to the browser: node --test. Needs a built tree.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { drawn, launch, open, problems, states, visitAll } from "./browser.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const build = path.resolve(root, process.env.SIGHTGLASS_BUILD ?? "build/release");
const folder = mkdtempSync(path.join(tmpdir(), "sightglass-"));
const bike = path.join(root, "examples/bike");

describe("the report of the bike model", () => {
  let browser;
  let address;
  before(async () => {
    const file = path.join(folder, "report.html");
    const inputs = ["--model", `${bike}/model.json`, "--data", `${bike}/bike.csv`, "--units", `${bike}/units.json`, "--target", "rentals"];
    execFileSync(path.join(build, "sightglass"), ["report", ...inputs, "--sample", "500", "--quiet", "--out", file]);
    address = pathToFileURL(file).href;
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  test("is told in chapters, every chart drawn, without a word on the console", async (t) => {
    const start = performance.now();
    const { page, trouble } = await open(browser, address);
    t.diagnostic(`all charts on the page after ${((performance.now() - start) / 1000).toFixed(2)} s`);
    const titles = await page.evaluate(() => [...document.querySelectorAll("main > section.chapter > h2")].map((h2) => h2.textContent));
    assert.deepEqual(titles, ["What matters", "What each feature does", "What acts together", "Single rows"]);
    const findings = await page.locator(".findings > li").count();
    assert.ok(findings >= 3 && findings <= 7, `${findings} findings`);
    assert.deepEqual([...new Set(await states(page))], ["drawn"]);
    assert.match(await page.locator(".repeat code").innerText(), /^sightglass report .*--sample 500/);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("toggles, pairs and rows answer", async () => {
    const { page, trouble } = await open(browser, address);
    const feature = page.locator("#effects .feature", { has: page.locator("input[data-signal=show_ice]") }).first();
    const picture = () => feature.locator(".chart").first().evaluate((chart) => chart.querySelector("canvas")?.toDataURL() ?? chart.innerHTML);
    const before = await picture();
    await feature.locator("input[data-signal=show_ice]").check();
    await page.waitForTimeout(500);
    assert.notEqual(await picture(), before);

    // The square of the strongest pair leads to its section.
    const heat = page.locator("#interactions .overview .chart").first();
    await heat.scrollIntoViewIfNeeded();
    const box = await heat.boundingBox();
    // Wherever it is: the pointer says where a square leads on.
    for (let step = 0; step < 400 && !page.url().includes("#pair-"); ++step) {
      await page.mouse.move(box.x + box.width * (0.1 + 0.04 * (step % 20)), box.y + box.height * (0.1 + 0.04 * Math.floor(step / 20)));
      if (await heat.evaluate((chart) => chart.classList.contains("leads"))) {
        await page.mouse.down();
        await page.mouse.up();
      }
    }
    assert.match(page.url(), /#pair-[\w-]+$/);
    const shown = await page.evaluate(() => document.querySelector(location.hash).className);
    assert.match(shown, /pair/);

    await page.locator("#rows .rows tbody tr").last().locator("td").first().click();
    await page.waitForFunction(() => document.querySelector(location.hash)?.classList.contains("row"));
    await drawn(page);
    assert.deepEqual([...new Set(await states(page))], ["drawn"]);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  for (const [colorScheme, width] of [["light", 1280], ["dark", 375]]) {
    test(`every section and every switch, without a word on the console: ${colorScheme}, ${width} px`, async () => {
      const { page, trouble } = await open(browser, address, { colorScheme, viewport: { width, height: 900 } });
      await visitAll(page);
      for (const signal of await page.evaluate(() => [...new Set([...document.querySelectorAll("input[data-signal]")].map((input) => input.dataset.signal))])) {
        await page.locator(`input[data-signal=${signal}]`).first().click();
        await drawn(page);
      }
      await page.waitForTimeout(500);
      assert.deepEqual([...new Set(await states(page))], ["drawn"]);
      assert.deepEqual(trouble, []);
      await page.close();
    });

    test(`is accessible and fits: ${colorScheme}, ${width} px`, async () => {
      const { page } = await open(browser, address, { colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
      assert.deepEqual(await problems(page), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      await page.close();
    });
  }
});
