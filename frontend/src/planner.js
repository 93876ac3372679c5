// The planner: a question with one number left out, and its answer.

import { button, h, numbers, prepare, say, uid } from "./dom.js";
import { field as asField, number, tick, ticks } from "./format.js";
import { alphaOf } from "./state.js";
import { colours } from "./theme.js";

const UNKNOWN = [
  ["n", "number of bags n"], ["theta", "effect size θ"], ["L", "instances in a bag L"], ["error", "test error"],
];
const FIELDS = [
  ["L", "L", "instances in a bag"], ["R", "R", "with signal, in a positive bag"], ["theta", "θ", "effect size, in noise deviations"],
  ["pi", "π", "share of positive bags"], ["d", "d", "features"], ["n", "n", "bags to train on"], ["error", "", "test error to reach"],
];
const LEARNERS = {
  attention: "attention, two steps (theory)", joint: "attention, joint (theory)",
  pooled: "mean pooling (theory)", vectorized: "flat linear (theory)", bayes_optimal: "Bayes-optimal (theory)",
  amp: "AMP (theory)", classifier: "AttentionClassifier (simulated)",
};
const WHOLE = new Set(["L", "R", "d", "n"]);
const UNIT = { n: "bags", theta: "standard deviations", L: "instances", error: "" };
const PAD = { left: 46, right: 12, top: 10, bottom: 36 };

