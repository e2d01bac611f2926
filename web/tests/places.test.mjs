import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { load } from "./module.mjs";

const { arrangementOf, hashOf, nameSections, namesOf, reachable, sectionOfHash, targetOf } = await load("places");
const { filled } = await load("read");

const section = (title, kind) => ({ title, kind, charts: [] });
const chapter = (id, sections, open, more = {}) => ({ id, title: `The ${id}`, lead: "", ranking: null, rows: null, sections, open, ...more });
const features = ["a", "b", "c", "d"].map((name) => section(name, "feature"));

describe("addresses", () => {
  const named = (...names) => names.map((name) => ({ name, title: name, kind: "feature", charts: [] }));

  test("name a section, or nothing", () => {
    nameSections([...named("temp"), { name: "temp hour", kind: "pair" }, { name: "Row 12", kind: "row" }]);
    assert.deepEqual([0, 1, 2].map(hashOf), ["#feature-temp", "#pair-temp-hour", "#row-12"]);
    for (const section of [0, 1, 2]) assert.equal(sectionOfHash(hashOf(section)), section);
    for (const other of ["", "#", "#effects", "#feature-", "#feature-0", "#feature-temp-2", "feature-temp", "#%E0%A4%A"]) {
      assert.equal(sectionOfHash(other), null, other);
    }
  });

  test("stay the same when ranks change", () => {
    const alike = ["a b", "a-b", "<a>b", "c"];
    const by = (names) => Object.fromEntries(namesOf(named(...names)).map((name, i) => [names[i], name]));
    assert.deepEqual(by(alike), by([...alike].reverse()));
    assert.equal(new Set(Object.values(by(alike))).size, 4);
  });

  test("of hostile names are plain, different, and lead back", () => {
    const hostile = ["", "#", "<script>", "constructor", "__proto__", "x".repeat(5000), "x".repeat(5001), "אבג", "🚲", "a/b?c#d", "%41", "-"];
    const sections = named(...hostile);
    nameSections(sections);
    assert.equal(new Set(namesOf(sections)).size, hostile.length);
    for (const name of namesOf(sections)) assert.match(name, /^feature-[\p{L}\p{M}\p{N}_-]{1,70}$/u);
    hostile.forEach((_, i) => assert.equal(sectionOfHash(hashOf(i)), i));
  });
});

describe("a chapter", () => {
  test("shows the first features and lists all of them", () => {
    const payload = filled({ sections: features, chapters: [chapter("effects", [2, 0, 1, 3], 2)] });
    const found = arrangementOf(payload.chapters[0], payload);
    assert.deepEqual(found, { overviews: [], open: [2, 0], listed: [2, 0, 1, 3], asked: [1, 3] });
  });

  test("has no list when all is there", () => {
    const payload = filled({ sections: features, chapters: [chapter("effects", [0, 1, 2, 3], 4)] });
    assert.deepEqual(arrangementOf(payload.chapters[0], payload).listed, []);
  });

  test("what is about everything comes first and is never left out", () => {
    const sections = [section("a × b", "pair"), section("heat map", "overview")];
    const payload = filled({ sections, chapters: [chapter("interactions", [0, 1], 0)] });
    const found = arrangementOf(payload.chapters[0], payload);
    assert.deepEqual(found, { overviews: [1], open: [], listed: [0], asked: [0] });
  });

  test("a table that leads to sections is the list of them", () => {
    const sections = [section("swarm", "overview"), section("row 1", "row"), section("row 2", "row")];
    const rows = { columns: [], rows: [1, 2, 9].map((n) => ({ title: `row ${n}`, why: "", cells: [], section: n })) };
    const payload = filled({ sections, chapters: [chapter("rows", [0], 1, { rows })] });
    const found = arrangementOf(payload.chapters[0], payload);
    assert.deepEqual(found, { overviews: [0], open: [], listed: [], asked: [1, 2] });
    const ranking = { columns: [], rows: [{ name: "a", section: 0, cells: [] }] };
    const pairs = filled({ sections: [section("a × b", "pair")], chapters: [chapter("interactions", [0], 0, { ranking })] });
    assert.deepEqual(arrangementOf(pairs.chapters[0], pairs).listed, []);
  });
});

describe("links", () => {
  const payload = filled({ sections: [...features, section("nowhere", "feature")], chapters: [chapter("effects", [0, 1, 2, 3], 1), chapter("other", [], 0)] });
  const known = reachable(payload);

  test("lead to sections that some chapter has", () => {
    assert.deepEqual([...known].sort(), [0, 1, 2, 3]);
    nameSections(payload.sections);
    assert.deepEqual(targetOf(2, "effects", payload, known), { href: "#feature-c", title: "c" });
  });

  test("else to the chapter, else nowhere", () => {
    assert.deepEqual(targetOf(4, "effects", payload, known), { href: "#effects", title: "The effects" });
    assert.deepEqual(targetOf(null, "effects", payload, known), { href: "#effects", title: "The effects" });
    assert.equal(targetOf(null, "nothing", payload, known), null);
  });
});

describe("a payload without the parts of a report", () => {
  test("is one chapter with everything on the page", () => {
    const payload = filled({ title: "t", sections: [{ title: "a", charts: [{ method: "PDP" }] }, { title: "b", charts: [] }] });
    assert.deepEqual(payload.chapters.map((one) => [one.sections, one.open]), [[[0, 1], 2]]);
    assert.equal(payload.sections[0].kind, "feature");
    assert.deepEqual(payload.sections[0].charts[0].toggles, []);
    assert.deepEqual(payload.findings, []);
    assert.equal(payload.repeat, null);
  });

  test("may be empty", () => {
    assert.deepEqual(filled({}).chapters, []);
  });

  test("sections that are not there are not looked for", () => {
    const payload = filled({ sections: features, chapters: [{ id: "x", sections: [7, 1, -1], open: 9 }] });
    assert.deepEqual([payload.chapters[0].sections, payload.chapters[0].open], [[1], 1]);
  });
});
