// What the main figure shows, apart from how it is drawn: lines, the point, dots, scales.

import { number, tick, ticks, withError } from "./format.js";
import { AXIS, alphaOf, isPractice, lineKeyOf, scaleOf, worstOf } from "./state.js";
import { LABELS, LISTED } from "./theme.js";

const LEAST = 1e-6; // the lowest end of a logarithmic axis
const TINY = 1e-12;
const STEP = 0.1; // of the constant answer's error, by which the highest end moves

export class Picture {
  constructor(state, log) {
    this.state = state;
    this.log = log;
    this.lines = new Map();
    this.point = null;
    this.dots = new Map();
    this.wanted = null; // the key of the state
    this.settled = { id: 0, state }; // the last request that was answered in full
  }

  /** Whether a line is that of a state before: it is drawn pale. */
  isStale(name) {
    const line = this.lines.get(name);
    const { id, state } = this.settled;
    return Boolean(line) && line.id < id && line.key !== lineKeyOf(name, state);
  }

  /** The ends of both axes. */
  scales() {
    const times = scaleOf(this.state);
    const worst = worstOf(this.state);
    const most = Math.max(0, ...LISTED.filter((name) => !this.isStale(name)).flatMap((name) => this.lines.get(name)?.y ?? []));
    const step = worst * STEP; // a scale that moves in steps is steady while a slider is dragged
    const top = Math.max(worst * (this.log ? 1.25 : 1.06), Math.min(1, Math.ceil(most / step - 0.6) * step));
    let low = 0;
    if (this.log) {
      let least = top / 5;
      for (const line of this.lines.values())
        for (const y of line.y) if (y !== null && y >= LEAST && y < least) least = y;
      const unit = 10 ** Math.floor(Math.log10(least));
      low = unit * ([5, 2, 1].find((step) => step * unit <= least) ?? 1);
    }
    return { x: [AXIS[0] * times, AXIS[1] * times], y: [low, Math.max(top, low * 2)] };
  }

  /** Places of the labels on both axes. */
  ticks() {
    const { x, y } = this.scales();
    return { x: ticks(x[0], x[1], true), y: ticks(y[0], y[1], this.log) };
  }

  /** What the horizontal axis counts. */
  axisTitle() {
    return isPractice(this.state)
      ? `bags to train on, n (d = ${this.state.d})`
      : "bags for each dimension, α";
  }

  /** The places and values of a line in the units of the axis. */
  curve(name) {
    const line = this.lines.get(name);
    if (!line || line.y.length === 0) return null;
    const times = scaleOf(this.state);
    const ok = (y) => (y === null || !this.log ? y : Math.max(y, TINY));
    return { x: line.x.map((x) => x * times), y: line.y.map(ok), se: line.se ?? [] };
  }

  /** The value of a line at a number of bags for each dimension, between the places it has. */
  between(name, alpha) {
    const line = this.lines.get(name);
    if (!line || line.y.length === 0) return null;
    const { x, y } = line;
    let k = x.findIndex((place) => place >= alpha);
    if (k < 0) return alpha > x[x.length - 1] * (1 + 1e-9) ? null : y[y.length - 1];
    if (k === 0) {
      if (alpha < x[0] * (1 - 1e-9)) return null;
      k = 1;
    }
    if (y[k] === null || y[k - 1] === null) return null;
    const share = Math.log(alpha / x[k - 1]) / Math.log(x[k] / x[k - 1]);
    const part = Math.min(1, Math.max(0, share));
    return y[k] > 0 && y[k - 1] > 0 ? y[k - 1] * (y[k] / y[k - 1]) ** part : y[k - 1] + part * (y[k] - y[k - 1]);
  }

  /** What is known of a line at the state's point: {y, se, provenance, exact}. */
  at(name) {
    const value = this.point?.key === this.wanted ? this.point?.values[name] : null;
    const line = this.lines.get(name);
    if (value && value.y !== null) return { ...value, exact: true };
    const y = this.between(name, alphaOf(this.state));
    return { y, se: null, provenance: line?.provenance ?? "", exact: false };
  }

