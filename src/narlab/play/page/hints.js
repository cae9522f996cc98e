// Every hint at the current row: rows under the nodes' indices, single values, and matrices.

import { h, names } from "./dom.js";
import { probes, told } from "./scene.js";

export function hintsPanel(play) {
  const hints = probes(play.scene.about, "hint");
  if (!hints.length) return null;
  const of = (test) => hints.filter(test);
  const single = of((p) => p.location === "graph" || (p.location === "node" && p.type === "mask_one"));
  const rows = of((p) => p.location === "node" && p.type !== "mask_one");
  const matrices = of((p) => p.location === "edge");
  return h(
    "section",
    { class: "panel hints", "aria-label": "Every hint" },
    h("h2", null, "Every hint", h("small", null, `row ${play.row} of ${play.scene.rows - 1}`)),
    single.length
      ? h(
          "ul",
          { class: "chips" },
          single.map((probe) => chip(play, probe)),
        )
      : null,
    rows.length
      ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Hints of nodes" }, table(play, rows))
      : null,
    matrices.length
      ? h(
          "div",
          { class: "matrices" },
          matrices.map((probe) => matrix(play, probe)),
        )
      : null,
  );
}

const valueAt = (play, probe, row) => play.scene.hints[probe.name][row];
const PLACES = { node: "nodes", edge: "pairs of nodes", graph: "whole" };
const describe = (probe) => `${probe.name}: ${probe.type.replace("_", " ")} of the ${PLACES[probe.location]}`;

function chip(play, probe) {
  const [now, before] = [valueAt(play, probe, play.row), valueAt(play, probe, Math.max(play.row - 1, 0))];
  return h(
    "li",
    { class: names(now !== before && "changed"), key: probe.name, title: describe(probe) },
    h("b", null, probe.name),
    told(probe, now),
  );
}

function table(play, rows) {
  const nodes = Array.from({ length: play.scene.n }, (_, v) => v);
  return h(
    "table",
    null,
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
      rows.map((probe) => {
        const [now, before] = [valueAt(play, probe, play.row), valueAt(play, probe, Math.max(play.row - 1, 0))];
        const cells = nodes.map((v) =>
          h(
            "td",
            { key: v, class: names(now[v] !== before[v] && "changed", told(probe, now[v]) === "·" && "blank") },
            told(probe, now[v]),
          ),
        );
        return h("tr", { key: probe.name }, h("th", { scope: "row", title: describe(probe) }, probe.name), cells);
      }),
    ),
  );
}

/** A matrix is made only while it is open: it may have thousands of cells. */
function matrix(play, probe) {
  const isOpen = play.open?.[probe.name] ?? false;
  const toggle = (event) =>
    event.target.open !== isOpen && play.set({ open: { ...play.open, [probe.name]: event.target.open } });
  return h(
    "details",
    { key: probe.name, open: isOpen, ontoggle: toggle },
    h("summary", { title: describe(probe) }, probe.name),
    isOpen ? h("div", { class: "scroll" }, grid(play, probe)) : null,
  );
}

function grid(play, probe) {
  const [now, before] = [valueAt(play, probe, play.row), valueAt(play, probe, Math.max(play.row - 1, 0))];
  const nodes = now.map((_, v) => v);
  return h(
    "table",
    { class: "grid" },
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        h("th", null),
        nodes.map((v) => h("th", { scope: "col", key: v }, v)),
      ),
    ),
    h(
      "tbody",
      null,
      now.map((row, i) =>
        h(
          "tr",
          { key: i },
          h("th", { scope: "row" }, i),
          row.map((value, j) =>
            h(
              "td",
              { key: j, class: names(value !== before[i][j] && "changed", value <= 0 && "blank") },
              told(probe, value),
            ),
          ),
        ),
      ),
    ),
  );
}
