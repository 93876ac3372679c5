// The explorer, in the form of an anywidget module: render({model, el}) returns its cleanup.

import * as address from "./address.js";
import { Bag } from "./bag.js";
import { Chart } from "./chart.js";
import { Controls } from "./controls.js";
import { button, h, numbers, say, uid } from "./dom.js";
import { copy, save, saveText } from "./files.js";
import { shapes, toCanvas, toSvg } from "./figure.js";
import { Legend } from "./legend.js";
import { WinMap } from "./map.js";
import { Picture } from "./picture.js";
import { Planner } from "./planner.js";
import { Requests } from "./requests.js";
import { DEFAULT, keyOf, lineKeyOf, sane, withConsequences } from "./state.js";
import { Story } from "./story.js";
import { follow, lightColours } from "./theme.js";
import { Training } from "./train.js";

const LATE = 1500; // milliseconds after which lines of another state are pale
const SETTLED = 300; // milliseconds after which the address follows

class Explorer {
  constructor(model, el) {
    this.model = model;
    this.host = model.get("host") ?? "notebook";
    this.addressed = this.host === "live" || this.host === "export";
    const given = this.addressed ? address.read(location.hash) : { state: {}, view: { y: "linear", seed: 0, tab: "explore" } };
    this.state = { ...DEFAULT, ...sane(model.get("state")), ...given.state };
    this.view = given.view;
    this.stops = [];
    this.picture = new Picture(this.state, this.view.y === "log");
    this.requests = new Requests(model, this._answers());
    this._build(el);
    this.controls.show(this.state);
    this._showUnits();
    this._showTab(this.view.tab, false);
    this._listen();
    this._hello();
    this._follow();
  }

  close() {
    clearTimeout(this.lateTimer);
    clearTimeout(this.addressTimer);
    clearTimeout(this.toastTimer);
    for (const stop of this.stops) stop();
    for (const part of [this.requests, this.chart, this.bag, this.map, this.planner]) part.close();
    this.root.remove();
  }

  _build(el) {
    const root = h("div", { class: `needlescope${this.addressed ? " ns-alone" : ""}`, lang: "en" });
    this.root = root;
    el.append(root);
    this.controls = new Controls((changes, slid) => this.change(changes, slid));
    this.chart = new Chart(root, this.picture);
    this.legend = new Legend(this.picture);
    this.bag = new Bag(root, () => this._draw());
    this.map = new WinMap(root);
    this.training = new Training(this.requests, () => this.state, (dots) => {
      this.picture.dots = dots;
      this.chart.draw();
      this.table.refresh();
    });
    this.planner = new Planner(root, this.requests, (title, text) => copy(root, title, text));
    this.story = new Story((state) => this.change({ ...state, units: this.state.units }));
    this.summary = h("p", { class: "ns-summary", "aria-live": "polite" });
    this.table = numbers("Test errors", () => this.picture.table());
    this.busy = h("span", { class: "ns-busy", "aria-hidden": "true" });
    this.problem = h("p", { class: "ns-refused", hidden: true, role: "status" });
    this.toast = h("span", { class: "ns-toast", role: "status" });
    this.chart.element.setAttribute("aria-label", "Test error against training data");
    root.append(this._header(), this._explore(), this.planner.element);
    this.planner.element.setAttribute("role", "tabpanel");
    this.planner.element.id = this.tabs.plan.getAttribute("aria-controls");
    this.planner.element.setAttribute("aria-labelledby", this.tabs.plan.id);
  }

