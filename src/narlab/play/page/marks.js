// What all drawings share: lines, arrows, and the shapes that tell verdicts apart without colour.

import { h, names } from "./dom.js";
import { VERDICTS } from "./scene.js";

export const kind = (code) => VERDICTS[code] ?? "plain";

/** A round number for paths: short, and the same on every machine. */
export const r = (value) => Math.round(value * 100) / 100;

/** A diamond for what is valid but different, a cross for what is wrong, nothing for what is right. */
export function badge(verdict, x, y, reach = 6) {
  if (verdict !== "different" && verdict !== "wrong") return null;
  const s = r(reach);
  const shape =
    verdict === "different"
      ? h("path", { class: "shape", d: `M0 ${-s}L${s} 0L0 ${s}L${-s} 0Z` })
      : [h("circle", { class: "back", r: s }), h("path", { class: "shape", d: cross(s * 0.48) })];
  return h("g", { class: `badge ${verdict}`, transform: `translate(${r(x)} ${r(y)})` }, shape);
}

const cross = (s) => `M${r(-s)} ${r(-s)}L${r(s)} ${r(s)}M${r(s)} ${r(-s)}L${r(-s)} ${r(s)}`;

/** A line or an arrow from place to place that ends short of both; `bend` moves its middle aside. */
export function arrow(from, to, { gap = 0, head = 7, bend = 0, both = false, css, key, ...rest }) {
  const middle = bent(from, to, bend);
  const start = towards(from, middle, gap);
  const tip = towards(to, middle, gap);
  const end = head ? towards(tip, middle, head * 0.8) : tip;
  const begin = head && both ? towards(start, middle, head * 0.8) : start;
  const line = `M${r(begin[0])} ${r(begin[1])}Q${r(middle[0])} ${r(middle[1])} ${r(end[0])} ${r(end[1])}`;
  return h(
    "g",
    { class: names("arrow", css), key, ...rest },
    h("path", { class: "line", d: line }),
    head ? h("path", { class: "head", d: headAt(tip, middle, head) }) : null,
    head && both ? h("path", { class: "head", d: headAt(start, middle, head), key: "back" }) : null,
  );
}

function bent(from, to, bend) {
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  return [x - (to[1] - from[1]) * bend, y + (to[0] - from[0]) * bend];
}

function towards(from, to, distance) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  return [from[0] + (dx / length) * distance, from[1] + (dy / length) * distance];
}

function headAt(tip, from, long) {
  const back = towards(tip, from, long);
  const [dx, dy] = [(tip[0] - back[0]) * 0.5, (tip[1] - back[1]) * 0.5];
  return `M${r(tip[0])} ${r(tip[1])}L${r(back[0] - dy)} ${r(back[1] + dx)}L${r(back[0] + dy)} ${r(back[1] - dx)}Z`;
}

/** A small label with the names of the hints that point here, around `x` as far as the picture's width allows. */
export function flags(list, x, y, key, wide = Infinity) {
  if (!list?.length) return null;
  const text = list.join(" ");
  const width = 9 + text.length * 5.6;
  const at = Math.min(Math.max(x, wide === Infinity ? x : width / 2 + 1), wide - width / 2 - 1);
  return h(
    "g",
    { class: "flag", key, style: { transform: `translate(${r(at)}px, ${r(y)}px)` } },
    h("rect", { x: r(-width / 2), y: -7, width: r(width), height: 14, rx: 7 }),
    h("text", { y: 3.2 }, text),
  );
}

/** The look of a text of this size. */
export const size = (pixels) => ({ fontSize: `${r(pixels)}px` });

/** A number on a picture. */
export function short(value) {
  const far = Math.abs(value);
  const text = far >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(far < 0.1 ? 3 : 2);
  return text.replace(/^(-?)0\./, "$1.");
}

/** The class of a node that is shaded by a hint, and how strongly. */
export const shaded = (shade, node) => (shade ? { class: "shade", "fill-opacity": r(shade[node]) } : null);
