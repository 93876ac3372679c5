// The state in the address of the page: after the #, the values that differ from the usual ones.

import { DEFAULT, sane } from "./state.js";

const VIEW = { y: "linear", seed: 0, tab: "explore" };

/** What an address says: {state, view}. */
export function read(hash) {
  const values = {};
  const view = { ...VIEW };
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (name in DEFAULT) {
      values[name] = typeof DEFAULT[name] === "number" ? number(text) : text;
    } else if (name === "y" && text === "log") view.y = "log";
    else if (name === "tab" && text === "plan") view.tab = "plan";
    else if (name === "seed" && /^\d{1,9}$/.test(text)) view.seed = Number(text);
  }
  return { state: sane(values), view };
}

const number = (text) => (text.trim() === "" ? NaN : Number(text));

/** The part of an address after the #; names of others stay as they are. */
export function write(hash, state, view) {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  for (const name of Object.keys(DEFAULT)) {
    if (state[name] === DEFAULT[name]) params.delete(name);
    else params.set(name, short(state[name]));
  }
  for (const name of Object.keys(VIEW)) {
    if (view[name] === VIEW[name]) params.delete(name);
    else params.set(name, String(view[name]));
  }
  const text = params.toString();
  return text ? `#${text}` : "";
}

const short = (value) => (typeof value === "number" ? String(Number(value.toPrecision(8))) : value);
