// Points in the plane: a hull around the marked ones, or two segments.

import { h, names } from "./dom.js";
import { badge, flags, kind, r, shaded, size } from "./marks.js";

const WIDTH = 520;
const HEIGHT = 420;
const MARGIN = 38;

/** What maps coordinates to the picture: the same scale on both axes, and y upwards. */
export function frameOf(inputs) {
  const [xs, ys] = [inputs.x[0], inputs.y[0]];
  const middle = [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
  const wide = (Math.max(...xs) - Math.min(...xs)) / (WIDTH - 2 * MARGIN);
  const high = (Math.max(...ys) - Math.min(...ys)) / (HEIGHT - 2 * MARGIN);
  const unit = Math.max(wide, high) || 1;
  return {
    toPicture: ([x, y]) => [WIDTH / 2 + (x - middle[0]) / unit, HEIGHT / 2 - (y - middle[1]) / unit],
    toPlace: ([x, y]) => [middle[0] + (x - WIDTH / 2) * unit, middle[1] - (y - HEIGHT / 2) * unit],
  };
}

export function drawPoints(view) {
  const frame = view.frame ?? frameOf(view.inputs);
  const places = view.inputs.x[0].map((x, v) => frame.toPicture([x, view.inputs.y[0][v]]));
  const isValue = view.about.answer === "value";
  return {
    width: WIDTH,
    height: HEIGHT,
    body: [
      isValue ? segments(view, places) : hulls(view, places),
      h(
        "g",
        { key: "points" },
        places.map((place, v) => point(view, v, place)),
      ),
      h(
        "g",
        { key: "flags" },
        places.map(([x, y], v) => flags(view.flags[v], x, y - 20, `f${v}`, WIDTH)),
      ),
    ],
  };
}

const output = (view) => view.about.probes.find((probe) => probe.stage === "output").name;

function segments(view, places) {
  const name = output(view);
  const value = view.outputs[name];
  const verdict = view.elements ? kind(view.elements[name]) : "truth";
  const lines = [
    [0, 1],
    [2, 3],
  ].map(([u, v]) =>
    h("path", {
      class: names("segment", value !== null && value !== undefined && value === 1 && verdict),
      key: `${u}`,
      d: `M${places[u].map(r)}L${places[v].map(r)}`,
    }),
  );
  const said = value === null || value === undefined ? null : value === 1 ? "they intersect" : "they don't intersect";
  return h(
    "g",
    { key: "segments" },
    lines,
    said ? h("text", { class: names("said", verdict), x: WIDTH / 2, y: HEIGHT - 8 }, said) : null,
    said && view.elements ? badge(verdict, WIDTH / 2 - 78, HEIGHT - 12, 6) : null,
  );
}

function hulls(view, places) {
  const name = output(view);
  const values = view.outputs[name];
  if (!values) return null;
  const right = !view.elements || view.elements[name].every((code) => code <= 0);
  const wrong = view.elements?.[name].some((code) => code === 2);
  return h(
    "g",
    { key: "hull" },
    right || !view.truth
      ? null
      : h("path", { class: "hull missed", key: "true", d: polygon(view.truth[name], places) }),
    h("path", {
      class: names("hull", !view.elements ? "truth" : right ? "right" : wrong ? "wrong" : "different"),
      key: "shown",
      d: polygon(values, places),
    }),
  );
}

/** The marked points in the order of their angle around their middle. */
function polygon(values, places) {
  const corners = places.filter((_, v) => values[v] === 1);
  if (!corners.length) return "";
  const middle = [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length);
  const angle = ([x, y]) => Math.atan2(y - middle[1], x - middle[0]);
  return `M${corners
    .sort((a, b) => angle(a) - angle(b))
    .map((corner) => corner.map(r).join(" "))
    .join("L")}Z`;
}

function point(view, v, [x, y]) {
  const name = output(view);
  const values = view.about.answer === "value" ? null : view.outputs[name];
  const verdict = values && view.elements ? kind(view.elements[name][v]) : "truth";
  const css = values?.[v] === 1 ? `marked ${verdict}` : verdict === "wrong" ? "missed" : "";
  const shade = css ? null : shaded(view.shade, v);
  return h(
    "g",
    { class: names("node point", css), key: v, transform: `translate(${r(x)} ${r(y)})`, "data-node": v },
    view.marked.nodes.has(v) ? h("circle", { class: "halo", key: "halo", r: 15 }) : null,
    h("circle", { class: "disc", key: "disc", r: 9 }),
    shade ? h("circle", { ...shade, key: "shade", r: 9 }) : null,
    h("text", { class: "index", y: 3.2, style: size(9.5) }, v),
    values && view.elements ? badge(verdict, 8, -8, 5) : null,
  );
}
