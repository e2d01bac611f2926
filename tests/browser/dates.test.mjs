// The page of data with dates, from the engine to the browser: nobody reads 1,620,050,400. node --test. Needs a built tree.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, open, visitAll } from "./browser.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const tool = path.join(path.resolve(root, process.env.SIGHTGLASS_BUILD ?? "build/release"), "sightglass");

// Houses that were sold over four years: ever dearer, and dearest in spring.
function houses(file) {
  const lines = ["sold_on,seen,area,town,price"];
  for (let i = 0; i < 500; ++i) {
    const sold = new Date(Date.UTC(2018, 0, 1) + ((i * 7919) % 1461) * 86400000);
    const seen = new Date(Date.UTC(2018, 0, 1, (i * 13) % 24, 15 * (i % 4)) + ((i * 3571) % 1461) * 86400000);
    const area = 40 + ((i * 104729) % 1600) / 10, town = ["Ely", "Bath", "York"][i % 3];
    const price = 100 + 2 * area + 60 * (sold.getUTCFullYear() - 2018) + 30 * Math.sin(sold.getUTCMonth()) + 20 * Math.cos(seen.getUTCMonth());
    lines.push([sold.toISOString().slice(0, 10), seen.toISOString().slice(0, 16).replace("T", " "), area, town, price.toFixed(1)].join());
  }
  writeFileSync(file, `${lines.join("\n")}\n`);
}

// All that can be read: text, the words of charts, and what is told of them to those who do not see.
const wordsOf = (page, place) =>
  page.evaluate((selector) => {
    const part = document.querySelector(selector);
    const labels = [...part.querySelectorAll("[aria-label]")].map((each) => each.getAttribute("aria-label"));
    const texts = [...part.querySelectorAll("*")].flatMap((each) => [...each.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data));
    return [...texts, ...labels];
  }, place);

const large = (text) => (text.match(/(?<![\w.#])\d[\d,]*(?:\.\d+)?(?:e\+?\d+)?/gi) ?? []).filter((number) => Number(number.replaceAll(",", "")) >= 1e8);

describe("the page of data with dates", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "sightglass-"));
  let browser;
  let address;
  before(async () => {
    const [data, model, file] = ["houses.csv", "model.json", "report.html"].map((name) => path.join(folder, name));
    houses(data);
    execFileSync(tool, ["fit", "tree", "--data", data, "--target", "price", "--max-depth", "5", "--quiet", "-o", model]);
    execFileSync(tool, ["report", "--model", model, "--data", data, "--target", "price", "--budget", "0", "--quiet", "-o", file]);
    address = pathToFileURL(file).href;
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  for (const width of [1280, 375]) {
    test(`shows no number from 100,000,000 on, but dates: ${width} px`, async () => {
      const { page, trouble } = await open(browser, address, { viewport: { width, height: 900 } });
      const found = [];
      let dates = 0;
      const read = async (place) => {
        for (const text of await wordsOf(page, place)) {
          if (large(text).length > 0) found.push(`${place}: ${text.slice(0, 200)}`);
          dates += /\b20(1[89]|2[0-2])-\d\d-\d\d\b/.test(text) ? 1 : 0;
        }
      };
      await read("main");
      await visitAll(page, read);
      assert.deepEqual(found, []);
      assert.ok(dates > 20, `${dates} dates`);
      assert.deepEqual(trouble, []);
      await page.close();
    });
  }
});
