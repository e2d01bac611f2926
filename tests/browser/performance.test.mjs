// The chapter on how good the model is, from the engine to the browser. node --test. Needs a built tree.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, open, overlaps, payloadOf, problems, visitAll } from "./browser.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const tool = path.join(path.resolve(root, process.env.SIGHTGLASS_BUILD ?? "build/release"), "sightglass");
const penguins = ["--data", path.join(root, "examples/penguins/penguins.csv")];
const bike = ["--data", path.join(root, "examples/bike/bike.csv"), "--model", path.join(root, "examples/bike/model.json")];
const skipped = "shap,ice,regional-effects,interactions,decomposition,surrogates,prototypes,partial-dependence,pd-importance";

const pages = {
  "two classes": {
    told: ["report", ...penguins, "--model", path.join(root, "examples/penguins/sex.json"), "--classes", "male,female", "--target", "sex"],
    titles: ["Confusion matrix", "ROC curve", "Precision and recall", "Calibration", "Cost by threshold", "Rates by threshold", "Where the model errs"],
  },
  "three classes": {
    told: ["report", ...penguins, "--model", path.join(root, "examples/penguins/species.json"), "--classes", "Adelie,Chinstrap,Gentoo", "--target", "species"],
    titles: ["Confusion matrix", "ROC curve", "Precision and recall", "Calibration", "Where the model errs"],
  },
  numbers: {
    told: ["report", ...bike, "--target", "rentals", "--sample", "2000"],
    titles: ["Truth against prediction", "Residuals by prediction", "Quantiles of residuals", "Where the model errs"],
  },
};

describe("the chapter on how good the model is", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "sightglass-"));
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  for (const [name, { told, titles }] of Object.entries(pages)) {
    test(`has the pictures that fit: ${name}`, async () => {
      const file = path.join(folder, `${name}.html`);
      execFileSync(tool, [...told, "--skip", skipped, "--budget", "0", "--quiet", "-o", file]);
      for (const [width, colorScheme] of [
        [1280, "light"],
        [375, "dark"],
      ]) {
        const { page, trouble } = await open(browser, pathToFileURL(file).href, { viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
        const { chapters, sections } = await payloadOf(page);
        const chapter = chapters.find((each) => each.id === "performance");
        assert.equal(chapter.title, "How good it is");
        const shown = chapter.sections.map((place) => sections[place].title);
        assert.deepEqual(titles.filter((title) => !shown.includes(title)), []);
        await visitAll(page);
        assert.deepEqual(await overlaps(page), []);
        assert.deepEqual(await problems(page), []);
        assert.deepEqual(trouble, []);
        await page.close();
      }
    });
  }
});
