// Lays out a report: what was computed, what matters most, what to be careful about, then every feature.
import "./page.css";

import { ChartView, scheduleCharts } from "./chart";
import { h, svg } from "./dom";
import type { Caveat, Chart, Glance, KeyFigure, Pair, Payload, Point, Run, Section, Table } from "./payload";
import { readPayload } from "./read";
import { currentTheme, onTheme, startTheme, toggleTheme } from "./theme";

const views = new Map<Element, ChartView>();

function definitions(pairs: Pair[]): HTMLElement {
  const list = h("dl", { class: "facts" });
  for (const [name, value] of pairs) list.append(h("div", {}, h("dt", {}, name), h("dd", {}, value)));
  return list;
}

function logo(): SVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 32 32", width: 22, height: 22, "aria-hidden": "true", class: "logo" },
    svg("circle", { cx: 16, cy: 16, r: 13.5, fill: "none", stroke: "currentColor", "stroke-width": 2.5 }),
    svg("path", { d: "M5.5 18c4-5 6.500 3 10.500 0s6.500-5 10.500 0a10.600 10.600 0 0 1-21 0z", fill: "currentColor" }),
  );
}

function themeButton(): HTMLElement {
  const button = h("button", { type: "button", class: "quiet", click: () => toggleTheme() });
  const label = (): void => {
    button.textContent = currentTheme() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", currentTheme() === "dark" ? "Use light colours" : "Use dark colours");
  };
  onTheme(label);
  label();
  return button;
}

const same = (a: Pair[], b: Pair[]): boolean => JSON.stringify(a) === JSON.stringify(b);

// What several runs share is said once; more than three different ones are told at the end only.
function provenance(runs: Run[], part: "model" | "data"): HTMLElement | null {
  const different: Pair[][] = [];
  for (const run of runs) {
    if (run[part].length > 0 && !different.some((pairs) => same(pairs, run[part]))) different.push(run[part]);
  }
  if (different.length === 0 || different.length > 3) return null;
  return h("section", {}, h("h2", { class: "label" }, part), ...different.map((pairs) => definitions(pairs)));
}

function masthead(payload: Payload): HTMLElement {
  const methods = [...new Set(payload.runs.map((run) => run.method))].join(" · ");
  return h(
    "header",
    { class: "masthead" },
    h("p", { class: "kicker" }, methods),
    h("h1", {}, payload.title),
    h("div", { class: "provenance" }, provenance(payload.runs, "model"), provenance(payload.runs, "data")),
  );
}

const fewFigures = 8;

// Many figures (several for each feature) are a table, few stand out.
function figureTable(figures: KeyFigure[]): HTMLElement {
  const body = h("tbody");
  for (const figure of figures) {
    const name = figure.about === "" ? figure.name : `${figure.name} · ${figure.about}`;
    body.append(
      h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, figure.value), h("td", {}, figure.meaning)),
    );
  }
  const head = ["Figure", "Value", "Meaning"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "div",
    { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Key figures" },
    h("table", {}, h("thead", {}, h("tr", {}, ...head)), body),
  );
}

function keyFigures(figures: KeyFigure[]): HTMLElement | null {
  if (figures.length === 0) return null;
  const title = h("h2", { id: "key" }, "Key figures");
  if (figures.length > fewFigures) {
    return h("section", { class: "key", "aria-labelledby": "key" }, title, figureTable(figures));
  }
  const list = h("dl", { class: "figures" });
  for (const figure of figures) {
    list.append(
      h(
        "div",
        {},
        h("dt", {}, figure.name, figure.about !== "" && h("span", { class: "about" }, figure.about)),
        h("dd", { class: "value number" }, figure.value),
        figure.meaning !== "" && h("dd", { class: "meaning" }, figure.meaning),
      ),
    );
  }
  return h("section", { class: "key", "aria-labelledby": "key" }, title, list);
}

