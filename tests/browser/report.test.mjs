// The page of a whole report in a real browser, from payloads that need no engine: node --test. Needs the built page.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { addressesOf, drawn, heightOf, launch, measureFirstScreen, open as openIn, problems, states, unfold, until } from "./browser.mjs";
import { reportPayload, writePage } from "./report.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "sightglass-"));
let browser;
const open = (address, options) => openIn(browser, address, options);
const make = (name, options) => writePage(reportPayload(options), path.join(folder, `${name}.html`));

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

// What a chart's lines look like: which are drawn, and where.
const linesOf = (page, section) =>
  page.evaluate((id) => [...document.querySelectorAll(`[data-place="${id}"] .chart .mark-line path`)].map((line) => line.getAttribute("d")).filter(Boolean), section);
const titles = (page, selector) => page.evaluate((s) => [...document.querySelectorAll(s)].map((e) => e.textContent), selector);
const isOnPage = (page, section) => page.locator(`[data-place="${section}"]`).count().then((count) => count === 1);
const isInView = (page, section) =>
  page.evaluate((id) => {
    const { top } = document.querySelector(`[data-place="${id}"]`).getBoundingClientRect();
    return top >= -1 && top < innerHeight;
  }, section);

describe("a report", () => {
  let address;
  before(() => {
    address = make("report", {});
  });

  test("is read from the findings to how it was made, without a word on the console", async () => {
    const { page, trouble } = await open(address);
    assert.deepEqual(await titles(page, "main > section > h2"), [
      "What to know first", "Before you trust this", "What matters", "What each feature does", "What acts together", "Single rows", "How this was made",
    ]);
    assert.deepEqual(await titles(page, "nav li"), await titles(page, "main > section > h2"));
    assert.equal(await page.locator(".findings > li").count(), 3);
    assert.deepEqual(await titles(page, ".cautions > .caveats > li .severity"), ["warning", "caution"]);
    // Four features, two overviews, some of them folded; the others when asked for.
    assert.deepEqual(await states(page), Array(6).fill("drawn"));
    assert.match(await page.locator(".causality").innerText(), /^These explanations describe the model, not the world: /);
    assert.deepEqual(await titles(page, ".left-out li"), ["M-plots of 3 features that hardly matter", "pairs beyond the first 15"]);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("rankings sort by their heads", async () => {
    const { page, trouble } = await open(address);
    const table = page.locator("#importance .ranking table");
    const names = () => titles(page, "#importance tbody th");
    const head = (name) => table.locator("thead th", { hasText: name });
    const given = await names();
    await head("PD spread").getByRole("button").click();
    assert.equal(await head("PD spread").getAttribute("aria-sort"), "descending");
    assert.equal((await names())[0], "temp");
    await head("PD spread").getByRole("button").press("Enter");
    assert.equal(await head("PD spread").getAttribute("aria-sort"), "ascending");
    assert.equal((await names()).at(-1), "temp");
    await head("Feature").getByRole("button").click();
    assert.deepEqual(await names(), [...given].sort());
    assert.equal(await table.locator("th[aria-sort]").count(), 1);
    // Bars and whiskers are drawn.
    assert.equal(await table.locator("tbody tr").first().locator("rect").count(), 4);
    assert.equal(await table.locator(".whisker").count(), 11);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("toggles change the chart, all charts, and charts that come later", async () => {
    const { page, trouble } = await open(address);
    await unfold(page);
    assert.equal((await linesOf(page, 0)).length, 2);
    const box = (section, name) => page.locator(`[data-place="${section}"]`).getByRole("checkbox", { name });
    await box(0, "PDP").uncheck();
    await page.waitForFunction(() => document.querySelectorAll('[data-place="0"] .mark-line path').length === 1);
    await page.waitForFunction(() => document.querySelectorAll('[data-place="3"] .mark-line path').length === 1);
    assert.equal(await box(3, "PDP").isChecked(), false);
    await box(2, "Single rows").check();
    await page.waitForFunction(() => document.querySelectorAll('[data-place="0"] .mark-line path').length === 13);
    await page.locator("#effects .found a", { hasText: "windspeed" }).click();
    await until(async () => (await linesOf(page, 8)).length === 13);
    assert.equal((await linesOf(page, 8)).length, 13);
    assert.equal(await box(8, "PDP").isChecked(), false);
    // Another theme draws anew, with what was chosen.
    const light = await linesOf(page, 0);
    assert.equal(light.length, 13);
    await page.locator('[data-place="0"] .chart svg').first().evaluate((drawing) => drawing.classList.add("light"));
    await page.getByRole("button", { name: "Use dark colours" }).click();
    await until(async () => (await page.locator(".chart svg.light").count()) === 0 && (await linesOf(page, 0)).length > 0);
    assert.equal(await page.locator(".chart svg.light").count(), 0);
    assert.equal((await linesOf(page, 0)).length, 13);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("the list of features is searched; Enter and clicks show what is found", async () => {
    const { page, trouble } = await open(address);
    const field = page.getByRole("searchbox", { name: "Find a feature" });
    await field.fill("WEEK");
    assert.deepEqual(await titles(page, "#effects .found tbody th"), ["weekday"]);
    assert.equal(await page.locator("#effects .count").innerText(), "1 of 11 features");
    await field.press("Enter");
    await page.waitForSelector('[data-place="9"]');
    assert.equal(new URL(page.url()).hash, "#feature-weekday");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "weekday");
    assert.equal(await page.locator("#effects .found a").getAttribute("aria-current"), "true");
    await field.fill("no such feature");
    assert.equal(await page.locator("#effects .found a").count(), 0);
    assert.equal(await page.locator("#effects .count").innerText(), "None of 11 features");
    await field.press("Enter");
    await field.fill("");
    await page.locator("#effects .found a", { hasText: "holiday" }).click();
    await page.waitForSelector('[data-place="10"]');
    assert.equal(await isOnPage(page, 9), false);
    await drawn(page);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("a click on a pair shows it; the list does the same from the keyboard; back and forward go with it", async () => {
    const { page, trouble } = await open(address);
    const heat = page.locator("#interactions .overview .chart .mark-rect path").first();
    await heat.scrollIntoViewIfNeeded();
    await heat.click();
    await page.waitForSelector("#interactions .stage .feature");
    const first = new URL(page.url()).hash;
    assert.match(first, /^#pair-[a-z]+-[a-z]+$/);
    assert.equal(await page.locator("#interactions .stage .chart").count(), 2);
    const link = page.locator("#interactions .names a", { hasText: "temp × month" });
    await link.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("#interactions .stage h3").textContent === "temp × month");
    assert.equal(await link.getAttribute("aria-current"), "true");
    await page.goBack();
    await page.waitForSelector(`#interactions .stage ${first}`);
    await page.goForward();
    await page.waitForFunction(() => document.querySelector("#interactions .stage h3").textContent === "temp × month");
    await drawn(page);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("a click on a row shows its attributions and what-if curves", async () => {
    const { page, trouble } = await open(address);
    const row = page.locator("#rows .rows tbody tr").nth(1);
    await row.locator("td").nth(3).click();
    await page.waitForSelector("#rows .stage .feature.row");
    assert.equal(await page.locator("#rows .stage h3").first().innerText(), "Row 7");
    assert.equal(await row.getAttribute("class"), "shown");
    assert.equal(await page.locator("#rows .stage figure").count(), 5);
    const other = page.locator("#rows .rows tbody a").nth(3);
    await other.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("#rows .stage h3").textContent === "Row 8123");
    assert.equal(await page.locator("#rows .stage .feature").count(), 1);
    await drawn(page);
    assert.deepEqual([...new Set(await states(page))], ["drawn"]);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("sections can be kept and closed", async () => {
    const { page, trouble } = await open(address);
    await page.locator("#effects .found a", { hasText: "weather" }).click();
    await page.locator('[data-place="7"]').getByRole("button", { name: "Keep on the page" }).click();
    await page.locator("#effects .found a", { hasText: "weekday" }).click();
    await page.waitForSelector('[data-place="9"]');
    assert.ok(await isOnPage(page, 7));
    await page.locator('[data-place="9"]').getByRole("button", { name: "Close" }).click();
    assert.equal(await isOnPage(page, 9), false);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "weekday");
    // The address still says so: the same link works again.
    await page.keyboard.press("Enter");
    await page.waitForSelector('[data-place="9"]');
    await page.locator('[data-place="7"]').getByRole("button", { name: "Close" }).click();
    assert.equal(await isOnPage(page, 7), false);
    await drawn(page);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("links open what is not on the page yet, from the address too", async () => {
    const { page, trouble } = await open(`${address}#feature-windspeed`);
    assert.ok(await isOnPage(page, 8));
    assert.ok(await isInView(page, 8));
    await page.locator(".findings a", { hasText: "holiday" }).click();
    await page.waitForSelector('[data-place="10"]');
    assert.ok(await isInView(page, 10));
    await page.locator(".cautions .where a").click();
    await page.locator(".all-cautions summary", { hasText: "more of this kind" }).click();
    await page.locator(".all-cautions .where a", { hasText: "month" }).click();
    await page.waitForSelector('[data-place="5"]');
    assert.ok(await isInView(page, 5));
    await page.goBack();
    await page.goBack();
    await page.waitForSelector('[data-place="10"]');
    await page.locator("nav a", { hasText: "What acts together" }).click();
    await page.waitForFunction(() => document.querySelector("nav a[aria-current]")?.textContent === "What acts together");
    // Places that are not there do no harm.
    await page.evaluate(() => { location.hash = "#feature-nowhere"; location.hash = "#%E0%A4%A"; });
    await page.evaluate(() => { location.hash = "#<img src=x>"; });
    await drawn(page);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("links work in a notebook, where the page has no address", async () => {
    const inside = readFileSync(fileURLToPath(address), "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    const file = path.join(folder, "notebook.html");
    writeFileSync(file, `<!doctype html><meta charset="utf-8"><iframe srcdoc="${inside}" style="width:100%;height:800px"></iframe>`);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(pathToFileURL(file).href);
    const frame = page.frameLocator("iframe");
    await frame.locator(".findings a", { hasText: "holiday" }).click();
    await frame.locator('[data-place="10"] .chart[data-state=drawn]').waitFor();
    await frame.locator("nav a", { hasText: "Single rows" }).click();
    await frame.locator("nav a[aria-current]", { hasText: "Single rows" }).waitFor();
    assert.equal(await frame.locator('[data-place="10"]').count(), 1);
    await page.close();
  });

  test("the command is copied", async () => {
    const { page, trouble } = await open(address);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator(".repeat button").click();
    await page.waitForFunction(() => document.querySelector(".copy [role=status]").textContent !== "");
    assert.match(await page.locator(".copy [role=status]").innerText(), /^(Copied|Marked)/);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("on paper: chapters and open sections, no furniture, more than one page", async () => {
    const { page, trouble } = await open(`${address}#feature-windspeed`, { colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    for (const hidden of ["nav", ".controls", ".tools", ".search", ".bar-tools", ".stage-tools", ".copy", "details.data"]) {
      assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
    }
    for (const shown of ["#findings", "#importance table", '[data-place="0"] .chart svg', '[data-place="8"] .chart svg', "#rows table", ".causality", "pre"]) {
      assert.equal(await page.locator(shown).first().isVisible(), true, shown);
    }
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    const paper = (await page.pdf({ format: "A4" })).toString("latin1");
    const pages = paper.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(pages > 1, `${pages} pages`);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("the head says how well the model predicts; all figures come last", async () => {
    const { page } = await open(address);
    assert.match(await page.locator(".headline").innerText(), /^The model explains 93 %/);
    assert.deepEqual(await page.locator(".scores dd").allInnerTexts(), ["93 %", "21 bikes/hour", "35 bikes/hour"]);
    await page.locator(".making > .key > summary").click();
    assert.ok((await page.locator(".making .key th[scope=row], .making .key dt").allInnerTexts()).some((name) => name.startsWith("H²")));
    await page.close();
  });

  for (const [width, most] of [[1280, 900], [375, 1600]]) {
    test(`begins with one screen, and is short: ${width} px`, async () => {
      const { page, trouble } = await open(address, { viewport: { width, height: 900 } });
      await measureFirstScreen(page, most);
      assert.deepEqual(trouble, []);
      await page.close();
    });
  }

  test("what is folded opens by itself, by a link, and for good", async () => {
    const { page, trouble } = await open(address);
    const fold = page.locator('details[data-place="2"]');
    assert.equal(await fold.evaluate((element) => element.open), false);
    assert.match(await fold.locator("> summary").innerText(), /workingday\s+144 bikes\/hour/);
    await page.locator(".acts a", { hasText: "workingday" }).click();
    await page.waitForSelector('details[data-place="2"][open] .chart[data-state=drawn] svg');
    assert.ok(await isInView(page, 2));
    const fits = await fold.evaluate((element) => element.querySelector(".chart svg").getBoundingClientRect().width / element.querySelector(".chart").clientWidth);
    assert.ok(fits > 0.97 && fits <= 1.01, `${fits}`);
    await page.locator('details[data-place="3"] > summary').click();
    assert.equal(await fold.evaluate((element) => element.open), true);
    await page.locator(".cautions .where a").click();
    await page.waitForSelector(".all-cautions[open] .caveat");
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("what to type is behind a tip", async () => {
    const { page } = await open(address);
    await unfold(page);
    await page.locator(".cautions .where a").click();
    const visible = () => page.evaluate(() => [...document.querySelectorAll(".caveat, .caveat p")].filter((e) => e.checkVisibility()).map((e) => e.innerText).join(" "));
    assert.doesNotMatch(await visible(), /(^|\s)--[a-z]/);
    await page.locator(".all-cautions .tip summary").first().click();
    assert.match(await visible(), /--caveat-rows 0/);
    await page.close();
  });

  test("paper has the cautions, methods and terms that are closed on the screen, and closes them again", async () => {
    const { page, trouble } = await open(address);
    const closed = () => page.locator("details:not([open], .data, .reading-aid)").count();
    const before = await closed();
    assert.ok(before >= 3, `${before} closed`);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    for (const shown of [".all-cautions .alike li", '[data-place="3"] .chart svg', ".computed .method", ".glossary-list dt"]) {
      assert.equal(await page.locator(shown).last().isVisible(), true, shown);
    }
    assert.equal(await page.locator("details.data").first().isVisible(), false);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await closed(), before);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("a choice and themes changed while a chart is drawn are not lost, and leave one picture", async () => {
    const { page, trouble } = await open(address);
    const chart = page.locator('[data-place="0"] figure').first();
    const toggle = chart.locator("input[type=checkbox]").first();
    const theme = page.locator(".bar-tools button").first();
    const marks = () => chart.locator(".chart svg").evaluate((drawing) => drawing.querySelectorAll("path").length);
    const all = await marks();
    await toggle.evaluate((box) => box.click());
    await until(async () => (await marks()) !== all);
    const without = await marks();
    await toggle.evaluate((box) => box.click());
    await until(async () => (await marks()) === all);
    assert.equal(await marks(), all);
    assert.notEqual(all, without);
    await page.evaluate(() => {
      const button = document.querySelector(".bar-tools button");
      button.click();
      document.querySelector('[data-place="0"] figure input[type=checkbox]').click();
      button.click();
      button.click();
    });
    await page.waitForTimeout(1500);
    await until(async () => (await chart.locator(".chart svg").count()) === 1 && (await marks()) === without);
    assert.equal(await chart.locator(".chart svg").count(), 1);
    assert.equal(await marks(), without);
    assert.match(await theme.innerText(), /Light/);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("printing draws what has not been drawn", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 300 } });
    await page.addInitScript(() => {
      window.requestIdleCallback = () => 0; // nothing happens in advance
      window.print = () => { window.printed = [...document.querySelectorAll(".chart")].map((chart) => chart.dataset.state); };
    });
    await page.goto(address);
    await page.waitForFunction(() => document.querySelectorAll(".chart").length === 6); // made once the data are unpacked
    assert.ok((await states(page)).includes(undefined));
    await page.getByRole("button", { name: "Print" }).click();
    await page.waitForFunction(() => window.printed);
    assert.deepEqual(await page.evaluate(() => window.printed), Array(6).fill("drawn"));
    await page.close();
  });

  test("a dark page is printed light, and dark again afterwards", async () => {
    const { page, trouble } = await open(address, { colorScheme: "dark" });
    const inks = () => page.evaluate(() => [...new Set([...document.querySelectorAll(".chart")].map((chart) => chart.querySelector(".role-axis-label text").getAttribute("fill")))]);
    const dark = await inks();
    await page.evaluate(() => { window.print = () => { window.printed = true; }; });
    await page.getByRole("button", { name: "Print" }).click();
    await page.waitForFunction(() => window.printed);
    assert.equal(dark.length, 1);
    assert.equal((await inks()).length, 1);
    assert.notDeepEqual(await inks(), dark);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.waitForFunction((ink) => [...document.querySelectorAll(".chart")].every((chart) => chart.querySelector(".role-axis-label text")?.getAttribute("fill") === ink), dark[0]);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 375]) {
      test(`is accessible and fits: ${colorScheme}, ${width} px`, async () => {
        const { page } = await open(`${address}#feature-windspeed`, { colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
        await page.locator("#interactions .names a").first().click();
        await page.locator("#rows .rows tbody a").first().click();
        await page.locator("#importance thead button").nth(1).click();
        if (width < 1000) await page.getByRole("button", { name: /^Contents/ }).click();
        await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
        await page.waitForSelector("details.data table");
        await drawn(page);
        assert.deepEqual(await problems(page), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await page.close();
      });
    }
  }

  test("on a phone, the contents are behind a button that says where one is", async () => {
    const { page, trouble } = await open(address, { viewport: { width: 375, height: 800 }, hasTouch: true });
    const button = page.getByRole("button", { name: /^Contents/ });
    assert.equal(await page.locator("nav ol").isVisible(), false);
    await button.click();
    assert.equal(await button.getAttribute("aria-expanded"), "true");
    await page.locator("nav a", { hasText: "Single rows" }).click();
    assert.equal(await page.locator("nav ol").isVisible(), false);
    await page.waitForFunction(() => document.querySelector(".reading").textContent === "Single rows");
    await button.click();
    await page.keyboard.press("Escape");
    assert.equal(await button.getAttribute("aria-expanded"), "false");
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("everything that can be clicked can be reached with Tab", async () => {
    const { page } = await open(address);
    const wanted = await page.evaluate(() => [...document.querySelectorAll("a, button, input, select, summary")].filter((e) => e.checkVisibility()).length);
    const reached = new Set();
    for (let i = 0; i < wanted + 20; ++i) {
      await page.keyboard.press("Tab");
      const place = await page.evaluate(() => {
        const all = [...document.querySelectorAll("a, button, input, select, summary")];
        const at = all.indexOf(document.activeElement);
        // Seen, and seen to have the focus.
        const style = getComputedStyle(document.activeElement);
        return at < 0 ? null : { at, marked: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 };
      });
      if (!place) continue;
      assert.ok(place.marked, `element ${place.at}`);
      reached.add(place.at);
    }
    assert.ok(reached.size >= wanted, `${reached.size} of ${wanted}`);
    await page.close();
  });
});

describe("a page that cannot be shown", () => {
  for (const [what, broken] of [["read", { sections: [null] }], ["laid out", { cautions: [null] }]]) {
    test(`says so: it cannot be ${what}`, async () => {
      const file = path.join(folder, `broken-${what}.html`);
      const address = writePage({ ...reportPayload(), ...broken }, file);
      const page = await browser.newPage();
      await page.goto(address);
      assert.match(await page.getByRole("alert").innerText(), /could not be shown/);
      await page.close();
    });
  }
});

describe("classes", () => {
  test("are chosen once for all charts", async () => {
    const { page, trouble } = await open(make("classes", { outputs: ["Adelie", "Chinstrap", "Gentoo"] }));
    await unfold(page);
    const before = [await linesOf(page, 0), await linesOf(page, 3)];
    await page.locator('[data-place="0"]').getByRole("combobox", { name: "Class" }).selectOption("Gentoo");
    await page.waitForFunction((old) => document.querySelector('[data-place="3"] .mark-line path').getAttribute("d") !== old, before[1][0]);
    assert.notDeepEqual(await linesOf(page, 0), before[0]);
    assert.equal(await page.locator('[data-place="3"]').getByRole("combobox", { name: "Class" }).inputValue(), "Gentoo");
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test("are what chips and text alternatives are about, also of charts that come later", async () => {
    const { page, trouble } = await open(make("classes", { outputs: ["Adelie", "Chinstrap", "Gentoo"] }));
    const said = async (place) => {
      const figure = page.locator(`[data-place="${place}"] figure`).first();
      const chips = await figure.locator(".chips li").allInnerTexts();
      return [...chips, await figure.locator(".description").innerText(), await figure.locator(".chart").getAttribute("aria-label")];
    };
    const list = page.locator('[data-place="0"]').getByRole("combobox", { name: "Class" });
    await list.selectOption("Gentoo");
    const words = "For Gentoo: it moves along hour.", all = `${words} ALE rises.`;
    assert.deepEqual(await said(0), ["range 220", "ALE: monotone", all, all]);
    // What is hidden is not told.
    await page.locator('[data-place="0"]').getByRole("checkbox", { name: "ALE" }).uncheck();
    assert.deepEqual(await said(0), ["range 220", words, words]);
    // One without chips.
    await list.selectOption("Chinstrap");
    assert.equal((await said(0)).length, 2);
    assert.equal(await page.locator('[data-place="0"] .chips').isVisible(), false);
    await page.evaluate(() => { location.hash = "#feature-season"; });
    await drawn(page);
    assert.match((await said(6))[0], /^For Chinstrap/);
    assert.deepEqual(trouble, []);
    await page.close();
  });
});

describe("classes of the whole page", () => {
  const options = { outputs: ["Adelie", "Chinstrap", "Gentoo"] };

  for (const width of [1280, 375]) {
    test(`are chosen beside the chapters, for every chart: ${width} px`, async () => {
      const { page, trouble } = await open(make("classes", options), { viewport: { width, height: 900 } });
      const list = page.locator("nav").getByRole("combobox", { name: "Class" });
      const swarm = page.locator("#importance .overview figure, #rows .overview figure");
      await unfold(page);
      assert.equal(await swarm.count(), 1);
      assert.equal(await swarm.locator("h4").innerText(), "Shapley values · class Adelie");
      await list.selectOption("Gentoo");
      assert.equal(await swarm.locator("h4").innerText(), "Shapley values · class Gentoo");
      assert.match(await swarm.locator(".description").innerText(), /to Gentoo/);
      assert.equal(await page.locator('[data-place="0"]').getByRole("combobox", { name: "Class" }).inputValue(), "Gentoo");
      // A chart's own list is for all of them too, and stays in hand.
      await swarm.getByRole("combobox", { name: "Class" }).focus();
      await swarm.getByRole("combobox", { name: "Class" }).selectOption("Chinstrap");
      assert.equal(await swarm.locator("h4").innerText(), "Shapley values · class Chinstrap");
      assert.equal(await page.evaluate(() => document.activeElement.dataset.signal), "output");
      assert.equal(await list.locator("option:checked").innerText(), "Chinstrap");
      await drawn(page);
      assert.deepEqual([...new Set(await states(page))], ["drawn"]);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      assert.deepEqual(trouble, []);
      await page.close();
    });
  }

  test("are not offered where there are none", async () => {
    const { page } = await open(make("plain"));
    assert.equal(await page.locator("nav select").count(), 0);
    await page.close();
  });

  test("may have the names of what every object has", async () => {
    const address = make("objects", { outputs: ["constructor", "toString", "__proto__"] });
    for (const width of [1280, 375]) {
      const { page, trouble } = await open(address, { viewport: { width, height: 900 } });
      for (const name of ["toString", "__proto__", "constructor"]) await page.locator("nav select").selectOption(name);
      await drawn(page);
      assert.deepEqual([...new Set(await states(page))], ["drawn"], `${width} px`);
      assert.deepEqual(trouble, []);
      await page.close();
    }
  });
});

describe("the end of a report", () => {
  test("has no heading for a command that there is not", async () => {
    const payload = reportPayload();
    const { page } = await open(writePage({ ...payload, repeat: { command: "", options: [["seed", "1"]] } }, path.join(folder, "python.html")));
    assert.equal(await page.getByText("To repeat it").count(), 0);
    await page.close();
  });
});

describe("200 features", () => {
  test("open with what matters, the rest comes when asked for", async (t) => {
    const address = make("wide", { features: 200 });
    const start = performance.now();
    const { page, trouble } = await open(address);
    const seconds = (performance.now() - start) / 1000;
    const shown = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    t.diagnostic(`first paint after ${(shown / 1000).toFixed(2)} s, all charts on the page after ${seconds.toFixed(2)} s`);
    assert.equal(await page.locator(".feature").count(), 6);
    assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 4000);
    assert.equal(await page.locator("#importance tbody tr").count(), 8);
    // Those that are on the page anyway are not listed, but found.
    assert.equal(await page.locator("#effects .found tbody tr").count(), 5);
    assert.equal(await page.locator("#effects .finder h3").innerText(), "196 more features");
    assert.ok((await heightOf(page)) < 8000);
    await page.locator("#importance .more").click();
    assert.equal(await page.locator("#importance tbody tr").count(), 200);
    await page.getByRole("searchbox", { name: "Find a feature" }).fill("feature_19");
    assert.equal(await page.locator("#effects .count").innerText(), "11 of 200 features");
    await page.getByRole("searchbox", { name: "Find a feature" }).press("Enter");
    await page.waitForSelector('[data-place="19"] .chart[data-state=drawn]');
    for (let i = 0; i < 12; ++i) await page.evaluate((n) => { location.hash = `#feature-feature_${n}`; }, 60 + i);
    await page.waitForSelector('[data-place="71"] .chart[data-state=drawn]');
    assert.equal(await page.locator(".feature").count(), 7);
    assert.deepEqual(trouble, []);
    await page.close();
  });
});

describe("hostile names", () => {
  const names = [
    "<script>window.pwned = 1</script>", '"><img src=x onerror="window.pwned = 2">', "'; alert(1); //", "\u202Eright to left\u202C אבג", "🚲👩‍🚀", "x".repeat(5000),
    "a ".repeat(2500), "__proto__", "constructor", "javascript:alert(1)", "${window.pwned = 3}", "datum['x']", "</style><style>*{display:none}", "", "#feature-0",
  ];

  test("neither run nor break anything", async () => {
    const options = { names, outputs: names.slice(0, 3), title: names[0] };
    const addresses = addressesOf(reportPayload(options));
    const address = make("hostile", options);
    for (const width of [1280, 375]) {
      const { page, trouble } = await open(address, { viewport: { width, height: 800 } });
      for (const section of [6, 8, 12, 14]) {
        await page.evaluate((hash) => { location.hash = hash; }, addresses[section]);
        await page.waitForSelector(`[data-place="${section}"] .chart[data-state=drawn]`);
      }
      await page.locator("#interactions .names a").first().click();
      await page.locator("#rows .rows tbody a").first().click();
      await page.getByRole("searchbox", { name: "Find a feature" }).fill(names[1]);
      assert.equal(await page.locator("#effects .found tbody tr").count(), 1);
      await unfold(page);
      await page.locator('[data-place="0"]').getByRole("combobox", { name: "Class" }).selectOption(names[1]);
      await drawn(page);
      assert.deepEqual([...new Set(await states(page))], ["drawn"]);
      for (const chart of (await page.locator(".chart svg").all()).slice(0, 6)) {
        await chart.scrollIntoViewIfNeeded();
        const box = await chart.boundingBox();
        await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.4);
        await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
      }
      await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
      assert.equal(await page.evaluate(() => window.pwned), undefined);
      assert.equal(await page.evaluate(() => document.querySelectorAll("img, main script, iframe, main style, main [style*=expression]").length), 0);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
      assert.equal(await page.locator("h1").innerText(), names[0]);
      assert.deepEqual(trouble, []);
      await page.close();
    }
  });
});