export class Planner {
  constructor(root, requests, copy) {
    Object.assign(this, { root, requests, running: null, result: null, colours: colours(root) });
    const id = uid("plan");
    this.unknown = h("select", { id: `${id}-unknown`, class: "ns-select", on: { change: () => this._leave() } },
      UNKNOWN.map(([value, text]) => h("option", { value, text })));
    this.learner = h("select", { id: `${id}-learner`, class: "ns-select" },
      Object.entries(LEARNERS).map(([value, text]) => h("option", { value, text })));
    this.inputs = new Map();
    const rows = FIELDS.map(([name, symbol, words]) => {
      const problem = h("p", { class: "ns-refused", id: `${id}-${name}-problem`, hidden: true });
      const input = h("input", { id: `${id}-${name}`, type: "text", inputmode: "decimal", autocomplete: "off", class: "ns-field" });
      const row = h("div", { class: "ns-row ns-row-plan" },
        h("label", { for: `${id}-${name}` }, h("span", { class: "ns-symbol", text: symbol }), " ", words), input, problem);
      this.inputs.set(name, { input, problem, row });
      return row;
    });
    this.learnerProblem = h("p", { class: "ns-refused", id: `${id}-learner-problem`, hidden: true });
    this.submit = h("button", { type: "submit", class: "ns-button ns-primary", text: "Plan" });
    this.stop = button("Cancel", () => this._cancel(), { class: "ns-button", hidden: true });
    this.progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Studies that are finished" });
    this.status = h("p", { class: "ns-caption", role: "status" });
    this.general = h("p", { class: "ns-refused", hidden: true, role: "alert" });
    this.form = h("form", { class: "ns-card ns-plan-form", novalidate: true, "aria-label": "Question" },
      h("h2", { text: "Plan a study" }),
      h("p", { class: "ns-caption", text: "Say what is known, and leave one number out." }),
      h("div", { class: "ns-row ns-row-choice" }, h("label", { for: `${id}-unknown`, text: "Find the" }), this.unknown),
      h("div", { class: "ns-row ns-row-choice" }, h("label", { for: `${id}-learner`, text: "for the learner" }), this.learner, this.learnerProblem),
      rows,
      h("div", { class: "ns-line" }, this.submit, this.stop, this.progress), this.general, this.status);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this._ask();
    });
    this.sentence = h("p", { class: "ns-sentence" });
    this.interval = h("p", {});
    this.notes = h("ul", { class: "ns-notes" });
    this.others = h("ul", { class: "ns-others" });
    this.othersTitle = h("h3", { text: "Other learners" });
    this.provenance = h("details", { class: "ns-entry" }, h("summary", { text: "Provenance" }), h("p", { class: "ns-caption" }));
    this.canvas = h("canvas", { class: "ns-studies", role: "img", "aria-label": "Simulated studies: measured error against the number of bags" });
    this.table = numbers("Simulated studies", () => this._rows());
    this.studies = h("div", { hidden: true }, h("h3", { text: "Simulated studies" }), this.canvas, this.table.element);
    this.copied = h("span", { class: "ns-caption", role: "status" });
    this.copy = button("Copy sentence", async () => {
      say(this.copied, (await copy("Paragraph for a methods section", this.result.methods)) ? "Copied." : "");
    }, { class: "ns-button" });
    this.empty = h("p", { class: "ns-caption ns-empty", text: "The answer appears here: a sentence with its interval, what other learners need, and a paragraph for a methods section." });
    this.full = h("div", { hidden: true }, this.sentence, this.interval,
      h("div", { class: "ns-line" }, this.copy, this.copied), this.notes, this.othersTitle, this.others, this.studies, this.provenance);
    this.answer = h("section", { class: "ns-card ns-plan-answer", "aria-label": "Answer", "aria-live": "polite" }, this.empty, this.full);
    this.element = h("div", { class: "ns-planner" }, this.form, this.answer);
    this.observer = new ResizeObserver(() => this._draw());
    this.observer.observe(this.canvas);
    this._leave();
  }

  close() {
    this.observer.disconnect();
  }

  recolour() {
    this.colours = colours(this.root);
    this._draw();
  }

  /** Take the state of the explorer as a first question. */
  begin(state) {
    if (this.begun) return;
    this.begun = true;
    const values = { L: state.L, R: state.R, theta: state.theta, pi: state.pi, d: state.d, n: Math.round(alphaOf(state) * state.d), error: Number((0.5 * Math.min(state.pi, 1 - state.pi) * 0.6).toPrecision(2)) };
    for (const [name, { input }] of this.inputs) input.value = asField(values[name]);
    this._leave();
  }

  _leave() {
    for (const [name, { input, row }] of this.inputs) {
      input.disabled = name === this.unknown.value;
      row.classList.toggle("ns-left-out", input.disabled);
      input.placeholder = input.disabled ? "to find" : "";
      if (input.disabled) {
        this.kept = { ...this.kept, [name]: input.value || this.kept?.[name] };
        input.value = "";
      } else if (input.value === "" && this.kept?.[name]) input.value = this.kept[name];
    }
  }

  _accept() {
    this.general.hidden = this.learnerProblem.hidden = true;
    for (const { input, problem } of [...this.inputs.values(), { input: this.learner, problem: this.learnerProblem }]) {
      problem.hidden = true;
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
    }
  }

  _refuse(name, text) {
    const place = name === "learner" ? { input: this.learner, problem: this.learnerProblem } : this.inputs.get(name);
    if (!place || place.input.disabled) {
      this.general.hidden = false;
      say(this.general, text);
      return;
    }
    place.problem.hidden = false;
    say(place.problem, text);
    place.input.setAttribute("aria-invalid", "true");
    place.input.setAttribute("aria-describedby", place.problem.id);
    place.input.focus();
  }

  _ask() {
    if (this.running !== null) return;
    this._accept();
    const question = { learner: this.learner.value };
    for (const [name, { input }] of this.inputs) {
      if (input.disabled) continue;
      const text = input.value.trim().replace(",", ".");
      const value = Number(text);
      if (text === "" || !Number.isFinite(value)) {
        this._refuse(name, `${name} must be a number, got ${text === "" ? "nothing" : text.slice(0, 40)}`);
        return;
      }
      question[name] = value;
    }
    this.submit.disabled = true;
    this.stop.hidden = this.progress.hidden = false;
    this.progress.removeAttribute("value");
    say(this.status, "Planning…");
    this.running = this.requests.ask("plan", { question }, (answer) => this._receive(answer));
  }

  _cancel() {
    if (this.running === null) return;
    this.requests.cancel(this.running);
    this._end("Cancelled.");
  }

  _end(text) {
    this.running = null;
    this.submit.disabled = false;
    this.stop.hidden = this.progress.hidden = true;
    say(this.status, text);
  }

  _receive(answer) {
    if (answer.id !== this.running) return;
    if (answer.type === "progress") {
      if (answer.total) this.progress.value = answer.done / answer.total;
      say(this.status, answer.text || `${answer.done} of ${answer.total} studies`);
    } else if (answer.type === "refused") this._refuse(answer.field, answer.text);
    else if (answer.type === "failed") this._refuse("", answer.text);
    else if (answer.type === "plan") this._show(answer);
    else if (answer.type === "done") this._end(answer.cancelled ? "Cancelled." : "");
  }

  _show(answer) {
    this.result = answer;
    this.empty.hidden = true;
    this.full.hidden = false;
    say(this.copied, "");
    say(this.sentence, answer.sentence);
    const simulated = answer.studies.length > 0;
    const what = simulated ? `${answer.unknown === "error" ? "error" : "answer"}, from the uncertainty of the learning curve` : "test errors over data sets of this size";
    this.interval.hidden = answer.low === null || answer.high === null;
    this.interval.replaceChildren(
      "Found: ", h("strong", { text: `${answer.unknown === "theta" ? "θ" : answer.unknown} = ${number(answer.value, 4)} ${UNIT[answer.unknown]}`.trim() }),
      `. Nine of ten: ${number(answer.low)} to ${number(answer.high)} (${what}).`);
    this.notes.replaceChildren(...answer.notes.map((text) => h("li", { text })));
    this.othersTitle.hidden = answer.others.length === 0;
    this.others.replaceChildren(...answer.others.map(([, text]) => h("li", { text })));
    this.provenance.lastChild.textContent = answer.provenance;
    this.studies.hidden = !simulated;
    this._draw();
    this.table.refresh();
  }

  _rows() {
    const { unknown, studies } = this.result ?? { studies: [] };
    return {
      head: ["study", `${unknown === "theta" ? "θ" : unknown} tried`, "bags", "measured error", "seconds"],
      body: studies.map((study, k) => [String(k + 1), number(study[0]), number(study[1]), study[2] === null ? "failed" : study[2].toFixed(4), number(study[3], 2)]),
    };
  }

  _draw() {
    const studies = this.result?.studies.filter((study) => study[2] !== null && study[0] > 0) ?? [];
    if (studies.length === 0 || !this.canvas.clientWidth) return;
    const { context, width, height } = prepare(this.canvas);
    const { ink, muted, grid, attention } = this.colours;
    const at = studies.map((study) => (this.result.unknown === "error" ? study[1] : study[0]));
    const xs = [Math.min(...at) / 1.15, Math.max(...at) * 1.15];
    const target = this.inputs.get("error").input.disabled ? null : Number(this.inputs.get("error").input.value);
    const ys = [0, Math.max(...studies.map((study) => study[2]), target ?? 0) * 1.1];
    const X = (value) => PAD.left + (Math.log(value / xs[0]) / Math.log(xs[1] / xs[0])) * (width - PAD.left - PAD.right);
    const Y = (value) => height - PAD.bottom - (value / ys[1]) * (height - PAD.top - PAD.bottom);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = muted;
    context.strokeStyle = grid;
    context.textAlign = "right";
    context.textBaseline = "middle";
    const line = (x0, y0, x1, y1) => {
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      context.stroke();
    };
    for (const value of ticks(...ys, false)) {
      line(PAD.left, Y(value), width - PAD.right, Y(value));
      context.fillText(tick(value), PAD.left - 6, Y(value));
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const value of ticks(...xs, true)) context.fillText(tick(value), X(value), height - PAD.bottom + 5);
    context.fillText(this.result.unknown === "theta" ? "effect size θ" : this.result.unknown === "L" ? "instances in a bag" : "bags to train on", (PAD.left + width) / 2, height - 14);
    const { value, low, high, unknown } = this.result;
    if (low !== null && high !== null && unknown !== "error") {
      context.fillStyle = this.colours.glow;
      const [left, right] = [Math.max(xs[0], low), Math.min(xs[1], high)];
      if (right > left) context.fillRect(X(left), PAD.top, X(right) - X(left), height - PAD.top - PAD.bottom);
    }
    context.strokeStyle = ink;
    context.setLineDash([5, 4]);
    if (target !== null) line(PAD.left, Y(target), width - PAD.right, Y(target));
    if (unknown !== "error" && value >= xs[0] && value <= xs[1]) line(X(value), PAD.top, X(value), height - PAD.bottom);
    context.setLineDash([]);
    context.strokeStyle = attention;
    context.lineWidth = 1.75;
    studies.forEach((study, k) => {
      context.beginPath();
      context.arc(X(at[k]), Y(study[2]), 3.5, 0, 2 * Math.PI);
      context.stroke();
    });
  }
}
