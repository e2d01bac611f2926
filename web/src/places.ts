// Where the sections of a report stand: which chapter has which, what is on the page from the start, what an address
// (#feature-temp) means.
import type { Chapter, Payload, Section } from "./payload";

const longestName = 60;

// Letters and numbers of any script; everything else could mean something in an address.
function plain(name: string): string {
  const kept = name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}_]+/gu, "-").replace(/^-+|-+$/g, "");
  return [...kept].slice(0, longestName).join("") || "unnamed";
}

// By name, so that a link holds for the next report too. Names that look alike are told apart in the order of the
// alphabet, which does not change from run to run as ranks do.
export function namesOf(sections: Pick<Section, "kind" | "name">[]): string[] {
  const names: string[] = Array.from({ length: sections.length }, () => "");
  const taken = new Set<string>();
  const order = sections.map((_, i) => i).sort((a, b) => {
    const [first, second] = [sections[a]!.name, sections[b]!.name];
    return first < second ? -1 : first > second ? 1 : a - b;
  });
  for (const section of order) {
    const { kind, name } = sections[section]!;
    const start = kind === "row" ? plain(name).toLowerCase() : `${kind}-${plain(name)}`;
    let found = start;
    for (let i = 2; taken.has(found); ++i) found = `${start}-${i}`;
    taken.add(found);
    names[section] = found;
  }
  return names;
}

let names: string[] = [];
const places = new Map<string, number>();

export function nameSections(sections: Section[]): void {
  names = namesOf(sections);
  places.clear();
  names.forEach((name, section) => places.set(name, section));
}

// The id of a section's element.
export function idOf(section: number): string {
  return names[section] ?? "";
}

export function hashOf(section: number): string {
  return `#${encodeURIComponent(idOf(section))}`;
}

// What an address points to, as the id of an element.
export function idOfHash(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return "";
  }
}

export function sectionOfHash(hash: string): number | null {
  return places.get(idOfHash(hash)) ?? null;
}

export interface Arrangement {
  overviews: number[]; // first: they are about all features or rows
  open: number[];
  listed: number[]; // what the searchable list offers; empty if there is nothing to look for
  asked: number[]; // what is shown only when asked for
}

export function arrangementOf(chapter: Chapter, payload: Payload): Arrangement {
  const kind = (section: number): string => payload.sections[section]?.kind ?? "feature";
  const fromStart = chapter.sections.slice(0, chapter.open);
  const rest = chapter.sections.slice(chapter.open);
  // A table of this chapter that leads to a section is the list of it.
  const tabled = new Set<number>();
  for (const row of chapter.rows?.rows ?? []) tabled.add(row.section);
  for (const row of chapter.ranking?.rows ?? []) if (row.section !== null) tabled.add(row.section);
  const asked = rest.filter((section) => kind(section) !== "overview");
  for (const row of chapter.rows?.rows ?? []) {
    const known = row.section >= 0 && row.section < payload.sections.length;
    if (known && !fromStart.includes(row.section) && !asked.includes(row.section)) asked.push(row.section);
  }
  const needed = asked.some((section) => !tabled.has(section));
  return {
    overviews: chapter.sections.filter((section) => kind(section) === "overview"),
    open: fromStart.filter((section) => kind(section) !== "overview"),
    listed: needed ? chapter.sections.filter((section) => kind(section) !== "overview" && !tabled.has(section)) : [],
    asked,
  };
}

// Sections that a link can lead to.
export function reachable(payload: Payload): Set<number> {
  const found = new Set<number>();
  for (const chapter of payload.chapters) {
    const { overviews, open, asked } = arrangementOf(chapter, payload);
    for (const section of [...overviews, ...open, ...asked]) found.add(section);
  }
  return found;
}

export interface Target {
  href: string;
  title: string;
}

// A finding leads to its section, or else to its chapter.
export function targetOf(section: number | null, chapterId: string, payload: Payload, known: Set<number>): Target | null {
  const about = section !== null && known.has(section) ? payload.sections[section] : undefined;
  if (section !== null && about) return { href: hashOf(section), title: about.title };
  const chapter = payload.chapters.find((one) => one.id === chapterId);
  return chapter && chapter.title !== "" ? { href: `#${chapter.id}`, title: chapter.title } : null;
}
