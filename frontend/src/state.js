// The values of all controls, as Python's `State`; and what follows from them.

import defaults from "./defaults.json";

export const DEFAULT = Object.freeze({ ...defaults.state });
export const CHOICES = defaults.choices;
export const AXIS = defaults.axis; // bags for each dimension
const SHOWN_ONLY = new Set(["units", "d"]); // no line depends on them

/** All bags for each dimension. */
export const alphaOf = (state) =>
  state.kind === "joint" ? state.alpha1 : state.alpha0 + state.alpha1;

/** A text that is the same for states with the same answer. */
export function keyOf(state, all = false) {
  return Object.keys(DEFAULT)
    .filter((name) => all || !SHOWN_ONLY.has(name))
    .map((name) => state[name])
    .join("|");
}

const TASK = ["L", "R", "theta", "pi", "noise", "noise_value", "signal"];
const UNTRAINED = new Set(["bayes_optimal", "amp", "known"]);

/** A text that is the same for states with the same line: some do not depend on the training. */
export const lineKeyOf = (name, state) =>
  UNTRAINED.has(name) ? TASK.map((part) => state[part]).join("|") : keyOf(state);

/** What multiplies α on the horizontal axis: 1, or d where bags are counted. */
export const scaleOf = (state) => (state.units === "practice" ? state.d : 1);

export const isPractice = (state) => state.units === "practice";

/** The error of the constant answer. */
export const worstOf = (state) => Math.min(state.pi, 1 - state.pi);

/** The values that have the right kind: an address or another program may hold anything. */
export function sane(values) {
  const kept = {};
  for (const [name, value] of Object.entries(values ?? {})) {
    if (CHOICES[name]) {
      if (CHOICES[name].includes(value)) kept[name] = value;
    } else if (name in DEFAULT && typeof value === "number" && Number.isFinite(value)) {
      kept[name] = value;
    }
  }
  return kept;
}

/** The changes that go with another training or another number of features. */
export function withConsequences(state, changes) {
  const next = { ...changes };
  if ("kind" in next && next.kind !== state.kind) {
    if (next.kind === "joint") next.alpha1 ??= state.alpha0 + state.alpha1;
    else if (state.kind === "joint") {
      next.alpha0 ??= state.alpha1 / 2;
      next.alpha1 ??= state.alpha1 / 2;
    }
  }
  if ("noise" in next && next.noise !== state.noise)
    next.noise_value ??= { power_law: 1, spiked: 10, two_levels: 10 }[next.noise] ?? 1;
  if ("d" in next && isPractice(state) && next.d > 0 && state.d > 0) {
    next.alpha0 ??= (state.alpha0 * state.d) / next.d; // the bags stay
    next.alpha1 ??= (state.alpha1 * state.d) / next.d;
  }
  return next;
}
