// The model of an exported page: it answers the front end from grids, and computes no theory but
// the alignment of the query. `grids.py` does the same interpolation, and measures its error.

const UNKNOWN = -32768;
const NEAREST = 4;

/** Φ, by its continued fraction in the tail and its series near 0. */
function normal(x) {
  const z = Math.abs(x);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  let tail;
  if (z > 3) {
    let fraction = 0;
    for (let k = 60; k > 0; k--) fraction = k / (z + fraction);
    tail = density / (z + fraction);
  } else {
    let term = z;
    let sum = z;
    for (let k = 1; k < 60; k++) sum += term *= (z * z) / (2 * k + 1);
    tail = 0.5 - density * sum;
  }
  return x > 0 ? 1 - tail : tail;
}

/** The first of the four nearest nodes, and the weights of the cubic through them at x. */
function cubic(places, x) {
  const count = Math.min(NEAREST, places.length);
  let below = 0;
  while (below < places.length && places[below] < x) below++;
  const first = Math.max(0, Math.min(places.length - count, below - Math.floor(count / 2)));
  const near = places.slice(first, first + count);
  const weights = near.map((a, i) => {
    let product = 1;
    near.forEach((b, j) => {
      if (j !== i) product *= (x - b) / (a - b);
    });
    return product;
  });
  return { first, weights };
}

const scaled = (name, value) =>
  name === "c" ? value : name === "pi" ? Math.log(value / (1 - value)) : Math.log(value);

function numbers(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  return Int16Array.from({ length: bytes.length / 2 }, (_, i) => view.getInt16(2 * i, true));
}

class Grid {
  /** `axes`: of each coordinate but L and R its name and its nodes, scaled. */
  constructor({ axes, tokens, values }, step) {
    this.axes = axes;
    this.tokens = tokens; // of each node in L those in R
    this.lengths = tokens.map(([L]) => Math.log(L));
    this.values = numbers(values);
    this.step = step;
    this.strides = axes.map((_, k) => axes.slice(k + 1).reduce((n, axis) => n * axis.nodes.length, 1));
    this.size = axes.reduce((n, axis) => n * axis.nodes.length, 1);
    let block = 0;
    this.blocks = tokens.map(([, Rs]) => Rs.map(() => this.size * block++));
  }

  error(L, R, at) {
    const weights = this.axes.map(({ name, nodes }) => cubic(nodes, scaled(name, at[name])));
    const along = cubic(this.lengths, Math.log(L));
    let t = 0;
    along.weights.forEach((weight, i) => {
      const row = along.first + i;
      const Rs = this.tokens[row][1];
      const across = Rs.length > 1
        ? cubic(Rs.map((item) => Math.log(item) / this.lengths[row]), Math.log(R) / Math.log(L))
        : { first: 0, weights: [1] };
      across.weights.forEach((share, j) => {
        if (weight * share) t += weight * share * this.contracted(this.blocks[row][across.first + j], weights, 0);
      });
    });
    return 2 * Math.min(at.pi, 1 - at.pi) * normal(t);
  }

  contracted(offset, weights, k) {
    if (k === weights.length) {
      const value = this.values[offset];
      return value === UNKNOWN ? NaN : value * this.step;
    }
    const { first, weights: each } = weights[k];
    let sum = 0;
    for (let i = 0; i < each.length; i++)
      sum += each[i] * this.contracted(offset + (first + i) * this.strides[k], weights, k + 1);
    return sum;
  }
}

/** E ℓ' and E ℓ'² of the logistic loss at scores N(mean, spread²). */
function slopes(label, mean, spread) {
  let slope = 0;
  let square = 0;
  let mass = 0;
  for (let k = -128; k <= 128; k++) {
    const g = k / 15;
    const weight = Math.exp((-g * g) / 2);
    const value = -label / (1 + Math.exp(label * (mean + spread * g)));
    slope += weight * value;
    square += weight * value * value;
    mass += weight;
  }
  return { slope: slope / mass, square: square / mass };
}

