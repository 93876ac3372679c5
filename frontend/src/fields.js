// The controls: names, labels for both audiences, ranges of their sliders, and when they are shown.

const joint = (state) => state.kind === "joint";
const two = (state) => state.kind === "two_steps";
const steps = (state) => state.kind === "schedule" || (two(state) && state.query === "steps");
const both = (text) => ({ theory: text, practice: text });
const bags = {
  // shown as bags for each dimension, or as bags
  to: (value, state) => (state.units === "practice" ? value * state.d : value),
  from: (value, state) => (state.units === "practice" ? value / state.d : value),
};

export const FIELDS = [
  { name: "L", group: "task", symbol: "L", label: { theory: "tokens", practice: "instances" }, scale: "log", low: 1, high: 1000, whole: true },
  { name: "R", group: "task", symbol: "R", label: { theory: "with signal", practice: "with signal" }, scale: "log", low: 1, high: (state) => Math.max(1, state.L), whole: true },
  { name: "theta", group: "task", symbol: "θ", label: { theory: "strength", practice: "effect size" }, low: 0, high: 12, step: 0.05 },
  { name: "pi", group: "task", symbol: "π", label: both("positives"), low: 0.01, high: 0.99, step: 0.01 },

  { name: "kind", group: "training", label: both("training"), choices: { two_steps: "two gradient steps", schedule: "schedule of steps", joint: "joint (minimum)" } },
  { name: "steps", group: "training", label: both("steps of the schedule"), low: 1, high: 32, whole: true, when: (state) => state.kind === "schedule" },
  { name: "alpha0", group: "training", symbol: { theory: "α₀", practice: "n₀" }, label: { theory: "query data", practice: "query bags" }, scale: "log", low: 0.05, high: 64, ...bags, when: (state) => !joint(state) },
  { name: "alpha1", group: "training", symbol: { theory: "α₁", practice: "n₁" }, label: (state) => joint(state) ? "data" : state.units === "practice" ? "readout bags" : "readout data", scale: "log", low: 0.05, high: 64, ...bags },
  { name: "query", group: "training", label: both("query"), choices: { kappa: "of strength κ", steps: "by step sizes" }, when: two },
  { name: "kappa", group: "training", symbol: "κ", label: both("strength"), scale: "log", low: 0.05, high: 50, when: (state) => two(state) && state.query === "kappa" },
  { name: "eta_w", group: "training", symbol: "η_w", label: both("readout"), scale: "log", low: 0.01, high: 100, when: steps },
  { name: "eta_b", group: "training", symbol: "η_b", label: both("bias"), scale: "log", low: 0.01, high: 100, when: steps },
  { name: "eta_q", group: "training", symbol: "η_q", label: both("query"), scale: "log", low: 0.01, high: 1000, when: steps },
  { name: "beta", group: "training", symbol: "β", label: both("inv. temp."), scale: "log", low: 0.01, high: 20, when: steps },
  { name: "loss", group: "training", label: both("loss"), choices: { logistic: "logistic", square: "square", hinge: "hinge", squared_hinge: "squared hinge" } },
  { name: "ridge", group: "training", symbol: "λ", label: both("ridge"), scale: "log", low: 1e-4, high: 10 },
  { name: "ridge_q", group: "training", symbol: "λ_q", label: both("query ridge"), scale: "log", low: 1e-4, high: 10, when: joint },

  { name: "d", group: "noise", symbol: "d", label: both("features"), scale: "log", low: 5, high: 1000, whole: true },
  { name: "noise", group: "noise", label: both("noise"), choices: { white: "white", power_law: "power law", spiked: "spiked", two_levels: "two levels" } },
  { name: "noise_value", group: "noise", label: (state) => ({ power_law: "exponent", spiked: "size of spikes", two_levels: "ratio of levels" })[state.noise] ?? "value",
    scale: (state) => (state.noise === "power_law" ? "linear" : "log"), low: (state) => (state.noise === "power_law" ? 0 : state.noise === "spiked" ? 1 : 0.01), high: (state) => (state.noise === "power_law" ? 3 : 100), step: 0.01, when: (state) => state.noise !== "white" },
  { name: "signal", group: "noise", label: both("signal lies"), choices: { flat: "anywhere (flat)", quiet: "where noise is low", loud: "where noise is high" }, when: (state) => state.noise !== "white" },
];

export const GROUPS = [
  ["task", "Task"],
  ["training", "Training"],
  ["noise", "Features and noise"],
];

/** A property of a field that may depend on the state or on the units. */
export function of(field, property, state) {
  const value = field[property];
  if (typeof value === "function") return value(state);
  return value !== null && typeof value === "object" && "theory" in value ? value[state.units] : value;
}
