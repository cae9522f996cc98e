// The cards: the algorithm at its row, and each model at its step, drawn in the same way.

import { h, names } from "./dom.js";
import { drawBars } from "./draw_bars.js";
import { drawGraph } from "./draw_graph.js";
import { drawPoints } from "./draw_points.js";
import { drawIntervals, drawStrings } from "./draw_rows.js";
import { drawTable } from "./draw_table.js";
import { badge } from "./marks.js";
import {
  byNode,
  outputsAt,
  pointersAt,
  positionOf,
  shadeAt,
  shades,
  stepAt,
  VERDICT_WORDS,
  VERDICTS,
} from "./scene.js";

const DRAWINGS = {
  graph: drawGraph,
  bars: drawBars,
  points: drawPoints,
  intervals: drawIntervals,
  strings: drawStrings,
};
const NOTHING = { nodes: new Set(), edges: [] };

export function cards(play, drag) {
  const { scene } = play;
  return h(
    "div",
    { class: `cards cards${scene.answers.length}` },
    algorithmCard(play, drag),
    scene.answers.map((answer, k) => modelCard(play, drag, answer, k)),
  );
}

/** What a drawing is given; `more` is what differs between the algorithm and a model. */
function view(play, more) {
  const { scene, inputs, places, selection, frame, range } = play;
  return {
    about: scene.about,
    n: scene.n,
    inputs,
    places,
    selection,
    frame,
    range,
    marked: NOTHING,
    pointers: {},
    flags: {},
    shade: null,
    ...more,
  };
}

function algorithmCard(play, drag) {
  const { scene, row } = play;
  const isTable = scene.about.answer === "table";
  const output = isTable && scene.about.probes.find((probe) => probe.stage === "output").name;
  const [now, before] = [outputsAt(scene, row), row ? outputsAt(scene, row - 1) : null];
  const shown = view(play, {
    outputs: now,
    elements: null,
    truth: null,
    isDone: row === scene.rows - 1,
    pointers: pointersAt(scene, row),
    flags: byNode(pointersAt(scene, row)),
    shade: scene.about.answer === "groups" ? null : shadeAt(scene, play.shade, row),
    order: play.arrayOrder(),
    changed: isTable && before ? (i, j) => now[output][i][j] !== before[output]?.[i][j] : null,
  });
  return h(
    "section",
    { class: "card", "aria-label": "The algorithm", key: "algorithm" },
    h(
      "header",
      null,
      h("h2", null, "The algorithm"),
      h("p", { class: "name" }, scene.about.name),
      h("p", { class: "step" }, `row ${row} of ${scene.rows - 1}`),
    ),
    pictures(shown, drag, `${scene.about.name} on ${scene.n} nodes, row ${row} of ${scene.rows - 1}`),
    shades(scene.about).length && scene.about.answer !== "groups" ? shadeChoice(play) : null,
  );
}

function shadeChoice(play) {
  const options = [
    h("option", { value: "" }, "nothing"),
    ...shades(play.scene.about).map((probe) => h("option", { value: probe.name, key: probe.name }, probe.name)),
  ];
  return h(
    "footer",
    { class: "legend" },
    h(
      "label",
      { class: "inline" },
      "Nodes are shaded by ",
      h("select", { value: play.shade, onchange: (event) => play.set({ shade: event.target.value }) }, options),
    ),
  );
}

