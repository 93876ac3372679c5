// Trained classifiers at the state's point: dots with error bars that arrive on the lines.

import { button, h, say, uid } from "./dom.js";
import { error, uncertainty } from "./format.js";
import { LABELS } from "./theme.js";

const COUNTS = [8, 16, 32, 64];
const USUAL = 16;

/** A mean and its standard error, rounded to one digit of that. */
function shortly(y, se) {
  if (se < 5e-5) return `${error(y)} ± ${uncertainty(se)}`;
  const places = Math.min(5, Math.max(2, -Math.floor(Math.log10(se))));
  return `${y.toFixed(places)} ± ${se.toFixed(places)}`;
}

export class Training {
  /** `current()` gives the state; `dotted(dots)` takes the dots there are. */
  constructor(requests, current, dotted) {
    Object.assign(this, { requests, current, dotted, running: null, seed: 0, dots: new Map() });
    const id = uid("train");
    this.count = h("select", { id, class: "ns-select" }, COUNTS.map((n) => h("option", { value: n, text: String(n) })));
    this.count.value = String(USUAL);
    this.start = button("Train", () => this._start(), { class: "ns-button ns-primary" });
    this.stop = button("Cancel", () => this._cancel(), { class: "ns-button", hidden: true });
    this.progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Trials that are finished" });
    this.status = h("p", { class: "ns-caption", role: "status" });
    this.problem = h("p", { class: "ns-refused", hidden: true, role: "alert" });
    this.body = h("tbody", {});
    this.table = h("table", { class: "ns-results", hidden: true },
      h("caption", { class: "ns-hidden", text: "Simulated and predicted test errors" }),
      h("thead", {}, h("tr", {}, ["", "simulated ± se", "theory", "z"].map((text) => h("th", { scope: "col", text })))),
      this.body);
    this.element = h("section", { class: "ns-card ns-train", "aria-labelledby": `${id}-title` },
      h("h2", { id: `${id}-title`, text: "Train classifiers here" }),
      h("div", { class: "ns-line" }, h("label", { for: id, text: "trials" }), this.count, this.start, this.stop, this.progress),
      this.problem, this.status, this.table);
  }

  limit(most) {
    for (const option of [...this.count.options]) if (Number(option.value) > most) option.remove();
    if (!this.count.value) this.count.selectedIndex = this.count.options.length - 1;
  }

  /** Forget the dots: they belong to another state. */
  clear() {
    this._cancel();
    this.dots.clear();
    this.problem.hidden = true;
    this.table.hidden = true;
    say(this.status, "");
    this.dotted(this.dots);
  }

  _start() {
    this.clear();
    const trials = Number(this.count.value);
    this.start.hidden = true;
    this.stop.hidden = this.progress.hidden = false;
    this.stop.focus({ preventScroll: true });
    this.progress.value = 0;
    say(this.status, "Training…");
    const fields = { state: this.current(), trials, seed: this.seed };
    this.seed += 1;
    this.running = this.requests.ask("train", fields, (answer) => this._receive(answer, this.running));
  }

  _cancel() {
    if (this.running !== null) {
      this.requests.cancel(this.running);
      this._end("Cancelled.");
    }
  }

  _end(text) {
    const focused = this.stop.getRootNode().activeElement === this.stop;
    this.running = null;
    this.start.hidden = false;
    this.stop.hidden = this.progress.hidden = true;
    if (focused) this.start.focus({ preventScroll: true });
    say(this.status, text);
  }

  _receive(answer, running) {
    if (answer.id !== running) return;
    if (answer.type === "dot") {
      this.dots.set(answer.name, answer);
      this.dotted(this.dots);
      this._rows();
    } else if (answer.type === "progress") {
      if (answer.total) this.progress.value = answer.done / answer.total;
      if (answer.text) say(this.status, `${answer.text}…`);
    } else if (answer.type === "refused" || answer.type === "failed") {
      this.problem.hidden = false;
      say(this.problem, answer.text);
    } else if (answer.type === "done") {
      const d = this.current().d;
      this._end(answer.cancelled ? "Cancelled." : this.dots.size ? `Data sets with d = ${d} features; theory holds for large d. Bars: ± 2 standard errors.` : "");
    }
  }

  _rows() {
    this.table.hidden = false;
    this.body.replaceChildren(...[...this.dots.values()].map((dot) =>
      h("tr", {},
        h("th", { scope: "row", text: LABELS[dot.name] ?? dot.name }),
        h("td", { text: dot.se === null ? error(dot.y) : shortly(dot.y, dot.se) }),
        h("td", { text: error(dot.predicted) }),
        h("td", { text: dot.z === null ? "–" : dot.z.toFixed(1).replace("-", "−") }))));
  }
}