function spark(glance: Glance): Node {
  const width = 120;
  const height = 30;
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

function glanceTable(payload: Payload): HTMLElement | null {
  if (payload.glance.length < 2) return null;
  const shows = payload.runs[0]?.shows ?? "prediction";
  const many =
    (payload.glance.some((glance) => glance.line !== "") ? " Where a chart has several lines, a row is about the one it names" : "") +
    (payload.glance.some((glance) => glance.others.length > 0) ? "; faint lines are the others" : "");
  const head = ["Feature", "Effect", "Range", "Shape", "Heterogeneity"];
  const body = h("tbody");
  for (const glance of payload.glance) {
    const meter = svg(
      "svg",
      { viewBox: "0 0 100 6", class: "meter", "aria-hidden": "true", preserveAspectRatio: "none" },
      svg("rect", { x: 0, y: 0, width: 100, height: 6, class: "rest" }),
      svg("rect", { x: 0, y: 0, width: (glance.share * 100).toFixed(1), height: 6, class: "bar" }),
    );
    body.append(
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          h("a", { href: `#feature-${glance.section}` }, glance.title),
          glance.line !== "" && h("span", { class: "about" }, glance.line),
        ),
        h("td", {}, spark(glance)),
        h("td", { class: "range" }, h("span", { class: "number" }, glance.range), meter),
        h("td", {}, glance.shape || "–"),
        h("td", { class: "number" }, glance.heterogeneity || "–"),
      ),
    );
  }
  return h(
    "section",
    { class: "glance", "aria-labelledby": "glance" },
    h("h2", { id: "glance" }, "At a glance"),
    h("p", { class: "muted" }, `Features by how far they move the ${shows}, from its lowest to its highest value.${many}${many && "."}`),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Features by effect" },
      h("table", {}, h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))), body),
    ),
  );
}

function caveatItem(caveat: Caveat, sections: Section[] | null): HTMLElement {
  const about = sections && caveat.section !== null ? sections[caveat.section] : undefined;
  return h(
    "li",
    { class: `caveat ${caveat.severity}` },
    h("p", { class: "caveat-head" }, h("span", { class: "severity" }, caveat.severity), h("span", { class: "id" }, caveat.id)),
    h("p", {}, caveat.message),
    caveat.advice !== "" && h("p", { class: "advice" }, `→ ${caveat.advice}`),
    about !== undefined && h("p", { class: "where" }, h("a", { href: `#feature-${caveat.section}` }, about.title)),
  );
}

function cautions(payload: Payload): HTMLElement | null {
  if (payload.caveats.length === 0) return null;
  const list = h("ul", { class: "caveats" });
  const rest = h("ul", { class: "caveats" });
  payload.caveats.forEach((caveat, i) => (i < 6 ? list : rest).append(caveatItem(caveat, payload.sections)));
  return h(
    "section",
    { class: "cautions", "aria-labelledby": "cautions" },
    h("h2", { id: "cautions" }, "Before you trust this"),
    list,
    rest.childElementCount > 0 && h("details", {}, h("summary", {}, `${rest.childElementCount} more`), rest),
  );
}

function dataTable(table: Table, label: string): HTMLElement {
  const details = h("details", { class: "data" }, h("summary", {}, "Data table"));
  // Built when first opened: a report can hold many thousand cells.
  details.addEventListener(
    "toggle",
    () => {
      const align = (i: number): string => (table.columns[i]?.numeric ? "number" : "");
      const head = h("tr", {}, ...table.columns.map((c, i) => h("th", { scope: "col", class: align(i) }, c.title)));
      const body = h("tbody");
      for (const row of table.rows) body.append(h("tr", {}, ...row.map((cell, i) => h("td", { class: align(i) }, cell))));
      details.append(
        h(
          "div",
          { class: "scroll tall", tabindex: 0, role: "region", "aria-label": `Data: ${label}` },
          h("table", {}, h("thead", {}, head), body),
        ),
      );
      if (table.left_out > 0) {
        details.append(h("p", { class: "muted" }, `${table.left_out} more rows are in the csv and json.`));
      }
    },
    { once: true },
  );
  return details;
}