  _header() {
    const tab = (name, text) => h("button", {
      type: "button", role: "tab", id: uid(`tab-${name}`), "aria-controls": uid(`panel-${name}`), class: "ns-tab", text,
      on: { click: () => this._showTab(name, true), keydown: (event) => this._otherTab(event) },
    });
    this.tabs = { explore: tab("explore", "Explore"), plan: tab("plan", "Plan") };
    this.tabs.plan.hidden = true;
    this.units = {};
    const unit = (name, text, title) => {
      const id = uid(name);
      this.units[name] = h("input", { type: "radio", id, name: this.unitsName, value: name, on: { change: () => this.change({ units: name }) } });
      return [this.units[name], h("label", { for: id, title, text })];
    };
    this.unitsName = uid("units");
    const files = h("details", { class: "ns-menu" }, h("summary", { class: "ns-button", text: "Save" }),
      h("div", { class: "ns-menu-list" },
        button("Copy as Python", () => this._script()),
        this.addressed ? button("Copy link", () => this._link()) : null,
        button("Figure, SVG", () => this._save("svg")),
        button("Figure, PNG", () => this._save("png")),
        button("Numbers, CSV", () => this._save("csv"))));
    files.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      files.open = false;
      files.firstChild.focus();
    });
    files.addEventListener("click", (event) => {
      if (event.target.closest(".ns-menu-list button")) files.open = false;
    });
    files.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !files.contains(event.relatedTarget)) files.open = false;
    });
    this.switch = h("fieldset", { class: "ns-switch" }, h("legend", { class: "ns-hidden", text: "Units" }),
      unit("theory", "α, θ", "bags for each dimension, for theory"), unit("practice", "n, d, effect size", "bags, features and effect size, for practice"));
    return h("header", { class: "ns-top" },
      h("h1", { text: "needlescope" }),
      h("div", { role: "tablist", "aria-label": "Views", class: "ns-tabs" }, this.tabs.explore, this.tabs.plan),
      this.switch,
      h("span", { class: "ns-space" }), this.toast, files);
  }

  _explore() {
    this.scale = h("input", { type: "checkbox", id: uid("log"), on: { change: () => this._log(this.scale.checked) } });
    this.scale.checked = this.picture.log;
    const figure = h("section", { class: "ns-card ns-figure", "aria-label": "Figure" },
      h("div", { class: "ns-head" }, h("h2", { text: "Test error against training data" }), this.busy,
        h("span", { class: "ns-space" }),
        h("span", { class: "ns-check" }, this.scale, h("label", { for: this.scale.id, text: "log error" }))),
      this.chart.element);
    const below = h("section", { class: "ns-card ns-below", "aria-label": "The point, and all numbers" },
      this.summary, this.problem, this.table.element);
    const side = h("div", { class: "ns-side" },
      h("section", { class: "ns-card", "aria-label": "Lines, and their errors at the point" }, this.legend.element),
      this.training.element, this.map.element);
    this.training.element.hidden = true;
    const controls = h("section", { class: "ns-card ns-panel", "aria-label": "Controls" }, this.controls.element);
    this.explore = h("div", { class: "ns-explore", role: "tabpanel", id: this.tabs.explore.getAttribute("aria-controls"), "aria-labelledby": this.tabs.explore.id },
      this.story.element,
      h("div", { class: "ns-grid" }, h("div", { class: "ns-figures" }, figure, below), controls, this.bag.element, side));
    return this.explore;
  }

  _listen() {
    this.stops.push(follow(this.root, () => {
      for (const part of [this.chart, this.bag, this.map, this.planner]) part.recolour();
    }));
    const adopt = () => this._adopt();
    this.model.on("change:state", adopt);
    this.stops.push(() => this.model.off?.("change:state", adopt));
    if (this.addressed) {
      const read = () => {
        const found = address.read(location.hash);
        if (address.write("", { ...DEFAULT, ...found.state }, found.view) === address.write("", this.state, this.view)) return;
        this.view = { ...found.view };
        this._log(this.view.y === "log");
        this.change({ ...DEFAULT, ...found.state });
        this._showTab(this.view.tab, false);
      };
      addEventListener("hashchange", read);
      this.stops.push(() => removeEventListener("hashchange", read));
    }
  }

  /** Another state, by the notebook. */
  _adopt() {
    const state = { ...DEFAULT, ...sane(this.model.get("state")) };
    if (keyOf(state, true) !== keyOf(this.state, true)) this.change(state);
  }

  /** Take changes of the controls; `slid` if a slider was moved. */
  change(changes, slid = false) {
    const next = { ...this.state, ...withConsequences(this.state, changes) };
    if (slid && "L" in changes) next.R = Math.min(next.R, next.L);
    if (keyOf(next, true) === keyOf(this.state, true)) return;
    const same = keyOf(next) === keyOf(this.state);
    const moved = next.d !== this.state.d;
    this.state = next;
    this.picture.state = next;
    this.controls.show(next);
    this._showUnits();
    if (!same || moved) this.training.clear();
    if (same) this._afterUnits();
    this.chart.draw();
    this.legend.show();
    this.map.move(next);
    this._follow();
    this._readdress();
  }

  /** Ask for what the state shows; what is late is said, and lines of another state are pale. */
  _follow() {
    this.picture.wanted = keyOf(this.state);
    clearTimeout(this.lateTimer);
    this.lateTimer = setTimeout(() => {
      this.picture.settled = { id: this.requests.id + 1, state: this.state };
      say(this.summary, this.state.kind === "two_steps" ? "Computing the lines of this state…"
        : "Computing the lines of this state… Attention with this training takes up to half a minute.");
      this.chart.draw();
      this.legend.show();
    }, LATE);
    this.requests.follow(this.state, this.view.seed);
  }

  _afterUnits() {
    if (this.picture.point?.key === this.picture.wanted) say(this.summary, this.picture.sentence());
    this.table.refresh();
    if (this.map.map) this.map.show(this.map.map, this.state);
  }

  _showUnits() {
    this.units[this.state.units].checked = true;
  }

  _answers() {
    return {
      line: (answer, { state, id }) => {
        this.picture.lines.set(answer.name, { ...answer, key: lineKeyOf(answer.name, state), id });
        this.chart.draw();
        this.legend.show();
      },
      point: (answer, { key }) => {
        this.picture.point = { ...answer, key };
        this.chart.draw();
        this.legend.show();
      },
      drawn: ({ key, state, id, precision }) => {
        this.picture.settled = { state, id };
        if (precision === "fine") clearTimeout(this.lateTimer);
        if (this.picture.point?.key === key && precision === "fine") {
          say(this.summary, this.picture.sentence());
          this.table.refresh();
        }
        this.chart.draw();
        this.legend.show();
      },
      cut: ({ state, id }) => {
        this.picture.settled = { state, id }; // the lines that it leaves out are of an older state
      },
      bag: (answer) => this.bag.show(answer, this.state),
      map: (answer) => this.map.show(answer, this.state),
      busy: (is) => this.busy.classList.toggle("ns-on", is),
      accepted: () => {
        this.controls.accept();
        this.problem.hidden = true;
      },
      refused: ({ field, text }) => {
        clearTimeout(this.lateTimer);
        this.controls.refuse(field, text);
      },
      failed: ({ text }) => {
        this.problem.hidden = false;
        say(this.problem, text);
      },
      rested: (state) => {
        this.model.set("state", { ...state });
        this.model.save_changes?.();
      },
    };
  }

  _hello() {
    this.requests.ask("hello", {}, (answer) => {
      if (answer.type !== "welcome") return;
      const { limits = {}, presets = [], fixed = {} } = answer;
      this.story.fill(presets);
      this.controls.limit(limits, fixed);
      this.controls.show(this.state);
      const trains = limits.train !== false && (limits.trials > 0 || Boolean(limits.train));
      this.training.element.hidden = !trains;
      if (limits.trials) this.training.limit(limits.trials);
      const plans = limits.planner ?? trains;
      this.tabs.plan.hidden = !plans;
      if (!plans) this._showTab("explore", false);
    });
  }

  _showTab(name, focus) {
    if (name !== this.view.tab) {
      this.view = { ...this.view, tab: name };
      this._readdress();
    }
    const plan = name === "plan";
    this.explore.hidden = plan;
    this.switch.hidden = plan;
    this.planner.element.hidden = !plan;
    if (plan) this.planner.begin(this.state);
    for (const [key, tab] of Object.entries(this.tabs)) {
      tab.setAttribute("aria-selected", String(key === name));
      tab.tabIndex = key === name ? 0 : -1;
    }
    if (focus) this.tabs[name].focus({ preventScroll: true });
  }

  _otherTab(event) {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key) || this.tabs.plan.hidden) return;
    event.preventDefault();
    this._showTab(this.view.tab === "plan" ? "explore" : "plan", true);
  }

  _log(log) {
    this.view = { ...this.view, y: log ? "log" : "linear" };
    this.scale.checked = log;
    this.picture.log = log;
    this.chart.draw();
    this._readdress();
  }

  /** Another draw of the bag. */
  _draw() {
    this.view = { ...this.view, seed: this.view.seed + 1 };
    this.requests.draw(this.state, this.view.seed);
    this._readdress();
  }

  _readdress() {
    if (!this.addressed) return;
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => {
      const hash = address.write(location.hash, this.state, this.view);
      if (hash === location.hash) return;
      try {
        history.replaceState(history.state, "", hash || location.pathname + location.search);
      } catch {
        // a page without an address of its own
      }
    }, SETTLED);
  }

  _say(text) {
    say(this.toast, text);
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => say(this.toast, ""), 2500);
  }

  _script() {
    this.requests.ask("script", { state: this.state }, async (answer) => {
      if (answer.type === "script") this._say((await copy(this.root, "Python script", answer.text)) ? "Script copied" : "");
      else if (answer.type === "refused" || answer.type === "failed") this._say(answer.text);
    });
  }

  async _link() {
    const link = location.href.split("#")[0] + address.write(location.hash, this.state, this.view);
    this._say((await copy(this.root, "Link", link)) ? "Link copied" : "");
  }

  _save(kind) {
    const name = `needlescope-L${this.state.L}-theta${Number(this.state.theta.toPrecision(3))}`;
    if (kind === "csv") {
      saveText(`${name}.csv`, this.picture.csv(), "text/csv");
      return;
    }
    const items = shapes(this.picture, lightColours(this.root));
    if (kind === "svg") saveText(`${name}.svg`, toSvg(items, this.picture.sentence()), "image/svg+xml");
    else toCanvas(items).toBlob((blob) => blob && save(`${name}.png`, blob), "image/png");
  }
}

function render({ model, el }) {
  const explorer = new Explorer(model, el);
  return () => explorer.close();
}

export { Model } from "./model.js";
export default { render };
