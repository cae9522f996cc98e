// Taking it away: the pictures as SVG or PNG, the instance as JSON.

import { rowAt, stepAt, VERDICT_WORDS } from "./scene.js";

const LOOKS = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
  "visibility",
];
const SVG = "http://www.w3.org/2000/svg";
const GAP = 24;
const TITLE = 40;
const SCALE = 2; // pixels of a PNG for each of the page

/** The instance in the form that `narlab predict --input` reads. */
export function saveJson(play) {
  save(
    new Blob([`${JSON.stringify(play.scene.inputs)}\n`], { type: "application/json" }),
    `${play.scene.algorithm}.json`,
  );
}

export function saveSvg(play) {
  const { text } = assembled(play);
  save(new Blob([text], { type: "image/svg+xml" }), `${play.scene.algorithm}.svg`);
}

export async function savePng(play) {
  const { text, width, height } = assembled(play);
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: width * SCALE, height: height * SCALE });
  const context = canvas.getContext("2d");
  context.scale(SCALE, SCALE);
  context.drawImage(image, 0, 0);
  URL.revokeObjectURL(address);
  canvas.toBlob((blob) => save(blob, `${play.scene.algorithm}.png`), "image/png");
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** All cards side by side, with their looks written into the elements. */
function assembled(play) {
  const all = [...document.querySelectorAll(".card")].map((card) => [...card.querySelectorAll(".picture")]);
  const titles = titlesOf(play);
  const whole = element("svg", { xmlns: SVG });
  let [x, height] = [GAP, 0];
  all.forEach((pictures, k) => {
    let y = TITLE;
    const width = Math.max(...pictures.map((picture) => picture.viewBox.baseVal.width));
    whole.append(title(titles[k], x));
    for (const picture of pictures) {
      const { width: w, height: t } = picture.viewBox.baseVal;
      const copy = styled(picture);
      for (const [name, value] of Object.entries({ x, y, width: w, height: t })) copy.setAttribute(name, value);
      whole.append(copy);
      y += t + 8;
    }
    [x, height] = [x + width + GAP, Math.max(height, y)];
  });
  const size = { width: Math.ceil(x), height: Math.ceil(height + GAP / 2) };
  for (const [name, value] of Object.entries({ ...size, viewBox: `0 0 ${size.width} ${size.height}` }))
    whole.setAttribute(name, value);
  const paper = getComputedStyle(document.querySelector(".card")).backgroundColor;
  whole.prepend(element("rect", { ...size, fill: paper }));
  return { text: new XMLSerializer().serializeToString(whole), ...size };
}

function titlesOf({ scene, position }) {
  const models = scene.answers.map((answer) => {
    const t = stepAt(scene, answer, position);
    return `${answer.model} after step ${t + 1} of ${answer.steps.length}: ${VERDICT_WORDS[answer.steps[t].verdict]}`;
  });
  return [`${scene.algorithm}, row ${rowAt(scene, position)} of ${scene.rows - 1}`, ...models];
}

function title(text, x) {
  const looks = getComputedStyle(document.body);
  const node = element("text", {
    x,
    y: 24,
    fill: looks.color,
    "font-family": looks.fontFamily,
    "font-size": 14,
    "font-weight": 600,
  });
  node.textContent = text;
  return node;
}

function element(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (name !== "xmlns") node.setAttribute(name, value);
  return node;
}

/** A copy of a picture that looks the same without our style sheet. */
function styled(picture) {
  const copy = picture.cloneNode(true);
  const [from, to] = [
    [picture, ...picture.querySelectorAll("*")],
    [copy, ...copy.querySelectorAll("*")],
  ];
  from.forEach((node, k) => {
    const looks = getComputedStyle(node);
    for (const name of LOOKS) to[k].setAttribute(name, looks.getPropertyValue(name));
    const moved = looks.transform !== "none" && !node.hasAttribute("transform");
    if (moved) to[k].setAttribute("transform", looks.transform);
    for (const name of ["class", "style", "role"]) to[k].removeAttribute(name);
  });
  return copy;
}
