// The list of everything that a chapter can show: typing narrows it, Enter shows the first that is left.
import { h } from "./dom";
import { matching } from "./filtering";
import { glanceTable, glanceWords, noGlance } from "./glance";
import { go } from "./journey";
import type { Chapter, Glance, Payload } from "./payload";
import { hashOf } from "./places";
import type { Stage } from "./stage";

const tableRows = 5;
const listItems = 9;
const worthSearching = 8;

const nouns: Record<string, [one: string, many: string]> = {
  feature: ["feature", "features"],
  pair: ["pair", "pairs"],
  row: ["row", "rows"],
};

function plainList(sections: number[], payload: Payload): HTMLElement {
  const item = (section: number): HTMLElement =>
    h("li", { "data-section": section }, h("a", { href: hashOf(section) }, payload.sections[section]!.title));
  return h("ul", { class: "names" }, ...sections.map(item));
}

function markCurrent(list: HTMLElement, section: number | null): void {
  for (const row of list.querySelectorAll<HTMLElement>("[data-section]")) {
    const link = row.querySelector("a");
    if (section !== null && row.dataset["section"] === String(section)) link?.setAttribute("aria-current", "true");
    else link?.removeAttribute("aria-current");
  }
}

// Features have small pictures in the list.
function glancesOf(sections: number[], payload: Payload): Map<number, Glance> | null {
  const given = new Map(payload.glance.map((glance) => [glance.section, glance] as const));
  if (!sections.some((section) => given.has(section))) return null;
  return new Map(sections.map((one) => [one, given.get(one) ?? noGlance(one, payload.sections[one]!.title)]));
}

// `shown` are on the page already: they are found, but stand in the list only when looked for.
export function finder(chapter: Chapter, listed: number[], shown: number[], payload: Payload, stage: Stage): HTMLElement | null {
  if (listed.length === 0) return null;
  const names = listed.map((section) => payload.sections[section]!.title);
  const glances = glancesOf(listed, payload);
  const [one, many] = nouns[payload.sections[listed[0]!]!.kind] ?? ["section", "sections"];
  const short = glances ? tableRows : listItems;
  const others = listed.filter((section) => !shown.includes(section));
  const shortList = others.length <= short + 3 ? others.length : short;
  const list = h("div", { class: "found" });
  const count = h("p", { class: "muted count", role: "status" });
  const more = h("button", { type: "button", class: "quiet more" });
  const field = h("input", { type: "search", id: `${chapter.id}-search`, autocomplete: "off", spellcheck: "false" });
  let all = false;
  let current: number | null = null;

  const update = (): void => {
    const asked = field.value.trim() !== "";
    const found = asked ? matching(names, field.value).map((i) => listed[i]!) : others;
    const few = all ? found : found.slice(0, shortList);
    const content = glances ? glanceTable(few.map((section) => glances.get(section)!), payload) : plainList(few, payload);
    list.replaceChildren(...(few.length > 0 ? [content] : []));
    markCurrent(list, current);
    const noun = listed.length === 1 ? one : many;
    count.textContent = asked ? `${found.length || "None"} of ${listed.length} ${noun}` : "";
    more.hidden = few.length === found.length;
    more.textContent = `Show all ${found.length}`;
  };
  field.addEventListener("input", update);
  field.addEventListener("keydown", (event) => {
    const [first] = matching(names, field.value);
    if (event.key === "Enter" && first !== undefined) go(listed[first]!);
  });
  more.addEventListener("click", () => {
    const before = list.querySelectorAll("[data-section]").length;
    all = true;
    update();
    list.querySelectorAll("[data-section]")[before]?.querySelector("a")?.focus();
  });
  stage.onShow((section) => {
    current = section;
    markCurrent(list, section);
  });
  update();
  const search = h("div", { class: "search" }, h("label", { for: field.id }, `Find a ${one}`), field, count);
  return h(
    "div",
    { class: "finder" },
    h("h3", {}, others.length < listed.length ? `${others.length} more ${others.length === 1 ? one : many}` : `All ${many}`),
    glances && h("p", { class: "muted" }, glanceWords(payload, "How far each feature moves")),
    listed.length > worthSearching && search,
    list,
    more,
  );
}
