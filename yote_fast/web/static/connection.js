// The line to the server: questions with answers, and a stream of analysis.

const RETRY = [500, 1000, 2000, 5000];

export class Connection extends EventTarget {
  #socket = null;
  #next = 1;
  #waiting = new Map();
  #tries = 0;

  constructor() {
    super();
    this.#open();
  }

  #open() {
    const address = new URL("api/session", document.baseURI);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    this.#socket = new WebSocket(address);
    this.#socket.addEventListener("message", (event) => this.#hear(JSON.parse(event.data)));
    this.#socket.addEventListener("close", () => this.#lost());
  }

  #hear(message) {
    const waiting = this.#waiting.get(message.id);
    if (message.type === "hello") {
      this.#tries = 0;
      this.#emit("hello", message);
    } else if (message.type === "refused") {
      this.#emit("refused", message);
    } else if (waiting) {
      this.#waiting.delete(message.id);
      if (message.type === "error") waiting.reject(new Error(message.message));
      else waiting.resolve(message);
    } else {
      this.#emit(message.type, message);
    }
  }

  #lost() {
    for (const { reject } of this.#waiting.values()) reject(new LostError());
    this.#waiting.clear();
    this.#emit("lost", {});
    setTimeout(() => this.#open(), RETRY[Math.min(this.#tries++, RETRY.length - 1)]);
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  get isOpen() {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  // Say something that has no single answer; returns its number, which what follows from it bears.
  tell(type, values = {}) {
    const id = this.#next++;
    if (this.isOpen) this.#socket.send(JSON.stringify({ type, id, ...values }));
    return id;
  }

  // Ask, and wait for the answer.
  ask(type, values) {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) return reject(new LostError());
      this.#waiting.set(this.tell(type, values), { resolve, reject });
    });
  }
}

export class LostError extends Error {
  constructor() {
    super("The server cannot be reached.");
  }
}
