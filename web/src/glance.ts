// Features at a glance: a small curve, how far it moves the prediction, its shape.
import { h, svg } from "./dom";
import type { Glance, Payload, Point } from "./payload";
import { hashOf } from "./places";

const width = 120;
const height = 30;

export function spark(glance: Glance): Node {
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "spark", "aria-hidden": "true" });
  const y = (value: number): number => height - 3 - value * (height - 6);
  if (glance.categorical) {
    const step = width / Math.max(glance.spark.length, 4);
    glance.spark.forEach(([, value], i) => {
      const top = Math.min(y(value), height - 5);
      picture.append(svg("rect", { x: i * step + 1, y: top, width: Math.max(step - 3, 1), height: height - 3 - top }));
    });
    return picture;
  }
  // The line that the row is about, over the others.
  const line = (points: Point[], kind: string): SVGElement =>
    svg("polyline", { class: kind, points: points.map(([x, up]) => `${(x * width).toFixed(1)},${y(up).toFixed(1)}`).join(" ") });
  for (const points of glance.others) if (points.length > 1) picture.append(line(points, "other"));
  if (glance.spark.length > 1) picture.append(line(glance.spark, "told"));
  return picture;
}

export function meter(share: number): SVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 100 6", class: "meter", "aria-hidden": "true", preserveAspectRatio: "none" },
    svg("rect", { x: 0, y: 0, width: 100, height: 6, class: "rest" }),
    svg("rect", { x: 0, y: 0, width: (share * 100).toFixed(1), height: 6, class: "bar" }),
  );
}

const heads = ["Feature", "Effect", "Range", "Shape", "Differs from row to row"];

// The method by which all of them are told, if it is one: said once.
export function methodOfAll(glances: Glance[]): string {
  const by = glances[0]?.by ?? "";
  return glances.every((glance) => glance.by === by) ? by : "";
}

function glanceRow(glance: Glance, ofAll: string): HTMLElement {
  const by = glance.by && glance.by !== ofAll ? `by ${glance.by}` : "";
  const about = [by, glance.line].filter((words) => words !== "").join(" · ");
  return h(
    "tr",
    { "data-section": glance.section },
    h(
      "th",
      { scope: "row" },
      h("a", { href: hashOf(glance.section) }, glance.title),
      about !== "" && h("span", { class: "about" }, about),
    ),
    h("td", {}, spark(glance)),
    h("td", { class: "range" }, h("span", { class: "number" }, glance.range), meter(glance.share)),
    h("td", {}, glance.shape || "–"),
    h("td", { class: "number" }, glance.differs || "–"),
  );
}

export function glanceTable(glances: Glance[], { glance: all }: Payload): HTMLElement {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Features by effect" },
    h(
      "table",
      { class: "glances" },
      h("thead", {}, h("tr", {}, ...heads.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...glances.map((glance) => glanceRow(glance, methodOfAll(all)))),
    ),
  );
}

export function glanceWords(payload: Payload, start: string): string {
  const shows = payload.runs[0]?.shows ?? "prediction";
  const many =
    (payload.glance.some((glance) => glance.line !== "") ? " Where a chart has several lines, a row is about the one it names" : "") +
    (payload.glance.some((glance) => glance.others.length > 0) ? "; faint lines are the others" : "");
  const by = methodOfAll(payload.glance);
  return `${start} the ${shows}${by && ` by ${by}`}, from its lowest to its highest value, where rows are enough.${many}${many && "."}`;
}

// A row for a feature without a curve.
export function noGlance(section: number, title: string): Glance {
  return { section, title, line: "", range: "–", unit: "", share: 0, shape: "", differs: "", from: "", to: "", levels: [], all_levels: 0, categorical: false, spark: [], others: [] };
}

// On pages without chapters: before everything else.
export function glancePart(payload: Payload): HTMLElement | null {
  if (payload.glance.length < 2) return null;
  return h(
    "section",
    { class: "glance", id: "glance", "aria-labelledby": "glance-title" },
    h("h2", { id: "glance-title" }, "At a glance"),
    h("p", { class: "muted" }, glanceWords(payload, "Features by how far they move")),
    glanceTable(payload.glance, payload),
  );
}
