// The numbers of a chart, for those who cannot see it or want to know exactly.
import { h } from "./dom";
import type { Table } from "./payload";

function fill(details: HTMLDetailsElement, table: Table, label: string): void {
  const long = table.columns.map((_, i) => table.rows.some((row) => (row[i]?.length ?? 0) > 30));
  const align = (i: number): string => (table.columns[i]?.numeric ? "number" : long[i] ? "long" : "");
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