/** The alignment of the query after two steps: `theory/alignment.py`, of white noise. */
function cosine({ L, R, theta, pi, alpha0 }) {
  const m = (pi * 0.5 * theta * R) / L;
  const power = 1 / (4 * L);
  const norm2 = m * m + power / alpha0;
  const bias = (2 * pi - 1) / 2;
  const own = 1 / (2 * alpha0 * L);
  const spread = Math.sqrt(norm2 / L);
  const plus = slopes(1, bias + (m * theta * R) / L + own, spread);
  const minus = slopes(-1, bias - own, spread);
  const S = theta * theta * R * (1 - R / L);
  const A = pi * plus.slope * S * m;
  const N = pi * plus.square * (S * m * m + (L - 1) * norm2) + (1 - pi) * minus.square * (L - 1) * norm2;
  const B = (L - 1) * (pi * plus.slope + (1 - pi) * minus.slope);
  const size = Math.sqrt(Math.max(A * A + 2 * A * B * m + B * B * norm2 + N / alpha0, 0));
  return size > 0 ? Math.max(-1, Math.min(1, -(A + B * m) / size)) : 0;
}

/** Normal numbers that are the same for a seed. */
function drawing(seed) {
  let a = (seed + 17) | 0;
  const uniform = () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
  const gaussian = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, gaussian };
}

function liveBag(state, seed, most) {
  const { uniform, gaussian } = drawing(seed);
  const shown = Math.min(state.L, most);
  const s = Array.from({ length: shown }, gaussian);
  const r = Array.from({ length: shown }, gaussian);
  const order = s.map((_, k) => [uniform(), k]).sort((a, b) => a[0] - b[0]).map(([, k]) => k);
  const needle = order.slice(0, Math.min(state.R, shown)).sort((a, b) => a - b);
  for (const k of needle) s[k] += state.theta;
  const c = cosine(state);
  const logits = s.map((item, k) => state.kappa * (c * item + Math.sqrt(1 - c * c) * r[k]));
  const top = Math.max(...logits);
  const weights = logits.map((item) => Math.exp(item - top));
  const total = weights.reduce((a, b) => a + b, 0);
  return {
    tokens: s, needle, attention: weights.map((item) => item / total),
    cosine: c, kappa: state.kappa, label: 1, shown, of: state.L,
  };
}

const geometric = (low, high, count) =>
  Array.from({ length: count }, (_, k) => low * (high / low) ** (k / (count - 1)));

const number = (value) => (Number.isInteger(value) ? `${value}.0` : String(value));

/** Answers, as lists of messages without their id; `data` is what `page.py` writes. */
class Answers {
  constructor(data) {
    this.data = data;
    this.grids = Object.fromEntries(
      Object.entries(data.grids).map(([name, grid]) => [name, new Grid(grid, data.step)]),
    );
  }

  to(request) {
    const made = {
      hello: () => [{ type: "welcome", ...this.data.welcome }],
      curves: () => this.curves(this.checked(request.state), request.precision),
      bag: () => [{ type: "bag", ...liveBag(this.checked(request.state), request.seed | 0, this.data.shown) }],
      map: () => [this.map(this.checked(request.state))],
      script: () => [{ type: "script", text: this.script(this.checked(request.state)) }],
    }[request.type];
    if (request.type === "cancel") return []; // nothing takes long
    const start = performance.now();
    let answers;
    try {
      answers = made ? made() : [{ type: "failed", text: this.data.absent }];
    } catch (problem) {
      if (problem.field === undefined) throw problem;
      answers = [{ type: "refused", field: problem.field, text: problem.message }];
    }
    if (request.type === "hello") return answers;
    return [...answers, { type: "done", seconds: (performance.now() - start) / 1000, cancelled: false }];
  }

