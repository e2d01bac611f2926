// The HTML page in a real browser: node --test. Needs a built tree (SIGHTGLASS_BUILD, default build/release).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, open as openIn, payloadOf, problems, states, unfold, visitAll } from "./browser.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const build = path.resolve(root, process.env.SIGHTGLASS_BUILD ?? "build/release");
const results = path.join(root, "tests/golden/results");
// Results of shapes that came after the first ones.
const later = ["ale", "compare", "groups", "class_groups", "noise", "slopes", "importance", "ranking", "ranking_groups",
  "ranking_many", "interactions", "attributions", "attribution_rows"];
const folder = mkdtempSync(path.join(tmpdir(), "sightglass-"));
let browser;
const open = (address, options) => openIn(browser, address, options);

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

function makePage(...names) {
  const files = names.map((name) => path.join(results, `${name}.json`));
  const file = path.join(folder, `${names.join("-")}.html`);
  execFileSync(path.join(build, "sightglass"), ["render", ...files, "--out", file]);
  return pathToFileURL(file).href;
}

// A page with so many measures side by side, ratios among them.
function makeRanking(measures) {
  const result = JSON.parse(readFileSync(path.join(results, "ranking.json"), "utf8"));
  const [entry] = result.results;
  result.results = [];
  for (let i = 0; i < measures; ++i) {
    for (const [feature, importance] of [["income", 3], ["age", 0.5]]) {
      const measure = i === 0 ? "ratio of rmse" : `measure ${i}`;
      result.results.push({ ...entry, feature, features: [feature], measure, importance, se: null, sd: null, low: null, high: null });
    }
  }
  const file = path.join(folder, `ranking-${measures}`);
  writeFileSync(`${file}.json`, JSON.stringify(result));
  execFileSync(path.join(build, "sightglass"), ["render", `${file}.json`, "--out", `${file}.html`]);
  return pathToFileURL(`${file}.html`).href;
}

