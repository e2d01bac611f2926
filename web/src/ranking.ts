// Measures of importance side by side: a table whose columns can be sorted, a bar with its interval in every cell.
import { h, svg } from "./dom";
import type { RankCell, RankRow, RankTable } from "./payload";
import { hashOf } from "./places";
import { byName, columnExtent, nextSorting, placeIn, sortedRows, type Extent, type Sorting } from "./sorting";

const shortTable = 8;
const width = 100;
const height = 14;

function bar(cell: RankCell, extent: Extent, base: number): SVGElement {
  const x = (value: number): number => Math.round(placeIn(extent, value) * width * 10) / 10;
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "rank-bar",
    "aria-hidden": "true",
    preserveAspectRatio: "none",
  });
  const zero = x(base);
  if (cell.value !== null) {
    const end = x(cell.value);
    const from = Math.min(zero, end);
    picture.append(svg("rect", { x: from, y: 3, width: Math.max(Math.abs(end - zero), 0.6), height: height - 6 }));
  }
  if (cell.low !== null && cell.high !== null) {
    const [low, high, middle] = [x(cell.low), x(cell.high), height / 2];
    picture.append(svg("path", { d: `M${low} ${middle}H${high}M${low} 4V10M${high} 4V10`, class: "whisker" }));
  }
  if (extent.low < base) picture.append(svg("path", { d: `M${zero} 0V${height}`, class: "zero" }));
  return picture;
}

function bodyRow(row: RankRow, extents: Extent[], bases: number[], known: Set<number>): HTMLElement {
  const leads = row.section !== null && known.has(row.section);
  const name = leads ? h("a", { href: hashOf(row.section!) }, row.name) : h("span", {}, row.name);
  const cell = (one: RankCell, i: number): HTMLElement => {
    const empty = one.value === null || !extents[i];
    const text = h("span", { class: "number" }, one.text === "" ? "–" : one.text);
    return h("td", {}, h("div", { class: "rank-cell" }, text, !empty && bar(one, extents[i]!, bases[i]!)));
  };
  return h("tr", {}, h("th", { scope: "row" }, name), ...row.cells.map(cell));
}

export function rankingTable(table: RankTable, label: string, of: string, known: Set<number>): HTMLElement | null {
  if (table.rows.length === 0) return null;
  const bases = table.columns.map(({ base }) => base ?? 0);
  const extents = table.columns.map((_, i) => columnExtent(table.rows, i, bases[i]));
  const body = h("tbody");
  const more = h("button", { type: "button", class: "quiet more" }, `Show all ${table.rows.length}`);
  const heads: HTMLElement[] = [];
  // Rows come most important first by what the writer of the report chose; the first click decides otherwise.
  let sorting: Sorting | null = null;
  let all = table.rows.length <= shortTable + 3;

  const update = (): void => {
    const rows = sorting ? sortedRows(table.rows, sorting) : table.rows;
    const shown = all ? rows : rows.slice(0, shortTable);
    body.replaceChildren(...shown.map((row) => bodyRow(row, extents, bases, known)));
    more.hidden = all;
    heads.forEach((head, i) => {
      if (sorting && sorting.column === i - 1) head.setAttribute("aria-sort", sorting.direction);
      else head.removeAttribute("aria-sort");
    });
  };
  const head = (title: string, about: string, column: number): HTMLElement => {
    const click = (): void => {
      sorting = nextSorting(sorting, column);
      update();
    };
    const button = h("button", { type: "button", class: "sort", title: about, click }, title, h("span", { class: "arrow", "aria-hidden": "true" }));
    const cell = h("th", { scope: "col", "data-title": title }, button);
    heads.push(cell);
    return cell;
  };
  const row = h("tr", {}, head(of, "", byName));
  table.columns.forEach((column, i) => row.append(head(column.title, [column.method, column.hint].filter(Boolean).join(": "), i)));
  more.addEventListener("click", () => {
    all = true;
    update();
    body.rows[shortTable]?.querySelector("a")?.focus();
  });
  update();
  const hints = table.columns.filter((column) => column.hint !== "");
  return h(
    "div",
    { class: "ranking" },
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
      h("table", {}, h("caption", { class: "unseen" }, `${label}. Column heads sort.`), h("thead", {}, row), body),
    ),
    more,
    hints.length > 0 &&
      h(
        "details",
        { class: "columns" },
        h("summary", {}, "What the columns mean"),
        h("dl", { class: "hints" }, ...hints.map((column) => h("div", {}, h("dt", {}, column.title), h("dd", {}, column.hint)))),
      ),
  );
}
