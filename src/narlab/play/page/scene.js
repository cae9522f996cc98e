// A scene: one instance, the rows of the algorithm's hints and the models' answers after each of their steps.

/** The scene as the server sends it, with every row of every hint in its place. */
export function unpack(scene, about) {
  const hints = {};
  for (const [name, rows] of Object.entries(scene.hints)) {
    let last = null;
    hints[name] = rows.map((row) => (last = row === null ? last : row));
  }
  const longest = Math.max(scene.rows - 1, ...scene.answers.map((answer) => answer.steps.length - 1), 0);
  return { ...scene, hints, about, last: longest, n: scene.inputs.pos[0].length };
}

/** Both begin and end together: the algorithm's row at a position of the slider. */
export const rowAt = (scene, position) => share(position, scene.last, scene.rows);

/** The model's step at a position of the slider, counted from 0. */
export const stepAt = (scene, answer, position) => share(position, scene.last, answer.steps.length);

/** The first position at which a model has made `step`. */
export function positionOf(scene, answer, step) {
  for (let position = 0; position <= scene.last; position++)
    if (stepAt(scene, answer, position) >= step) return position;
  return scene.last;
}

const share = (position, last, count) => (last ? Math.round((position / last) * (count - 1)) : count - 1);

/** The probes of a stage. */
export const probes = (about, stage) => about.probes.filter((probe) => probe.stage === stage);

/** What the algorithm has of its outputs at a row, by name: hints with the output's name, and the outputs at the end. */
export function outputsAt(scene, row) {
  if (row === scene.rows - 1) return scene.outputs;
  const found = {};
  for (const probe of probes(scene.about, "output")) {
    const hint = counterpart(scene.about, probe);
    found[probe.name] = hint ? scene.hints[hint.name][row] : null;
  }
  return found;
}

/** The hint that an output grows in, if there is one. */
export const counterpart = (about, output) =>
  probes(about, "hint").find(
    (hint) => hint.name === `${output.name}_h` && hint.location === output.location && hint.type === output.type,
  );

/** The node that each hint of one node points to at a row, by the hint's name. */
export function pointersAt(scene, row) {
  const ones = probes(scene.about, "hint").filter((probe) => probe.type === "mask_one" && probe.location === "node");
  const shown = ones.filter((probe) => !isAnswer(scene.about, probe) && scene.hints[probe.name][row] >= 0);
  return Object.fromEntries(shown.map((probe) => [probe.name, scene.hints[probe.name][row]]));
}

/** The same by node: the names of the hints that point there. */
export function byNode(pointers) {
  const flags = {};
  for (const [name, node] of Object.entries(pointers)) (flags[node] ??= []).push(name);
  return flags;
}

const isAnswer = (about, hint) => probes(about, "output").some((output) => counterpart(about, output) === hint);

/** The hints that nodes can be shaded by, the one that tells most first. */
export function shades(about) {
  const rank = { categorical: 0, mask: 1, scalar: 2 };
  return probes(about, "hint")
    .filter((probe) => probe.location === "node" && probe.type in rank && !isAnswer(about, probe))
    .sort((a, b) => rank[a.type] - rank[b.type]);
}

/** How dark each node is by a hint, from 0 to 1; `null` without a hint. */
export function shadeAt(scene, name, row) {
  const probe = probes(scene.about, "hint").find((each) => each.name === name);
  if (!probe) return null;
  const values = scene.hints[name][row];
  if (probe.type !== "scalar") return values.map((value) => Math.max(value, 0) / Math.max(probe.categories - 1, 1));
  const all = scene.hints[name].flat();
  const low = Math.min(...all),
    high = Math.max(...all);
  return values.map((value) => (high > low ? (value - low) / (high - low) : 0));
}

/** An array's nodes in the order that predecessors give; what is no chain is ordered by how deep it hangs. */
export function orderOf(predecessor) {
  const depth = predecessor.map((_, node) => {
    const seen = new Set();
    for (let v = node; !seen.has(v); v = predecessor[v]) seen.add(v);
    return seen.size;
  });
  return predecessor.map((_, node) => node).sort((a, b) => depth[a] - depth[b] || a - b);
}

/** The first pointer among an array's hints says how it is ordered by now. */
export const arrayHint = (about) =>
  probes(about, "hint").find((probe) => probe.location === "node" && probe.type === "pointer");

export const VERDICTS = ["right", "different", "wrong"];
export const VERDICT_WORDS = { right: "right", different: "valid, but different", wrong: "wrong" };

/** A short text for a value of a probe. */
export function told(probe, value) {
  if (value === null || value === undefined) return "–";
  if (probe.type === "scalar") return Number.isInteger(value) ? String(value) : String(Math.round(value * 100) / 100);
  if (probe.type === "mask") return value === 1 ? "1" : value === 0 ? "·" : "–";
  return value === -1 ? "–" : String(value);
}

export const letter = (code) => String.fromCharCode(97 + code);