  /** The problem in a few words, above a figure that is saved. */
  title() {
    const { L, R, theta, pi, kind, loss, noise } = this.state;
    const how = { two_steps: "two steps", schedule: "a schedule of steps", joint: "joint training" }[kind];
    const white = noise === "white" ? "" : `, ${noise.replace("_", " ")} noise`;
    return `L = ${L}, R = ${R}, θ = ${number(theta)}, π = ${number(pi)}${white}; ${how}, ${loss.replace("_", " ")} loss`;
  }

  /** The point in a sentence. */
  sentence() {
    const { state } = this;
    const alpha = alphaOf(state);
    const place = isPractice(state)
      ? `With ${number(alpha * state.d)} bags of ${state.L} instances with ${state.d} features and an effect size of ${number(state.theta)}`
      : `At α = ${number(alpha)} bags for each dimension, θ = ${number(state.theta)} and L = ${state.L}`;
    const value = (name) => {
      const { y } = this.at(name);
      return y === null || y === undefined ? null : y !== 0 && y < 1e-4 ? y.toExponential(1) : y.toPrecision(3);
    };
    const [attention, pooled, flat, bayes, known] = ["attention", "pooled", "vectorized", "bayes_optimal", "known"].map(value);
    const trained = [
      attention && `attention has a test error of ${attention}`,
      pooled && `mean pooling ${attention ? "of" : "has a test error of"} ${pooled}`,
      flat && `a flat linear model of ${flat}`,
    ].filter(Boolean);
    const least = [
      bayes && `The Bayes-optimal error is ${bayes}`,
      known && `${bayes ? "that" : "The error"} with the signal known ${bayes ? "" : "is "}${known}`,
    ].filter(Boolean);
    const list = trained.length < 2 ? trained.join("") : `${trained.slice(0, -1).join(", ")} and ${trained[trained.length - 1]}`;
    return `${place}, ${list || "no trained model has a value"}.${least.length ? ` ${least.join(", ")}.` : ""}`;
  }

  /** All numbers as a table: {head, body}. */
  table() {
    const unit = isPractice(this.state) ? "n" : "α";
    const times = scaleOf(this.state);
    const head = ["line", unit, "test error ± standard error", "provenance"];
    const body = [];
    for (const name of LISTED) {
      const line = this.lines.get(name);
      if (!line) continue;
      if (line.text) body.push([LABELS[name] ?? name, "", line.text, ""]);
      line.y.forEach((y, k) =>
        body.push([LABELS[name] ?? name, number(line.x[k] * times, 4), withError(y, line.se?.[k]), line.provenance]));
    }
    for (const dot of this.dots.values())
      body.push([`${LABELS[dot.name] ?? dot.name}, ${dot.trials} trained`, number(dot.x * times, 4), withError(dot.y, dot.se), "simulation"]);
    return { head, body };
  }

  /** All numbers as comma-separated values. */
  csv() {
    const quote = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const rows = [["line", "kind", "alpha", "n", "test_error", "standard_error", "provenance"]];
    const { d } = this.state;
    for (const name of LISTED) {
      const line = this.lines.get(name);
      line?.y.forEach((y, k) =>
        rows.push([name, line.kind, line.x[k], line.x[k] * d, y, line.se?.[k], line.provenance]));
    }
    for (const dot of this.dots.values())
      rows.push([dot.name, "simulated", dot.x, dot.x * d, dot.y, dot.se, `${dot.trials} trained classifiers`]);
    return rows.map((row) => row.map(quote).join(",")).join("\n") + "\n";
  }

  tick(value) {
    return tick(value);
  }
}

/** Labels at the ends of lines, moved apart: [{name, y}] in pixels, downwards. */
export function apart(labels, gap, top, bottom) {
  const sorted = labels.map((label) => ({ ...label })).sort((a, b) => a.y - b.y);
  for (let round = 0; round < 60; round += 1) {
    let moved = false;
    for (let k = 1; k < sorted.length; k += 1) {
      const lack = gap - (sorted[k].y - sorted[k - 1].y);
      if (lack > 0.01) {
        sorted[k - 1].y -= lack / 2;
        sorted[k].y += lack / 2;
        moved = true;
      }
    }
    if (sorted.length) {
      const over = sorted[sorted.length - 1].y - bottom;
      if (over > 0) sorted[sorted.length - 1].y -= over;
      if (sorted[0].y < top) sorted[0].y = top;
    }
    if (!moved) break;
  }
  return sorted;
}
