// The lines, grouped by kind of error; each opens to its value, standard error and provenance.

import { h, s, say, uid } from "./dom.js";
import { error, uncertainty } from "./format.js";
import { KINDS, KIND_OF, LABELS, LISTED, STROKES } from "./theme.js";

export class Legend {
  constructor(picture) {
    this.picture = picture;
    this.entries = new Map();
    this.element = h("div", { class: "ns-legend" }, KINDS.map(([kind, title, stroke]) => {
      const id = uid(kind);
      return h("section", { "aria-labelledby": id },
        h("h3", { id }, title, h("span", { class: "ns-hint", text: ` ${stroke}` })),
        LISTED.filter((name) => KIND_OF[name] === kind).map((name) => this._entry(name)));
    }));
  }

  _entry(name) {
    const { dash, width } = STROKES[name];
    const swatch = s("svg", { class: `ns-swatch ns-line-${name}`, width: 30, height: 10, viewBox: "0 0 30 10", "aria-hidden": "true" },
      s("line", { x1: 0, y1: 5, x2: 30, y2: 5, "stroke-width": width, "stroke-dasharray": dash.join(" ") }));
    const value = h("span", { class: "ns-value", text: "…" });
    const more = h("dl", { class: "ns-provenance" });
    const entry = h("details", { class: "ns-entry" },
      h("summary", {}, swatch, h("span", { class: "ns-name", text: LABELS[name] }), value),
      more);
    entry.addEventListener("toggle", () => this._fill(name));
    this.entries.set(name, { entry, value, more });
    return entry;
  }

  /** Show the values at the state's point. */
  show() {
    for (const [name, { entry, value }] of this.entries) {
      const line = this.picture.lines.get(name);
      const { y, exact } = this.picture.at(name);
      const stale = this.picture.isStale(name);
      entry.classList.toggle("ns-stale", stale);
      say(value, line?.text ? "none" : !line || stale ? "…" : y === null || y === undefined ? "–" : `${exact ? "" : "≈ "}${error(y)}`);
      if (entry.open) this._fill(name);
    }
  }

  _fill(name) {
    const { more } = this.entries.get(name);
    const line = this.picture.lines.get(name);
    const dot = this.picture.dots.get(name);
    const { y, se, provenance, exact } = this.picture.at(name);
    const rows = [];
    if (line?.text) rows.push(["Not drawn", line.text]);
    else if (y !== null && y !== undefined) {
      rows.push(["At the point", exact ? error(y) : `${error(y)}, between points of the line`]);
      rows.push(["Uncertainty", exact ? `± ${uncertainty(se)} (numerical standard error)` : "known when the controls rest"]);
    } else rows.push(["At the point", "not known"]);
    if (provenance) rows.push(["Provenance", provenance]);
    if (dot) rows.push(["Simulated", `${error(dot.y)} ± ${uncertainty(dot.se)}, mean of ${dot.trials} trained`]);
    more.replaceChildren(...rows.flatMap(([term, text]) => [h("dt", { text: term }), h("dd", { text })]));
  }
}
