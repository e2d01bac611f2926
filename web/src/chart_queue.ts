// When charts are drawn: those near the screen at once, the others on the page while nothing else happens, so that
// printing finds them all.
import type { ChartView } from "./chart";
import { currentTheme } from "./theme";

const mostInAdvance = 90; // a page can hold hundreds
const waiting = new Map<Element, ChartView>();
const present = new Set<ChartView>();
const busy = new Set<Promise<void>>();
let working = false;
let drawnInAdvance = 0;

async function draw(view: ChartView): Promise<void> {
  forget(view);
  const work = view.draw();
  busy.add(work);
  await work;
  busy.delete(work);
}

const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const view = waiting.get(entry.target);
      if (entry.isIntersecting && view) void draw(view);
    }
  },
  { rootMargin: "600px 0px" },
);

const idle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 50));

async function drawNext(): Promise<void> {
  const [view] = waiting.values();
  if (!view || ++drawnInAdvance > mostInAdvance) {
    working = false;
    return;
  }
  await draw(view);
  idle(() => void drawNext());
}

// A chart whose place is on the page, or soon will be.
export function enqueue(view: ChartView): void {
  present.add(view);
  waiting.set(view.place, view);
  near.observe(view.place);
  if (working) return;
  working = true;
  idle(() => void drawNext());
}

function forget(view: ChartView): void {
  waiting.delete(view.place);
  near.unobserve(view.place);
}

// A chart whose place leaves the page.
export function withdraw(view: ChartView): void {
  present.delete(view);
  forget(view);
}

async function drawAll(): Promise<void> {
  await Promise.all([...[...waiting.values()].map(draw), ...busy]);
}

// Prints when every chart has been drawn, light as paper. The browser's own command does not wait for anybody.
export async function printPage(): Promise<void> {
  await drawAll();
  if (currentTheme() === "dark") {
    await Promise.all([...present].map((view) => view.drawAs("light")));
    document.documentElement.dataset["paper"] = "";
    const restore = (): void => {
      delete document.documentElement.dataset["paper"];
      for (const view of present) void view.drawAs(currentTheme());
    };
    addEventListener("afterprint", restore, { once: true });
  }
  print();
}

addEventListener("beforeprint", () => void drawAll());
