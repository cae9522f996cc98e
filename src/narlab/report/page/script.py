"""What the page does by itself: it finds and orders runs, opens the one that a link names, and overlays curves."""

SCRIPT = """
(() => {
  const find = document.getElementById("find");
  if (!find) return;
  const search = document.getElementById("search"), order = document.getElementById("order");
  const count = document.getElementById("count");
  const told = cell => [...cell.childNodes].slice(1).map(node => node.textContent).join("");
  const groups = [...document.querySelectorAll(".group")];
  const runs = [...document.querySelectorAll("details.run")].map((element, place) => ({
    element, place, group: element.parentElement, data: element.dataset,
    text: ((element.parentElement.querySelector("h3")?.textContent ?? "") + " " + element.dataset.name + " " +
           [...element.querySelectorAll("summary > span")].map(told).join(" ")
          ).toLowerCase(),
  }));
  const filter = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const run of runs) {
      const hit = words.every(word => run.text.includes(word));
      run.element.hidden = !hit;
      shown += hit;
    }
    for (const group of groups) group.hidden = !group.querySelector("details.run:not([hidden])");
    count.textContent = shown === runs.length ? `${shown} runs` : `${shown} of ${runs.length} runs`;
  };
  const by = {
    folder: (a, b) => a.place - b.place,
    algorithm: (a, b) => a.data.algorithm.localeCompare(b.data.algorithm) || a.place - b.place,
    val: (a, b) => b.data.val - a.data.val || a.place - b.place,
    test: (a, b) => b.data.test - a.data.test || a.place - b.place,
  };
  search.addEventListener("input", filter);
  order.addEventListener("change", () => {
    for (const run of [...runs].sort(by[order.value])) run.group.append(run.element);
  });
  find.addEventListener("submit", event => event.preventDefault());
  find.hidden = false;
  filter();

  document.documentElement.classList.add("scripted");
  const openLinked = () => {
    const linked = document.getElementById(location.hash.slice(1));
    if (linked?.matches("details.run")) { linked.open = true; linked.scrollIntoView(); }
  };
  addEventListener("hashchange", openLinked);
  openLinked();

  const overlay = document.getElementById("overlay"), overlaid = document.getElementById("overlaid");
  const chart = document.getElementById("overlay-chart");
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d00", "#7f7f7f"];
  const dashes = ["", "6 3", "2 3"];
  const svg = (name, attributes, text) => {
    const made = document.createElementNS("http" + "://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const written = value =>
    value && Math.abs(value) < 0.01 ? value.toExponential(2) : Number(value.toPrecision(4));
  const draw = () => {
    const chosen = runs.filter(run => run.element.querySelector(".choose").checked);
    overlay.hidden = !chosen.length;
    chart.replaceChildren();
    if (!chosen.length) return;
    const curves = chosen.map(run => JSON.parse(run.data.curves)[overlaid.value]);
    const points = curves.flat();
    const low = Math.min(...points.map(p => p[1])), high = Math.max(...points.map(p => p[1]));
    const last = Math.max(1, ...points.map(p => p[0]));
    const x = step => 78 + 532 * step / last, y = value => 190 - 175 * (value - low) / (high - low || 1);
    const label = `${overlaid.selectedOptions[0].text} of ${chosen.length} runs`;
    const picture = svg("svg", {viewBox: "0 0 620 215", role: "img", "aria-label": label});
    picture.append(svg("path", {class: "axis", d: "M78 15V190H610", fill: "none"}));
    if (points.length) {
      for (const [value, at] of [[low, 194], [high, 19]])
        picture.append(svg("text", {x: 73, y: at, "text-anchor": "end"}, written(value)));
      picture.append(svg("text", {x: 610, y: 208, "text-anchor": "end"}, `step ${last}`));
    }
    const legend = document.createElement("ul");
    curves.forEach((curve, k) => {
      const dash = dashes[Math.floor(k / colours.length) % dashes.length];
      const look = {stroke: colours[k % colours.length], "stroke-dasharray": dash};
      picture.append(svg("polyline", {...look, points: curve.map(p => `${x(p[0])},${y(p[1])}`).join(" ")}));
      const entry = document.createElement("li");
      entry.style.color = look.stroke;
      entry.textContent = chosen[k].data.name + (curve.length ? "" : " (no such values)");
      legend.append(entry);
    });
    chart.append(picture, legend);
  };
  overlaid.addEventListener("change", draw);
  document.addEventListener("change", event => event.target.matches(".choose") && draw());
})();
"""
