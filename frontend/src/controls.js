// Sliders and number fields: each control has both, and says beside it why a value is refused.

import { h, say, uid } from "./dom.js";
import { field as asField, number } from "./format.js";
import { FIELDS, GROUPS, of } from "./fields.js";

const NOTCHES = 500; // of a slider

class Row {
  constructor(field, change) {
    this.field = field;
    this.change = change;
    this.ends = null; // by which welcome narrows the range
    const id = uid(field.name);
    this.symbol = h("span", { class: "ns-symbol" });
    this.words = h("span", {});
    this.label = h("label", { for: id, id: `${id}-label` }, this.symbol, " ", this.words);
    this.problem = h("p", { class: "ns-refused", id: `${id}-problem`, hidden: true });
    if (field.choices) {
      this.input = h("select", { id, class: "ns-select", on: { change: () => change({ [field.name]: this.input.value }) } },
        Object.entries(field.choices).map(([value, text]) => h("option", { value, text })));
      this.element = h("div", { class: "ns-row ns-row-choice" }, this.label, this.input, this.problem);
      return;
    }
    this.slider = h("input", {
      type: "range", min: "0", max: String(NOTCHES), step: "1", class: "ns-slider",
      on: { input: () => this._slid(), keydown: (event) => this._key(event) },
    });
    this.input = h("input", {
      type: "text", inputmode: "decimal", id, class: "ns-field", autocomplete: "off", spellcheck: "false",
      on: {
        input: () => this._typed(),
        blur: () => this.state && this.show(this.state, true),
        keydown: (event) => this._step(event),
      },
    });
    this.element = h("div", { class: "ns-row" }, this.label, this.slider, this.input, this.problem);
  }

  /** Show a state: values, labels for its units, whether the control belongs to it. */
  show(state, force = false) {
    this.state = state;
    const { field } = this;
    this.element.hidden = field.when ? !field.when(state) : false;
    const [symbol, below] = (of(field, "symbol", state) ?? "").split("_");
    if (this.symbol.textContent !== symbol + (below ?? ""))
      this.symbol.replaceChildren(symbol, below ? h("sub", { text: below }) : "");
    say(this.words, of(field, "label", state));
    const value = state[field.name];
    if (field.choices) {
      if (this.input.value !== value) this.input.value = value;
      return;
    }
    const shown = this._shown(value);
    const focused = this.input.getRootNode().activeElement === this.input;
    if (force || !focused) {
      const text = asField(shown);
      if (this.input.value !== text) this.input.value = text;
    }
    if (this._valueAt(Number(this.slider.value)) !== value)
      this.slider.value = String(this._notchOf(value));
    const name = `${(of(field, "symbol", state) ?? "").replace("_", " ")} ${of(field, "label", state)}`.trim();
    this.slider.setAttribute("aria-label", `${name}, slider`);
    this.slider.setAttribute("aria-valuetext", number(shown, 4));
    const [low, high] = this._range();
    const share = (Number(this.slider.value) / NOTCHES) * 100;
    this.slider.style.setProperty("--ns-share", `${share}%`);
    this.slider.disabled = Boolean(this.fixed) || !(high > low);
    this.input.disabled = Boolean(this.fixed);
  }

  /** Say why the value is refused, or that it no longer is. */
  refuse(text) {
    this.problem.hidden = !text;
    say(this.problem, text ?? "");
    for (const element of [this.input, this.slider]) {
      if (!element) continue;
      if (text) {
        element.setAttribute("aria-invalid", "true");
        element.setAttribute("aria-describedby", this.problem.id);
      } else {
        element.removeAttribute("aria-invalid");
        element.removeAttribute("aria-describedby");
      }
    }
  }

  _range() {
    const low = of(this.field, "low", this.state);
    const high = of(this.field, "high", this.state);
    return this.ends ? [Math.max(low, this.ends[0]), Math.min(high, this.ends[1])] : [low, high];
  }

  _shown(value) {
    const shown = this.field.to ? this.field.to(value, this.state) : value;
    return this.field.to && this.state.units === "practice" ? Number(shown.toFixed(shown < 100 ? 1 : 0)) : shown;
  }

  _isLog() {
    return of(this.field, "scale", this.state) === "log";
  }

  _notchOf(value) {
    const [low, high] = this._range();
    if (!(high > low)) return 0;
    const share = this._isLog()
      ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
      : (value - low) / (high - low);
    return Math.round(NOTCHES * Math.min(1, Math.max(0, share)));
  }

