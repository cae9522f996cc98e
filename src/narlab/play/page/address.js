// The part of the address behind #: the algorithm, the models, the step and the whole instance, as predict reads it.

const NEEDS_CODE = /[%#&+"<>\\^`{|}\s]/g;
const encode = (text) => text.replace(NEEDS_CODE, (sign) => encodeURIComponent(sign));

/** The text behind # for what is shown. */
export function toFragment({ algorithm, models, step, places, inputs }) {
  const parts = { algorithm, models: models.join(","), step };
  if (places) parts.places = places.map((place) => place.map((value) => Math.round(value * 1000)).join(",")).join(";");
  parts.instance = JSON.stringify(inputs);
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${encode(String(value))}`)
    .join("&");
}

/** What a text behind # says; `null` if it holds no instance. */
export function fromFragment(fragment) {
  const parts = {};
  for (const piece of fragment.replace(/^#/, "").split("&")) {
    const [name, ...rest] = piece.split("=");
    parts[name] = rest.join("=");
  }
  try {
    const instance = JSON.parse(decodeURIComponent(parts.instance));
    const places = parts.places?.split(";").map((place) => place.split(",").map((value) => Number(value) / 1000));
    const size = instance.pos[0].length;
    return {
      algorithm: decodeURIComponent(parts.algorithm),
      models: decodeURIComponent(parts.models ?? "")
        .split(",")
        .filter(Boolean),
      step: Number(parts.step) || 0,
      places: places?.length === size && places.flat().every(Number.isFinite) ? places : null,
      inputs: instance,
    };
  } catch {
    return null;
  }
}
