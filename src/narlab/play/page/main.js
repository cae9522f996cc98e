// The page: a heading with what to choose, the cards, the bar that steps, the hints and the fields to change things.

import { cards } from "./cards.js";
import { field, h, patch } from "./dom.js";
import { saveJson, savePng, saveSvg } from "./download.js";
import { dragging } from "./drag.js";
import { editorPanel } from "./editor.js";
import { fromFragment } from "./address.js";
import { hintsPanel } from "./hints.js";
import { withEdge } from "./inputs.js";
import { openSource } from "./source.js";
import { Play } from "./play.js";
import { transport } from "./transport.js";

const app = document.getElementById("app");
let play, drag;
let isScheduled = false;

function redraw() {
  app.setAttribute("aria-busy", "true");
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    patch(app, page());
    app.setAttribute("aria-busy", String(play.isBusy));
  });
}

function page() {
  if (!play.scene)
    return [
      heading(),
      h(
        "p",
        { class: "loading" },
        play.error || "The first scene is being made; an algorithm that is new to this machine is compiled first …",
      ),
    ];
  return [
    heading(),
    h(
      "main",
      { class: play.isBusy ? "busy" : "" },
      cards(play, drag),
      transport(play),
      hintsPanel(play),
      editorPanel(play),
      keys(),
    ),
  ];
}

function heading() {
  const chosen = play.source.isLive ? [tasks(), models(), instance()] : [stored()];
  return h(
    "header",
    { class: "top" },
    h("h1", null, h("span", { class: "brand" }, "narlab"), " play"),
    h("div", { class: "choices" }, chosen),
    status(),
    share(),
  );
}

function tasks() {
  const families = [...new Set(play.source.algorithms.map((each) => each.family))];
  const groups = families.map((family) =>
    h(
      "optgroup",
      { label: family, key: family },
      play.source.algorithms
        .filter((each) => each.family === family)
        .map((each) => h("option", { value: each.name, key: each.name }, each.name)),
    ),
  );
  return field(
    "Algorithm",
    h("select", { value: play.algorithm, onchange: (event) => play.chooseAlgorithm(event.target.value) }, groups),
  );
}

function models() {
  const known = play.modelsOf(play.algorithm);
  const select = (which, none, list) =>
    h(
      "select",
      {
        value: play.models[which],
        disabled: !list.length,
        onchange: (event) => play.chooseModel(which, event.target.value),
      },
      h("option", { value: "" }, none),
      list.map((name) => h("option", { value: name, key: name }, name)),
    );
  const others = known.filter((name) => name !== play.models[0]);
  return [
    field("Model", select(0, known.length ? "none, the algorithm only" : "none of this algorithm", known)),
    field("Compare with", select(1, "nothing", play.models[0] ? others : [])),
  ];
}

function instance() {
  const { about } = play;
  const integer = (name) => (event) =>
    Number.isInteger(event.target.valueAsNumber) && play.draw({ [name]: event.target.valueAsNumber });
  return [
    field(
      "Size",
      h("input", {
        type: "number",
        value: play.n,
        min: about.smallest,
        max: play.source.mostNodes,
        onchange: integer("n"),
      }),
    ),
    about.picture === "graph"
      ? field(
          "Graph family",
          h("input", {
            type: "text",
            list: "families",
            value: play.graphs,
            placeholder: "default",
            spellcheck: "false",
            onchange: (event) => play.draw({ graphs: event.target.value.trim() }),
          }),
          families(),
        )
      : null,
    field("Seed", h("input", { type: "number", value: play.seed, min: 0, onchange: integer("seed") })),
    h(
      "button",
      { type: "button", class: "draw", key: "draw", onclick: () => play.draw({ seed: play.seed + 1 }) },
      "Another",
    ),
  ];
}

const families = () =>
  h(
    "datalist",
    { id: "families" },
    play.source.families.map((name) => h("option", { value: name, key: name })),
  );

