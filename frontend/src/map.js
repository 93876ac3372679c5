// Where attention wins against mean pooling, on data and strength; and the phase of the task.

import { Card } from "./card.js";
import { h, numbers, prepare, say, uid } from "./dom.js";
import { number, tick } from "./format.js";
import { alphaOf, isPractice, scaleOf } from "./state.js";
import { colours } from "./theme.js";

const PAD = { left: 30, right: 6, top: 6, bottom: 20 };
const SIGN = { attention: "+", pooled: "–", tie: "" };

export class WinMap extends Card {
  constructor(root) {
    super();
    this.root = root;
    this.map = null;
    this.colours = colours(root);
    const id = uid("map");
    this.canvas = h("canvas", { class: "ns-map-canvas", role: "img", "aria-label": "Where attention wins against mean pooling" });
    this.text = h("p", { class: "ns-caption", id: `${id}-text` });
    this.phase = h("p", { class: "ns-caption" });
    this.canvas.setAttribute("aria-describedby", `${id}-text`);
    this.table = numbers("Error of mean pooling less that of attention, relative to the constant answer's", () => this._rows());
    this.element = h("section", { class: "ns-card ns-map", "aria-labelledby": id },
      h("h2", { id, text: "Where attention wins" }),
      h("p", { class: "ns-keys" },
        h("span", { class: "ns-key ns-key-attention", text: "+ attention" }),
        h("span", { class: "ns-key ns-key-pooled", text: "– mean pooling" }),
        h("span", { class: "ns-key ns-key-tie", text: "tie" })),
      this.canvas, h("div", { class: "ns-map-text" }, this.text, this.phase), this.table.element);
    this.watch(this.canvas);
  }

  /** Move the point. */
  move(state) {
    this.state = state;
    this.draw();
  }

  /** Show a map; none while it is computed. */
  show(map, state) {
    this.state = state;
    this.element.classList.toggle("ns-stale", !map);
    if (!map) {
      say(this.text, "Computing the map…");
      return;
    }
    this.map = map;
    const cell = this._cell(map.here);
    say(this.text, cell === null ? "The point is outside the map." : {
      attention: "Here attention has the smaller error.",
      pooled: "Here mean pooling has the smaller error.",
      tie: "Here the two are within 2 % of the constant answer's error.",
    }[cell] ?? "");
    const marked = (map.phases ?? []).some((ends) => ends.some((value) => value !== null));
    say(this.phase, phaseText(map.phase, state) + (marked ? " Marks on the map: these thresholds at other strengths, dashed and solid." : ""));
    this.draw();
    this.table.refresh();
  }

  _cell([alpha, theta]) {
    const { x, y, winner } = this.map;
    const near = (list, value) => {
      const half = Math.log(list[1] / list[0]) / 2;
      const k = list.findIndex((place) => Math.abs(Math.log(value / place)) <= half * 1.001);
      return k < 0 ? null : k;
    };
    const [i, j] = [near(x, alpha), near(y, theta)];
    return i === null || j === null ? null : winner[j][i];
  }

  _rows() {
    const { map, state } = this;
    if (!map) return { head: [], body: [] };
    const times = scaleOf(state);
    return {
      head: [`θ \\ ${isPractice(state) ? "n" : "α"}`, ...map.x.map((x) => number(x * times))],
      body: map.y.map((theta, j) => [number(theta), ...map.margin[j].map((value) => (value === null ? "–" : value.toFixed(2)))]),
    };
  }

