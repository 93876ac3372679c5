// Numbers as people read them.

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** A number with three significant digits, and no more than it needs. */
export function number(value, digits = 3) {
  if (!isNumber(value)) return "not known";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace("e+", "e");
  if (size >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(digits)));
}

/** A test error. */
export function error(value) {
  if (!isNumber(value)) return "–";
  if (value !== 0 && Math.abs(value) < 1e-3) return value.toExponential(1);
  return value.toFixed(value < 0.1 ? 4 : 3);
}

/** A standard error, with one or two digits; what is tiny is bounded. */
export function uncertainty(value) {
  if (!isNumber(value)) return "not known";
  if (value === 0) return "0 (to rounding)";
  if (value < 1e-4) return value.toExponential(0);
  return String(Number(value.toPrecision(2)));
}

/** A value with its standard error. */
export function withError(value, se) {
  if (!isNumber(value)) return "not known";
  if (!isNumber(se)) return error(value);
  if (se < 1e-6) return `${value.toExponential(3)} ± ${se.toExponential(0)}`;
  const places = Math.min(7, Math.max(1, 1 - Math.floor(Math.log10(se))));
  return `${value.toFixed(places)} ± ${se.toFixed(places)}`;
}

/** A value for a field: short, and the same number again when read. */
export const field = (value) =>
  isNumber(value) ? String(Number(value.toPrecision(6))) : "";

/** Ticks of an axis. */
export function ticks(low, high, log) {
  if (!(high > low)) return [];
  if (!log) {
    const raw = (high - low) / 6;
    const unit = 10 ** Math.floor(Math.log10(raw));
    const step = unit * [1, 2, 5, 10].find((times) => times * unit >= raw);
    const places = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k += 1)
      places.push(Number((k * step).toPrecision(12)));
    return places;
  }
  const decades = Math.log10(high / low);
  const mantissas = decades < 0.8 ? [1, 1.5, 2, 3, 4, 5, 7] : decades < 3.2 ? [1, 2, 5] : [1];
  const places = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k += 1)
    for (const m of mantissas) {
      const value = Number((m * 10 ** k).toPrecision(6));
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) places.push(value);
    }
  return places;
}

/** The label of a tick. */
export function tick(value) {
  const size = Math.abs(value);
  if (size >= 1e5) return value.toExponential(0).replace("e+", "e");
  if (size >= 1000) return value.toLocaleString("en");
  if (size !== 0 && size < 1e-3) return value.toExponential(0);
  return String(Number(value.toPrecision(3)));
}
