// The bar that steps: buttons, a slider and a speed.

import { h } from "./dom.js";

const ICONS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M17 5l-9 7 9 7z",
  play: "M7 4.5v15l13-7.5z",
  pause: "M8 5v14M16 5v14",
  forth: "M7 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
};
const SPEEDS = [1, 2, 4, 8, 16];

export function transport(play) {
  const { scene, position, isPlaying } = play;
  const isAtEnd = position === scene.last;
  const button = (icon, label, onclick, disabled) =>
    h(
      "button",
      { type: "button", class: "icon-button", key: label, "aria-label": label, title: label, disabled, onclick },
      h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: ICONS[icon] })),
    );
  return h(
    "div",
    { class: "transport", role: "group", "aria-label": "Steps", key: "transport" },
    button("first", "First step", () => play.step(-Infinity), !position),
    button("back", "One step back", () => play.step(-1), !position),
    h(
      "button",
      {
        type: "button",
        class: "icon-button main",
        key: "toggle",
        "aria-label": isPlaying ? "Pause" : "Play",
        title: isPlaying ? "Pause" : "Play",
        onclick: () => play.toggle(),
        disabled: !scene.last,
      },
      h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: ICONS[isPlaying ? "pause" : "play"] })),
    ),
    button("forth", "One step forward", () => play.step(1), isAtEnd),
    button("last", "Last step", () => play.step(Infinity), isAtEnd),
    h("input", {
      type: "range",
      key: "slider",
      min: 0,
      max: scene.last,
      value: position,
      "aria-label": "Step",
      "aria-valuetext": `step ${position} of ${scene.last}`,
      oninput: (event) => (play.pause(), play.goTo(event.target.valueAsNumber)),
    }),
    h("output", { key: "place" }, `${position} / ${scene.last}`),
    h(
      "label",
      { class: "inline", key: "speed" },
      h("span", { class: "hidden" }, "Speed"),
      h(
        "select",
        {
          value: play.speed,
          "aria-label": "Speed",
          onchange: (event) => play.set({ speed: Number(event.target.value) }),
        },
        SPEEDS.map((speed) => h("option", { value: speed, key: speed }, `${speed} per second`)),
      ),
    ),
  );
}
