// Lays out a report: what to know first, what to be careful about, then chapter by chapter, last how it was made. Pages
// of one method have a single chapter and none of the furniture.
import "./base.css";
import "./layout.css";
import "./tables.css";
import "./parts.css";
import "./figures.css";
import "./print.css";

import { bar } from "./bar";
import { cautionsInFront, cautionsPart } from "./caveats";
import { chapterPart, onlyChapter } from "./chapter";
import { h } from "./dom";
import { findingsPart } from "./findings";
import { glancePart } from "./glance";
import { startJourney } from "./journey";
import { makingPart } from "./making";
import { keyPart, masthead } from "./masthead";
import { navigation, type Stop } from "./navigation";
import { startPaper } from "./paper";
import type { Payload } from "./payload";
import { arrangementOf, nameSections, reachable } from "./places";
import { outputsOf } from "./output_choice";
import { readPayload } from "./read";
import { startTheme } from "./theme";

function stopsOf(parts: HTMLElement[]): Stop[] {
  return parts
    .filter((part) => part.id !== "" && part.querySelector(":scope > h2"))
    .map((part) => ({ id: part.id, title: part.querySelector(":scope > h2")?.textContent ?? "" }));
}

function page(payload: Payload): void {
  const root = document.getElementById("sightglass");
  if (!root) return;
  const framed = window.top !== window;
  document.documentElement.classList.toggle("framed", framed);
  nameSections(payload.sections);
  const known = reachable(payload);
  const isReport = payload.chapters.length > 1;
  const chapters = isReport
    ? payload.chapters.map((chapter) => chapterPart(chapter, payload, known))
    : payload.chapters.flatMap((chapter) => onlyChapter(chapter, payload, known));
  const findings = findingsPart(payload, known);
  const hasList = payload.chapters.some((chapter) => arrangementOf(chapter, payload).listed.length > 0);
  const cautions = isReport ? cautionsInFront(payload) : cautionsPart(payload, known);
  const words = isReport ? [findings, cautions] : [findings, hasList ? null : glancePart(payload), cautions];
  // In a cell of a notebook they stand below the chart, as they do beside its pictures.
  const chartFirst = framed && !isReport;
  const before = [isReport ? null : keyPart(payload), ...(chartFirst ? [] : words)];
  const below = chartFirst ? words : [];
  const parts = [...before, ...chapters, ...below, makingPart(payload, known, isReport)].filter((part) => part !== null);
  const version = payload.runs[0]?.version ?? "";
  root.append(
    h("a", { class: "skip", href: "#content" }, "Skip to the content"),
    bar(),
    h(
      "div",
      { class: isReport ? "layout with-chapters" : "layout" },
      isReport && navigation(stopsOf(parts), outputsOf(payload)),
      h("main", { id: "content" }, masthead(payload, known, isReport), ...parts),
    ),
    h("footer", {}, h("p", {}, `Made by Sightglass${version ? ` ${version}` : ""}. This file is complete: it loads nothing and sends nothing.`)),
  );
  startJourney();
}

startTheme();
startPaper();
readPayload().then(page).catch((error: unknown) => {
  const words = "This page could not be shown: the file is damaged, or the browser is older than 2023.";
  document.getElementById("sightglass")?.append(h("p", { role: "alert" }, words));
  console.error(error);
});