function modelCard(play, drag, answer, k) {
  const { scene } = play;
  const t = stepAt(scene, answer, play.position);
  const step = answer.steps[t];
  const reason = play.reason?.card === k ? step.reasons[play.reason.index] : null;
  const marked = reason ? { nodes: new Set(reason.nodes), edges: reason.edges } : NOTHING;
  const isChain = scene.about.answer === "chain";
  const shown = view(play, {
    outputs: step.outputs,
    elements: step.elements,
    truth: scene.outputs,
    marked,
    cells: scene.about.picture === "graph" ? null : new Set(marked.edges.map(([u, v]) => `${u},${v}`)),
    order: isChain ? Object.values(step.outputs)[0] : null,
  });
  const title = scene.answers.length > 1 ? `Model ${"AB"[k]}` : "The model";
  return h(
    "section",
    { class: "card", "aria-label": title, key: `model${k}` },
    h(
      "header",
      null,
      h("h2", null, title),
      h("p", { class: "name", title: answer.about }, answer.model),
      h("p", { class: "step" }, `after step ${t + 1} of ${answer.steps.length}`),
    ),
    pictures(shown, drag, `${answer.model}'s answer after step ${t + 1}: ${VERDICT_WORDS[step.verdict]}`),
    h("footer", { class: "legend" }, verdictPill(step.verdict), counts(step)),
    strip(play, answer, t),
    reasons(play, answer, step, k),
  );
}

/** The instance, and below it the table where the answer is one. */
function pictures(shown, drag, label) {
  const parts = [svg(DRAWINGS[shown.about.picture](shown), drag, label, shown.about.picture)];
  if (shown.about.answer === "table") parts.push(svg(drawTable(shown), null, `${label}, as a table`, "table"));
  return h("div", { class: names("pictures", shown.about.answer === "table" && "both") }, parts);
}

function svg({ width, height, body }, drag, label, picture) {
  const props = {
    class: `picture ${picture}`,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": label,
    key: picture,
  };
  return h("svg", { ...props, onpointerdown: drag }, body);
}

/** The verdict as a shape, a colour and words. */
export function verdictPill(verdict) {
  return h("span", { class: `pill ${verdict}` }, icon(verdict), VERDICT_WORDS[verdict]);
}

const icon = (verdict) =>
  h(
    "svg",
    { class: "icon", viewBox: "-8 -8 16 16", "aria-hidden": "true" },
    verdict === "right" ? h("circle", { class: "badge right", r: 5.5 }) : badge(verdict, 0, 0, 6.5),
  );

function counts(step) {
  const all = step.counts.reduce((sum, count) => sum + count, 0);
  const parts = VERDICTS.map((verdict, k) =>
    k && !step.counts[k]
      ? null
      : h(
          "span",
          { class: "count", key: verdict },
          icon(verdict),
          k ? `${step.counts[k]} ${VERDICT_WORDS[verdict]}` : `${step.counts[0]} of ${all} right`,
        ),
  );
  return h("span", { class: "counts" }, parts);
}

/** How much is right after each step; a click goes there. */
function strip(play, answer, now) {
  const columns = answer.steps.map((step, t) => {
    const all = step.counts.reduce((sum, count) => sum + count, 0) || 1;
    const heights = step.counts.map((count) => `${(100 * count) / all}%`);
    const bars = VERDICTS.map((verdict, k) => h("i", { class: verdict, key: verdict, style: { height: heights[k] } }));
    const label = `step ${t + 1}: ${VERDICT_WORDS[step.verdict]}`;
    const props = {
      type: "button",
      class: names("column", t === now && "now"),
      key: t,
      title: label,
      "aria-label": `Go to ${label}`,
      tabindex: -1,
    };
    return h(
      "button",
      { ...props, onclick: () => (play.pause(), play.goTo(positionOf(play.scene, answer, t))) },
      bars.reverse(),
    );
  });
  return h("div", { class: "strip", role: "group", "aria-label": "How much is right after each step" }, columns);
}

function reasons(play, answer, step, card) {
  if (!step.reasons.length) return answer.note ? h("p", { class: "note" }, answer.note) : null;
  const show = (index) => play.set({ reason: index === null ? null : { card, index } });
  const lines = step.reasons.map((reason, index) => {
    const isShown = play.reason?.card === card && play.reason.index === index;
    const button = { type: "button", "aria-pressed": String(isShown), onclick: () => show(isShown ? null : index) };
    return h("li", { key: index }, h("button", button, reason.text));
  });
  return h(
    "div",
    { class: "reasons" },
    h("h3", null, "Not valid, because"),
    h("ul", null, lines, step.more ? h("li", { class: "more", key: "more" }, `and ${step.more} more`) : null),
  );
}