  _valueAt(notch) {
    const [low, high] = this._range();
    const share = notch / NOTCHES;
    const value = this._isLog() ? low * (high / low) ** share : low + (high - low) * share;
    if (this.values) // an exported page has some values only
      return this.values.reduce((best, item) => (Math.abs(this._notchOf(item) - notch) < Math.abs(this._notchOf(best) - notch) ? item : best));
    if (this.field.whole) return Math.round(value);
    if (this.field.step && !this._isLog()) return Number((Math.round(value / this.field.step) * this.field.step).toFixed(6));
    return Number(value.toPrecision(3));
  }

  _slid() {
    const value = this._valueAt(Number(this.slider.value));
    this.change({ [this.field.name]: value }, true);
  }

  _key(event) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault(); // every arrow moves the value, also where a notebook takes the keys
    const value = this.state[this.field.name];
    const [low, high] = this._range();
    const within = (next) => Math.min(high, Math.max(low, next));
    if (this.values) {
      const sorted = [...this.values].sort((a, b) => a - b);
      const k = sorted.findIndex((item) => item >= value - 1e-12) + step;
      if (sorted[k] !== undefined) this.change({ [this.field.name]: sorted[k] }, true);
    } else if (this.field.whole) {
      this.change({ [this.field.name]: within(value + step) }, true);
    } else if (this.field.step && !this._isLog()) {
      this.change({ [this.field.name]: Number(within(value + step * this.field.step).toFixed(6)) }, true);
    } else {
      this.change({ [this.field.name]: this._valueAt(Math.min(NOTCHES, Math.max(0, this._notchOf(value) + step))) }, true);
    }
  }

  /** Arrow keys in the field move the value by a step, as in fields of numbers. */
  _step(event) {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (event.key === "Enter") this.show(this.state, true);
    if (!step) return;
    event.preventDefault();
    if (this.values || this.field.whole) this._key(event);
    else this.change({ [this.field.name]: this._valueAt(Math.min(NOTCHES, Math.max(0, this._notchOf(this.state[this.field.name]) + 4 * step))) }, true);
    this.show(this.state, true);
  }

  _typed() {
    const text = this.input.value.trim().replace(",", ".");
    const value = text === "" ? NaN : Number(text);
    if (!Number.isFinite(value)) {
      this.refuse(`${this.field.name} must be a number, got ${text === "" ? "nothing" : text.slice(0, 40)}`);
      return;
    }
    this.refuse("");
    this.change({ [this.field.name]: this.field.from ? this.field.from(value, this.state) : value });
  }
}

export class Controls {
  /** `change(changes, slid)` is called with what was moved. */
  constructor(change) {
    this.rows = new Map(FIELDS.map((field) => [field.name, new Row(field, change)]));
    this.general = h("p", { class: "ns-refused", hidden: true, role: "status" });
    this.element = h("div", { class: "ns-controls" },
      GROUPS.map(([name, title]) => {
        const id = uid(name);
        return h("section", { "aria-labelledby": id, class: `ns-group ns-group-${name}` },
          h("h3", { id, text: title }),
          FIELDS.filter((field) => field.group === name).map((field) => this.rows.get(field.name).element));
      }),
      this.general);
  }

  show(state) {
    for (const row of this.rows.values()) row.show(state);
  }

  /** Narrow controls to what a host can answer: ends, or a list of values, or none at all. */
  limit(limits, reasons = {}) {
    for (const [name, row] of this.rows) {
      const values = limits[name];
      if (Array.isArray(values) && values.length === 2) row.ends = values;
      else if (Array.isArray(values) && values.every(Number.isFinite) && values.length > 2) {
        row.values = values;
        row.ends = [Math.min(...values), Math.max(...values)];
      }
      if (Array.isArray(limits.controls)) row.fixed = !limits.controls.includes(name);
      if (row.field.choices && row.fixed !== undefined) row.input.disabled = row.fixed;
      if (row.fixed && reasons[name]) row.element.title = reasons[name];
    }
  }

  /** Show a refusal beside its control; where there is none, below all. */
  refuse(name, text) {
    this.accept();
    const row = this.rows.get(name);
    if (row && !row.element.hidden) row.refuse(text);
    else {
      this.general.hidden = false;
      say(this.general, text);
    }
  }

  accept() {
    this.general.hidden = true;
    for (const row of this.rows.values()) if (!row.problem.hidden) row.refuse("");
  }
}
