// Changing the instance with a mouse, a finger or a pen.

import { range, ruler, series } from "./draw_bars.js";
import { toPlace } from "./draw_graph.js";
import { frameOf } from "./draw_points.js";
import { timeline } from "./draw_rows.js";
import { tidy, withEdge, withValue } from "./inputs.js";

const CLICK = 4; // as far as a pointer may move and still only click

/** The handler for pointers that go down on a picture. */
export function dragging(play) {
  return (event) => {
    const picture = event.currentTarget;
    const node = event.target.closest("[data-node]");
    const begun = begin(play, event.target, node && Number(node.dataset.node), event.shiftKey);
    if (!begun) return;
    event.preventDefault();
    follow(picture, event, begun, play);
  };
}

function begin(play, target, node, withShift) {
  const { picture } = play.scene.about;
  if (picture === "graph") return onGraph(play, target, node, withShift);
  if (!play.source.isLive || node === null) return null;
  return { bars: onBars, points: onPoints, intervals: onIntervals }[picture]?.(play, node, target) ?? null;
}

/** `move` and `up` with places in the picture, until the pointer is lifted. */
function follow(picture, down, { move, click, up, end }, play) {
  const place = (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    return [x, y];
  };
  let moved = false;
  const onMove = (event) => {
    moved ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > CLICK;
    if (moved) move?.(place(event));
  };
  const onUp = (event) => {
    picture.ownerDocument.removeEventListener("pointermove", onMove);
    for (const type of ["pointerup", "pointercancel"]) picture.ownerDocument.removeEventListener(type, onUp);
    if (!moved) click?.();
    else up?.(picture.ownerDocument.elementFromPoint(event.clientX, event.clientY)?.closest("[data-node]"));
    end?.();
    play.redraw();
  };
  picture.ownerDocument.addEventListener("pointermove", onMove);
  for (const type of ["pointerup", "pointercancel"]) picture.ownerDocument.addEventListener(type, onUp);
}

function onGraph(play, target, node, withShift) {
  const edge = target.closest("[data-edge]");
  if (edge) return { click: () => play.set({ selection: { pair: edge.dataset.edge.split(",").map(Number) } }) };
  if (node === null) return { click: () => play.set({ selection: null }) };
  if (withShift && play.source.isLive) return { up: (other) => other && link(play, node, Number(other.dataset.node)) };
  const inside = (value) => Math.min(Math.max(value, -1.05), 1.05);
  return { move: (place) => play.moveNode(node, toPlace(place).map(inside)), click: () => select(play, node) };
}

/** A second node makes a pair. */
function select(play, node) {
  const first = play.selection?.node;
  play.set({ selection: first === undefined || first === node ? { node } : { pair: [first, node] } });
}

/** Add an edge, or take it away. */
function link(play, from, to) {
  if (from === to) return;
  const inputs = play.draft ?? play.scene.inputs;
  const isWeighted = !play.scene.about.probes.find((probe) => probe.name === "A").integer;
  play.selection = { pair: [from, to] };
  play.edit(
    withEdge(inputs, [from, to], inputs.A[0][from][to] !== 0 ? 0 : isWeighted ? 0.5 : 1, play.scene.about.directed),
  );
}

function onBars(play, node, target) {
  const name = target.closest("[data-input]")?.dataset.input ?? series(play.scene.about)[0];
  const [low, high] = (play.range = range(play.scene.about, play.inputs));
  const most = high + 0.12 * (high - low);
  const { toValue } = ruler(play.range);
  const value = (y) => Math.min(Math.max(toValue(y), low), most);
  return {
    move: ([, y]) => play.edit(withValue(play.inputs, name, node, tidy(value(y)))),
    end: () => (play.range = null),
  };
}

function onPoints(play, node) {
  const { toPlace: back } = (play.frame = frameOf(play.inputs));
  const move = (place) => {
    const [x, y] = back(place).map((value) => tidy(value));
    play.edit(withValue(withValue(play.inputs, "x", node, x), "y", node, y));
  };
  return { move, end: () => (play.frame = null) };
}

function onIntervals(play, node, target) {
  const name = target.closest("[data-input]")?.dataset.input;
  if (!name) return null;
  const { toTime } = (play.frame = timeline(play.inputs));
  return {
    move: ([x]) => play.edit(withValue(play.inputs, name, node, tidy(Math.max(toTime(x), 0)))),
    end: () => (play.frame = null),
  };
}
