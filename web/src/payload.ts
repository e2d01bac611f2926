// What the C++ side puts into the page (src/sightglass/render/html/payload.cpp). All text is plain text. Numbers called
// `section` are places in `sections`.
import type { TopLevelSpec } from "vega-lite";

export type Pair = [name: string, value: string];

export interface Table {
  columns: { title: string; numeric: boolean }[];
  rows: string[][];
  left_out: number;
  open?: boolean; // to be read, not only looked up
  find?: number; // the column of levels, more of which are here than in the chart
}

// A checkbox that sets a boolean signal (a Vega-Lite top-level param) of the chart.
export interface Toggle {
  signal: string;
  label: string;
  on: boolean;
  hint: string;
}

// A list to choose from that sets a text signal of the chart: which class.
export interface Choice {
  signal: string;
  label: string;
  options: string[];
  value: string;
}

// What is said of one output of a chart, more of it while the signals of `lines` are on.
export interface OutputWords {
  output: string; // empty where there is no choice
  chips: string[];
  description: string;
  lines: { signal: string; chip: string; text: string }[];
}

// A text with marked words: strength is from 1 to 4 where a word raises the prediction, from -1 to -4 where it lowers it.
export interface MarkedText {
  runs: { text: string; strength: number; hint?: string }[];
  all: boolean; // else the text goes on
}

// A picture with marked regions.
export interface MarkedPicture {
  picture: string; // a data URI
  alt: string;
}

// Marks whose datum has a number `section` lead there when clicked.
export interface Chart {
  method: string;
  about: string;
  output: string; // which one it is about, where there are several
  chips: string[];
  reading: string;
  description: string;
  wide: boolean;
  canvas: boolean;
  table: Table;
  spec: TopLevelSpec;
  toggles: Toggle[];
  choices: Choice[];
  words: OutputWords[]; // in place of chips and description, where these follow what the chart shows
  above?: MarkedText | MarkedPicture; // what no chart can show
  versions: Chart[]; // the same chart of other outputs, chosen by the choice `output`
}

export type SectionKind = "feature" | "pair" | "row" | "overview";

export interface Section {
  title: string;
  name: string; // its address is made of it
  kind: SectionKind;
  charts: Chart[];
}

export interface Caveat {
  id: string;
  severity: "note" | "caution" | "warning";
  message: string;
  advice: string;
  tip: string; // what to type for it; may be empty
  evidence: Pair[];
  section: number | null;
}

// Cautions of one kind, worst kinds first.
export interface CautionKind {
  severity: Caveat["severity"];
  text: string; // of all of them in a sentence
  front: boolean; // near the top of the page
  caveats: number[]; // places in `caveats`
}

// What is said beside the chart that it is about.
export interface Aside {
  section: number;
  severity: Caveat["severity"];
  text: string;
  advice: string;
  tip: string;
}

// What a report begins with.
export interface First {
  headline: string;
  scores: { value: string; words: string; name: string }[];
  matters: Matters | null;
  effects: { section: number; text: string; about?: string }[]; // about: which of several lines, if the text does not say so
}

// Shares are of the longest bar.
export interface Matters {
  measure: string;
  hint: string;
  left_out: number;
  rows: { name: string; section: number | null; share: number; low: number | null; high: number | null; text: string }[];
}

export type Point = [x: number, y: number];

export interface Glance {
  section: number;
  title: string;
  line: string;
  by?: string; // the method, where several tell of the feature
  range: string;
  unit: string; // of the range; may be empty
  share: number;
  shape: string;
  differs: string; // how much rows differ
  from: string; // the ends of a numeric feature's axis
  to: string;
  levels: string[]; // of a categorical one, those that `spark` has
  all_levels: number; // how many there are
  categorical: boolean;
  spark: Point[];
  others: Point[][];
}

export interface KeyFigure {
  method: string; // its id, "performance"
  name: string;
  about: string;
  unit: string;
  value: string;
  meaning: string;
}

export interface Run {
  method: string;
  version: string;
  shows: string;
  model: Pair[];
  data: Pair[];
  options: Pair[];
}

export interface Finding {
  text: string;
  section: number | null;
  chapter: string;
}

export interface RankCell {
  text: string;
  value: number | null;
  low: number | null;
  high: number | null;
}

export interface RankRow {
  name: string;
  section: number | null;
  cells: RankCell[];
}

export interface RankTable {
  columns: { title: string; method: string; hint: string; base?: number }[]; // base: where bars start, 1 of ratios
  rows: RankRow[];
}

export interface RowTable {
  columns: { title: string; numeric: boolean; long?: boolean }[]; // long: lists that need room
  rows: { title: string; why: string; cells: string[]; section: number }[];
}

export interface Chapter {
  id: string;
  title: string;
  lead: string; // what is answered here
  reading: string; // how to read its charts
  extra: boolean; // few need it: all of it is folded at first
  ranking: RankTable | null;
  rows: RowTable | null;
  sections: number[]; // most important first
  open: number; // so many of them are on the page, the others come when asked for
}

export interface Payload {
  title: string;
  runs: Run[];
  first: First | null; // of reports
  findings: Finding[];
  figures: KeyFigure[];
  glance: Glance[];
  caveats: Caveat[];
  cautions: CautionKind[];
  asides: Aside[];
  chapters: Chapter[];
  sections: Section[];
  glossary: { term: string; meaning: string }[];
  repeat: { command: string; options: Pair[] } | null;
  left_out: string[];
}
