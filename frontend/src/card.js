// A card with a canvas: drawn anew when its size or its colours change.

import { colours } from "./theme.js";

export class Card {
  watch(canvas) {
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(canvas);
  }

  close() {
    this.observer.disconnect();
  }

  recolour() {
    this.colours = colours(this.root);
    this.draw();
  }
}
