// The payload of a made-up report, and pages from payloads: node report.mjs [FEATURES] [OUT.html]
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const build = path.resolve(root, process.env.SIGHTGLASS_BUILD ?? "build/release");

// The engine's own page around a payload (tests/browser/write_page.cpp).
export function writePage(payload, file) {
  const page = execFileSync(path.join(build, "tests/write_page"), { input: JSON.stringify(payload), maxBuffer: 1 << 28 });
  writeFileSync(file, page);
  return pathToFileURL(file).href;
}

const bike = ["hour", "temp", "workingday", "humidity", "feels_like", "month", "season", "weather", "windspeed", "weekday", "holiday"];
const round = (value) => Math.round(value * 100) / 100;
const data = (values) => ({ values });
const field = (name, type, more = {}) => ({ field: name, type, ...more });
// Fixed, so that lines which are switched off leave the others where they are.
const across = { scale: { domain: [0, 24] } };
const up = { scale: { domain: [0, 300] } };
// As the engine does: Vega keeps names in plain objects, and these have properties already.
const shown = (name) => (name in {} ? `${name}\u200b` : name);
const config = { aria: false, view: { stroke: null } };

function curve(feature, x) {
  const bend = 1 + (feature % 4);
  return round((120 / (1 + feature / 3)) * Math.sin((x * bend * Math.PI) / 24 + feature) + 150);
}

const lines = [["show_ale", "ALE", "#0072B2", 0], ["show_pdp", "PDP", "#D55E00", 6], ["show_mplot", "M-plot", "#009E73", 15]];

// One line per method, switched by a param each; single rows behind them; a class to choose.
function effectSpec(feature, name, outputs) {
  const params = [...lines.map(([signal], i) => ({ name: signal, value: i < 2 })), { name: "show_ice", value: false }];
  if (outputs.length > 0) params.push({ name: "output", value: outputs[0] });
  const layer = [];
  const classes = outputs.length > 0 ? outputs : [""];
  const at = (output, x) => curve(feature + 2 * classes.indexOf(output), x);
  const filter = (signal) => [{ filter: signal }, ...(outputs.length > 0 ? [{ filter: "datum.output === output" }] : [])];
  const ice = [];
  for (const output of classes) {
    for (let row = 0; row < 12; ++row) {
      for (let x = 0; x <= 24; x += 2) ice.push({ x, y: at(output, x + row / 6) + row * 4 - 24, row, output });
    }
  }
  layer.push({
    data: data(ice), transform: filter("show_ice"), mark: { type: "line", strokeWidth: 0.7, color: "#8a94a3", opacity: 0.6 },
    encoding: { x: field("x", "quantitative", across), y: field("y", "quantitative", up), detail: field("row", "nominal") },
  });
  for (const [signal, label, color, shift] of lines) {
    const values = classes.flatMap((output) =>
      Array.from({ length: 25 }, (_, x) => ({ x, y: at(output, x) + shift * Math.cos(x / 4), label, output })));
    layer.push({
      data: data(values), transform: filter(signal), mark: { type: "line", strokeWidth: 2.25, color },
      encoding: {
        x: field("x", "quantitative", { title: shown(name), ...across }),
        y: field("y", "quantitative", { title: outputs.length > 0 ? `mean predicted probability of ${outputs[0]}` : "mean prediction (bikes/hour)", ...up }),
        tooltip: [field("label", "nominal", { title: "method" }), field("y", "quantitative", { title: "mean prediction" })],
      },
    });
  }
  return { $schema: "https://vega.github.io/schema/vega-lite/v5.json", background: "transparent", width: 560, height: 260, params, layer, config };
}

function heatSpec(pairs, names) {
  const values = pairs.flatMap(({ first, second, h2, section }) =>
    [[first, second], [second, first]].map(([a, b]) => ({ a: shown(names[a]), b: shown(names[b]), h2, section })));
  return {
    background: "transparent", width: 420, height: 300, data: data(values), config,
    mark: { type: "rect", tooltip: null },
    encoding: {
      x: field("a", "nominal", { title: null, axis: { labelLimit: 120 } }), y: field("b", "nominal", { title: null, axis: { labelLimit: 120 } }),
      color: field("h2", "quantitative", { title: "H²", scale: { scheme: "blues" } }),
    },
  };
}