  draw() {
    const { map } = this;
    if (!map || !this.canvas.clientWidth) return;
    const { context, width, height } = prepare(this.canvas);
    const { ink, muted, attention, pooled, grid, panel } = this.colours;
    const [w, t] = [width - PAD.left - PAD.right, height - PAD.top - PAD.bottom];
    const [columns, rows] = [map.x.length, map.y.length];
    const [cw, ch] = [w / columns, t / rows];
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    map.winner.forEach((row, j) => row.forEach((winner, i) => {
      const x = PAD.left + i * cw;
      const y = PAD.top + (rows - 1 - j) * ch;
      const margin = map.margin[j][i];
      context.globalAlpha = winner === "tie" ? 1 : Math.min(0.9, 0.18 + 1.1 * Math.abs(margin ?? 0));
      context.fillStyle = { attention, pooled, tie: grid }[winner];
      context.fillRect(x + 0.5, y + 0.5, cw - 1, ch - 1);
      context.globalAlpha = 0.75;
      context.fillStyle = ink;
      context.fillText(margin === null ? "?" : SIGN[winner], x + cw / 2, y + ch / 2);
      context.globalAlpha = 1;
    }));
    const place = (list, value, pixels) => {
      const step = Math.log(list[1] / list[0]);
      return ((Math.log(value / list[0]) / step + 0.5) / list.length) * pixels;
    };
    context.strokeStyle = ink;
    context.lineWidth = 2;
    (map.phases ?? []).forEach((ends, j) => ends.forEach((value, k) => {
      if (value === null || value < map.x[0] || value > map.x[columns - 1]) return;
      const x = PAD.left + place(map.x, value, w);
      const y = PAD.top + (rows - 1 - j) * ch;
      context.setLineDash(k === 0 ? [2, 2] : []); // α_IT, α_AMP
      context.beginPath();
      context.moveTo(x, y + 1);
      context.lineTo(x, y + ch - 1);
      context.stroke();
    }));
    context.setLineDash([]);
    const [alpha, theta] = [alphaOf(this.state), this.state.theta];
    const px = PAD.left + place(map.x, alpha, w);
    const py = PAD.top + t - place(map.y, Math.max(theta, 1e-3), t);
    if (px >= PAD.left && px <= PAD.left + w && py >= PAD.top && py <= PAD.top + t) {
      context.lineWidth = 5;
      context.strokeStyle = panel;
      ring(context, px, py);
      context.lineWidth = 2.25;
      context.strokeStyle = ink;
      ring(context, px, py);
    }
    context.fillStyle = muted;
    context.textBaseline = "top";
    const times = scaleOf(this.state);
    map.x.forEach((x, i) => {
      if (i % 4 === 0) {
        context.textAlign = i === 0 ? "left" : i === columns - 1 ? "right" : "center";
        const at = i === 0 ? PAD.left : i === columns - 1 ? PAD.left + w : PAD.left + (i + 0.5) * cw;
        context.fillText(tick(x * times), at, PAD.top + t + 5);
      }
    });
    context.fillText(isPractice(this.state) ? "n" : "α", PAD.left + 2.5 * cw, PAD.top + t + 5);
    context.textAlign = "right";
    context.textBaseline = "middle";
    map.y.forEach((y, j) => {
      if (j % 4 === 0) context.fillText(number(y, 2), PAD.left - 5, PAD.top + (rows - 0.5 - j) * ch);
    });
    context.fillText("θ", PAD.left - 5, PAD.top + (rows - 2.5) * ch);
  }
}

function ring(context, x, y) {
  context.beginPath();
  context.arc(x, y, 6, 0, 2 * Math.PI);
  context.stroke();
}

/** What can be learned at all, in a sentence. */
function phaseText(phase, state) {
  if (!phase) return "";
  if (phase.text) return `Phase: ${phase.text}`;
  const [unit, times] = isPractice(state) ? ["n", state.d] : ["α", 1];
  if (phase.verdict === "smooth")
    return "Phase: smooth. The Bayes-optimal error falls without a jump, and AMP attains it.";
  if (phase.verdict === "jumps" && phase.alpha_it !== null && phase.alpha_amp !== null)
    return `Phase: the Bayes-optimal error jumps at ${unit} = ${number(phase.alpha_it * times)} (information-theoretic threshold), AMP's at ${unit} = ${number(phase.alpha_amp * times)} (algorithmic threshold); in between the task is hard.`;
  return `Phase: ${phase.verdict}.`;
}
