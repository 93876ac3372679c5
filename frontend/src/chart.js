// The main figure on the screen: uPlot draws axes and lines; what is ours is drawn over them.

import uPlot from "uplot";
import { h, uid } from "./dom.js";
import { error } from "./format.js";
import { apart } from "./picture.js";
import { alphaOf, scaleOf, worstOf } from "./state.js";
import { colours, LABELS, LISTED, ORDER, STROKES } from "./theme.js";

const FONT = "12px system-ui, sans-serif";
const LABELLED = 560; // pixels of width from which lines carry their names

export class Chart {
  constructor(root, picture) {
    this.root = root;
    this.picture = picture;
    this.colours = colours(root);
    this.tip = h("div", { class: "ns-tip", "aria-hidden": "true", hidden: true });
    this.place = h("div", { class: "ns-plot" });
    this.element = h("div", { class: "ns-chart", role: "img", id: uid("chart") }, this.place, this.tip);
    this.frame = 0;
    this.observer = new ResizeObserver(() => this._resize());
    this.observer.observe(this.place);
    this.place.addEventListener("pointermove", (event) => this._hover(event));
    this.place.addEventListener("pointerleave", () => (this.tip.hidden = true));
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.plot?.destroy();
    this.plot = null;
  }

  /** Draw with the next frame. */
  draw() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this._draw());
  }

  /** Take the colours again, as after a change of theme. */
  recolour() {
    this.colours = colours(this.root);
    this.draw();
  }

  _draw() {
    this.frame = 0;
    if (!this.place.isConnected || this.place.clientWidth < 40) return;
    if (!this.plot || this.log !== this.picture.log) this._make();
    ORDER.forEach((name, k) => {
      this.plot.series[k + 1].alpha = this.picture.isStale(name) ? 0.35 : 1;
    });
    this.plot.setData(this._data());
  }

  _data() {
    const tables = ORDER.map((name) => {
      const curve = this.picture.curve(name);
      return curve ? [curve.x, curve.y] : [[], []];
    });
    return uPlot.join(tables, tables.map(() => [1, 1]));
  }

  _make() {
    this.plot?.destroy();
    this.log = this.picture.log;
    const spline = uPlot.paths.spline();
    const straight = uPlot.paths.linear();
    const axis = (side, places) => ({
      side,
      font: FONT,
      labelFont: FONT,
      labelGap: 0,
      labelSize: side === 2 ? 18 : 18,
      size: side === 2 ? 26 : 44,
      gap: 5,
      stroke: () => this.colours.muted,
      grid: { stroke: () => this.colours.grid, width: 1 },
      ticks: { show: false },
      splits: () => this.picture.ticks()[places],
      filter: (_plot, splits) => splits,
      values: (_plot, splits) => splits.map((value) => this.picture.tick(value)),
    });
    this.plot = new uPlot(
      {
        width: this.place.clientWidth,
        height: this.place.clientHeight,
        padding: [10, this._labelled() ? 104 : 14, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        select: { show: false },
        focus: { alpha: 1 },
        scales: {
          x: { time: false, distr: 3, range: () => this.picture.scales().x },
          y: { distr: this.log ? 3 : 1, range: () => this.picture.scales().y },
        },
        axes: [
          { ...axis(2, "x"), label: " " },
          { ...axis(3, "y"), label: "test error" },
        ],
        series: [
          {},
          ...ORDER.map((name) => ({
            label: LABELS[name],
            stroke: () => this.colours[name],
            width: STROKES[name].width,
            dash: STROKES[name].dash,
            points: { show: false },
            pxAlign: 0,
            paths: name === "known" ? straight : spline,
          })),
        ],
        hooks: {
          drawClear: [() => this._behind()],
          draw: [() => this._over()],
        },
      },
      this._data(),
      this.place
    );
  }

  _labelled() {
    return this.place.clientWidth >= LABELLED;
  }

  _resize() {
    const { clientWidth: width, clientHeight: height } = this.place;
    if (width < 40) return;
    if (this.plot && this._labelled() === this.wasLabelled) this.plot.setSize({ width, height });
    else {
      this.wasLabelled = this._labelled();
      this.plot?.destroy();
      this.plot = null;
      this.draw();
    }
  }

  _pixels() {
    const { plot } = this;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = plot.bbox;
    return {
      context: plot.ctx,
      ratio,
      box: { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio },
      x: (value) => plot.valToPos(value, "x", true) / ratio,
      y: (value) => plot.valToPos(value, "y", true) / ratio,
    };
  }

  /** The constant answer's error and the state's point, behind the lines. */
  _behind() {
    if (!this.plot) return;
    const { context, ratio, box, x, y } = this._pixels();
    context.save();
    context.scale(ratio, ratio);
    const worst = y(worstOf(this.picture.state));
    context.strokeStyle = this.colours.muted;
    context.globalAlpha = 0.7;
    context.lineWidth = 1;
    line(context, box.left, worst, box.left + box.width, worst);
    context.globalAlpha = 1;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = this.colours.muted;
    context.textBaseline = "bottom";
    context.textAlign = "right";
    context.fillText("constant answer", box.left + box.width - 2, worst - 2);
    const alpha = alphaOf(this.picture.state) * scaleOf(this.picture.state);
    const here = x(alpha);
    if (here >= box.left - 1 && here <= box.left + box.width + 1) {
      context.strokeStyle = this.colours.glow;
      context.lineWidth = 7;
      line(context, here, box.top, here, box.top + box.height);
    }
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.font = FONT;
    context.fillStyle = this.colours.muted;
    context.fillText(this.picture.axisTitle(), box.left + box.width / 2, this.plot.height - 2);
    context.restore();
  }

  /** Standard errors, values at the point, trained classifiers, and names, over the lines. */
  _over() {
    if (!this.plot) return;
    const { context, ratio, box, x, y } = this._pixels();
    const { picture } = this;
    const times = scaleOf(picture.state);
    context.save();
    context.scale(ratio, ratio);
    const inside = (value) => value >= box.top - 1 && value <= box.top + box.height + 1;
    for (const name of LISTED) {
      const curve = picture.curve(name);
      if (!curve) continue;
      context.globalAlpha = picture.isStale(name) ? 0.35 : 1;
      context.strokeStyle = context.fillStyle = this.colours[name];
      context.lineWidth = 1;
      curve.y.forEach((value, k) => {
        const se = curve.se[k];
        if (value === null || !se) return;
        const [high, low] = [y(value + 2 * se), y(Math.max(value - 2 * se, value / 10))];
        if (low - high > 3) line(context, x(curve.x[k]), low, x(curve.x[k]), high);
      });
      const { y: here } = picture.at(name);
      const alpha = alphaOf(picture.state) * times;
      if (here !== null && here !== undefined && inside(y(here)) && x(alpha) >= box.left - 1 && x(alpha) <= box.left + box.width + 1) {
        context.beginPath();
        context.arc(x(alpha), y(here), name === "attention" ? 4 : 3, 0, 2 * Math.PI);
        context.fill();
      }
    }
    context.globalAlpha = 1;
    context.save();
    context.beginPath();
    context.rect(box.left - 6, box.top, box.width + 12, box.height);
    context.clip();
    for (const dot of picture.dots.values()) {
      const [px, py] = [x(dot.x * times), y(Math.max(dot.y, 1e-12))];
      context.strokeStyle = this.colours.ink;
      context.fillStyle = this.colours.panel;
      context.lineWidth = 1.5;
      if (dot.se) {
        const [high, low] = [y(dot.y + 2 * dot.se), y(Math.max(dot.y - 2 * dot.se, 1e-12))];
        line(context, px, low, px, high);
        line(context, px - 4, low, px + 4, low);
        line(context, px - 4, high, px + 4, high);
      }
      context.beginPath();
      context.arc(px, py, 4.5, 0, 2 * Math.PI);
      context.fill();
      context.strokeStyle = this.colours[dot.name] ?? this.colours.ink;
      context.lineWidth = 2.5;
      context.stroke();
    }
    context.restore();
    if (this._labelled()) this._names(context, box, y);
    context.restore();
  }

  _names(context, box, y) {
    const labels = [];
    for (const name of LISTED) {
      const curve = this.picture.curve(name);
      const last = curve?.y.findLast((value) => value !== null);
      if (last !== undefined && last !== null && y(last) <= box.top + box.height + 1)
        labels.push({ name, y: Math.min(box.top + box.height, Math.max(box.top, y(last))) });
    }
    context.font = FONT;
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const { name, y: at } of apart(labels, 15, box.top + 4, box.top + box.height - 4)) {
      context.globalAlpha = this.picture.isStale(name) ? 0.45 : 1;
      context.fillStyle = this.colours[name];
      context.fillText(LABELS[name], box.left + box.width + 8, at);
    }
  }

  _hover(event) {
    if (!this.plot || event.pointerType === "touch") return;
    const rect = this.place.getBoundingClientRect();
    const { box } = this._pixels();
    const px = event.clientX - rect.left;
    if (px < box.left || px > box.left + box.width) {
      this.tip.hidden = true;
      return;
    }
    const value = this.plot.posToVal(px - box.left, "x");
    const alpha = value / scaleOf(this.picture.state);
    const unit = scaleOf(this.picture.state) === 1 ? "α" : "n";
    const rows = LISTED.filter((name) => !this.picture.isStale(name))
      .map((name) => [name, this.picture.between(name, alpha)])
      .filter(([, found]) => found !== null)
      .sort((a, b) => b[1] - a[1])
      .map(([name, found]) => h("tr", {}, h("th", { text: LABELS[name] }), h("td", { text: error(found) })));
    this.tip.replaceChildren(
      h("div", { text: `${unit} = ${this.picture.tick(value)}` }),
      h("table", {}, h("tbody", {}, rows))
    );
    this.tip.hidden = rows.length === 0;
    const left = px > rect.width / 2 ? px - this.tip.offsetWidth - 14 : px + 14;
    this.tip.style.transform = `translate(${Math.max(0, left)}px, 12px)`;
  }
}

function line(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}
