"""What the page does by itself: it finds and orders runs."""

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
})();
"""