function surfaceSpec(pair, names) {
  const values = [];
  for (let x = 0; x < 12; ++x) for (let y = 0; y < 12; ++y) values.push({ x, y, z: round(Math.sin(x / 3 + pair.first) * Math.cos(y / 4 + pair.second)) });
  const axis = (name, feature) => field(name, "ordinal", { title: shown(names[feature]) });
  return {
    background: "transparent", width: 420, height: 300, data: data(values), config, mark: "rect",
    encoding: { x: axis("x", pair.first), y: axis("y", pair.second), color: field("z", "quantitative", { title: "effect" }) },
  };
}

function barSpec(names, scale) {
  const values = names.slice(0, 9).map((name, i) => ({ name: shown(name), value: round(scale * Math.cos(i + scale)) }));
  return {
    background: "transparent", width: 520, height: 240, data: data(values), config, mark: "bar",
    encoding: { y: field("name", "nominal", { sort: null, title: null, axis: { labelLimit: 160 } }), x: field("value", "quantitative", { title: "bikes/hour" }) },
  };
}

const noTable = { columns: [{ title: "x", numeric: true }, { title: "mean", numeric: true }], rows: [["0", "150.2"], ["1", "148.9"]], left_out: 0 };
const chart = (method, description, spec, more = {}) => ({
  method, about: "", chips: [], reading: "", description, wide: false, canvas: false, table: noTable, spec, toggles: [], choices: [], ...more,
});

function featureSection(i, name, outputs) {
  const hints = { show_ale: "changes among rows that have such values", show_pdp: "average over all rows", show_mplot: "rows that have the value", show_ice: "single rows" };
  const toggle = (signal, label, on) => ({ signal, label, on, hint: hints[signal] });
  return {
    title: name, kind: "feature",
    charts: [chart("Effect", `The prediction moves by ${round(240 / (1 + i / 3))} bikes an hour along ${name}; it is highest in the middle.`,
      effectSpec(i, name, outputs), {
        chips: ["range 240", "not monotone"],
        reading: "Where the lines part, the feature goes together with others: trust ALE there.",
        toggles: [...lines.map(([signal, label], k) => toggle(signal, label, k < 2)), toggle("show_ice", "Single rows (ICE)", false)],
        choices: outputs.length > 0 ? [{ signal: "output", label: "Class", options: outputs, value: outputs[0] }] : [],
        words: outputs.map((output, k) => ({ output, chips: k === 1 ? [] : [`range ${240 - 10 * k}`], description: `For ${output}: it moves along ${name}.`, lines: [{ signal: "show_ale", chip: "ALE: monotone", text: "ALE rises." }] })),
      })],
  };
}

// One output has its chart, several have one each, of which the page shows one.
function swarmChart(names, outputs) {
  const version = (output, i) => chart("Shapley values", `Mean size of each feature's attribution${output && ` to ${output}`}.`, barSpec(names, 30 - 9 * i), { output });
  if (outputs.length === 0) return version("", 0);
  const [first, ...versions] = outputs.map(version);
  return { ...first, versions, choices: [{ signal: "output", label: "Class", options: outputs, value: outputs[0] }] };
}

function ranking(names) {
  const columns = [
    { title: "Permutation", method: "permutation importance", hint: "How much larger the error (RMSE) becomes when the feature is shuffled; with its 95 % interval." },
    { title: "PD spread", method: "pd-importance", hint: "Standard deviation of the partial dependence." },
    { title: "Mean |SHAP|", method: "shap", hint: "Mean size of a row's attribution to the feature." },
    { title: "H²", method: "interactions", hint: "Share of the feature's effect that depends on other features." },
  ];
  const rows = names.map((name, i) => {
    const size = 90 / (1 + i * i * 0.15);
    const pfi = round(size - 3);
    const cell = (value, low = null, high = null) => ({ text: value === null ? "" : String(value), value, low, high });
    return {
      name, section: i,
      cells: [cell(pfi, round(pfi - 2.2), round(pfi + 2.2)), cell(round(size * (0.5 + 0.4 * Math.sin(i)) + 1)), cell(i % 7 === 6 ? null : round(size * 0.8)), cell(round(0.4 * Math.abs(Math.cos(i))))],
    };
  });
  return { columns, rows };
}

