// A live bag: tokens along the signal, attention over them, and the query's alignment.

import { Card } from "./card.js";
import { button, h, numbers, prepare, s, say, uid } from "./dom.js";
import { number } from "./format.js";
import { colours } from "./theme.js";

const PAD = { left: 34, right: 34, top: 22, bottom: 18 };

export class Bag extends Card {
  constructor(root, another) {
    super();
    this.root = root;
    this.bag = null;
    this.colours = colours(root);
    const id = uid("bag");
    this.canvas = h("canvas", { class: "ns-bag-canvas", role: "img" });
    this.text = h("p", { class: "ns-caption", id: `${id}-text` });
    this.canvas.setAttribute("aria-describedby", `${id}-text`);
    this.canvas.setAttribute("aria-label", "Tokens of a bag and the attention weights over them");
    this.hand = s("line", { x1: 50, y1: 56, x2: 50, y2: 12, class: "ns-hand" });
    this.arc = s("path", { class: "ns-arc" });
    this.dial = s("svg", { viewBox: "0 0 100 62", class: "ns-dial", role: "img", "aria-label": "Alignment of the query" },
      s("path", { d: "M 6 56 A 44 44 0 0 1 94 56", class: "ns-dial-ring" }),
      this.arc,
      s("line", { x1: 50, y1: 56, x2: 94, y2: 56, class: "ns-dial-signal" }),
      this.hand, s("circle", { cx: 50, cy: 56, r: 3, class: "ns-dial-pin" }));
    this.alignment = h("p", { class: "ns-alignment" });
    this.table = numbers("Tokens of the bag", () => this._rows());
    this.element = h("section", { class: "ns-card ns-bag", "aria-labelledby": id },
      h("div", { class: "ns-head" }, h("h2", { id, text: "A live bag" }), this.text, button("Another draw", another, { class: "ns-button" })),
      h("div", { class: "ns-bag-body" }, this.canvas, h("div", { class: "ns-query" }, this.dial, this.alignment)),
      this.table.element);
    this.watch(this.canvas);
  }

  /** Show another bag. */
  show(bag, state) {
    this.bag = bag;
    const angle = (Math.acos(Math.min(1, Math.max(-1, bag.cosine))) * 180) / Math.PI;
    this.hand.style.transform = `rotate(${(90 - angle).toFixed(2)}deg)`;
    const end = [50 + 30 * Math.cos((angle * Math.PI) / 180), 56 - 30 * Math.sin((angle * Math.PI) / 180)];
    this.arc.setAttribute("d", `M 80 56 A 30 30 0 0 0 ${end[0].toFixed(2)} ${end[1].toFixed(2)}`);
    const found = bag.needle.reduce((sum, k) => sum + bag.attention[k], 0);
    this.alignment.replaceChildren(
      h("span", { class: "ns-big", text: `${angle.toFixed(0)}°` }), " to the signal",
      h("br"), `cosine ${bag.cosine.toFixed(2)}, κ = ${number(bag.kappa)}`);
    const stand = state.kind === "joint" ? " The query is that of two steps on the same data." : "";
    const some = bag.of > bag.shown ? ` ${bag.shown} of ${bag.of} tokens shown.` : "";
    const tokens = bag.needle.length === 1 ? "the token with the signal" : `the ${bag.needle.length} tokens with the signal`;
    say(this.text, `${(100 * found).toFixed(found < 0.1 ? 1 : 0)} % of the attention is on ${tokens}.${some}${stand}`);
    this.draw();
    this.table.refresh();
  }

  _rows() {
    const { bag } = this;
    if (!bag) return { head: [], body: [] };
    return {
      head: ["token", "projection on the signal", "attention", "signal"],
      body: bag.tokens.map((token, k) => [String(k + 1), token.toFixed(2), bag.attention[k].toFixed(4), bag.needle.includes(k) ? "yes" : "no"]),
    };
  }

  draw() {
    const { bag } = this;
    if (!bag || !this.canvas.clientWidth) return;
    const { context, width, height } = prepare(this.canvas);
    const { ink, muted, grid, attention, needle, glow } = this.colours;
    const [left, right] = [PAD.left, width - PAD.right];
    const [top, bottom] = [PAD.top, height - PAD.bottom];
    const high = Math.max(4, ...bag.tokens) * 1.04;
    const low = Math.min(-2.5, ...bag.tokens) * 1.04;
    const Y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    const W = (weight) => bottom - weight * (bottom - top);
    const slot = (right - left) / bag.tokens.length;
    context.font = "11px system-ui, sans-serif";
    context.lineWidth = 1;
    context.strokeStyle = grid;
    context.fillStyle = muted;
    context.textBaseline = "middle";
    const step = high - low > 14 ? 5 : 2;
    for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
      stroke(context, left, Y(value), right, Y(value));
      context.textAlign = "right";
      context.fillText(String(value).replace("-", "−"), left - 6, Y(value));
    }
    context.textAlign = "left";
    for (const weight of [0, 0.5, 1]) context.fillText(weight === 0.5 ? ".5" : String(weight), right + 6, W(weight));
    bag.attention.forEach((weight, k) => {
      const x = left + k * slot;
      context.fillStyle = glow;
      context.fillRect(x + slot * 0.06, W(weight), slot * 0.88, bottom - W(weight));
    });
    const zero = Y(0);
    bag.tokens.forEach((token, k) => {
      const is = bag.needle.includes(k);
      context.fillStyle = is ? needle : muted;
      const wide = Math.max(1.5, Math.min(18, slot * 0.4));
      context.fillRect(left + (k + 0.5) * slot - wide / 2, Math.min(zero, Y(token)), wide, Math.max(1, Math.abs(zero - Y(token))));
    });
    context.strokeStyle = muted;
    stroke(context, left, zero, right, zero);
    context.strokeStyle = attention;
    context.lineWidth = 2;
    bag.attention.forEach((weight, k) =>
      stroke(context, left + (k + 0.06) * slot, W(weight), left + (k + 0.94) * slot, W(weight)));
    context.fillStyle = ink;
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const k of bag.needle) {
      const x = left + (k + 0.5) * slot;
      triangle(context, x, bottom + 4, Math.max(2.5, Math.min(5, slot * 0.5)));
    }
    if (bag.needle.length === 1) {
      const x = left + (bag.needle[0] + 0.5) * slot;
      const turned = x > right - 60;
      context.textAlign = turned ? "right" : "left";
      context.fillText("needle", x + (turned ? -9 : 9), bottom + 4);
    }
    context.fillStyle = muted;
    context.textBaseline = "top";
    context.textAlign = "left";
    context.fillText("projection on the signal", 2, 0);
    context.textAlign = "right";
    context.fillText("attention weight", width - 2, 0);
  }
}

function stroke(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

function triangle(context, x, y, size) {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - size, y + size * 1.6);
  context.lineTo(x + size, y + size * 1.6);
  context.fill();
}
