// The numbers of a chart, for those who cannot see it or want to know exactly. Long tables show their first rows, and
// whatever is searched for.
import { h } from "./dom";
import { matching } from "./filtering";
import type { Table } from "./payload";

const firstRows = 100;
const worthSearching = 30;
const namesFound = 5;

let searches = 0;

function count(number: number): string {
  return number.toLocaleString("en-US");
}

function alignments(table: Table): string[] {
  return table.columns.map((column, i) => (column.numeric ? "number" : table.rows.some((row) => (row[i]?.length ?? 0) > 30) ? "long" : ""));
}

function head(table: Table, align: string[]): HTMLElement {
  return h("thead", {}, h("tr", {}, ...table.columns.map((column, i) => h("th", { scope: "col", class: align[i]! }, column.title))));
}

function lines(rows: string[][], align: string[]): HTMLElement[] {
  return rows.map((row) => h("tr", {}, ...row.map((cell, i) => h("td", { class: align[i]! }, cell))));
}

function searchField(label: string): { element: HTMLElement; input: HTMLInputElement; words: HTMLElement } {
  const input = h("input", { type: "search", id: `search-${++searches}`, autocomplete: "off", spellcheck: "false" });
  const words = h("p", { class: "muted count", role: "status" });
  return { element: h("div", { class: "search" }, h("label", { for: input.id }, label), input, words), input, words };
}

function fill(details: HTMLDetailsElement, table: Table, label: string): void {
  const align = alignments(table);
  const body = h("tbody");
  const more = h("button", { type: "button", class: "quiet more" });
  const search = searchField("Find a row");
  const texts = table.rows.map((row) => row.join(" "));
  let all = table.rows.length <= firstRows;
  const update = (): void => {
    const asked = search.input.value.trim() !== "";
    const found = asked ? matching(texts, search.input.value).map((i) => table.rows[i]!) : table.rows;
    const shown = all ? found : found.slice(0, firstRows);
    body.replaceChildren(...lines(shown, align));
    search.words.textContent = asked ? `${found.length === 0 ? "None" : count(found.length)} of ${count(table.rows.length)} rows` : "";
    more.hidden = shown.length === found.length;
    more.textContent = `Show all ${count(found.length)} rows`;
  };
  search.input.addEventListener("input", update);
  more.addEventListener("click", () => {
    all = true;
    update();
  });
  update();
  if (table.rows.length > worthSearching) details.append(search.element);
  details.append(
    h(
      "div",
      { class: "scroll tall", tabindex: 0, role: "region", "aria-label": `Data: ${label}` },
      h("table", {}, head(table, align), body),
    ),
    more,
  );
  if (table.left_out > 0) {
    details.append(h("p", { class: "muted" }, `${count(table.left_out)} more rows are in the csv and json.`));
  }
}

// Mostly built when first opened: a report can hold many thousand cells.
export function dataTable(table: Table, label: string): HTMLElement {
  const details = h("details", { class: "data" }, h("summary", {}, "Data table"));
  if (table.open) {
    fill(details, table, label);
    details.open = true;
  } else {
    details.addEventListener("toggle", () => fill(details, table, label), { once: true });
  }
  return details;
}

// Levels that the chart has among "others" are found by name: their rows of the data table.
export function levelSearch(table: Table, label: string): HTMLElement | null {
  const column = table.find;
  if (column === undefined) return null;
  const rows = new Map<string, string[][]>();
  for (const row of table.rows) {
    const name = row[column] ?? "";
    const known = rows.get(name);
    if (known) known.push(row);
    else rows.set(name, [row]);
  }
  const names = [...rows.keys()];
  const align = alignments(table);
  const search = searchField("Find a level");
  const place = h("div", { class: "found" });
  search.input.addEventListener("input", () => {
    const asked = search.input.value.trim() !== "";
    const found = asked ? matching(names, search.input.value) : [];
    const shown = found.slice(0, namesFound).flatMap((i) => rows.get(names[i]!)!);
    const said = `${found.length === 0 ? "None" : count(found.length)} of ${count(names.length)} levels`;
    search.words.textContent = !asked ? "" : found.length > namesFound ? `${said}, the first ${namesFound} are shown` : said;
    place.replaceChildren(
      ...(shown.length === 0
        ? []
        : [
            h(
              "div",
              { class: "scroll", tabindex: 0, role: "region", "aria-label": `Levels found: ${label}` },
              h("table", {}, head(table, align), h("tbody", {}, ...lines(shown, align))),
            ),
          ]),
    );
  });
  return h("div", { class: "levels" }, search.element, place);
}
