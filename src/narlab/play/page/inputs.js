// Changes of an instance. Inputs have the form that `narlab predict --input` reads: a leading axis of one sample.
// Each function returns new inputs and leaves the old ones as they are.

export const sizeOf = (inputs) => inputs.pos[0].length;

const ramp = (count) => Array.from({ length: count }, (_, k) => k / count);

/** With another value at a node. */
export function withValue(inputs, name, node, value) {
  const row = [...inputs[name][0]];
  row[node] = value;
  return { ...inputs, [name]: [row] };
}

/** With another value of the whole graph. */
export const withScalar = (inputs, name, value) => ({ ...inputs, [name]: [value] });

/** With the one-hot mark on another node. */
export const withMark = (inputs, name, node) => ({
  ...inputs,
  [name]: [inputs[name][0].map((_, v) => (v === node ? 1 : 0))],
});

/** With another weight of an edge, 0 to remove it; both directions where the graph is not directed. */
export function withEdge(inputs, [u, v], weight, directed) {
  const A = inputs.A[0].map((row) => [...row]);
  A[u][v] = weight;
  if (!directed) A[v][u] = weight;
  const adj = A.map((row, i) => row.map((value, j) => (value !== 0 || i === j ? 1 : 0)));
  return { ...inputs, A: [A], adj: [adj] };
}

/** The letters of both strings. */
export function stringsOf(inputs) {
  const codes = inputs.key[0].map((code) => code.indexOf(1));
  const first = inputs.string[0].filter((mark) => mark === 0).length;
  return [codes.slice(0, first), codes.slice(first)];
}

/** With other strings, of any length. */
export function withStrings(inputs, strings) {
  const letters = inputs.key[0][0].length;
  const code = (letter) => Array.from({ length: letters }, (_, k) => (k === letter ? 1 : 0));
  return {
    ...inputs,
    string: [strings.flatMap((string, which) => string.map(() => which))],
    pos: [strings.flatMap((string) => ramp(string.length))],
    key: [strings.flatMap((string) => string.map(code))],
  };
}

/** Rounded as people write numbers. */
export const tidy = (value, digits = 3) => Math.round(value * 10 ** digits) / 10 ** digits;
