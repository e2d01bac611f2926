// Pages of models with thousands of levels or hundreds of features can be drawn and read. The models were made by
// many/make.py, from the rows made here. Needs a built tree.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, open, payloadOf, states, visitAll } from "./browser.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");
const build = path.resolve(root, process.env.SIGHTGLASS_BUILD ?? "build/release");
const folder = mkdtempSync(path.join(tmpdir(), "sightglass-many-"));
const longest = 4000; // pixels, of any picture: Chromium draws no canvas of 80,000

const part = (i, step) => (i * step) % 1;
const padded = (number, digits) => String(number).padStart(digits, "0");

function rowsWithLevels(count) {
  const lines = ["city,shop,bedrooms,area,price"];
  for (let i = 0; i < count; ++i) {
    const city = Math.floor(2000 * part(i, 0.6180339887498949) ** 1.7);
    const shop = Math.floor(300 * part(i, 0.7548776662466927));
    const bedrooms = 1 + Math.floor(6 * part(i, 0.5698402909980532));
    const area = Math.round(10 * (20 + 180 * part(i, 0.4142135623730951))) / 10;
    const price = 8 * Math.sin(city) + (2 * Math.sin(3 * shop) * bedrooms) / 3 + 2 * bedrooms + area / 20;
    lines.push(`city ${padded(city, 4)},shop ${padded(shop, 3)},${i % 20 === 7 ? "" : bedrooms},${area},${price.toFixed(3)}`);
  }
  return lines.join("\n") + "\n";
}

function wideRows(count) {
  const lines = [[...Array.from({ length: 400 }, (_, k) => `measurement_${k}`), "value"].join(",")];
  for (let i = 1; i <= count; ++i) {
    const row = Array.from({ length: 400 }, (_, k) => Math.round(1e4 * part(i, 0.6180339887498949 * (k + 1))) / 1e4);
    const value = row.slice(0, 60).reduce((sum, one) => sum + one, 0) + 4 * row[0] * row[1];
    lines.push([...row, value.toFixed(3)].join(","));
  }
  return lines.join("\n") + "\n";
}

