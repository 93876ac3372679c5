// A guided story: states with a title and two sentences, one after the other.

import { button, h, say, uid } from "./dom.js";

export class Story {
  /** `choose(state)` is called with the state of the chapter. */
  constructor(choose) {
    this.choose = choose;
    this.presets = [];
    this.k = -1;
    const id = uid("story");
    this.back = button("‹", () => this.go(this.k - 1), { class: "ns-button ns-arrow", "aria-label": "Previous chapter", disabled: true });
    this.on = button("›", () => this.go(this.k + 1), { class: "ns-button ns-arrow", "aria-label": "Next chapter", disabled: true });
    this.count = h("span", { class: "ns-count" });
    this.title = h("h2", { id });
    this.text = h("p", {});
    this.element = h("section", { class: "ns-story", "aria-labelledby": id },
      h("div", { class: "ns-story-keys" }, this.back, this.count, this.on),
      h("div", { class: "ns-story-text", "aria-live": "polite" }, this.title, this.text));
    this._show();
  }

  /** Take the chapters. */
  fill(presets) {
    this.presets = presets;
    this._show();
  }

  /** Show a chapter, and its state. */
  go(k) {
    if (!this.presets[k]) return;
    this.k = k;
    this._show();
    this.choose(this.presets[k].state);
  }

  _show() {
    const { presets, k } = this;
    const chapter = presets[k];
    say(this.title, chapter ? chapter.title : "Turn the knobs, watch attention find the needle");
    say(this.text, chapter ? chapter.text
      : "A signal is hidden in R of the L tokens of each positive bag. The lines are exact test errors; move a control, or follow the story.");
    say(this.count, presets.length ? `${k + 1} / ${presets.length}` : "");
    this.back.disabled = k <= 0;
    this.on.disabled = k >= presets.length - 1;
  }
}
