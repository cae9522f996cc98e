// What the page shows, and everything that changes it. Views read it and call its methods; after a change it redraws.

import { fromFragment, toFragment } from "./address.js";
import { sizeOf } from "./inputs.js";
import { arrayHint, rowAt, shades, unpack } from "./scene.js";

const REST = 350; // milliseconds without a change after which the address is written

/** Places that fill the picture better: flat layouts become up to half as high again. */
function stretched(places) {
  if (!places) return null;
  const high = Math.max(...places.map(([, y]) => Math.abs(y)), 0.01);
  const factor = Math.min(1 / high, 1.5);
  return places.map(([x, y]) => [x, y * factor]);
}

export class Play {
  constructor(source, redraw) {
    Object.assign(this, { source, redraw, scene: null, draft: null, places: null, position: 0, shade: "", error: "" });
    Object.assign(this, { selection: null, reason: null, isBusy: false, isPlaying: false, speed: 4, said: "" });
    Object.assign(this, { algorithm: "", models: ["", ""], n: 16, seed: 0, graphs: "", index: 0, timing: null });
  }

  get about() {
    return this.source.algorithms.find((each) => each.name === this.algorithm);
  }

  /** The instance that is drawn: one that is being changed is ahead of its scene. */
  get inputs() {
    return this.draft && sizeOf(this.draft) === this.scene.n ? this.draft : this.scene.inputs;
  }

  get row() {
    return rowAt(this.scene, this.position);
  }

  modelsOf(algorithm) {
    return this.source.models.filter((model) => model.algorithm === algorithm).map((model) => model.name);
  }

  begin() {
    if (!this.source.isLive)
      return this.showStored(Number(new URLSearchParams(location.hash.slice(1)).get("scene")) || 0);
    const shared = fromFragment(location.hash);
    if (shared && this.source.algorithms.some((each) => each.name === shared.algorithm)) return this.open(shared);
    const { algorithm, models, n = 16, seed = 0, graphs, inputs } = this.source.start;
    Object.assign(this, { algorithm, models: [models[0] ?? "", models[1] ?? ""], n, seed, graphs: graphs ?? "" });
    return inputs ? this.ask({ inputs }) : this.draw();
  }

  /** Show what an address holds. */
  open({ algorithm, models, step, places, inputs }) {
    const known = models.filter((name) => this.modelsOf(algorithm).includes(name));
    Object.assign(this, { algorithm, models: [known[0] ?? "", known[1] ?? ""], n: sizeOf(inputs) });
    return this.ask({ inputs, places: !places }, { places, step });
  }

  /** Show one of the scenes that came with the page. */
  showStored(index) {
    this.index = Math.min(index, this.source.scenes.length - 1);
    const scene = this.source.scenes[this.index];
    Object.assign(this, { algorithm: scene.algorithm, models: scene.answers.map((answer) => answer.model) });
    this.accept(scene, {});
  }

  chooseAlgorithm(name) {
    const smallest = this.source.algorithms.find((each) => each.name === name).smallest;
    Object.assign(this, {
      algorithm: name,
      models: [this.modelsOf(name)[0] ?? "", ""],
      n: Math.max(this.n, smallest),
      shade: "",
    });
    if (!this.about.probes.some((probe) => probe.name === "adj")) this.graphs = "";
    return this.draw();
  }

  chooseModel(which, name) {
    this.models = this.models.map((model, k) => (k === which ? name : model));
    return this.ask({ inputs: this.draft ?? this.scene.inputs, places: false }, { places: this.places });
  }

  /** Draw a new instance by size, family and seed. */
  draw(changes = {}) {
    Object.assign(this, changes);
    this.selection = null;
    return this.ask({ n: this.n, seed: this.seed, graphs: this.graphs || null });
  }

  /** Show a changed instance; truth and predictions follow. */
  edit(inputs) {
    this.draft = inputs;
    this.reason = null;
    return this.ask({ inputs, places: false }, { places: this.places });
  }

  /** Ask for a scene; of several wishes that come while one is worked on, only the last counts. */
  async ask(request, after = {}) {
    if (!this.source.isLive) return;
    const models = [...new Set(this.models.filter(Boolean))];
    this.wanted = { request: { algorithm: this.algorithm, models, ...request }, after };
    if (this.isBusy) return;
    this.isBusy = true;
    this.redraw();
    while (this.wanted) await this.askNext();
    this.isBusy = false;
    this.redraw();
  }

  async askNext() {
    const { request, after } = this.wanted;
    this.wanted = null;
    const start = performance.now();
    try {
      const scene = await this.source.scene(request);
      if (!this.wanted) {
        this.timing = { all: performance.now() - start, made: scene.seconds * 1000 };
        this.accept(scene, after);
      }
    } catch (error) {
      if (!this.wanted) this.refuse(error.message);
    }
  }

  accept(scene, { places, step }) {
    const share = this.scene && this.scene.last ? this.position / this.scene.last : 1;
    const sameTask = this.scene?.algorithm === scene.algorithm;
    this.scene = unpack(
      scene,
      this.source.algorithms.find((each) => each.name === scene.algorithm),
    );
    Object.assign(this, { draft: null, error: "", places: places ?? stretched(scene.places) });
    if (this.scene.about.picture === "strings") this.n = this.scene.n;
    this.position =
      step === undefined ? Math.round((sameTask ? share : 1) * this.scene.last) : Math.min(step, this.scene.last);
    if (!shades(this.scene.about).some((probe) => probe.name === this.shade))
      this.shade = shades(this.scene.about)[0]?.name ?? "";
    this.reason = null;
    this.remember();
    this.redraw();
  }

  /** An instance that can't be: what was shown stays, and the page says why. */
  refuse(message) {
    Object.assign(this, { error: message, algorithm: this.scene?.algorithm ?? this.algorithm });
    if (this.scene) this.models = [0, 1].map((k) => this.scene.answers[k]?.model ?? "");
    this.redraw();
  }

  moveNode(node, place) {
    this.places = this.places.map((old, v) => (v === node ? place : old));
    this.remember();
    this.redraw();
  }

  goTo(position) {
    this.position = Math.min(Math.max(position, 0), this.scene.last);
    this.reason = null;
    if (this.position === this.scene.last) this.pause();
    this.remember();
    this.redraw();
  }

  step(by) {
    this.pause();
    this.goTo(this.position + by);
  }

  toggle() {
    if (this.isPlaying) return this.pause();
    if (this.position === this.scene.last) this.position = 0;
    this.isPlaying = true;
    this.tick();
    this.redraw();
  }

  pause() {
    clearTimeout(this.timer);
    this.isPlaying = false;
    this.redraw();
  }

  tick() {
    this.timer = setTimeout(() => {
      if (!this.isPlaying) return;
      this.goTo(this.position + 1);
      if (this.isPlaying) this.tick();
    }, 1000 / this.speed);
  }

  set(changes) {
    Object.assign(this, changes);
    this.redraw();
  }

  /** The order of an array at a row, by predecessors; `null` where nothing is an array. */
  arrayOrder() {
    const hint = this.scene.about.picture === "bars" ? arrayHint(this.scene.about) : null;
    return hint ? this.scene.hints[hint.name][this.row] : null;
  }

  fragment() {
    if (!this.source.isLive) return `scene=${this.index}`;
    const { algorithm, inputs } = this.scene;
    const models = this.scene.answers.map((answer) => answer.model);
    return toFragment({ algorithm, models, step: this.position, places: this.places, inputs });
  }

  /** Write the address once nothing has changed for a moment. */
  remember() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => history.replaceState(null, "", `#${this.fragment()}`), REST);
  }
}
