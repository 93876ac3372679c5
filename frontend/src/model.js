// anywidget's model without a notebook: values that are told of, and messages from a host.

export class Model {
  constructor(host) {
    this.values = { host };
    this.handlers = new Map();
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    const pairs = typeof name === "object" ? Object.entries(name) : [[name, value]];
    for (const [key, item] of pairs) {
      if (this.values[key] === item) continue;
      this.values[key] = item;
      this.emit(`change:${key}`);
    }
  }

  save_changes() {}

  on(event, handler) {
    if (!this.handlers.has(event)) this.handlers.set(event, new Set());
    this.handlers.get(event).add(handler);
  }

  off(event, handler) {
    if (event === undefined) this.handlers.clear();
    else if (handler) this.handlers.get(event)?.delete(handler);
    else this.handlers.delete(event);
  }

  emit(event, ...rest) {
    for (const handler of [...(this.handlers.get(event) ?? [])]) handler(...rest);
  }
}
