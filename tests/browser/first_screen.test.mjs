// The first screen, the length and the words of reports of real models, measured: node --test. Needs a built tree.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { drawn, launch, measureFirstScreen, open, overlaps, problems, states, unfold } from "./browser.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const sightglass = path.join(path.resolve(root, process.env.SIGHTGLASS_BUILD ?? "build/release"), "sightglass");
const folder = mkdtempSync(path.join(tmpdir(), "sightglass-"));
const examples = (name) => path.join(root, "examples", name);

function reportOf(name, inputs) {
  const file = path.join(folder, `${name}.html`);
  execFileSync(sightglass, ["report", ...inputs, "--sample", "300", "--budget", "60s", "--quiet", "--out", file]);
  return pathToFileURL(file).href;
}

// A tree that was learned from a table, with the names and the number of features that are wanted.
function reportOfTree(name, names, levels) {
  const data = path.join(folder, `${name}.csv`), model = path.join(folder, `${name}.json`);
  const number = (i, k) => Math.round(1000 * Math.sin((i + 1) * (k + 1) * 12.9898)) / 100;
  const lines = [[...names, "level_of_the_customers_place_of_residence_at_application_time", "outcome"].join(",")];
  for (let i = 0; i < 900; ++i) {
    const values = names.map((_, k) => number(i, k));
    const level = (i * 7) % levels.length;
    lines.push([...values, levels[level], values[0] + values[1] * (level - 1) + Math.abs(values[2])].join(","));
  }
  writeFileSync(data, `${lines.join("\n")}\n`);
  execFileSync(sightglass, ["fit", "tree", "--data", data, "--target", "outcome", "--max-depth", "5", "-o", model, "--quiet"], { stdio: "ignore" });
  return reportOf(name, ["--model", model, "--data", data, "--target", "outcome"]);
}

const longNames = [
  "average_monthly_household_income_before_tax_in_thousand_usd_2", "numberOfOpenCreditLinesReportedByTheBureauInTheLastTwelveMonths",
  "customer.profile.contact.telephone.prefix.of.the.home.region", "share_of_utilised_credit_limit_over_all_revolving_accounts",
  "daysSinceTheMostRecentDelinquencyOnAnyTradeLineOfTheApplicant",
];
const longLevels = ["north_of_the_river_and_its_tributaries", "south_of_the_river_and_its_tributaries", "inner_city_and_central_business_district"];

const bike = (file) => path.join(examples("bike"), file), penguins = (file) => path.join(examples("penguins"), file);
const makers = {
  "a regression": () => reportOf("bike", ["--model", bike("model.json"), "--data", bike("bike.csv"), "--units", bike("units.json"), "--target", "rentals"]),
  "two classes": () => reportOf("sex", ["--model", penguins("sex.json"), "--data", penguins("penguins.csv"), "--target", "sex", "--classes", "male,female"]),
  "three classes": () => reportOf("species", ["--model", penguins("species.json"), "--data", penguins("penguins.csv"), "--target", "species", "--classes", "Adelie,Chinstrap,Gentoo"]),
  "400 features": () => reportOfTree("many", Array.from({ length: 399 }, (_, i) => `measurement_${i}`), ["a", "b", "c"]),
  "long names": () => reportOfTree("long", longNames, longLevels),
};

// Everything that somebody sees who opens nothing.
const seen = (page) => page.evaluate(() => document.getElementById("content").innerText);

for (const [what, make] of Object.entries(makers)) {
  describe(`the report of ${what}`, () => {
    let browser;
    let address;
    before(async () => {
      address = make();
      browser = await launch();
    });
    after(async () => {
      await browser.close();
      rmSync(path.join(folder, path.basename(fileURLToPath(address))), { force: true });
    });

    for (const [colorScheme, width, most] of [["light", 1280, 900], ["dark", 375, 1600]]) {
      test(`begins with one screen, is short and plain: ${colorScheme}, ${width} px`, async () => {
        const { page, trouble } = await open(browser, address, { colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
        await measureFirstScreen(page, most);
        const words = await seen(page);
        assert.doesNotMatch(words, /heterogen/i);
        const cautions = await page.locator(".cautions").allInnerTexts();
        assert.doesNotMatch(cautions.join(" "), /(^|\s)--[a-z]/);
        assert.ok((await page.locator(".cautions .caveats > li").count()) <= 3);
        assert.deepEqual(await problems(page), []);
        await unfold(page);
        await drawn(page);
        assert.deepEqual([...new Set(await states(page))], ["drawn"]);
        assert.doesNotMatch((await page.locator(".caveat").allInnerTexts()).join(" "), /(^|\s)--[a-z]/);
        assert.deepEqual(await overlaps(page), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        const cut = await page.evaluate(() => [...document.querySelectorAll(".matters li, .acts li, .scores > div, .fold > summary")]
          .filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent.slice(0, 80)));
        assert.deepEqual(cut, []);
        assert.deepEqual(trouble, []);
        await page.close();
      });
    }
  });
}

after(() => rmSync(folder, { recursive: true }));
