// The figure as a file: one list of shapes, written as SVG or drawn on a canvas for PNG.

import { withError } from "./format.js";
import { apart } from "./picture.js";
import { alphaOf, scaleOf, worstOf } from "./state.js";
import { KIND_OF, KINDS, LABELS, LISTED, STROKES } from "./theme.js";

const WIDTH = 760;
const HEIGHT = 480;
const BOX = { left: 66, top: 44, right: WIDTH - 130, bottom: HEIGHT - 92 };

/** The shapes of a picture, in these colours. */
export function shapes(picture, colours) {
  const { x: xs, y: ys } = picture.scales();
  const place = (value, [low, high], log) =>
    log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  const X = (value) => BOX.left + place(value, xs, true) * (BOX.right - BOX.left);
  const Y = (value) => BOX.bottom - Math.min(1.02, Math.max(0, place(Math.max(value, 1e-12), ys, picture.log))) * (BOX.bottom - BOX.top);
  const items = [{ type: "rect", x: 0, y: 0, width: WIDTH, height: HEIGHT, fill: colours.panel }];
  const text = (x, y, content, more = {}) =>
    items.push({ type: "text", x, y, text: content, size: 12, fill: colours.muted, anchor: "start", ...more });
  const path = (points, stroke, width, more = {}) =>
    items.push({ type: "path", points, stroke, width, dash: [], ...more });
  const { x, y } = picture.ticks();
  for (const value of x) {
    path([[X(value), BOX.top], [X(value), BOX.bottom]], colours.grid, 1);
    text(X(value), BOX.bottom + 18, picture.tick(value), { anchor: "middle" });
  }
  for (const value of y) {
    path([[BOX.left, Y(value)], [BOX.right, Y(value)]], colours.grid, 1);
    text(BOX.left - 8, Y(value) + 4, picture.tick(value), { anchor: "end" });
  }
  text(BOX.left, 24, picture.title(), { fill: colours.ink, size: 13 });
  text((BOX.left + BOX.right) / 2, BOX.bottom + 38, picture.axisTitle(), { anchor: "middle" });
  text(18, (BOX.top + BOX.bottom) / 2, "test error", { anchor: "middle", turned: true });
  const worst = Y(worstOf(picture.state));
  path([[BOX.left, worst], [BOX.right, worst]], colours.muted, 1);
  text(BOX.right - 2, worst - 4, "constant answer", { size: 11, anchor: "end" });
  const times = scaleOf(picture.state);
  const here = X(alphaOf(picture.state) * times);
  if (here >= BOX.left && here <= BOX.right) path([[here, BOX.top], [here, BOX.bottom]], colours.glow, 6);
  const ends = [];
  for (const name of [...LISTED].reverse()) {
    const curve = picture.curve(name);
    if (!curve) continue;
    for (const points of runs(curve, ys[0]).map((run) => run.map(([a, b]) => [X(a), Y(b)])))
      path(points, colours[name], STROKES[name].width, { dash: STROKES[name].dash, smooth: true });
    const last = curve.y.findLast((value) => value !== null);
    if (last !== undefined && last >= ys[0]) ends.push({ name, y: Y(last) });
  }
  for (const dot of picture.dots.values()) {
    const px = X(dot.x * times);
    if (dot.se) {
      const [low, high] = [Y(Math.max(dot.y - 2 * dot.se, 1e-9)), Y(dot.y + 2 * dot.se)];
      path([[px, low], [px, high]], colours.ink, 1.5);
      for (const end of [low, high]) path([[px - 4, end], [px + 4, end]], colours.ink, 1.5);
    }
    items.push({ type: "circle", x: px, y: Y(dot.y), r: 4.5, fill: colours.panel, stroke: colours[dot.name], width: 2.5, title: `${LABELS[dot.name]}: ${withError(dot.y, dot.se)}` });
  }
  for (const { name, y: at } of apart(ends, 15, BOX.top + 4, BOX.bottom - 4))
    text(BOX.right + 8, at + 4, LABELS[name], { fill: colours[name] });
  legend(picture, colours, text, path);
  return items;
}

/** The kinds of error and the strokes that stand for them. */
function legend(picture, colours, text, path) {
  let left = BOX.left;
  const y = HEIGHT - 20;
  for (const [kind, title] of KINDS) {
    const names = LISTED.filter((name) => KIND_OF[name] === kind && picture.lines.has(name));
    if (names.length === 0) continue;
    path([[left, y - 4], [left + 34, y - 4]], colours[names[0]], STROKES[names[0]].width, { dash: STROKES[names[0]].dash });
    const list = names.map((name) => LABELS[name]).join(", ");
    const label = names.length === 1 ? title : kind === "bayes" ? list : `${title}: ${list}`;
    text(left + 40, y, label, { fill: colours.ink });
    left += 64 + label.length * 6.2;
  }
}

