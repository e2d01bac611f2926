// Smaller pieces of logic: where names break, signals, what runs have in common, the chapter being read, heights.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deflateSync } from "node:zlib";
import { load } from "./module.mjs";

const { namedAxes } = await load("axis_names");
const { wordParts } = await load("words");
const { accepts, choose, isShared, onChosen, startOf, withSignals } = await load("signals");
const { common, joined, without } = await load("facts");
const { currentStop } = await load("navigation");
const { expectedHeight, shaped } = await load("chart_shape");
const { filled, unpacked } = await load("read");
const { outputsOf } = await load("output_choice");
const { glanceWords, methodOfAll } = await load("glance");
const { levelsShown } = await load("first_screen");

describe("features at a glance", () => {
  const glance = (by) => ({ by, line: "", others: [] });

  test("name a method that all have once, else each its own", () => {
    assert.equal(methodOfAll([glance("ALE"), glance("ALE")]), "ALE");
    assert.equal(methodOfAll([glance("ALE"), glance("partial dependence")]), "");
    assert.equal(methodOfAll([]), "");
    assert.match(glanceWords({ runs: [{ shows: "prediction" }], glance: [glance("ALE")] }, "How far"), /^How far the prediction by ALE, /);
  });
});

describe("small bars of levels", () => {
  const shown = (shares, all = shares.length) => levelsShown({ spark: shares.map((share, i) => [i, share]), all_levels: all });

  test("are highest first", () => assert.deepEqual(shown([0.2, 1, 0, 0.6]), [1, 3, 0, 2]));
  test("never leave out a single one", () => assert.equal(shown([0, 1, 0.5, 0.2, 0.7, 0.1, 0.3]).length, 7));
  test("are the highest and the lowest of many", () => {
    assert.deepEqual(shown([0, 1, 0.5, 0.2, 0.7, 0.1, 0.3, 0.4]), [1, 4, 2, 3, 5, 0]);
    assert.equal(shown([0, 1, 0.5, 0.2, 0.7, 0.1, 0.3], 2000).length, 6);
  });
});

describe("long names", () => {
  test("break at word parts, and only there", () => {
    assert.deepEqual(wordParts("mean_radius_of_the_left_eye"), ["mean_", "radius_", "of_", "the_", "left_", "eye"]);
    assert.deepEqual(wordParts("totalNumberOfHTTPRequests"), ["total", "Number", "Of", "HTTP", "Requests"]);
    assert.deepEqual(wordParts("sklearn.ensemble.RandomForest"), ["sklearn.", "ensemble.", "Random", "Forest"]);
    assert.deepEqual(wordParts("a sentence with a_short_name in it"), ["a sentence with a_short_name in it"]);
    assert.deepEqual(wordParts("see average_temperature_of_water now"), ["see average_", "temperature_", "of_", "water now"]);
    assert.deepEqual(wordParts("überlängenMessung_größenÄnderung"), ["überlängen", "Messung_", "größen", "Änderung"]);
    assert.deepEqual(wordParts(""), [""]);
    for (const text of ["x".repeat(5000), "🚲👩‍🚀".repeat(40), "a_".repeat(900)]) assert.equal(wordParts(text).join(""), text);
  });
});

describe("names of levels", () => {
  test("are whole under the pointer, on axes of levels alone", () => {
    const spec = {
      scales: [{ name: "y", type: "band" }, { name: "x", type: "linear" }],
      axes: [{ scale: "y", encode: { labels: { update: { fill: "red" } } } }, { scale: "x" }, { scale: "y", labels: false }],
      marks: [{ type: "group", axes: [{ scale: "y" }] }, { type: "rect" }],
    };
    const { axes, marks } = namedAxes(spec);
    assert.equal(axes[0].encode.labels.interactive, true);
    assert.deepEqual(Object.keys(axes[0].encode.labels.update), ["fill", "tooltip"]);
    assert.equal(axes[1].encode, undefined);
    assert.equal(axes[2].encode, undefined);
    assert.equal(marks[0].axes[0].encode.labels.interactive, true);
    assert.deepEqual(marks[1], { type: "rect" });
  });
});

describe("signals", () => {
  const chart = {
    toggles: [{ signal: "show_ale", label: "ALE", on: true, hint: "" }, { signal: "log", label: "log", on: false, hint: "" }],
    choices: [{ signal: "output", label: "Class", options: ["cat", "dog"], value: "cat" }],
  };

  test("begin as the chart says, then as the reader chose", () => {
    assert.deepEqual([...startOf(chart)], [["show_ale", true], ["log", false], ["output", "cat"]]);
    const heard = [];
    const end = onChosen((signal, value) => heard.push([signal, value]));
    choose("show_ale", false);
    choose("show_ale", false);
    choose("output", "mouse");
    end();
    choose("show_pdp", true);
    assert.deepEqual(heard, [["show_ale", false], ["output", "mouse"]]);
    // No such class here: the chart keeps its own.
    assert.deepEqual([...startOf(chart)], [["show_ale", false], ["log", false], ["output", "cat"]]);
  });

  test("hold for all charts if they are about lines or classes", () => {
    assert.deepEqual(["show_pdp", "output", "log"].map(isShared), [true, true, false]);
    assert.ok(accepts(chart, "output", "dog"));
    assert.ok(!accepts(chart, "output", "mouse"));
    assert.ok(!accepts(chart, "show_pdp", true));
  });

  test("are written into the spec, which stays as it was", () => {
    const spec = { params: [{ name: "show_ale", value: true }, { name: "hover", select: "point" }] };
    assert.deepEqual(withSignals(spec, new Map([["show_ale", false]])).params, [{ name: "show_ale", value: false }, { name: "hover", select: "point" }]);
    assert.equal(spec.params[0].value, true);
    assert.deepEqual(withSignals({ mark: "bar" }, new Map()), { mark: "bar" });
  });
});

