// Rows: activities as intervals on a line of time, and strings as letters in boxes.

import { h, names } from "./dom.js";
import { badge, flags, kind, r } from "./marks.js";
import { stringsOf } from "./inputs.js";
import { letter } from "./scene.js";

const WIDTH = 520;
const LEFT = 30;

const marksOf = (view) => {
  const name = view.about.probes.find((probe) => probe.stage === "output").name;
  return { name, values: view.outputs[name], codes: view.elements?.[name], truth: view.truth?.[name] };
};

/** Where a time is drawn, and back. */
export function timeline(inputs) {
  const all = [...inputs.s[0], ...inputs.f[0]];
  const [low, high] = [Math.min(0, ...all), Math.max(...all) || 1];
  const wide = WIDTH - LEFT - 16;
  return {
    toPicture: (time) => LEFT + ((time - low) / (high - low)) * wide,
    toTime: (x) => low + ((x - LEFT) / wide) * (high - low),
  };
}

export function drawIntervals(view) {
  const { toPicture } = view.frame ?? timeline(view.inputs);
  const tall = Math.min(24, 420 / view.n);
  const { values, codes } = marksOf(view);
  const rows = Array.from({ length: view.n }, (_, v) => {
    const [start, end] = [toPicture(view.inputs.s[0][v]), toPicture(view.inputs.f[0][v])];
    const verdict = codes ? kind(codes[v]) : "truth";
    const css = values?.[v] === 1 ? `marked ${verdict}` : codes && verdict === "wrong" ? "missed" : "";
    const y = 14 + tall * v;
    const box = {
      x: r(Math.min(start, end)),
      y: r(tall * 0.14),
      width: r(Math.max(Math.abs(end - start), 2)),
      height: r(tall * 0.72),
      rx: 4,
    };
    return h(
      "g",
      { class: names("bar interval", css), key: v, transform: `translate(0 ${r(y)})`, "data-node": v },
      view.marked.nodes.has(v)
        ? h("rect", { class: "halo", key: "halo", x: 2, y: 0, width: WIDTH - 4, height: r(tall), rx: 5 })
        : null,
      h("text", { class: "index", x: 14, y: r(tall * 0.64) }, v),
      h("rect", { class: "value series0", key: "value", ...box }),
      h("rect", { class: "end", key: "s", x: r(start - 4), y: 0, width: 8, height: r(tall), "data-input": "s" }),
      h("rect", { class: "end", key: "f", x: r(end - 4), y: 0, width: 8, height: r(tall), "data-input": "f" }),
      codes ? badge(verdict, Math.min(start, end) - 2, tall / 2, 5) : null,
      flags(view.flags[v], Math.max(start, end) + 18, tall / 2, "flags", WIDTH),
    );
  });
  const bottom = 20 + tall * view.n;
  return {
    width: WIDTH,
    height: bottom + 12,
    body: [...rows, h("path", { class: "axis", key: "axis", d: `M${LEFT} ${r(bottom)}H${WIDTH - 12}` })],
  };
}

const BOX = 26;
const LINE = 18; // letters in a line
const PITCH = 54;

export function drawStrings(view) {
  const [first, second] = stringsOf(view.inputs);
  const { name, values, codes, truth } = view.about.answer === "table" ? {} : marksOf(view);
  const start = typeof values === "number" && values >= 0 ? values : null;
  const shift = start !== null && start + second.length <= first.length && first.length <= LINE ? start : 0;
  const covers = (from, v) =>
    from !== null && from !== undefined && v >= from && v < from + second.length && v < first.length;
  const verdict = codes === undefined ? "truth" : kind(codes);
  const css = (v) => {
    if (covers(start, v) || (start !== null && v === start)) return `marked ${verdict}`;
    return name && verdict === "wrong" && covers(truth, v) ? "missed" : "";
  };
  const lines = (count) => Math.ceil(count / LINE);
  const left = (WIDTH - Math.min(Math.max(first.length, second.length), LINE) * BOX) / 2;
  const boxes = [...first, ...second].map((code, v) => {
    const [k, line, moved] = v < first.length ? [v, 0, 0] : [v - first.length, lines(first.length), shift];
    const [x, y] = [left + (moved + (k % LINE)) * BOX, 24 + PITCH * (line + Math.floor(k / LINE))];
    return h(
      "g",
      {
        class: names("bar letter", css(v)),
        key: v,
        style: { transform: `translate(${r(x)}px, ${r(y)}px)` },
        "data-node": v,
      },
      view.marked.nodes.has(v)
        ? h("rect", { class: "halo", key: "halo", x: -1, y: -3, width: BOX + 2, height: BOX + 6, rx: 6 })
        : null,
      h("rect", { class: "value series0", key: "value", x: 1.5, y: 0, width: BOX - 3, height: BOX, rx: 4 }),
      h("text", { class: "glyph", key: "glyph", x: BOX / 2, y: 17.5 }, letter(code)),
      h("text", { class: "index", key: "index", x: BOX / 2, y: BOX + 10 }, v),
      codes !== undefined && v === start ? badge(verdict, BOX - 3, 0, 6) : null,
      flags(view.flags[v], BOX / 2, -8, "flags"),
    );
  });
  return { width: WIDTH, height: 24 + PITCH * (lines(first.length) + lines(second.length)), body: boxes };
}
