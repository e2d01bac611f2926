// A report as the engine makes it, from the bike model to the browser: node --test. Needs a built tree.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { drawn, drawnAll, launch, open, problems, states, unfold, until, visitAll } from "./browser.mjs";

const attack = "<script>window.attacked = 1</script>";
const image = '"><img src=x onerror="window.attacked = 1">';
const expression = "'];window.attacked=1;//`${window.attacked = 1}\\";
const hostile = {
  numbers: [attack, image, expression, "\u202Elive\u202C שלום", "🚲\u0007{{x}}", "y".repeat(5000), "__proto__"],
  levels: [attack, image, expression, "constructor", "🚲".repeat(400), ""],
  classes: [attack, '"><img src=x onerror=window.attacked=1>', "\u202Esseccus"],
};

// A table whose names all mean harm, and a program that predicts from it.
function hostileInputs(folder) {
  const names = [...hostile.numbers, "level " + image, "truth " + attack];
  const quoted = (value) => `"${String(value).replaceAll('"', '""')}"`;
  const lines = [names.map(quoted).join(",")];
  for (let i = 0; i < 150; ++i) {
    const numbers = hostile.numbers.map((_, k) => ((i * (k + 3) * 7919) % 101) / 10);
    lines.push([...numbers, hostile.levels[i % 6], hostile.classes[(i * 5) % 3]].map(quoted).join(","));
  }
  const [data, model] = [path.join(folder, "hostile.csv"), path.join(folder, "model.mjs")];
  writeFileSync(data, `${lines.join("\n")}\n`);
  writeFileSync(model, `import { createInterface } from "node:readline";
const classes = ${JSON.stringify(hostile.classes)};
for await (const line of createInterface({ input: process.stdin })) {
  const { columns, rows } = JSON.parse(line);
  const [a, b, c, , , , , level] = Object.values(columns);
  const predictions = Array.from({ length: rows }, (_, i) => {
    const scores = [Math.exp(a[i] * b[i] / 40), Math.exp(c[i] / 4), Math.exp((level[i] ?? "").length % 3)];
    const sum = scores[0] + scores[1] + scores[2];
    return scores.map((score) => score / sum);
  });
  console.log(JSON.stringify({ predictions, outputs: classes }));
}
`);
  return { data, model, target: names.at(-1) };
}

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
    assert.deepEqual(titles, ["How good it is", "What matters", "What each feature does", "What acts together", "Single rows", "A simpler model", "Rows that stand for others"]);
    // Some of them beside the first pictures.
    const findings = await page.locator(".headline, .acts li, .findings > li").count();
    assert.ok(findings >= 3 && findings <= 9, `${findings} findings`);
    assert.deepEqual([...new Set(await states(page))], ["drawn"]);
    assert.match(await page.locator(".repeat code").innerText(), /^sightglass report .*--sample 500/);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("toggles, pairs and rows answer", async () => {
    const { page, trouble } = await open(browser, address);
    await unfold(page);
    const feature = page.locator("#effects .feature", { has: page.locator("input[data-signal=show_ice]") }).first();
    const picture = () => feature.locator(".chart").first().evaluate((chart) => chart.querySelector("canvas")?.toDataURL() ?? chart.innerHTML);
    const before = await picture();
    await feature.locator("input[data-signal=show_ice]").check();
    await until(async () => (await picture()) !== before);
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
    // What each feature adds, what if, the rule, the neighbours; the bike model predicts numbers, of which none is wanted.
    const told = await page.evaluate(() => document.querySelector(location.hash).textContent);
    for (const part of [/Shapley values/, /What if/, /Anchor of row \d+/, /Rows most like row \d+/]) assert.match(told, part);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  for (const [colorScheme, width] of [["light", 1280], ["dark", 375]]) {
    test(`every section and every switch, without a word on the console: ${colorScheme}, ${width} px`, async () => {
      const { page, trouble } = await open(browser, address, { colorScheme, viewport: { width, height: 900 } });
      await visitAll(page);
      await unfold(page);
      for (const signal of await page.evaluate(() => [...new Set([...document.querySelectorAll("input[data-signal]")].map((input) => input.dataset.signal))])) {
        await page.locator(`input[data-signal=${signal}]`).first().click();
        await drawn(page);
      }
      await page.waitForTimeout(500);
      await until(async () => (await states(page)).every((state) => state === "drawn"));
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

describe("a report whose every name means harm", () => {
  let browser;
  let address;
  const here = mkdtempSync(path.join(tmpdir(), "sightglass-"));
  before(async () => {
    const { data, model, target } = hostileInputs(here);
    const file = path.join(here, "report.html");
    const inputs = ["--model", `exec:${process.execPath} ${model}`, "--data", data, "--target", target, "--classes", hostile.classes.join(",")];
    execFileSync(path.join(build, "sightglass"), ["report", ...inputs, "--predictions", "20000", "--budget", "0", "--title", attack, "--quiet", "--out", file]);
    address = pathToFileURL(file).href;
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    rmSync(here, { recursive: true });
  });

  for (const [colorScheme, width] of [["light", 1280], ["dark", 375]]) {
    test(`shows all of it and runs none: ${colorScheme}, ${width} px`, async () => {
      const { page, trouble } = await open(browser, address, { colorScheme, viewport: { width, height: 900 } });
      await visitAll(page);
      const list = page.locator("nav select[data-signal=output]");
      for (const place of [1, 2]) {
        await list.selectOption(String(place));
        await drawnAll(page);
      }
      await unfold(page);
      for (const signal of await page.evaluate(() => [...new Set([...document.querySelectorAll("input[data-signal]")].map((input) => input.dataset.signal))])) {
        await page.locator(`input[data-signal=${signal}]`).first().click();
        await drawnAll(page);
      }
      await page.waitForTimeout(500);
      await until(async () => (await states(page)).every((state) => state === "drawn"));
      assert.deepEqual([...new Set(await states(page))], ["drawn"]);
      assert.equal(await page.evaluate(() => window.attacked), undefined);
      assert.equal(await page.evaluate(() => document.querySelectorAll("img, main script, iframe").length), 0);
      assert.equal(await page.locator("h1").innerText(), attack);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      assert.deepEqual(trouble, []);
      await page.close();
    });
  }
});
