// A chapter: its tables, what is about everything, a list of what can be asked for, and the sections themselves.
import { h } from "./dom";
import { finder } from "./finder";
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

function parts(chapter: Chapter, payload: Payload, known: Set<number>, level: 2 | 3): (HTMLElement | null)[] {
  const { overviews, open, listed, asked } = arrangementOf(chapter, payload);
  const stage = new Stage(payload, asked);
  // A chapter of a report begins with one picture, or with its table; a line stands for each of the others.
  const [first] = chapter.ranking || chapter.rows ? [] : [...overviews, ...open];
  const isReport = level === 3;
  const view = (section: number): HTMLElement =>
    !isReport || section === first ? sectionView(section, payload, level).element : foldedSection(section, payload);
  return [
    chapter.ranking && rankingTable(chapter.ranking, `Table: ${chapter.title || "importance"}`, namesOf(chapter.ranking, payload), known),
    ...overviews.map(view),
    chapter.rows && rowTable(chapter.rows, `Table: ${chapter.title || "rows"}`, stage),
    ...(isReport ? open.map(view) : []),
    finder(chapter, listed, isReport ? open : [], payload, stage),
    asked.length > 0 ? stage.element : null,
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
  element.append(...parts(chapter, payload, known, 3).filter((part) => part !== null));
  return element;
}

// The only chapter of a page needs no heading: the page's own is enough.
export function onlyChapter(chapter: Chapter, payload: Payload, known: Set<number>): HTMLElement[] {
  return parts(chapter, payload, known, 2).filter((part) => part !== null);
}