describe("a page of every kind of result", () => {
  let address;
  before(() => {
    address = makePage("numeric", "categorical", "ice", "surface", "multiclass", ...later);
  });

  test("draws every chart without a word on the console", async () => {
    const { page, trouble } = await open(address);
    const { sections } = await payloadOf(page);
    const charts = sections.reduce((sum, section) => sum + section.charts.length, 0);
    assert.ok(charts >= 30, `${charts}`);
    assert.equal(await visitAll(page), charts);
    assert.deepEqual([...new Set(await states(page))], ["drawn"]);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("scripts that are not ours do not run", async () => {
    const { page } = await open(address);
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.intruder = 1";
      const button = document.createElement("button");
      button.setAttribute("onclick", "window.intruder = 2");
      document.body.append(script, button);
      button.click();
      setTimeout("window.intruder = 3");
    });
    await page.waitForTimeout(100);
    assert.equal(await page.evaluate(() => window.intruder), undefined);
    await page.close();
  });

  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 375]) {
      test(`is accessible: ${colorScheme}, ${width} px`, async () => {
        const { page } = await open(address, { colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
        await unfold(page);
        // A few of the tables: they are alike, and large.
        await page.evaluate(() => [...document.querySelectorAll("details.data")].slice(0, 3).forEach((d) => (d.open = true)));
        await page.waitForSelector("details.data table");
        assert.deepEqual(await problems(page), []);
        await page.close();
      });
    }
  }

  test("in a cell of a notebook begins with its chart, cautions below", async () => {
    const file = path.join(folder, "framed.html");
    const inside = readFileSync(fileURLToPath(makePage("numeric")), "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    writeFileSync(file, `<!doctype html><iframe srcdoc="${inside}" style="width:900px;height:640px;border:0"></iframe>`);
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
    await page.goto(pathToFileURL(file).href);
    const frame = page.frameLocator("iframe");
    await frame.locator(".chart[data-state=drawn] svg").first().waitFor();
    const top = (place) => frame.locator(place).first().evaluate((part) => part.getBoundingClientRect().top);
    const chart = await top(".chart");
    assert.ok(chart < 400, `the chart begins at ${chart} px`);
    assert.ok((await top("#cautions")) > chart);
    await page.close();
  });

  test("does not scroll sideways on a phone", async () => {
    const { page } = await open(address, { viewport: { width: 375, height: 800 } });
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(widths[0] <= widths[1], `${widths[0]} > ${widths[1]}`);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll(".chart > * svg, .chart > * canvas, .chart svg, .chart canvas")]
        .filter((c) => c.getBoundingClientRect().width > c.closest(".chart").clientWidth + 1).length,
    );
    assert.equal(wide, 0);
    await page.close();
  });

  test("charts grow and shrink with the window", async () => {
    const { page } = await open(address);
    await unfold(page);
    const width = () => page.evaluate(() => document.querySelector(".chart svg").getBoundingClientRect().width);
    const before = await width();
    await page.setViewportSize({ width: 500, height: 900 });
    await page.waitForFunction((old) => document.querySelector(".chart svg").getBoundingClientRect().width < old, before);
    assert.ok((await width()) <= 500);
    await page.close();
  });

  test("the theme button changes page and charts and can be reached by keyboard", async () => {
    const { page, trouble } = await open(address, { colorScheme: "light" });
    const label = () =>
      page.evaluate(() => document.querySelector(".chart svg .role-axis-label text").getAttribute("fill"));
    const light = await label();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Dark");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await page.waitForFunction(
      (old) => document.querySelector(".chart svg .role-axis-label text")?.getAttribute("fill") !== old,
      light,
    );
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("a chart can be saved, and its data stand beside it", async () => {
    const { page, trouble } = await open(address);
    await unfold(page);
    for (const format of ["SVG", "PNG"]) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.locator(`[aria-label="Save chart as ${format}"]`).first().click(),
      ]);
      assert.match(download.suggestedFilename(), new RegExp(`\\.${format.toLowerCase()}$`));
      // Alone, it says what it shows.
      const title = await page.locator(".feature h2, .feature h3").first().innerText();
      if (format === "SVG") assert.ok(readFileSync(await download.path(), "utf8").includes(`>${title}<`), title);
    }
    const feature = page.locator(".feature.feature").first();
    const index = await feature.getAttribute("data-place");
    const { sections } = await payloadOf(page);
    await feature.locator("details.data summary").first().click();
    await page.waitForSelector("details.data tbody tr");
    const rows = await feature.locator("details.data").first().locator("tbody tr").count();
    assert.equal(rows, sections[index].charts[0].table.rows.length);
    assert.ok(rows > 0);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("a tooltip shows the numbers under the pointer", async () => {
    const { page, trouble } = await open(makePage("numeric"));
    const chart = page.locator(".chart svg").first();
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 100);
    await page.mouse.move(box.x + box.width / 2 + 2, box.y + 102);
    await page.waitForSelector("#vg-tooltip-element.visible");
    assert.match(await page.locator("#vg-tooltip-element").innerText(), /mean prediction/);
    assert.deepEqual(trouble, []);
    await page.close();
  });
});

