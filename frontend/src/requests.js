// Requests: the newest state wins. At most one coarse request is under way; the newest that waits
// replaces older ones. When the controls rest, the fine lines are asked for, and then the map.

import { Cache } from "./cache.js";
import { keyOf } from "./state.js";

const REST = 150; // milliseconds without a move, after which fine lines are asked for
const HURRIED = 2; // coarse requests in a row that a newer one may cut short
const LAST_TRAINED = "vectorized"; // the line after which a coarse request may be cut short
const LOST = 8000; // milliseconds after which an answer is no longer waited for

export class Requests {
  /** `to` has a call for each kind of answer: line, point, bag, map, refused, failed, state ... */
  constructor(model, to) {
    this.model = model;
    this.to = to;
    this.id = Date.now() * 1000 + Math.floor(Math.random() * 1000);
    this.open = new Map(); // of requests, by their ids
    this.slots = { coarse: null, bag: null }; // one request each is under way
    this.next = { coarse: null, bag: null }; // and one may wait
    this.cache = new Cache();
    this.hurried = 0;
    this.state = null;
    this.timer = 0;
    this.receive = (answer) => this._receive(answer);
    model.on("msg:custom", this.receive);
  }

  close() {
    clearTimeout(this.timer);
    for (const [id, request] of this.open)
      if (["train", "plan", "map"].includes(request.type)) this._send("cancel", { of: id });
    this.model.off?.("msg:custom", this.receive);
    this.open.clear();
  }

  /** Ask, and have each answer to it given to `each`. */
  ask(type, fields, each) {
    return this._send(type, fields, { type, each });
  }

  cancel(id) {
    if (this.open.has(id)) this._send("cancel", { of: id });
  }

  /** Show this state: now in coarse lines, in fine ones as soon as it rests. */
  follow(state, seed, rest = REST) {
    this.state = state;
    this.key = keyOf(state);
    clearTimeout(this.timer);
    this._stop("map");
    this._bag(state, seed);
    const fine = this.cache.get(`fine|${this.key}`);
    if (fine) {
      this._ignoreLines();
      this._replay(fine);
      this.timer = setTimeout(() => this._map(), rest);
      return;
    }
    const coarse = this.cache.get(`coarse|${this.key}`);
    if (coarse) {
      this._ignoreLines();
      this._replay(coarse);
    } else {
      this._ignoreFine();
      this._put("coarse", () => this._curves(state, "coarse"));
    }
    this.timer = setTimeout(() => this._fine(), rest);
  }

  /** Another draw of the bag. */
  draw(state, seed) {
    this._bag(state, seed);
  }

  _send(type, fields, request) {
    this.id += 1;
    const id = this.id;
    if (request) this.open.set(id, { id, sent: performance.now(), ...request });
    this.model.send({ type, id, ...fields });
    return id;
  }

  /** Send now, or after the answer that is under way, unless a newer one comes in between. */
  _put(slot, send) {
    const running = this.open.get(this.slots[slot]);
    if (running && performance.now() - running.sent < LOST) this.next[slot] = send;
    else this.slots[slot] = send();
  }

  _free(slot) {
    const send = this.next[slot];
    this.next[slot] = null;
    this.slots[slot] = send ? send() : null;
  }

  _curves(state, precision) {
    this.to.busy(true);
    return this._send("curves", { state, precision }, {
      type: "curves", precision, state, key: keyOf(state), answers: [], slot: precision === "coarse" ? "coarse" : null,
    });
  }

  _fine() {
    if (this.slots.coarse !== null && this.open.has(this.slots.coarse)) {
      this.timer = setTimeout(() => this._fine(), 30);
      return;
    }
    if (this.refusedKey === this.key) return;
    this.to.rested(this.state);
    this._curves(this.state, "fine");
  }

  _bag(state, seed) {
    const key = `bag|${seed}|${keyOf(state)}`;
    const known = this.cache.get(key);
    if (known) {
      this.next.bag = null;
      for (const request of this.open.values()) if (request.type === "bag") request.ignored = true;
      this.to.bag(known);
      return;
    }
    this._put("bag", () => this._send("bag", { state, seed }, { type: "bag", key, slot: "bag" }));
  }

  _map() {
    const key = `map|${this.key}`;
    const known = this.cache.get(key);
    if (known) this.to.map(known);
    else {
      this.to.map(null);
      this._send("map", { state: this.state }, { type: "map", key });
    }
  }

  _stop(type) {
    for (const request of this.open.values())
      if (request.type === type && !request.ignored) {
        request.ignored = true;
        this._send("cancel", { of: request.id });
      }
  }

  _ignoreFine() {
    for (const request of this.open.values())
      if (request.precision === "fine") request.ignored = true;
  }

  _ignoreLines() {
    this.next.coarse = null;
    for (const request of this.open.values()) if (request.type === "curves") request.ignored = true;
  }

  _replay({ answers, precision }) {
    this.id += 1;
    const request = { id: this.id, key: this.key, state: this.state, precision };
    this.to.busy(false);
    this.to.accepted();
    for (const answer of answers) this.to[answer.type]?.(answer, request);
    this.to.drawn(request);
  }

  _receive(answer) {
    const request = this.open.get(answer.id);
    if (!request) {
      if (answer.id === 0 && answer.text) this.to.failed(answer, {});
      return;
    }
    if (answer.type === "done") this.open.delete(answer.id);
    if (request.each) {
      request.each(answer);
      return;
    }
    if (request.type === "curves") this._line(answer, request);
    else if (request.type === "bag" && answer.type === "bag") {
      this.cache.set(request.key, answer);
      if (!request.ignored) this.to.bag(answer);
    } else if (request.type === "map" && answer.type === "map") {
      this.cache.set(request.key, answer);
      if (!request.ignored) this.to.map(answer);
    } else if (answer.type === "failed" && !request.ignored) this.to.failed(answer, request);
    if (answer.type === "done" && request.slot && this.slots[request.slot] === request.id)
      this._free(request.slot);
  }

  /** Send the state that waits once the trained lines are there; now and then wait for them all. */
  _hurry(answer, request) {
    if (answer.name !== LAST_TRAINED || request.id !== this.slots.coarse) return;
    if (!this.next.coarse || this.hurried >= HURRIED) return;
    this.hurried += 1;
    this._free("coarse");
    this.to.cut(request);
  }

  _line(answer, request) {
    const current = request.key === this.key;
    if (answer.type === "line" || answer.type === "point") {
      request.answers.push(answer);
      if (!request.ignored) {
        if (current) this.to.accepted();
        this.to[answer.type](answer, request);
      }
      this._hurry(answer, request);
    } else if (answer.type === "refused" || answer.type === "failed") {
      request.refused = true;
      if (current && !request.ignored) {
        if (answer.type === "refused") this.refusedKey = request.key;
        this.to[answer.type](answer, request);
      }
    } else if (answer.type === "done") {
      if (!answer.cancelled && !request.refused)
        this.cache.set(`${request.precision}|${request.key}`, request);
      if (!answer.cancelled && request.precision === "coarse") this.hurried = 0;
      for (const [id, older] of this.open) // what was replaced before it began has no last answer
        if (older.type === "curves" && id < request.id) this.open.delete(id);
      if (request.ignored || !current) return;
      if (!request.refused && !answer.cancelled) this.to.drawn(request);
      if (request.precision === "fine" && !answer.cancelled) {
        this.to.busy(false);
        this._map();
      }
      if (request.refused) this.to.busy(false);
    }
  }
}
