// A graph: nodes, edges and weights, and answers as parents, groups, an order, marked nodes or marked edges.

import { h, names } from "./dom.js";
import { arrow, badge, flags, kind, r, shaded, short, size } from "./marks.js";

export const WIDTH = 520;
export const HEIGHT = 420;
const MARGIN = 34;
const GROUPS = 10;
const MANY = 300; // edges of which only a veil can be seen
const MOST_WEIGHTS = 34; // edges whose weights can be read at once

/** Where a place in [-1, 1] x [-1, 1] is drawn, and back. */
export const toPicture = ([x, y]) => [
  WIDTH / 2 + (x * (WIDTH - 2 * MARGIN)) / 2,
  HEIGHT / 2 - (y * (HEIGHT - 2 * MARGIN)) / 2,
];
export const toPlace = ([x, y]) => [
  ((x - WIDTH / 2) * 2) / (WIDTH - 2 * MARGIN),
  ((HEIGHT / 2 - y) * 2) / (HEIGHT - 2 * MARGIN),
];

export const radius = (n) => (n <= 16 ? 14 : n <= 32 ? 10.5 : 7.5);

export function drawGraph(view) {
  const places = view.places.map(toPicture);
  const graph = { ...view, places, radius: radius(view.n), A: view.inputs.A[0], drawn: new Set() };
  const answer = ANSWERS[view.about.answer] ?? (() => ({}));
  const { above = [], fills = {}, texts = {}, codes = {} } = answer(graph);
  return {
    width: WIDTH,
    height: HEIGHT,
    body: [
      h("g", { class: "halos", key: "halos" }, halos(graph)),
      h("g", { class: names("edges", pairs(graph).length > MANY && "dense"), key: "edges" }, edges(graph)),
      h("g", { class: "answer", key: "answer" }, above),
      h("g", { class: "weights", key: "weights" }, weights(graph)),
      h(
        "g",
        { class: "nodes", key: "nodes" },
        places.map((_, v) => node(graph, v, fills[v], codes[v])),
      ),
      h(
        "g",
        { class: "over", key: "over" },
        places.map((_, v) => beside(graph, v, texts[v])),
      ),
    ],
  };
}

/** The connected pairs u < v, with the directions that exist. */
function pairs({ A, n }) {
  const found = [];
  for (let u = 0; u < n; u++)
    for (let v = u + 1; v < n; v++)
      if (A[u][v] !== 0 || A[v][u] !== 0) found.push([u, v, A[u][v] !== 0, A[v][u] !== 0]);
  return found;
}

function edges(graph) {
  const all = pairs(graph);
  const thin = all.length > 60;
  return all.map(([u, v, forth, back]) => {
    const covered = graph.drawn.has(`${u},${v}`);
    const css = names("edge", thin && "thin", covered && "covered", isSelected(graph, u, v) && "selected");
    const ends = forth ? [u, v] : [v, u];
    const head = graph.about.directed ? (thin ? 5 : 7) : 0;
    const rest = {
      css,
      key: `${u},${v}`,
      both: forth && back,
      gap: graph.radius + 1,
      head,
      "data-edge": `${ends[0]},${ends[1]}`,
    };
    const line = arrow(graph.places[ends[0]], graph.places[ends[1]], rest);
    line.children.unshift(
      h("path", { class: "hit", key: "hit", d: `M${graph.places[u].map(r)}L${graph.places[v].map(r)}` }),
    );
    return line;
  });
}

const isSelected = ({ selection }, u, v) =>
  selection?.pair &&
  ((selection.pair[0] === u && selection.pair[1] === v) || (selection.pair[0] === v && selection.pair[1] === u));