/** The parts of a curve between places where it is not known or below the axis. */
function runs({ x, y }, low) {
  const parts = [[]];
  const below = (value) => value === undefined || value === null || value < low;
  y.forEach((value, k) => {
    if (value === null || (below(value) && below(y[k - 1]) && below(y[k + 1]))) parts.push([]);
    else parts[parts.length - 1].push([x[k], value]);
  });
  return parts.filter((part) => part.length > 1);
}

/** A smooth curve through points that never turns where they do not: cubic, monotone. */
function bends(points) {
  const n = points.length;
  if (n < 3) return null;
  const step = points.slice(1).map(([x], k) => x - points[k][0]);
  const rise = points.slice(1).map(([, y], k) => (y - points[k][1]) / step[k]);
  const slope = points.map((_, k) => {
    if (k === 0) return rise[0];
    if (k === n - 1) return rise[n - 2];
    if (rise[k - 1] * rise[k] <= 0) return 0;
    const [a, b] = [2 * step[k] + step[k - 1], step[k] + 2 * step[k - 1]];
    return (a + b) / (a / rise[k - 1] + b / rise[k]);
  });
  return points.slice(1).map(([x, y], k) => {
    const [x0, y0] = points[k];
    const third = step[k] / 3;
    return [x0 + third, y0 + slope[k] * third, x - third, y - slope[k + 1] * third, x, y];
  });
}

const escaped = (value) =>
  String(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const short = (value) => Number(value.toFixed(2));

/** The shapes as the text of an SVG file. */
export function toSvg(items, description) {
  const parts = items.map((item) => {
    if (item.type === "rect")
      return `<rect width="${item.width}" height="${item.height}" fill="${escaped(item.fill)}"/>`;
    if (item.type === "circle")
      return `<circle cx="${short(item.x)}" cy="${short(item.y)}" r="${item.r}" fill="${escaped(item.fill)}" stroke="${escaped(item.stroke)}" stroke-width="${item.width}"><title>${escaped(item.title)}</title></circle>`;
    if (item.type === "text") {
      const turn = item.turned ? ` transform="rotate(-90 ${short(item.x)} ${short(item.y)})"` : "";
      return `<text x="${short(item.x)}" y="${short(item.y)}" font-size="${item.size}" fill="${escaped(item.fill)}" text-anchor="${item.anchor}"${turn}>${escaped(item.text)}</text>`;
    }
    const bent = item.smooth ? bends(item.points) : null;
    const start = `M${item.points[0].map(short).join(" ")}`;
    const rest = bent
      ? bent.map((part) => `C${part.map(short).join(" ")}`).join("")
      : item.points.slice(1).map((point) => `L${point.map(short).join(" ")}`).join("");
    const dash = item.dash.length ? ` stroke-dasharray="${item.dash.join(" ")}"` : "";
    return `<path d="${start}${rest}" fill="none" stroke="${escaped(item.stroke)}" stroke-width="${item.width}"${dash}/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, Helvetica, Arial, sans-serif" role="img">\n<desc>${escaped(description)}</desc>\n${parts.join("\n")}\n</svg>\n`;
}

/** A canvas with the shapes, twice as fine as the SVG. */
export function toCanvas(items, times = 2) {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH * times;
  canvas.height = HEIGHT * times;
  const context = canvas.getContext("2d");
  context.scale(times, times);
  for (const item of items) {
    context.setLineDash(item.dash ?? []);
    if (item.type === "rect") {
      context.fillStyle = item.fill;
      context.fillRect(item.x, item.y, item.width, item.height);
    } else if (item.type === "text") {
      context.save();
      context.font = `${item.size}px system-ui, Helvetica, Arial, sans-serif`;
      context.fillStyle = item.fill;
      context.textAlign = { start: "left", middle: "center", end: "right" }[item.anchor];
      context.translate(item.x, item.y);
      if (item.turned) context.rotate(-Math.PI / 2);
      context.fillText(item.text, 0, 0);
      context.restore();
    } else {
      context.beginPath();
      if (item.type === "circle") context.arc(item.x, item.y, item.r, 0, 2 * Math.PI);
      else {
        const bent = item.smooth ? bends(item.points) : null;
        context.moveTo(...item.points[0]);
        if (bent) for (const part of bent) context.bezierCurveTo(...part);
        else for (const point of item.points.slice(1)) context.lineTo(...point);
      }
      if (item.fill) {
        context.fillStyle = item.fill;
        context.fill();
      }
      context.strokeStyle = item.stroke;
      context.lineWidth = item.width;
      context.stroke();
    }
  }
  return canvas;
}
