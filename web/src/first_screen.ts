// What a report begins with, for somebody who looks for half a minute: one sentence, a few scores, what matters, and how the
// first features act.
import { h, svg } from "./dom";
import type { First, Glance, Matters, Payload } from "./payload";
import { hashOf } from "./places";

function scores(first: First): HTMLElement | null {
  if (first.scores.length === 0) return null;
  const list = h("dl", { class: "scores" });
  for (const { value, words, name } of first.scores) {
    list.append(h("div", {}, h("dt", {}, words, h("span", { class: "measure" }, name)), h("dd", { class: "number" }, value)));
  }
  return list;
}

function bar(row: Matters["rows"][number]): SVGElement {
  const x = (share: number): string => (100 * share).toFixed(1);
  const picture = svg(
    "svg",
    { viewBox: "0 0 100 12", class: "rank-bar", "aria-hidden": "true", preserveAspectRatio: "none" },
    svg("rect", { x: 0, y: 1, width: Math.max(100 * row.share, 0.6).toFixed(1), height: 10 }),
  );
  if (row.low !== null && row.high !== null) picture.append(svg("path", { d: `M${x(row.low)} 6H${x(row.high)}`, class: "whisker" }));
  return picture;
}

function matters(given: Matters, known: Set<number>): HTMLElement {
  const items = given.rows.map((row) => {
    const name = row.section !== null && known.has(row.section) ? h("a", { href: hashOf(row.section), title: row.name }, row.name) : h("span", { title: row.name }, row.name);
    return h("li", {}, name, bar(row), h("span", { class: "number" }, row.text));
  });
  return h(
    "section",
    { class: "matters", "aria-labelledby": "matters-title" },
    h("h2", { id: "matters-title" }, "What matters most"),
    h("p", { class: "muted", title: given.hint }, given.measure, given.rows.some((row) => row.low !== null) && ", with 95 % intervals"),
    h("ol", {}, ...items),
    given.left_out > 0 && h("p", { class: "where" }, h("a", { href: "#importance" }, `${given.left_out} more`)),
  );
}

const width = 200;
const height = 84;
const mostLevels = 6;

// Highest first; of many the highest and the lowest. "1 more" would take the place of the one it leaves out.
export function levelsShown({ spark, all_levels: known }: Pick<Glance, "spark" | "all_levels">): number[] {
  const all = spark.map((_, i) => i).sort((a, b) => spark[b]![1] - spark[a]![1]);
  if (all.length <= mostLevels || known <= mostLevels + 1) return all;
  return [...all.slice(0, mostLevels / 2), ...all.slice(-mostLevels / 2)];
}

function levels(glance: Glance): HTMLElement {
  const shown = levelsShown(glance);
  const left = glance.all_levels - shown.length;
  return h(
    "div",
    { class: "levels", "aria-hidden": "true" },
    ...shown.map((i) => {
      const [place, share] = glance.spark[i]!;
      const name = glance.levels[place] ?? "";
      return h(
        "div",
        {},
        h("span", { class: "name", title: name }, document.createTextNode(name)),
        svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none" }, svg("rect", { x: 0, y: 0, width: (2 + 98 * share).toFixed(1), height: 8 })),
      );
    }),
    left > 0 && h("div", { class: "muted" }, `${left} more`),
  );
}

function line(glance: Glance): HTMLElement {
  const path = (points: [number, number][]): string =>
    points.map(([x, up]) => `${(x * width).toFixed(1)},${(4 + (1 - up) * (height - 8)).toFixed(1)}`).join(" ");
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const points of glance.others) if (points.length > 1) picture.append(svg("polyline", { class: "other", points: path(points) }));
  picture.append(svg("polyline", { class: "told", points: path(glance.spark) }));
  return h(
    "div",
    { class: "line", "aria-hidden": "true" },
    picture,
    h("div", { class: "ends number" }, h("span", {}, glance.from), h("span", {}, glance.to)),
  );
}

function effect(glance: Glance, text: string, about: string): HTMLElement {
  return h(
    "li",
    {},
    h("h3", {}, h("a", { href: hashOf(glance.section), title: glance.title }, glance.title)),
    glance.categorical ? levels(glance) : line(glance),
    h("p", { title: text }, text, about !== "" && h("span", { class: "about" }, ` (${about})`)),
  );
}

function quantity({ runs, glance }: Payload): string {
  const shows = runs[0]?.shows ?? "prediction";
  return `${shows.charAt(0).toUpperCase()}${shows.slice(1)}${glance.length > 1 ? ", each on its own scale" : ""}`;
}

export function firstScreen(payload: Payload, known: Set<number>): HTMLElement | null {
  const { first } = payload;
  if (!first) return null;
  const glances = new Map(payload.glance.map((glance) => [glance.section, glance] as const));
  const effects = first.effects.flatMap(({ section, text, about }) => {
    const glance = glances.get(section);
    return glance && known.has(section) && glance.spark.length > 0 ? [effect(glance, text, about ?? "")] : [];
  });
  const pictures = [
    first.matters && matters(first.matters, known),
    effects.length > 0 &&
      h(
        "section",
        { class: "acts", "aria-labelledby": "acts-title" },
        h("h2", { id: "acts-title" }, "What the first of them do"),
        h("p", { class: "muted" }, quantity(payload)),
        h("ol", {}, ...effects),
      ),
  ].filter((part) => part instanceof HTMLElement);
  return h(
    "div",
    { class: "first-screen" },
    first.headline !== "" && h("p", { class: "headline" }, first.headline),
    scores(first),
    pictures.length > 0 && h("div", { class: "pictures" }, ...pictures),
  );
}
