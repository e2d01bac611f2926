// Single rows of the data to look into: the whole row is the button, its name the link.
import { h } from "./dom";
import { go } from "./journey";
import type { RowTable } from "./payload";
import { hashOf } from "./places";
import type { Stage } from "./stage";

const shortTable = 8;

export function rowTable(table: RowTable, label: string, stage: Stage): HTMLElement | null {
  if (table.rows.length === 0) return null;
  const align = (i: number): string => (table.columns[i]?.numeric ? "number" : table.columns[i]?.long ? "long" : "");
  const why = table.rows.some((row) => row.why !== "");
  const body = h("tbody");
  const tail: HTMLElement[] = [];
  table.rows.forEach((row, i) => {
    const link = h("a", { href: hashOf(row.section) }, row.title);
    const element = h(
      "tr",
      { "data-section": row.section },
      h("th", { scope: "row" }, link),
      why && h("td", { class: "why" }, row.why),
      ...row.cells.map((cell, i) => h("td", { class: align(i) }, align(i) === "number" ? cell : h("div", { title: cell }, cell))),
    );
    element.addEventListener("click", (event) => {
      // The link goes by itself; somebody who marks text wants the text.
      const onLink = event.target instanceof Node && link.contains(event.target);
      if (!onLink && String(getSelection()) === "") go(row.section);
    });
    if (i >= shortTable && table.rows.length > shortTable + 3) tail.push(element);
    else body.append(element);
  });
  const more = h("button", { type: "button", class: "quiet more" }, `Show all ${table.rows.length}`);
  more.addEventListener("click", () => {
    body.append(...tail);
    more.remove();
    tail[0]?.querySelector("a")?.focus();
  });
  stage.onShow((section) => {
    for (const row of [...body.rows, ...tail]) {
      const shown = section !== null && row.dataset["section"] === String(section);
      row.classList.toggle("shown", shown);
      if (shown) row.querySelector("a")?.setAttribute("aria-current", "true");
      else row.querySelector("a")?.removeAttribute("aria-current");
    }
  });
  const heads = table.columns.map((column, i) => h("th", { scope: "col", class: align(i) }, column.title));
  const scroll = h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, `${label}. Each row's name shows more about it.`),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Row"), why && h("th", { scope: "col" }, "Why this one"), ...heads)),
      body,
    ),
  );
  return h("div", { class: "rows" }, scroll, tail.length > 0 && more);
}
