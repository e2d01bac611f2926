// Reads the payload. Pages of one method have no chapters, findings or tables: what is not there is empty.
import type { Chapter, Chart, Payload, Section } from "./payload";

type Given<T> = { [K in keyof T]?: T[K] };

function filledChart(chart: Chart): Chart {
  const choices = chart.choices ?? [];
  const whole = (one: Chart, more: Partial<Chart>): Chart => ({ ...one, output: one.output ?? "", toggles: one.toggles ?? [], words: one.words ?? [], ...more });
  // Versions offer the same choice, each as what it is.
  const version = (one: Chart): Chart => whole(one, { choices: choices.map((choice) => ({ ...choice, value: one.output })), versions: [] });
  return whole(chart, { choices, versions: (chart.versions ?? []).map(version) });
}

function filledSection(section: Section): Section {
  return { ...section, name: section.name ?? section.title, kind: section.kind ?? "feature", charts: section.charts.map(filledChart) };
}

function filledChapter(chapter: Given<Chapter>, sections: number): Chapter {
  const known = (chapter.sections ?? []).filter((index) => index >= 0 && index < sections);
  return {
    id: chapter.id ?? "other",
    title: chapter.title ?? "",
    lead: chapter.lead ?? "",
    reading: chapter.reading ?? "",
    extra: chapter.extra ?? false,
    ranking: chapter.ranking ?? null,
    rows: chapter.rows ?? null,
    sections: known,
    open: Math.min(chapter.open ?? known.length, known.length),
  };
}

// Without chapters, everything is one, and on the page.
function chaptersOf(given: Given<Chapter>[], sections: number): Chapter[] {
  const chapters = given.map((chapter) => filledChapter(chapter, sections));
  if (chapters.length > 0 || sections === 0) return chapters;
  return [filledChapter({ sections: Array.from({ length: sections }, (_, i) => i) }, sections)];
}

export function filled(given: Given<Payload>): Payload {
  const sections = (given.sections ?? []).map(filledSection);
  return {
    title: given.title ?? "",
    runs: given.runs ?? [],
    first: given.first ?? null,
    findings: given.findings ?? [],
    figures: given.figures ?? [],
    glance: given.glance ?? [],
    caveats: given.caveats ?? [],
    cautions: given.cautions ?? [],
    asides: given.asides ?? [],
    chapters: chaptersOf(given.chapters ?? [], sections.length),
    sections,
    glossary: given.glossary ?? [],
    repeat: given.repeat ?? null,
    left_out: given.left_out ?? [],
  };
}

// Large data are packed (zlib) and written in letters; JSON begins with a brace, which is none of them.
export async function unpacked(text: string): Promise<string> {
  if (text.startsWith("{")) return text;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

export async function readPayload(): Promise<Payload> {
  const text = document.getElementById("sightglass-data")?.textContent ?? "{}";
  return filled(JSON.parse(await unpacked(text)) as Given<Payload>);
}