// The levels of a feature as a chart has them along its axis.
function order(spec, feature) {
  const domains = [...JSON.stringify(spec).matchAll(/"domain":(\["(?:city|shop) [^\]]*\])/g)].map(([, list]) => JSON.parse(list));
  return domains.find((list) => list[0].startsWith(feature));
}

// A page draws some dozen charts in advance, the others when they come near.
const firstDrawn = (page) => page.waitForSelector(".chart[data-state=drawn]");

// Sections opened, their charts drawn; the longest side of any picture.
async function longestSide(page, every = 1) {
  let longest = 0;
  const measure = async () => {
    const sides = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll("svg, canvas")].map((one) => one.getBoundingClientRect());
      return boxes.map(({ width, height }) => Math.max(width, height));
    });
    longest = Math.max(longest, ...sides);
  };
  await visitAll(page, measure, every);
  await measure();
  return longest;
}

describe("many levels and many features", () => {
  let browser;
  const data = { levels: path.join(folder, "levels.csv"), wide: path.join(folder, "wide.csv") };
  const targets = { levels: "price", wide: "value" };
  const made = (which, command, ...options) => {
    const file = path.join(folder, `${which}-${command}-${options.join("").replace(/[^\w]/g, "")}.html`);
    const inputs = ["--model", path.join(here, "many", `${which}.txt`), "--data", data[which], "--target", targets[which]];
    execFileSync(path.join(build, "sightglass"), [command, ...inputs, ...options, "--quiet", "--out", file]);
    return pathToFileURL(file).href;
  };
  before(async () => {
    writeFileSync(data.levels, rowsWithLevels(12000));
    writeFileSync(data.wide, wideRows(1500));
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  for (const command of [
    ["pdp", "--features", "city"],
    ["ale", "--features", "city"],
    ["m-plot", "--features", "city"],
    ["ice", "--features", "city", "--rows", "0,1,2,3,4,5,6,7"],
    ["what-if", "--rows", "3"],
    ["shap", "--sample", "300"],
    ["pdp", "--pairs", "city:shop", "--sample", "300"],
    ["ale", "--pairs", "city:shop", "--sample", "3000"],
    ["ale", "--pairs", "city:area"],
  ]) {
    test(`${command.join(" ")} of 2,000 levels makes pictures that can be drawn`, async () => {
      const { page, trouble } = await open(browser, made("levels", ...command));
      assert.ok((await longestSide(page)) <= longest);
      assert.ok((await states(page)).every((state) => state === "drawn"));
      assert.deepEqual(trouble, []);
      await page.close();
    });
  }

  test("a report of 2,000 levels can be drawn, and any level is found", async () => {
    const { page, trouble } = await open(browser, made("levels", "report", "--sample", "1000"), {}, firstDrawn);
    assert.ok((await longestSide(page, 3)) <= longest);
    assert.deepEqual(trouble, []);
    const payload = await payloadOf(page);
    const section = payload.sections.find((one) => one.kind === "feature" && one.title === "city");
    const { table, spec } = section.charts[0];
    // What the picture has, and what the table has.
    const drawn = order(spec, "city");
    assert.equal(drawn.length, 31);
    assert.match(drawn.at(-1), /^others \([\d,]+ levels\)$/);
    const named = table.rows.map((row) => row[table.find]);
    const hidden = named.find((name) => /^city/.test(name) && !drawn.includes(name));
    await page.evaluate(() => { location.hash = "#feature-city"; });
    const figure = page.locator("#feature-city figure").first();
    await figure.locator(".levels input").fill(hidden);
    const found = figure.locator(".levels table tbody tr");
    assert.ok((await found.count()) >= 1);
    assert.match(await found.first().innerText(), new RegExp(hidden));
    assert.match(await figure.locator(".levels .count").innerText(), /^1 of [\d,]+ levels$/);
    // The table shows its first rows, and all when asked.
    await figure.locator("details.data summary").click();
    assert.equal(await figure.locator("details.data tbody tr").count(), 100);
    await figure.locator("details.data input").fill(hidden);
    assert.ok((await figure.locator("details.data tbody tr").count()) < 10);
    await page.close();
  });

  test("the first screen counts all levels, and a pair of too many of them is left out alone", async () => {
    const { page } = await open(browser, made("levels", "report", "--sample", "1000"), {}, firstDrawn);
    const payload = await payloadOf(page);
    for (const { all_levels, title } of payload.glance.filter((one) => one.categorical)) {
      const place = page.locator(".acts li").filter({ has: page.locator(`h3 a:text-is("${title}")`) });
      assert.ok(all_levels > 200, `${all_levels} levels of ${title}`);
      assert.equal(await place.locator(".levels .muted").innerText(), `${all_levels - 6} more`);
    }
    assert.ok(payload.left_out.every((why) => !why.startsWith("pairs by")), payload.left_out.join("\n"));
    assert.ok(payload.sections.some(({ kind }) => kind === "pair"));
    await page.close();
  });

  test("maps beside one another, and the chart of the feature, have the same levels in the same order", async () => {
    const { page } = await open(browser, made("levels", "report", "--sample", "1000"), {}, firstDrawn);
    const { sections } = await payloadOf(page);
    const pair = sections.find((one) => one.kind === "pair" && /city/.test(one.title) && one.charts.length > 1);
    assert.ok(pair, "the report has maps of a pair with the city");
    const maps = pair.charts.map(({ spec }) => order(spec, "city")).filter(Boolean);
    assert.ok(maps.length > 1);
    for (const map of maps) assert.deepEqual(map, maps[0]);
    const known = maps[0].filter((name) => name.startsWith("city"));
    const effect = order(sections.find((one) => one.title === "city").charts[0].spec, "city");
    assert.deepEqual(effect.filter((name) => known.includes(name)), known);
    await page.close();
  });

  test("a report of 400 features can be drawn", async () => {
    const { page, trouble } = await open(browser, made("wide", "report", "--sample", "500"), {}, firstDrawn);
    assert.ok((await longestSide(page, 15)) <= longest);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("features that count have ticks where there are numbers", async () => {
    const address = made("levels", "pdp", "--features", "bedrooms", "--grid-rule", "uniform", "--grid", "12");
    const { page } = await open(browser, address);
    const { sections } = await payloadOf(page);
    const axes = [];
    const visit = (part) => {
      if (Array.isArray(part)) part.forEach(visit);
      else if (part !== null && typeof part === "object") {
        if (part.x?.axis) axes.push(part.x.axis);
        Object.entries(part).forEach(([key, value]) => key !== "data" && visit(value));
      }
    };
    visit(sections[0].charts[0].spec);
    assert.ok(axes.length > 0);
    for (const axis of axes) {
      assert.equal(axis.tickMinStep, 1);
      for (const value of axis.values ?? []) assert.equal(value, Math.round(value));
    }
    await page.close();
  });
});