describe("rankings", () => {
  test("stand side by side where there is room, else one above the other with their own labels", async () => {
    const { page, trouble } = await open(makePage("ranking"));
    const panels = () =>
      page.evaluate(() => [...document.querySelectorAll('.chart g[class*="concat_"][class*="_group"] > g > path.background')].map((panel) => {
        const box = panel.getBoundingClientRect();
        return [Math.round(box.left), Math.round(box.top)];
      }));
    const labels = () =>
      page.evaluate(() => [...document.querySelectorAll(".chart text")].filter((t) => t.textContent === "workingday").length);
    const wide = await panels();
    assert.equal(wide.length, 4);
    assert.equal(new Set(wide.map(([, top]) => top)).size, 1);
    assert.equal(await labels(), 1);
    await page.setViewportSize({ width: 375, height: 800 });
    await page.waitForFunction(
      () => [...document.querySelectorAll(".chart text")].filter((t) => t.textContent === "workingday").length === 4,
    );
    const narrow = await panels();
    assert.equal(new Set(narrow.map(([, top]) => top)).size, 4);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("more than four are in rows, each with its own labels", async () => {
    const { page, trouble } = await open(makeRanking(5));
    const panels = () =>
      page.evaluate(() => [...document.querySelectorAll('.chart g[class*="concat_"][class*="_group"] > g > path.background')].map((panel) => {
        const box = panel.getBoundingClientRect();
        return [Math.round(box.left), Math.round(box.top)];
      }));
    const labels = () =>
      page.evaluate(() => [...document.querySelectorAll(".chart text")].filter((t) => t.textContent === "income").length);
    const wide = await panels();
    assert.equal(wide.length, 5);
    assert.deepEqual([...new Set(wide.map(([, top]) => top))].length, 2);
    assert.equal(await labels(), 2);
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(await fits());
    await page.setViewportSize({ width: 375, height: 800 });
    await page.waitForFunction(
      () => [...document.querySelectorAll(".chart text")].filter((t) => t.textContent === "income").length === 5,
    );
    assert.equal(new Set((await panels()).map(([, top]) => top)).size, 5);
    assert.ok(await fits());
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("and key figures are read before the charts", async () => {
    const { page } = await open(makePage("interactions"));
    assert.equal(await page.locator("section.key dd.value").first().innerText(), "0.231 ± 0.0078");
    assert.equal(await page.locator("section.key dt").count(), 4);
    const [figures, chart] = await page.evaluate(() => ["section.key", ".feature"].map((s) => document.querySelector(s).getBoundingClientRect().top));
    assert.ok(figures < chart);
    await page.close();
  });
});

describe("at a glance", () => {
  test("lines run along their values and rows say which line they are about", async () => {
    const { page, trouble } = await open(makePage("numeric", "groups"));
    const payload = await payloadOf(page);
    const drawn = await page.evaluate(() => [...document.querySelectorAll(".glance tbody tr")].map((row) => ({
      title: row.querySelector("th a").textContent,
      line: row.querySelector("th .about")?.textContent ?? "",
      told: row.querySelector("polyline.told")?.getAttribute("points") ?? "",
      others: row.querySelectorAll("polyline.other").length,
    })));
    assert.equal(drawn.length, payload.glance.length);
    drawn.forEach((row, i) => {
      const glance = payload.glance[i];
      assert.equal(row.title, glance.title);
      assert.equal(row.line, glance.line);
      if (glance.categorical || glance.spark.length < 2) return;
      assert.equal(row.others, glance.others.length);
      const places = row.told.split(" ").map((point) => Number(point.split(",")[0]));
      assert.deepEqual(places, glance.spark.map(([x]) => Number((x * 120).toFixed(1))));
    });
    assert.ok(drawn.some((row) => row.line.includes("groups of rows · lightgbm")));
    assert.deepEqual(trouble, []);
    await page.close();
  });
});

describe("hostile names, levels and titles", () => {
  for (const name of ["hostile", "hostile_shapes"]) {
  test(`neither run nor break anything: ${name}`, async () => {
    const { page, trouble } = await open(makePage(name), { viewport: { width: 375, height: 800 } });
    // Move over the charts: tooltips hold names, too.
    const charts = await visitAll(page, async (section) => {
      for (const chart of await page.locator(`${section} .chart svg`).all()) {
        await chart.scrollIntoViewIfNeeded();
        const box = await chart.boundingBox();
        if (!box) continue;
        await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.4);
        await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
      }
    });
    assert.ok(charts >= 16, `${charts}`);
    assert.deepEqual([...new Set(await states(page))], ["drawn"]);
    await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.evaluate(() => document.querySelectorAll("img, main script, iframe").length), 0);
    assert.equal(await page.evaluate(() => Object.prototype.hasOwnProperty.call(Object.prototype, "x")), false);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(trouble, []);
    await page.close();
  });
  }
});