  /** The state, or a refusal in a sentence. */
  checked(given) {
    const { usual, fixed, ranges } = this.data;
    const state = { ...usual, ...given };
    const refuse = (field, text) => {
      throw Object.assign(new Error(text), { field });
    };
    for (const [name, reason] of Object.entries(fixed))
      if (state[name] !== usual[name])
        refuse(name, `${name} is ${JSON.stringify(usual[name])} on this page, got ${JSON.stringify(state[name])}: ${reason}`);
    for (const name of ["L", "R"])
      if (!Number.isInteger(state[name])) refuse(name, `${name} must be a whole number, got ${state[name]}`);
    const alpha = state.alpha0 + state.alpha1;
    const shown = { ...state, alpha, share: state.alpha1 / alpha };
    for (const [name, [low, high]] of Object.entries(ranges)) {
      const value = shown[name];
      if (!(value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)))
        refuse({ alpha: "alpha0", share: "alpha1" }[name] ?? name,
          `${this.data.names[name] ?? name} must be from ${low} to ${high} on this page, got ${value}`);
    }
    if (state.R > state.L) refuse("R", `R must be an integer in 1..L, got ${state.R} with L=${state.L}`);
    const most = Math.max(1, this.data.tokens * state.L);
    if (state.R > most && state.R < state.L)
      refuse("R", `R must be at most ${this.data.tokens} L, or L, on this page, got ${state.R} with L=${state.L}: between, its grids are too wide`);
    return state;
  }

  /** The test error of a line with this many bags for each dimension, split as they are. */
  error(name, state, alpha) {
    const { L, R, theta, pi, kappa } = state;
    const all = state.alpha0 + state.alpha1;
    const alpha0 = (alpha * state.alpha0) / all;
    const alpha1 = (alpha * state.alpha1) / all;
    const s = (R * theta) / Math.sqrt(L);
    const c = name === "attention" ? cosine({ L, R, theta, pi, alpha0 }) : 0;
    const value = this.grids[name].error(L, R, { theta, pi, kappa, alpha, alpha1, s, c });
    return Number.isFinite(value) ? value : null;
  }

  curves(state, precision) {
    const [low, high] = this.data.axis;
    const values = {};
    const alpha = state.alpha0 + state.alpha1;
    const lines = this.data.welcome.lines.map(({ name, label, kind }) => {
      const { typical, provenance } = this.data.measured[name];
      const x = name === "known" ? [low, high] : geometric(low, high, this.data.points);
      const y = x.map((item) => this.error(name, state, item));
      values[name] = { y: this.error(name, state, alpha), se: typical, provenance };
      return {
        type: "line", name, label, kind, precision, x, y, se: y.map(() => typical), provenance, text: "",
      };
    });
    return [...lines, { type: "point", x: alpha, values }];
  }

  map(state) {
    const { alphas, thetas, tie, strongest } = this.data.map;
    const [low, high] = this.data.ranges.theta;
    const x = geometric(...this.data.axis, alphas);
    const y = geometric(Math.max(low, state.theta / strongest), Math.min(high, state.theta * strongest), thetas);
    const worst = Math.min(state.pi, 1 - state.pi);
    const margin = y.map((theta) => x.map((alpha) => {
      const here = { ...state, theta };
      return (this.error("pooled", here, alpha) - this.error("attention", here, alpha)) / worst;
    }));
    const winner = margin.map((row) => row.map((m) => (m > tie ? "attention" : m < -tie ? "pooled" : "tie")));
    const phase = { verdict: "", text: this.data.map.phase };
    return { type: "map", x, y, winner, margin, here: [state.alpha0 + state.alpha1, state.theta], phase };
  }

  script(state) {
    const alpha = state.alpha0 + state.alpha1;
    const share0 = state.alpha0 / alpha;
    const filled = {
      L: String(state.L), R: String(state.R), theta: number(state.theta), pi: number(state.pi), kappa: number(state.kappa),
      share0: number(share0), share1: number(state.alpha1 / alpha), rest: number(1 - share0),
    };
    return this.data.script.replace(/@(\w+)@/g, (_, name) => filled[name]);
  }
}

/** The model of the front end, answered here. */
const answered = (Model) => class extends Model {
  constructor(data) {
    super("export");
    this.values.state = {};
    this.answers = new Answers(data);
  }

  /** Answers come later, as from a session. */
  send(request) {
    setTimeout(() => {
      for (const answer of this.answers.to(request))
        this.emit("msg:custom", { id: request.id, ...answer }, []);
    }, 0);
  }
};

export { Answers, answered, cosine, cubic, normal };
