// Answers with a value for every pair of nodes: a matrix, of two strings the block that they span.

import { h, names } from "./dom.js";
import { badge, kind, r, size } from "./marks.js";
import { stringsOf } from "./inputs.js";
import { letter } from "./scene.js";

const WIDTH = 520;
const LABEL = 22;
const ARROWS = ["↖", "↑", "←"];

export function drawTable(view) {
  const probe = view.about.probes.find((each) => each.stage === "output");
  const [rows, columns] = axes(view);
  const side = Math.min(38, (WIDTH - LABEL - 4) / columns.length);
  const left = LABEL + (WIDTH - LABEL - side * columns.length) / 2;
  const values = view.outputs[probe.name];
  const codes = view.elements?.[probe.name];
  const written = side >= 11;
  const cells = rows.flatMap(({ node: i }, a) =>
    columns.map(({ node: j }, b) => {
      const value = values ? values[i][j] : null;
      const verdict = codes ? kind(codes[i][j]) : "truth";
      const text = told(view, probe, { value, i, j });
      const css = names(
        "cell",
        verdict,
        text === "·" && "blank",
        view.cells?.has(`${i},${j}`) && "defect",
        view.changed?.(i, j) && "changed",
      );
      return h(
        "g",
        { class: css, key: `${i},${j}`, transform: `translate(${r(left + side * b)} ${r(LABEL + side * a)})` },
        h("rect", { x: 0.5, y: 0.5, width: r(side - 1), height: r(side - 1), rx: 2 }),
        written
          ? h("text", { x: r(side / 2), y: r(side / 2 + side * 0.16), style: size(Math.min(side * 0.48, 14)) }, text)
          : null,
        codes ? badge(verdict, side - 4.5, 4.5, Math.min(side * 0.16, 4)) : null,
      );
    }),
  );
  const style = size(Math.min(side * 0.5, 12));
  const labels = [
    ...rows.map(({ text }, a) =>
      h("text", { class: "index", key: `r${a}`, x: r(left - 9), y: r(LABEL + side * (a + 0.5) + 3), style }, text),
    ),
    ...columns.map(({ text }, b) =>
      h("text", { class: "index", key: `c${b}`, x: r(left + side * (b + 0.5)), y: LABEL - 7, style }, text),
    ),
  ];
  return { width: WIDTH, height: LABEL + side * rows.length + 4, body: [...labels, ...cells] };
}

function axes(view) {
  const all = Array.from({ length: view.n }, (_, v) => ({ node: v, text: String(v) }));
  if (!view.inputs.string) return [all, all];
  const [first, second] = stringsOf(view.inputs);
  const letters = [...first, ...second].map((code, v) => ({ node: v, text: letter(code) }));
  return [letters.slice(0, first.length), letters.slice(first.length)];
}

/** What stands in a cell; a point where it says nothing. */
function told(view, probe, { value, i, j }) {
  if (value === null || value === undefined || value < 0) return "·";
  if (probe.type === "categorical") return ARROWS[value] ?? "·";
  const trivial = view.about.picture === "graph" ? value === i : i >= j && value === 0;
  return trivial && !view.elements?.[probe.name][i][j] ? "·" : String(value);
}