test("what runs have in common is said once", () => {
  const lists = [[["seed", "0"], ["grid", "64"]], [["grid", "32"], ["seed", "0"]]];
  assert.deepEqual(common(lists), [["seed", "0"]]);
  assert.deepEqual(without(lists[0], common(lists)), [["grid", "64"]]);
  assert.deepEqual(common([]), []);
  assert.deepEqual(joined(lists), [["seed", "0"], ["grid", "64 / 32"]]);
  assert.deepEqual(joined([1, 2, 3, 4].map((rows) => [["rows", String(rows)]])), [["rows", "1 and 3 others"]]);
  assert.deepEqual(joined([]), []);
});

test("the chapter being read is the last that has begun", () => {
  assert.equal(currentStop([100, 900, 2000], 300), 0);
  assert.equal(currentStop([-500, 200, 2000], 300), 1);
  assert.equal(currentStop([500, 900], 300), 0);
});

test("charts one above the other are as high as all of them, beside each other as the highest", () => {
  assert.equal(expectedHeight({ height: 100 }), 160);
  assert.equal(expectedHeight({ vconcat: [{ height: 100 }, { height: 40 }] }), 260);
  assert.equal(expectedHeight({ hconcat: [{ height: 100 }, { height: 40 }] }), 160);
  assert.equal(expectedHeight({}), 300);
});

describe("on a phone", () => {
  test("a chart that brings another for narrow places is that one", () => {
    const narrow = { width: 340, height: 50, mark: "text" };
    const whole = { $schema: "s", config: { aria: false }, width: 900, layer: [], usermeta: { narrow } };
    assert.deepEqual(shaped(whole, 375).spec, { $schema: "s", background: undefined, config: { aria: false }, ...narrow });
    assert.equal(shaped(whole, 900).spec, whole);
  });

  test("lines of a title are words that no object has", () => {
    for (const name of ["constructor", "toString", "__proto__"]) {
      const { spec } = shaped({ title: `mean predicted probability of the class ${name}` }, 375);
      assert.ok(Array.isArray(spec.title));
      assert.ok(spec.title.every((line) => !(line in {})), name);
      assert.ok(spec.title.join(" ").includes(name));
    }
  });
});

describe("data", () => {
  test("are JSON, or JSON packed", async () => {
    const json = JSON.stringify({ title: "Grüße, 🚲", sections: [] });
    assert.equal(await unpacked(json), json);
    assert.equal(await unpacked(deflateSync(json).toString("base64")), json);
    await assert.rejects(unpacked("AAAA"));
  });
});

describe("outputs", () => {
  const choice = (value, ...options) => [{ signal: "output", label: "Class", options, value }];
  const chart = (choices, more = {}) => ({ method: "m", about: "", choices, ...more });
  const payload = (...charts) => filled({ sections: [{ title: "s", charts }] });

  test("are offered once for the page, if more than one chart has them", () => {
    assert.equal(outputsOf(payload(chart([]), chart(choice("a", "a", "b")))), null);
    const two = outputsOf(payload(chart(choice("a", "a", "b")), chart(choice("a", "a", "b", "c"))));
    assert.deepEqual(two, { label: "Class", options: ["a", "b", "c"], value: "a" });
    assert.equal(outputsOf(payload(chart(choice("a", "a", "b")), chart(choice("b", "a", "b")))).value, null);
  });

  test("begin with the class of the charts that are not about single rows", () => {
    const sections = [
      { title: "s", kind: "overview", charts: [chart(choice("b", "a", "b"))] },
      { title: "Row 3", kind: "row", charts: [chart(choice("a", "a", "b"))] },
    ];
    assert.equal(outputsOf(filled({ sections })).value, "b");
    assert.equal(outputsOf(filled({ sections: sections.slice(1).concat(sections.slice(1)) })).value, "a");
  });

  test("have versions of a chart that offer the same choice", () => {
    const [{ charts: [found] }] = payload(chart(choice("a", "a", "b"), { output: "a", versions: [{ method: "m", output: "b" }] })).sections;
    assert.deepEqual(found.versions[0].choices, choice("b", "a", "b"));
    assert.deepEqual(found.versions[0].toggles, []);
  });
});
