// The page of `needlescope live`: anywidget's model, over a WebSocket.
//
// A session keeps nothing between requests. So when a connection is lost and found again, the newest
// unanswered request of each quick type is asked again, and a long one ends with a sentence.

import explorer, { Model } from "./explorer.js";

const QUICK = ["hello", "curves", "bag", "map", "script"];
const GONE_QUIET = 4000;
const FIRST_WAIT = 250, LONGEST_WAIT = 5000; // milliseconds between tries to connect

const notice = document.getElementById("connection");
const token = new URLSearchParams(location.search).get("token") ?? "";
const address = `ws://${location.host}/talk?token=${encodeURIComponent(token)}`;

function say(text) {
  notice.textContent = text;
  notice.hidden = text === "";
}

class LiveModel extends Model {
  constructor() {
    super("live");
    this.open = new Map(); // requests without a last answer, by type
    this.wait = FIRST_WAIT;
    this.connect();
  }

  send(message) {
    if (message.type !== "cancel") this.open.set(message.type, message);
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else if (this.quiet) this.connect();
  }

  connect() {
    this.quiet = false;
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.addEventListener("open", () => {
      say("");
      this.wait = FIRST_WAIT;
      for (const message of this.open.values()) socket.send(JSON.stringify(message));
    });
    socket.addEventListener("message", (event) => this.receive(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => this.lost(event));
  }

  receive(answer) {
    const last = ["done", "welcome"].includes(answer.type);
    for (const [type, message] of this.open) {
      if (message.id === answer.id && last) this.open.delete(type);
    }
    this.emit("msg:custom", answer, []);
  }

  lost(event) {
    for (const [type, message] of this.open) {
      if (QUICK.includes(type)) continue;
      this.open.delete(type);
      this.receive({ type: "failed", id: message.id, text: "the connection was lost" });
      this.receive({ type: "done", id: message.id, seconds: 0, cancelled: true });
    }
    if (event.code === GONE_QUIET && this.open.size === 0) {
      this.quiet = true; // asks again when there is something to ask
      return;
    }
    say("No answer from needlescope live. If it has ended, start it again and open the new address.");
    setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }
}

const model = new LiveModel();
const el = document.getElementById("explorer");
const host = typeof explorer === "function" ? await explorer() : explorer;
await host.initialize?.({ model });
await host.render({ model, el });