// Names may be anything, also hostile; `outputs` are classes to choose from.
export function reportPayload({ features = bike.length, names: given, outputs = [], title = "What the model says about rentals" } = {}) {
  const names = given ?? Array.from({ length: features }, (_, i) => bike[i] ?? `feature_${i}`);
  const sections = names.map((name, i) => featureSection(i, name, outputs));
  const top = Math.min(names.length, 6);
  const pairs = [];
  for (let a = 0; a < top; ++a) for (let b = a + 1; b < top; ++b) pairs.push({ first: a, second: b, h2: round(0.5 / (1 + a + b)) });
  const add = (section) => sections.push(section) - 1;
  for (const pair of pairs) {
    const name = `${names[pair.first]} × ${names[pair.second]}`;
    const words = `What ${name} do together, beyond the sum of what each does alone.`;
    pair.section = add({ title: name, kind: "pair", charts: [chart("ALE", words, surfaceSpec(pair, names)), chart("Partial dependence", words, surfaceSpec(pair, names))] });
  }
  const heat = add({ title: "Which pairs act together", kind: "overview", charts: [chart("Interaction strength (H²)", "Darker pairs act together more. A click on a cell shows the pair.", heatSpec(pairs, names))] });
  const swarm = add({ title: "All rows", kind: "overview", charts: [swarmChart(names, outputs)] });
  const examples = [["highest prediction", 1021], ["lowest prediction", 7], ["typical", 4410], ["largest error", 8123]].map(([why, row], i) => ({
    title: `Row ${row}`, why, cells: names.slice(0, 6).map((_, k) => String(round(3 + i * 2.7 + k))),
    section: add({
      title: `Row ${row}`, kind: "row",
      charts: [
        chart("Shapley values", `Row ${row}: from 143 on average to ${200 + i * 40}.`, barSpec(names, 40 + i)),
        ...names.slice(0, 4).map((name, k) => chart("What if", `Row ${row} with other values of ${name}.`, effectSpec(k + i, name, []), { about: name })),
      ],
    }),
  }));
  const spark = (i) => Array.from({ length: 25 }, (_, x) => [x / 24, (Math.sin((x * (1 + (i % 4)) * Math.PI) / 24 + i) + 1) / 2]);
  const run = (method, options) => ({
    method, version: "0.1.0", shows: "mean prediction (bikes/hour)",
    model: [["source", "model.json"], ["format", "xgboost"], ["task", "regression"], ["trees", "150"], ["engine", "trees"]],
    data: [["source", "bike.csv"], ["rows", "8,645"], ["target", "rentals"]], options: [["seed", "0"], ...options],
  });
  const caveat = (id, severity, message, section, advice = "", tip = "") => ({ id, severity, message, advice, tip, evidence: [], section });
  const rest = names.slice(1);
  const caveats = [
    caveat("extrapolation", "caution", `${names[1]}: 31 % of the rows become combinations that the data do not contain.`, Math.min(1, names.length - 1), "Look at ALE there.", "--caveat-rows 0 looks at all rows"),
    caveat("training-data", "warning", "The report was made on the data that the model was trained on: errors look smaller than they are.", null, "Use rows that the model has not seen."),
    ...rest.slice(1, 5).map((name, i) => caveat("extrapolation", "caution", `${name}: ${25 - i} % of the rows become combinations that the data do not contain.`, i + 2)),
    caveat("sampled", "note", "Drawn from 2,000 of 8,645 rows.", null, "", "--sample 0 uses all"),
  ];
  return {
    title,
    runs: [run("Report", [["sample", "2,000"]]), run("Permutation importance", [["repeats", "5"]]), run("Partial dependence", [["grid", "64"]]), run("ALE", [["bins", "40"]]), run("Shapley values", [["sample", "400"]])],
    first: {
      headline: "The model explains 93 % of the variance of rentals on these 8,645 rows; it is off by 21 bikes/hour on average, a constant prediction by 103.",
      scores: [
        { value: "93 %", words: "of the variation explained", name: "R²" },
        { value: "21 bikes/hour", words: "off on average", name: "mean absolute error" },
        { value: "35 bikes/hour", words: "typical error, large ones count more", name: "RMSE" },
      ],
      matters: {
        measure: "Increase of RMSE", hint: "How much larger the error becomes when the feature is shuffled.", left_out: Math.max(names.length - 8, 0),
        rows: names.slice(0, 8).map((name, i) => ({ name, section: i, share: 1 / (1 + i), low: 0.9 / (1 + i), high: 1 / (1 + i), text: String(round(90 / (1 + i))) })),
      },
      effects: names.slice(0, 4).map((name, i) => ({ section: i, text: `The prediction of rentals rises with ${name} up to its middle, then falls; range ${round(240 / (1 + i / 3))} bikes/hour.` })),
    },
    findings: [
      { text: `${names[0]} × ${names.at(-1)}: what one does depends on the other (H² 0.31).`, section: pairs[1]?.section ?? null, chapter: "interactions" },
      { text: `${rest.length} features together explain a tenth of the error; shuffling ${names.at(-1)} costs nothing.`, section: names.length - 1, chapter: "importance" },
      { text: "No single measure disagrees with the others about the first three places.", section: null, chapter: "importance" },
    ],
    figures: [
      { method: "performance", name: "R²", about: "", value: "0.93", meaning: "share of the target's variance that the predictions explain, on the given rows" },
      { method: "performance", name: "RMSE", about: "", value: "35.4 bikes/hour", meaning: "typical size of an error" },
      { method: "performance", name: "Mean prediction", about: "", value: "143", meaning: "over all rows" },
      ...rest.slice(0, 6).map((name, i) => ({ method: "interactions", name: `H² of ${name}`, about: "", value: String(round(0.1 / (1 + i))), meaning: "share that is not its own effect" })),
    ],
    glance: names.map((name, i) => ({
      section: i, title: name, line: "", range: String(round(240 / (1 + i / 3))), unit: "bikes/hour", share: 1 / (1 + i / 3), shape: i % 3 ? "rising" : "peaked",
      differs: `${(i * 7) % 60} %`, from: "0", to: "24", levels: i % 5 === 4 ? ["spring", "summer", "autumn", "winter"] : [], all_levels: i % 5 === 4 ? 4 : 0, categorical: i % 5 === 4, spark: spark(i).slice(0, i % 5 === 4 ? 4 : 25), others: [],
    })),
    caveats,
    cautions: [
      { severity: "warning", text: caveats[1].message, front: true, caveats: [1] },
      { severity: "caution", text: `Parts of the curves of ${names[1]} and others rest on combinations that the data do not contain.`, front: true, caveats: caveats.flatMap(({ id }, i) => (id === "extrapolation" ? [i] : [])) },
      { severity: "note", text: "Drawn from 2,000 of 8,645 rows.", front: false, caveats: [caveats.length - 1] },
    ],
    asides: caveats.filter(({ section }) => section !== null).map(({ section, severity, message, advice, tip }) => ({ section, severity, text: message, advice, tip })),
    chapters: [
      { id: "importance", title: "What matters", lead: "How much the model relies on each feature, by four measures.", reading: "They answer different questions: where they disagree, read what each one means below the table.", ranking: ranking(names), rows: null, sections: [], open: 0 },
      { id: "effects", title: "What each feature does", lead: "How the prediction changes along a feature. Switch methods on and off under a chart; where they part, features go together.", ranking: null, rows: null, sections: names.map((_, i) => i), open: Math.min(names.length, 4) },
      { id: "interactions", title: "What acts together", lead: "Pairs whose joint effect differs from the sum of the two.", ranking: null, rows: null, sections: [heat, ...pairs.map((pair) => pair.section)], open: 1 },
      { id: "rows", title: "Single rows", lead: "Rows that show what the model does: the extremes, the typical, the worst predicted.", ranking: null, rows: { columns: names.slice(0, 6).map((name) => ({ title: name, numeric: true })), rows: examples }, sections: [swarm, ...examples.map((row) => row.section)], open: 1 },
    ].filter((chapter) => chapter.id !== "interactions" || pairs.length > 0),
    sections,
    glossary: [
      { term: "ALE", meaning: "Accumulated local effects: changes of the prediction along a feature, among rows that have such values, added up." },
      { term: "H²", meaning: "Share of the variance of a joint effect that is not the sum of the single effects." },
      { term: "ICE", meaning: "The prediction of one row when one feature is changed." },
    ],
    repeat: { command: "sightglass report --model model.json --data bike.csv --target rentals --sample 2000 --seed 0 -o report.html", options: [["budget", "60 s"], ["seconds", "41"]] },
    left_out: ["M-plots of 3 features that hardly matter", "pairs beyond the first 15"],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [features = "11", out = "report.html"] = process.argv.slice(2);
  console.log(writePage(reportPayload({ features: Number(features) }), out));
}
