// Pictures of a page for looking at, cut into pieces: node screenshots.mjs page.html DIR
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const [file, out] = process.argv.slice(2);
await mkdir(out, { recursive: true });
const browser = await launch();
for (const colorScheme of ["light", "dark"]) {
  for (const [width, piece] of [[1280, 1300], [375, 1500]]) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    page.on("console", (message) => console.log(message.type(), message.text().slice(0, 300)));
    page.on("pageerror", (error) => console.log("error", error.message));
    await page.goto(pathToFileURL(path.resolve(file)).href);
    await page.waitForFunction(() => [...document.querySelectorAll(".chart")].every((c) => c.dataset.state));
    // One window after the other: a picture of a whole long page takes minutes to cut.
    await page.setViewportSize({ width, height: piece });
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    for (let top = 0; top < height; top += piece) {
      await page.evaluate((y) => scrollTo(0, y), top);
      await page.screenshot({ path: path.join(out, `${colorScheme}-${width}-${top / piece}.png`) });
    }
    await page.close();
  }
}
await browser.close();
