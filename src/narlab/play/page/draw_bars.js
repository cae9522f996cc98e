// Numbers as bars: arrays that are sorted or searched, dimensions, probabilities, penalties with deadlines.

import { h, names } from "./dom.js";
import { badge, flags, kind, r, shaded, short } from "./marks.js";
import { orderOf } from "./scene.js";

const WIDTH = 520;
const TOP = 26;
const TALL = 210;
const LANE = 17;
const UNDER = 15; // room for the number under a negative bar

/** The inputs that are drawn as bars: real numbers of nodes. */
export const series = (about) =>
  about.probes
    .filter(
      (p) => p.stage === "input" && p.location === "node" && p.type === "scalar" && !p.integer && p.name !== "pos",
    )
    .map((p) => p.name);

const labels = (about) =>
  about.probes
    .filter((p) => p.stage === "input" && p.location === "node" && p.type === "scalar" && p.integer)
    .map((p) => p.name);

/** The values that a picture of these inputs reaches from and to. */
export function range(about, inputs) {
  const values = series(about).flatMap((name) => inputs[name][0]);
  const targets = about.probes
    .filter((p) => p.stage === "input" && p.location === "graph")
    .map((p) => inputs[p.name][0]);
  return [Math.min(0, ...values), Math.max(0, ...values, ...targets) || 1];
}

/** Where values of a range are drawn, and back. */
export function ruler([low, high]) {
  const tall = low < 0 ? TALL - UNDER : TALL;
  const span = high - low || 1;
  return {
    toPicture: (value) => TOP + tall * (1 - (value - low) / span),
    toValue: (y) => low + (1 - (y - TOP) / tall) * span,
  };
}

export function drawBars(view) {
  const drawn = series(view.about);
  const { toPicture: scale } = ruler(view.range ?? range(view.about, view.inputs));
  const slot = (WIDTH - 20) / view.n;
  const places = placesOf(view);
  const found = answer(view);
  const all = Array.from({ length: view.n }, (_, v) => {
    const x = 10 + slot * (places[v] + 0.5);
    return h(
      "g",
      { class: "bars", key: v, style: { transform: `translate(${r(x)}px, 0px)` }, "data-node": v },
      view.marked.nodes.has(v)
        ? h("rect", {
            class: "halo",
            key: "halo",
            x: r(-slot / 2 + 1),
            y: TOP - 4,
            width: r(slot - 2),
            height: TALL + 24,
            rx: 5,
          })
        : null,
      h(
        "g",
        { class: names("bar", found[v]?.css), key: "bar" },
        drawn.map((name, k) => bar(view, { name, k, v, slot, scale, of: drawn.length })),
      ),
      h("text", { class: "index", key: "index", y: TOP + TALL + 15 }, v),
      labels(view.about).map((name) =>
        h("text", { class: "label", key: name, y: TOP + TALL + 29 }, `${name} ${view.inputs[name][0][v]}`),
      ),
      badge(
        found[v]?.verdict,
        0,
        Math.min(scale(Math.max(...drawn.map((name) => view.inputs[name][0][v]), 0)) - 18, TOP + TALL - 10),
        6,
      ),
      found[v]?.text ? h("text", { class: "said", key: "said", y: TOP + TALL + 29 }, found[v].text) : null,
    );
  });
  const foot = TOP + TALL + (labels(view.about).length ? 44 : 30);
  const lanes = Object.entries(view.pointers).map(([name, v], lane) =>
    flags([name], 10 + slot * (places[v] + 0.5), foot + LANE * lane, name, WIDTH),
  );
  return {
    width: WIDTH,
    height: foot + LANE * Math.max(lanes.length - 1, 0) + 10,
    body: [
      h("path", { class: "axis", key: "axis", d: `M8 ${r(scale(0))}H${WIDTH - 8}` }),
      ...all,
      ...targets(view, scale),
      h("g", { key: "flags" }, lanes),
    ],
  };
}

function bar(view, { name, k, v, slot, scale, of }) {
  const value = view.inputs[name][0][v];
  const width = Math.min(slot * 0.78, 44) / of;
  const x = (k - of / 2) * width;
  const [top, bottom] = [Math.min(scale(value), scale(0)), Math.max(scale(value), scale(0))];
  const box = { x: r(x + 0.5), y: r(top), width: r(width - 1), height: r(Math.max(bottom - top, 1)), rx: 2 };
  const shade = shaded(view.shade, v);
  const written = view.n <= 17 && of === 1;
  return [
    h("rect", { class: names("value", `series${k}`), key: name, ...box, "data-input": name }),
    shade ? h("rect", { ...shade, key: `${name} shade`, ...box }) : null,
    written
      ? h("text", { class: "number", key: `${name} number`, y: r(value < 0 ? bottom + 11 : top - 5) }, short(value))
      : null,
  ];
}

/** How far to the right each node stands. */
function placesOf(view) {
  const places = [];
  const order = view.order ? orderOf(view.order) : Array.from({ length: view.n }, (_, v) => v);
  order.forEach((v, place) => (places[v] = place));
  return places;
}

/** The class, verdict and text of each node. */
function answer(view) {
  const outputs = view.about.probes.filter((probe) => probe.stage === "output" && probe.location === "node");
  if (!outputs.length || outputs.some((probe) => view.outputs[probe.name] === null)) return {};
  if (view.about.answer === "chain") return chain(view, outputs[0].name);
  return outputs[0].type === "mask"
    ? masks(view, outputs[0].name)
    : ones(
        view,
        outputs.map((probe) => probe.name),
      );
}

function chain(view, name) {
  return view.outputs[name].map((to, v) => {
    if (!view.elements) return { css: view.isDone ? "truth" : "" };
    const verdict = kind(view.elements[name][v]);
    return { css: verdict, verdict, text: verdict === "wrong" ? `→${to}` : null };
  });
}

function masks(view, name) {
  return view.outputs[name].map((value, v) => {
    const verdict = view.elements ? kind(view.elements[name][v]) : "truth";
    if (value === 1) return { css: `marked ${verdict}`, verdict };
    if (verdict === "wrong") return { css: "missed", verdict };
    return verdict === "different" ? { verdict } : null;
  });
}

/** One marked node, or all from the first mark to the second. */
function ones(view, outputs) {
  const ends = (values) => outputs.map((name) => values[name]);
  const covers = (values, v) => v >= Math.min(...ends(values)) && v <= Math.max(...ends(values));
  const worst = view.elements ? Math.max(...outputs.map((name) => view.elements[name])) : -1;
  return Array.from({ length: view.n }, (_, v) => {
    const verdict = view.elements ? kind(worst) : "truth";
    const isEnd = ends(view.outputs).includes(v);
    const own = view.elements
      ? kind(Math.max(...outputs.map((name) => (view.outputs[name] === v ? view.elements[name] : -1))))
      : null;
    if (covers(view.outputs, v)) return { css: `marked ${verdict}`, verdict: isEnd ? own : null };
    return worst === 2 && covers(view.truth, v) ? { css: "missed" } : null;
  });
}

/** A line at each value that belongs to the whole array. */
function targets(view, scale) {
  return view.about.probes
    .filter((probe) => probe.stage === "input" && probe.location === "graph")
    .map((probe) =>
      h(
        "g",
        { class: "target", key: probe.name },
        h("path", { d: `M8 ${r(scale(view.inputs[probe.name][0]))}H${WIDTH - 8}` }),
        h(
          "text",
          { x: WIDTH - 10, y: r(scale(view.inputs[probe.name][0]) - 5) },
          `${probe.name} ${short(view.inputs[probe.name][0])}`,
        ),
      ),
    );
}
