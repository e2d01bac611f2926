// What the C++ side puts into the page (src/sightglass/render/html/payload.cpp). All text is plain text.
import type { TopLevelSpec } from "vega-lite";

export type Pair = [name: string, value: string];

export interface Table {
  columns: { title: string; numeric: boolean }[];
  rows: string[][];
  left_out: number;
}

export interface Chart {
  method: string;
  about: string;
  chips: string[];
  reading: string;
  description: string;
  wide: boolean;
  canvas: boolean;
  table: Table;
  spec: TopLevelSpec;
}

export interface Section {
  title: string;
  charts: Chart[];
}

export interface Caveat {
  id: string;
  severity: "note" | "caution" | "warning";
  message: string;
  advice: string;
  evidence: Pair[];
  section: number | null;
}

export type Point = [x: number, y: number];

export interface Glance {
  section: number;
  title: string;
  line: string;
  range: string;
  share: number;
  shape: string;
  heterogeneity: string;
  categorical: boolean;
  spark: Point[];
  others: Point[][];
}

export interface KeyFigure {
  name: string;
  about: string;
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

export interface Payload {
  title: string;
  runs: Run[];
  figures: KeyFigure[];
  glance: Glance[];
  caveats: Caveat[];
  sections: Section[];
}
