// Colours of what is drawn, read from the style sheet; light or dark as the host is.

const NAMES = [
  "ink", "muted", "grid", "panel", "attention", "pooled", "vectorized", "bayes_optimal", "amp",
  "known", "glow", "needle",
];

/** What tells the lines apart, besides colour: dashes by the kind of error, and the width. */
export const STROKES = {
  attention: { dash: [], width: 2.75 },
  pooled: { dash: [], width: 1.75 },
  vectorized: { dash: [], width: 1.25 },
  bayes_optimal: { dash: [9, 4], width: 2.25 },
  amp: { dash: [9, 3, 2, 3], width: 1.5 },
  known: { dash: [2, 3], width: 2 },
};

/** The order of lines and their groups. */
export const KINDS = [
  ["trained", "Trained", "solid"],
  ["bayes", "Bayes-optimal", "dashed"],
  ["known", "Signal known", "dotted"],
];
export const ORDER = ["vectorized", "pooled", "known", "amp", "bayes_optimal", "attention"];
export const LISTED = ["attention", "pooled", "vectorized", "bayes_optimal", "amp", "known"];
export const LABELS = {
  attention: "attention", pooled: "mean pooling", vectorized: "flat linear",
  bayes_optimal: "Bayes-optimal", amp: "AMP", known: "signal known",
};
export const KIND_OF = {
  attention: "trained", pooled: "trained", vectorized: "trained",
  bayes_optimal: "bayes", amp: "bayes", known: "known",
};

/** The colours of an element, by their names. */
export function colours(element) {
  const style = getComputedStyle(element);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--ns-${name}`).trim() || "#888"]));
}

/** The light colours, whatever the theme: those of a figure that is saved. */
export function lightColours(root) {
  const probe = root.ownerDocument.createElement("div");
  probe.className = "needlescope";
  probe.dataset.theme = "light";
  probe.hidden = true;
  root.after(probe);
  const found = colours(probe);
  probe.remove();
  return found;
}

/** Follow the host's theme; calls back when it changes, until it is stopped. */
export function follow(root, changed) {
  const { body } = root.ownerDocument;
  const set = () => {
    const lab = body.dataset.jpThemeLight ?? body.dataset.vscodeThemeKind;
    const theme = lab === undefined ? "" : /^false$|dark/.test(lab) ? "dark" : "light";
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    changed();
  };
  const media = matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(set);
  observer.observe(body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  media.addEventListener("change", set);
  set();
  return () => {
    media.removeEventListener("change", set);
    observer.disconnect();
  };
}
