// The README's pictures, of the demo's page: node pictures.mjs demo/report.html docs/images
import path from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const [file, out] = process.argv.slice(2);
const address = pathToFileURL(path.resolve(file)).href;
const browser = await launch();

// A window of the page, from the element that a selector finds on.
async function picture(name, colorScheme, height, selector, prepare = async () => {}) {
  const page = await browser.newPage({ viewport: { width: 1180, height }, colorScheme });
  await page.goto(address);
  await page.waitForFunction(() => document.querySelectorAll('.chart[data-state="drawn"]').length > 3);
  await prepare(page);
  if (selector) {
    await page.evaluate((wanted) => {
      const top = document.querySelector(wanted).getBoundingClientRect().top + scrollY;
      scrollTo({ top: top - 70, behavior: "instant" });
    }, selector);
  }
  // Charts near the window are drawn when it comes to rest.
  await page.waitForTimeout(2500);
  await page.screenshot({ path: path.join(out, `${name}.png`) });
  await page.close();
}

await picture("report", "light", 860, null);
await picture("report-effects", "light", 620, "#effects section.feature", async (page) => {
  await page.getByLabel("Single rows (ICE)").first().check();
});
await picture("report-pairs", "dark", 760, "#interactions");
await browser.close();
