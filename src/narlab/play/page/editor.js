// Changing the instance by hand, with fields for all that can also be dragged.

import { field, h } from "./dom.js";
import { stringsOf, tidy, withEdge, withMark, withScalar, withStrings, withValue } from "./inputs.js";
import { letter, probes } from "./scene.js";

const HELP = {
  graph:
    "Drag a node to move it. Click an edge, or two nodes one after the other, to change what is between them; with Shift, drag from node to node to add an edge or take it away.",
  bars: "Drag a bar up or down, or write its value.",
  points: "Drag a point, or write its coordinates.",
  intervals: "Drag an end of an activity, or write its times.",
  strings: "Write other letters; a string may become longer or shorter.",
};

export function editorPanel(play) {
  if (!play.source.isLive) return null;
  const { picture } = play.scene.about;
  return h(
    "section",
    { class: "panel editor", "aria-label": "Change the instance" },
    h("h2", null, "Change the instance"),
    h("p", { class: "help" }, HELP[picture]),
    picture === "graph" ? edgeFields(play) : null,
    picture === "strings" ? stringFields(play) : null,
    marks(play),
    scalars(play),
    picture === "graph" || picture === "strings" ? null : values(play),
  );
}

const inputs = (play) => play.draft ?? play.scene.inputs;

const options = (n) => Array.from({ length: n }, (_, v) => h("option", { value: v, key: v }, v));

function edgeFields(play) {
  const { about, n } = play.scene;
  const pair = play.selection?.pair ?? [play.selection?.node ?? 0, play.selection?.node === 1 ? 0 : 1];
  const weight = inputs(play).A[0][pair[0]][pair[1]];
  const isWeighted = !about.probes.find((probe) => probe.name === "A").integer;
  const choose = (k) => (event) =>
    play.set({ selection: { pair: pair.map((v, at) => (at === k ? Number(event.target.value) : v)) } });
  const put = (value) => play.edit(withEdge(inputs(play), pair, value, about.directed));
  const isLoop = pair[0] === pair[1];
  return h(
    "div",
    { class: "fields", key: "edge" },
    field("From node", h("select", { value: pair[0], onchange: choose(0) }, options(n))),
    field(about.directed ? "To node" : "And node", h("select", { value: pair[1], onchange: choose(1) }, options(n))),
    isWeighted && weight !== 0 ? field("Weight", number(weight, put, { step: 0.05 })) : null,
    weight === 0
      ? h(
          "button",
          { type: "button", key: "add", disabled: isLoop, onclick: () => put(isWeighted ? 0.5 : 1) },
          "Add edge",
        )
      : h("button", { type: "button", key: "remove", onclick: () => put(0) }, "Remove edge"),
  );
}

/** A field for a number, which tells of every number that it holds. */
function number(value, put, more = {}) {
  const read = (event) =>
    event.target.value !== "" && Number.isFinite(event.target.valueAsNumber) && put(event.target.valueAsNumber);
  return h("input", { type: "number", value: tidy(value), step: "any", ...more, oninput: read });
}

function stringFields(play) {
  const strings = stringsOf(inputs(play));
  const names = play.scene.about.answer === "table" ? ["First string", "Second string"] : ["Haystack", "Needle"];
  const letters = inputs(play).key[0][0].length;
  const last = letter(letters - 1);
  return h(
    "div",
    { class: "fields wide", key: "strings" },
    strings.map((string, which) => {
      const write = (event) => {
        const codes = [...event.target.value.toLowerCase()].map((sign) => sign.charCodeAt(0) - 97);
        if (codes.length && codes.every((code) => code >= 0 && code < letters))
          play.edit(
            withStrings(
              inputs(play),
              strings.map((old, k) => (k === which ? codes : old)),
            ),
          );
        else
          play.set({
            error: `a string is one or more of the letters a to ${last}, got ${JSON.stringify(event.target.value)}`,
          });
      };
      const props = {
        type: "text",
        value: string.map(letter).join(""),
        spellcheck: "false",
        autocapitalize: "off",
        maxlength: 60,
        oninput: write,
      };
      return field(`${names[which]} (letters a to ${last})`, h("input", props));
    }),
  );
}

/** One node that the input singles out, such as a source. */
function marks(play) {
  const found = probes(play.scene.about, "input").filter(
    (probe) => probe.type === "mask_one" && probe.location === "node",
  );
  if (!found.length) return null;
  return h(
    "div",
    { class: "fields", key: "marks" },
    found.map((probe) => {
      const change = (event) => play.edit(withMark(inputs(play), probe.name, Number(event.target.value)));
      return field(
        probe.name === "s" ? "Source" : probe.name,
        h("select", { value: inputs(play)[probe.name][0].indexOf(1), onchange: change }, options(play.scene.n)),
      );
    }),
  );
}

/** Values of the whole instance, such as a target. */
function scalars(play) {
  const found = probes(play.scene.about, "input").filter(
    (probe) => probe.type === "scalar" && probe.location === "graph",
  );
  if (!found.length) return null;
  return h(
    "div",
    { class: "fields", key: "scalars" },
    found.map((probe) =>
      field(
        probe.name,
        number(inputs(play)[probe.name][0], (value) => play.edit(withScalar(inputs(play), probe.name, value)), {
          step: 0.05,
        }),
      ),
    ),
  );
}

function values(play) {
  const found = probes(play.scene.about, "input").filter(
    (probe) => probe.type === "scalar" && probe.location === "node" && probe.name !== "pos",
  );
  const nodes = Array.from({ length: play.scene.n }, (_, v) => v);
  return h(
    "div",
    { class: "scroll", key: "values" },
    h(
      "table",
      { class: "values" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, "node"),
          nodes.map((v) => h("th", { scope: "col", key: v }, v)),
        ),
      ),
      h(
        "tbody",
        null,
        found.map((probe) =>
          h(
            "tr",
            { key: probe.name },
            h("th", { scope: "row" }, probe.name),
            nodes.map((v) => {
              const put = (value) => play.edit(withValue(inputs(play), probe.name, v, value));
              return h(
                "td",
                { key: v },
                number(play.inputs[probe.name][0][v], put, {
                  step: probe.integer ? 1 : 0.05,
                  "aria-label": `${probe.name} of node ${v}`,
                }),
              );
            }),
          ),
        ),
      ),
    ),
  );
}
