// The most recent answers: what was not asked for longest is forgotten first.

export class Cache {
  constructor(most = 60) {
    this.most = most;
    this.items = new Map();
  }

  get(key) {
    const item = this.items.get(key);
    if (item !== undefined) {
      this.items.delete(key);
      this.items.set(key, item);
    }
    return item;
  }

  set(key, item) {
    this.items.delete(key);
    this.items.set(key, item);
    if (this.items.size > this.most) this.items.delete(this.items.keys().next().value);
  }
}
