// The chapters: beside the text on wide screens, behind a button on small ones. The one being read is marked.
import { h } from "./dom";
import { outputList, type Outputs } from "./output_choice";

export interface Stop {
  id: string;
  title: string;
}

// The last stop whose beginning has passed the line; the first before that.
export function currentStop(tops: number[], line: number): number {
  let current = 0;
  tops.forEach((top, i) => {
    if (top <= line) current = i;
  });
  return current;
}

// With the choice that holds for the charts of all chapters, because this is what stays in sight.
export function navigation(stops: Stop[], outputs: Outputs | null = null): HTMLElement {
  const links = stops.map((stop) => h("a", { href: `#${stop.id}` }, stop.title));
  const list = h("ol", { id: "chapters" }, ...links.map((link) => h("li", {}, link)));
  const where = h("span", { class: "reading" });
  const button = h("button", { type: "button", class: "contents", "aria-expanded": "false", "aria-controls": "chapters" }, h("span", {}, "Contents"), where);
  const element = h("nav", { class: "chapters", "aria-label": "Chapters" }, button, outputs && outputList(outputs), list);

  const fold = (open: boolean): void => {
    button.setAttribute("aria-expanded", String(open));
    element.classList.toggle("unfolded", open);
  };
  button.addEventListener("click", () => fold(!element.classList.contains("unfolded")));
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.classList.contains("unfolded")) return;
    fold(false);
    button.focus();
  });
  list.addEventListener("click", () => fold(false));

  let waiting = false;
  const mark = (): void => {
    waiting = false;
    const tops = stops.map((stop) => document.getElementById(stop.id)?.getBoundingClientRect().top ?? Infinity);
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 4 && scrollY > 0;
    const current = atEnd ? stops.length - 1 : currentStop(tops, innerHeight * 0.3);
    links.forEach((link, i) => {
      if (i === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    where.textContent = stops[current]?.title ?? "";
  };
  const soon = (): void => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(mark);
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon, { passive: true });
  soon();
  return element;
}