function stored() {
  const titles = play.source.scenes.map(
    (scene) =>
      `${scene.algorithm}, ${scene.inputs.pos[0].length} nodes, ${scene.answers.map((answer) => answer.model).join(" and ") || "no model"}`,
  );
  const options = titles.map((title, k) => h("option", { value: k, key: k }, `${k + 1}. ${title}`));
  return field(
    "Instance",
    h("select", { value: play.index, onchange: (event) => play.showStored(Number(event.target.value)) }, options),
  );
}

function status() {
  const { timing, error, isBusy } = play;
  const said = isBusy
    ? [h("i", { class: "spinner", "aria-hidden": "true" }), "computing …"]
    : error
      ? null
      : timing
        ? `${Math.round(timing.all)} ms`
        : "";
  return [
    h("p", { class: "status", role: "status", "aria-live": "polite", key: "status" }, said),
    error && !isBusy ? h("p", { class: "error", role: "alert", key: "error" }, error) : null,
  ];
}

function share() {
  const button = (label, title, onclick) =>
    h("button", { type: "button", key: title, title, onclick, disabled: !play.scene }, label);
  return h(
    "div",
    { class: "share", role: "group", "aria-label": "Share" },
    play.source.isLive
      ? button(play.said || "Copy link", "Copy the address, which holds the whole instance", copy)
      : null,
    button("PNG", "Save the pictures as PNG", () => savePng(play)),
    button("SVG", "Save the pictures as SVG", () => saveSvg(play)),
    button("JSON", "Save the instance as JSON, for narlab predict --input", () => saveJson(play)),
  );
}

async function copy() {
  const address = `${location.href.split("#")[0]}#${play.fragment()}`;
  history.replaceState(null, "", address);
  const done = await navigator.clipboard.writeText(address).then(
    () => "Copied",
    () => "It is in the address bar",
  );
  play.set({ said: done });
  setTimeout(() => play.set({ said: "" }), 1500);
}

const keys = () =>
  h(
    "p",
    { class: "keys", key: "keys" },
    h("kbd", null, "Space"),
    " plays and pauses, ",
    h("kbd", null, "←"),
    " ",
    h("kbd", null, "→"),
    " step, ",
    h("kbd", null, "Home"),
    " ",
    h("kbd", null, "End"),
    " go to the ends, ",
    h("kbd", null, "Delete"),
    " removes the selected edge.",
  );

/** Keys that work everywhere but where one writes or chooses. */
function onKey(event) {
  const at = event.target.closest?.("input, select, textarea, button, summary");
  if (!play?.scene || event.ctrlKey || event.altKey || event.metaKey) return;
  if (at && at.type !== "range" && (at.localName !== "button" || event.key === " ")) return;
  const action = KEYS[event.key];
  if (!action || (at?.type === "range" && event.key !== " ")) return;
  event.preventDefault();
  action();
}

const KEYS = {
  " ": () => play.toggle(),
  ArrowLeft: () => play.step(-1),
  ArrowRight: () => play.step(1),
  Home: () => play.step(-Infinity),
  End: () => play.step(Infinity),
  Delete: removeEdge,
  Backspace: removeEdge,
};

function removeEdge() {
  const pair = play.selection?.pair;
  const inputs = play.draft ?? play.scene.inputs;
  if (pair && play.source.isLive && inputs.A?.[0][pair[0]][pair[1]])
    play.edit(withEdge(inputs, pair, 0, play.scene.about.directed));
}

try {
  play = new Play(await openSource(), redraw);
  drag = dragging(play);
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", () => {
    const shared = play.source.isLive && fromFragment(location.hash);
    if (shared) play.open(shared);
  });
  redraw();
  await play.begin();
} catch (error) {
  patch(app, [h("p", { class: "loading error", role: "alert" }, error.message)]);
  if (!(error instanceof Error) || error.constructor !== Error) throw error;
}
