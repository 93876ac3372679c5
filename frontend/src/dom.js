// Elements, made without markup in strings.

const SVG = "http://www.w3.org/2000/svg";
let made = 0;

/** A fresh id: pages may hold several explorers. */
export const uid = (name) => `needlescope-${name}-${(made += 1)}-${Math.random().toString(36).slice(2, 7)}`;

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, call] of Object.entries(value)) element.addEventListener(event, call);
    } else if (name === "text") element.textContent = value;
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** An element of HTML. */
export const h = (tag, props = {}, ...children) =>
  fill(document.createElement(tag), props, children);

/** An element of SVG. */
export const s = (tag, props = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), props, children);

/** Set text where it differs, so that what is read aloud changes only when it should. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A canvas of a host's size, sharp on the screen that it is on; returns its context. */
export function prepare(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = Math.max(1, canvas.ownerDocument.defaultView?.devicePixelRatio ?? 1);
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** A button. */
export const button = (label, call, props = {}) =>
  h("button", { type: "button", on: { click: call }, ...props }, label);

/** Numbers behind a figure: a table that is filled when it is opened. */
export function numbers(title, rows) {
  const place = h("div", { class: "ns-scroll", tabindex: "0", role: "region", "aria-label": title });
  const details = h("details", { class: "ns-numbers" }, h("summary", { text: "Show numbers" }), place);
  const refill = () => {
    if (!details.open) return;
    const { head, body } = rows();
    const table = h(
      "table", {},
      h("caption", { text: title }),
      h("thead", {}, h("tr", {}, head.map((text) => h("th", { scope: "col", text })))),
      h("tbody", {}, body.map((row) => h("tr", {}, row.map((text, place_) =>
        place_ === 0 ? h("th", { scope: "row", text }) : h("td", { text })))))
    );
    place.replaceChildren(table);
  };
  details.addEventListener("toggle", refill);
  return { element: details, refresh: refill };
}
