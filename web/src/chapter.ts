// A chapter: its tables, what is about everything, a list of what can be asked for, and the sections themselves.
import { h } from "./dom";
import { finder } from "./finder";
import { offer } from "./journey";
import type { Chapter, Payload, RankTable } from "./payload";
import { arrangementOf } from "./places";
import { rankingTable } from "./ranking";
import { rowTable } from "./row_table";
import { foldedSection, sectionView } from "./section";
import { Stage } from "./stage";

function namesOf(ranking: RankTable, payload: Payload): string {
  const [first] = ranking.rows.filter((row) => row.section !== null);
  return first && payload.sections[first.section!]?.kind === "pair" ? "Pair" : "Feature";
}

const mostLines = 10; // of pictures about everything
const mostFound = 5; // of features or pairs, which the list below or the table above leads to as well
const phone = 560; // px

const mostInAdvance = 20; // what is folded is on paper, too; more than that only when asked for

// Of many sections that are folded anyway the first few have a line each.
function few(sections: number[], most: number, isFolded: boolean, view: (section: number) => HTMLElement): HTMLElement[] {
  if (!isFolded || sections.length <= most) return sections.map(view);
  const [shown, rest] = [sections.slice(0, most - 2), sections.slice(most - 2)];
  const more = h("details", { class: "fold more-folds" }, h("summary", {}, h("h3", {}, `${rest.length} more`)));
  const fill = (): void => {
    if (!more.querySelector(":scope > [data-place]")) more.append(...rest.map(view));
  };
  if (rest.length <= mostInAdvance) fill();
  more.addEventListener("toggle", fill);
  for (const section of rest) if (rest.length > mostInAdvance) offer(section, fill);
  return [...shown.map(view), more];
}

function parts(chapter: Chapter, payload: Payload, known: Set<number>, level: 2 | 3): (HTMLElement | null)[] {
  const isReport = level === 3;
  const { overviews, open: fromStart, listed, asked } = arrangementOf(chapter, payload);
  // A row that its table leads to needs no line besides.
  const tabled = new Set(isReport ? chapter.rows?.rows.map((row) => row.section) : []);
  const open = fromStart.filter((section) => !tabled.has(section));
  const stage = new Stage(payload, [...asked, ...fromStart.filter((section) => tabled.has(section))]);
  // A chapter of a report begins with one picture, or with its table; a line stands for each of the others. On a phone all
  // pictures are lines: one of them would fill the screen.
  const [first] = chapter.ranking || chapter.rows || chapter.extra || innerWidth < phone ? [] : [...overviews, ...open];
  const view = (section: number): HTMLElement => {
    if (!isReport) return sectionView(section, payload, level).element;
    return section === first ? sectionView(section, payload, level, true).element : foldedSection(section, payload);
  };
  return [
    chapter.ranking && rankingTable(chapter.ranking, `Table: ${chapter.title || "importance"}`, namesOf(chapter.ranking, payload), known),
    ...few(overviews, mostLines, isReport, view),
    chapter.rows && rowTable(chapter.rows, `Table: ${chapter.title || "rows"}`, stage),
    ...(isReport ? few(open, mostFound, true, view) : []),
    finder(chapter, listed, isReport ? open : [], payload, stage),
    asked.length > 0 || tabled.size > 0 ? stage.element : null,
    ...(isReport ? [] : open.map(view)),
  ];
}

export function chapterPart(chapter: Chapter, payload: Payload, known: Set<number>): HTMLElement {
  const title = `${chapter.id}-title`;
  const element = h(
    "section",
    { class: "chapter", id: chapter.id, "aria-labelledby": title },
    h("h2", { id: title }, chapter.title),
    chapter.lead !== "" && h("p", { class: "lead" }, chapter.lead),
    chapter.reading !== "" && h("details", { class: "how-to-read" }, h("summary", {}, "How to read this"), h("p", { class: "muted" }, chapter.reading)),
  );
  const content = parts(chapter, payload, known, 3).filter((part) => part !== null);
  element.append(...(chapter.extra ? [h("details", { class: "whole" }, h("summary", {}, "Open this chapter"), ...content)] : content));
  return element;
}

// The only chapter of a page needs no heading: the page's own is enough.
export function onlyChapter(chapter: Chapter, payload: Payload, known: Set<number>): HTMLElement[] {
  return parts(chapter, payload, known, 2).filter((part) => part !== null);
}