/** Weights of all edges, or where these are many of those that the answer covers and of the selected one. */
function weights(graph) {
  if (isUnweighted(graph) || graph.n > 20) return [];
  const all = pairs(graph);
  const few = all.filter(([u, v]) => graph.drawn.has(`${u},${v}`) || isSelected(graph, u, v));
  const taken = graph.places.map(([x, y]) => [x, y, graph.radius - 2]);
  return (all.length <= MOST_WEIGHTS ? all : few).map(([u, v]) => {
    const [x, y] = roomiest(graph.places[u], graph.places[v], taken);
    taken.push([x, y, 6]);
    const value = graph.A[u][v] || graph.A[v][u];
    return h("text", { class: "weight", key: `${u},${v}`, x: r(x), y: r(y + 3.5) }, short(value));
  });
}

const isUnweighted = ({ about }) => about.probes.find((probe) => probe.name === "A").integer;

/** The place along an edge that is farthest from what is there already, each with its size. */
function roomiest(from, to, taken) {
  let best = null;
  for (const share of [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74]) {
    const place = [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
    const room = Math.min(14, ...taken.map(([x, y, size]) => Math.hypot(place[0] - x, (place[1] - y) * 1.3) - size));
    if (!best || room > best.room + 1) best = { room, place };
  }
  return best.place;
}

function halos(graph) {
  const nodes = [...graph.marked.nodes].map((v) =>
    h("circle", {
      class: "halo",
      key: `n${v}`,
      cx: r(graph.places[v][0]),
      cy: r(graph.places[v][1]),
      r: graph.radius + 6,
    }),
  );
  const lines = graph.marked.edges
    .filter(([u, v]) => u !== v)
    .map(([u, v]) =>
      h("path", { class: "halo line", key: `e${u},${v}`, d: `M${graph.places[u].map(r)}L${graph.places[v].map(r)}` }),
    );
  return [...lines, ...nodes];
}

function node(graph, v, fill, code) {
  const [x, y] = graph.places[v];
  const isSource = graph.inputs.s && graph.inputs.s[0][v] === 1;
  const shade = fill ? null : shaded(graph.shade, v);
  const selected = graph.selection?.node === v || graph.selection?.pair?.includes(v);
  const verdict = code === undefined ? "" : kind(code);
  return h(
    "g",
    {
      class: names(
        "node",
        fill,
        verdict,
        isSource && "source",
        selected && "selected",
        graph.shade?.[v] > 0.6 && !fill && "dark",
      ),
      key: v,
      transform: `translate(${r(x)} ${r(y)})`,
      "data-node": v,
    },
    isSource ? h("circle", { class: "ring", key: "ring", r: graph.radius + 4 }) : null,
    h("circle", { class: "disc", key: "disc", r: graph.radius }),
    shade ? h("circle", { ...shade, key: "shade", r: graph.radius }) : null,
    h("text", { class: "index", y: r(graph.radius * 0.31), style: size(graph.radius * 0.88) }, v),
    badge(verdict, graph.radius * 0.85, -graph.radius * 0.85, Math.max(graph.radius * 0.45, 5)),
  );
}

/** Text beside a node, and flags above it, or below it in the lower half of the picture. */
function beside(graph, v, text) {
  const [x, y] = graph.places[v];
  const far = (graph.radius + 11) * (y < HEIGHT / 2 ? -1 : 1);
  return [
    flags(graph.flags[v], x, Math.min(Math.max(y + far, 8), HEIGHT - 8), `f${v}`, WIDTH),
    text
      ? h("text", { class: "beside", key: `t${v}`, x: r(x - graph.radius - 3), y: r(y - graph.radius + 1) }, text)
      : null,
  ];
}

// What the answers of each form look like: arrows above the edges, fills and texts of nodes, verdicts of nodes.

const ANSWERS = { parents, groups, order, marks, edges: markedEdges };

/** An arrow between nodes, straight along an edge and bent where there is none. */
function pointer(graph, v, to, css, key) {
  graph.drawn.add(v < to ? `${v},${to}` : `${to},${v}`);
  const [a, b] = [graph.places[v], graph.places[to]];
  const isEdge = graph.A[v][to] !== 0 || graph.A[to][v] !== 0;
  const inward = (b[1] - a[1]) * (a[0] + b[0] - WIDTH) - (b[0] - a[0]) * (a[1] + b[1] - HEIGHT) >= 0 ? 1 : -1;
  return arrow(a, b, {
    css,
    key,
    gap: graph.radius + 1,
    head: graph.n <= 32 ? 9 : 6,
    bend: isEdge ? 0 : 0.16 * inward,
  });
}

function only(graph) {
  const name = graph.about.probes.find((probe) => probe.stage === "output").name;
  return { values: graph.outputs[name], codes: graph.elements?.[name], truth: graph.truth?.[name] };
}

function parents(graph) {
  const { values, codes, truth } = only(graph);
  if (!values) return {};
  const above = [];
  values.forEach((to, v) => {
    const verdict = codes ? kind(codes[v]) : "truth";
    if (verdict === "wrong" && truth[v] !== v) above.push(pointer(graph, v, truth[v], "missed", `m${v}`));
    if (to !== v) above.push(pointer(graph, v, to, verdict, v));
  });
  return { above, codes: codes ?? {} };
}

function groups(graph) {
  const { values, codes } = only(graph);
  if (!values) return {};
  const members = {};
  for (const to of values) members[to] = (members[to] ?? 0) + 1;
  const several = [...new Set(values)].filter((to) => members[to] > 1);
  const fills = {};
  values.forEach((to, v) => {
    if (members[to] > 1) fills[v] = `group group${several.indexOf(to) % GROUPS}${to === v ? " head" : ""}`;
  });
  return { fills, codes: codes ?? {} };
}

function order(graph) {
  const outputs = graph.about.probes.filter((probe) => probe.stage === "output");
  const [next, head] = ["pointer", "mask_one"].map((type) => outputs.find((probe) => probe.type === type).name);
  const values = graph.outputs[next];
  if (!values) return {};
  const [texts, above] = [{}, []];
  let [v, rank] = [graph.outputs[head], 1];
  while (v >= 0 && !texts[v]) {
    texts[v] = String(rank++);
    v = values[v];
  }
  const codes = graph.elements ? [...graph.elements[next]] : {};
  if (graph.elements?.[head] > 0) codes[graph.outputs[head]] = graph.elements[head];
  values.forEach((to, from) => {
    if (to !== from && (texts[from] || graph.elements))
      above.push(pointer(graph, from, to, graph.elements ? kind(codes[from]) : "truth", from));
  });
  return { above, texts, codes };
}

function marks(graph) {
  const { values, codes, truth } = only(graph);
  if (!values) return {};
  const fills = {};
  values.forEach((value, v) => {
    if (value === 1) fills[v] = codes ? `marked ${kind(codes[v])}` : "marked truth";
    else if (codes?.[v] === 2 && truth[v] === 1) fills[v] = "missed";
  });
  return { fills, codes: codes ?? {} };
}

function markedEdges(graph) {
  const { values, codes, truth } = only(graph);
  if (!values) return {};
  const above = [];
  for (let u = 0; u < graph.n; u++)
    for (let v = u + 1; v < graph.n; v++) {
      const said = values[u][v] === 1 || values[v][u] === 1;
      const code = codes ? Math.max(codes[u][v], codes[v][u]) : -1;
      const missed = code === 2 && !said && (truth[u][v] === 1 || truth[v][u] === 1);
      if (!said && !missed) continue;
      graph.drawn.add(`${u},${v}`);
      const css = names("thick", missed ? "missed" : codes ? kind(code) : "truth");
      const [a, b] = [graph.places[u], graph.places[v]];
      const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
      above.push(arrow(a, b, { css, key: `${u},${v}`, gap: graph.radius, head: 0 }));
      if (codes) above.push(h("g", { key: `b${u},${v}` }, badge(kind(code), ...middle, 5.5)));
    }
  return { above };
}