// The first few beside the chart, which would otherwise be lost in a column of cautions.
function besideChart(caveats: Caveat[]): (HTMLElement | null)[] {
  const list = (part: Caveat[]): HTMLElement | null =>
    part.length > 0 ? h("ul", { class: "caveats small" }, ...part.map((caveat) => caveatItem(caveat, null))) : null;
  const rest = caveats.slice(3);
  const more = rest.length === 0 ? null : h("details", {}, h("summary", {}, `${rest.length} more cautions`), list(rest));
  return [list(caveats.slice(0, 3)), more];
}

function figure(chart: Chart, section: Section, payload: Payload, index: number): HTMLElement {
  const place = h("div", { class: "chart", role: "img", "aria-label": chart.description });
  const view = new ChartView(place, chart);
  views.set(place, view);
  const about = chart.about === "" ? chart.method : `${chart.method} · ${chart.about}`;
  const name = `${about} ${section.title}`.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
  const save = (format: "svg" | "png"): HTMLElement =>
    h(
      "button",
      { type: "button", class: "quiet", "aria-label": `Save chart as ${format.toUpperCase()}`, click: () => void view.save(format, name) },
      format.toUpperCase(),
    );
  const caveats = payload.caveats.filter((caveat) => caveat.section === index);
  return h(
    "figure",
    { class: chart.wide ? "wide" : "" },
    h("div", { class: "plot" }, h("h3", {}, about), place),
    h(
      "figcaption",
      {},
      chart.chips.length > 0 && h("ul", { class: "chips" }, ...chart.chips.map((chip) => h("li", {}, chip))),
      h("p", { class: "description" }, chart.description),
      h("p", { class: "muted" }, chart.reading),
      ...(chart === section.charts[0] ? besideChart(caveats) : []),
      h("div", { class: "tools" }, h("span", { class: "label" }, "Save"), save("svg"), save("png")),
    ),
    dataTable(chart.table, `${about}, ${section.title}`),
  );
}

function featureSection(section: Section, payload: Payload, index: number): HTMLElement {
  return h(
    "section",
    { class: "feature", id: `feature-${index}`, "aria-labelledby": `feature-${index}-title` },
    h("h2", { id: `feature-${index}-title` }, section.title),
    ...section.charts.map((chart) => figure(chart, section, payload, index)),
  );
}

function computed(runs: Run[]): HTMLElement {
  const shared = runs.every((run) => same(run.model, runs[0]!.model) && same(run.data, runs[0]!.data));
  const block = h("details", { class: "computed" }, h("summary", {}, "How this was computed"));
  for (const run of runs) {
    block.append(h("h3", {}, run.method));
    if (!shared) block.append(definitions([...run.model, ...run.data]));
    if (run.options.length > 0) block.append(definitions(run.options));
  }
  return block;
}

function page(payload: Payload): void {
  const root = document.getElementById("sightglass");
  if (!root) return;
  const version = payload.runs[0]?.version ?? "";
  const main = h("main", { id: "content" }, masthead(payload), keyFigures(payload.figures), glanceTable(payload), cautions(payload));
  payload.sections.forEach((section, i) => main.append(featureSection(section, payload, i)));
  root.append(
    h("a", { class: "skip", href: "#content" }, "Skip to the content"),
    h("div", { class: "bar", role: "banner" }, h("span", { class: "wordmark" }, logo(), "Sightglass"), themeButton()),
    main,
    h(
      "footer",
      {},
      payload.runs.length > 0 && computed(payload.runs),
      h("p", {}, `Made by Sightglass${version ? ` ${version}` : ""}. This file is complete: it loads nothing and sends nothing.`),
    ),
  );
  scheduleCharts(views);
}

startTheme();
page(readPayload());
