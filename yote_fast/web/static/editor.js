// Sets up a position: pieces, hands, side to move, routes. Whether it is allowed the server says.

import { html, refill, svg } from "./svg.js";

const $ = (id) => document.getElementById(id);

export class Editor {
  // ask(setup) -> promise of a YFEN; onChange(): draw the board again; onDone(yfen), onCancel().
  constructor(position, { ask, onChange, onDone, onCancel }) {
    this.options = position.options;
    this.cols = position.cols;
    this.setup = structuredClone({
      board: position.board,
      turn: position.turn,
      hands: position.hands,
      royals: position.royals,
      must_drop: position.must_drop,
      supplies: position.supplies,
      routes: position.routes,
      phase: { placed: false, moved: false, actor: null, bonus: false },
    });
    Object.assign(this, { ask, onChange, onDone, onCancel });
    this.brush = "C";
    this.routeStart = null;
    this.yfen = position.yfen;
    this.error = "";
    this.asked = 0;
    this.draw();
    this.#changed();
  }

  // A square was clicked.
  press(square) {
    const setup = this.setup;
    if (this.brush === "=") {
      this.#pressRoute(square);
    } else {
      const squares = [...setup.board];
      const piece = squares[square] === this.brush ? "." : this.brush;
      // There is one royal of each side.
      if (piece === "R" || piece === "r") {
        const old = squares.indexOf(piece);
        if (old >= 0) squares[old] = ".";
        setup.royals[piece === "R" ? 0 : 1] = false;
      }
      squares[square] = piece;
      setup.board = squares.join("");
    }
    this.#changed();
  }

  #pressRoute(square) {
    const start = this.routeStart;
    this.routeStart = start === null ? square : null;
    if (start === null || start === square) return;
    const route = [Math.min(start, square), Math.max(start, square)];
    const known = this.setup.routes.findIndex((other) => other[0] === route[0] && other[1] === route[1]);
    if (known >= 0) this.setup.routes.splice(known, 1);
    else this.setup.routes.push(route);
  }

  async #changed() {
    this.draw();
    this.onChange();
    const number = ++this.asked;
    try {
      const yfen = await this.ask(this.setup);
      if (number !== this.asked) return;
      this.yfen = yfen;
      this.error = "";
    } catch (error) {
      if (number !== this.asked) return;
      this.error = error.message.replace(/^invalid position, /, "");
    }
    $("editor-error").textContent = this.error;
    $("editor-yfen").value = this.error ? "" : this.yfen;
    $("editor-done").disabled = Boolean(this.error);
  }

  #set(change) {
    change(this.setup);
    this.#changed();
  }

  draw() {
    const { setup, options } = this;
    const brushes = ["C", "c", ...(options.royal_caravan ? ["R", "r"] : []), ".", ...(options.trade_routes ? ["="] : [])];
    const parts = [
      html("h2", {}, "Set up a position"),
      html("div", { class: "palette", role: "radiogroup", "aria-label": "What a click places" }, ...brushes.map((brush) => this.#brush(brush))),
      html("p", { class: "hint" }, this.brush === "=" ? "Click the two ends of a route; once more takes it away." : "Click squares of the board to place pieces, once more to take them away."),
      html("fieldset", { class: "row" }, html("legend", {}, "To move"), ...["w", "b"].map((side) => this.#side(side))),
      ...[0, 1].map((side) => this.#hand(side)),
    ];
    if (options.drop_initiative) parts.push(this.#check("Must drop", setup.must_drop, (setup, on) => (setup.must_drop = on)));
    parts.push(
      html(
        "div",
        { class: "row" },
        html("button", { type: "button", onclick: () => this.#clear() }, "Empty board"),
        html("button", { type: "button", onclick: () => this.#start() }, "Start of a game"),
      ),
      html("p", { class: "error", id: "editor-error", role: "alert" }, this.error),
      html("label", { class: "wide" }, "YFEN ", html("input", { id: "editor-yfen", readonly: true })),
      html(
        "div",
        { class: "row end" },
        html("button", { type: "button", class: "plain", onclick: this.onCancel }, "Cancel"),
        html("button", { type: "button", class: "primary", id: "editor-done", onclick: () => this.onDone(this.yfen) }, "Done"),
      ),
    );
    refill($("editor"), parts);
    $("editor-yfen").value = this.error ? "" : this.yfen;
    $("editor-done").disabled = Boolean(this.error);
  }

  #brush(brush) {
    const names = { C: "White camel", c: "Black camel", R: "White royal", r: "Black royal", ".": "Eraser", "=": "Route" };
    const content = {
      ".": () => svg("svg", { viewBox: "0 0 24 24", class: "line" }, svg("path", { d: "M6 6l12 12M18 6L6 18" })),
      "=": () => svg("svg", { viewBox: "0 0 24 24", class: "line" }, svg("path", { d: "M5 19L19 5" })),
    };
    const picture = content[brush]?.() ?? svg("svg", { viewBox: "0 0 100 100" }, svg("use", { href: `#piece-${brush}`, width: 100, height: 100 }));
    const choose = () => {
      this.brush = brush;
      this.routeStart = null;
      this.draw();
    };
    return html("button", { type: "button", role: "radio", "aria-checked": String(this.brush === brush), "aria-label": names[brush], title: names[brush], onclick: choose }, picture);
  }

  #side(side) {
    const chosen = this.setup.turn === side;
    return html("label", {}, html("input", { type: "radio", name: "editor-side", checked: chosen, onchange: () => this.#set((setup) => (setup.turn = side)) }), side === "w" ? " White" : " Black");
  }

  #hand(side) {
    const name = side ? "Black" : "White";
    const parts = [this.#number(`${name}'s hand`, this.setup.hands[side], this.options.pieces, (setup, value) => (setup.hands[side] = value))];
    if (this.options.royal_caravan) {
      parts.push(this.#check("royal in hand", this.setup.royals[side], (setup, on) => (setup.royals[side] = on)));
    }
    if (this.options.trade_routes) {
      parts.push(this.#number(`${name}'s routes`, this.setup.supplies[side], this.options.trade_routes, (setup, value) => (setup.supplies[side] = value)));
    }
    return html("div", { class: "row" }, ...parts);
  }

  #number(title, value, max, write) {
    const step = (by) => html("button", { type: "button", class: "step", "aria-label": `${title}: ${by < 0 ? "one less" : "one more"}`, disabled: value + by < 0 || value + by > max, onclick: () => this.#set((setup) => write(setup, value + by)) }, by < 0 ? "−" : "+");
    return html("span", { class: "stepper" }, `${title} `, step(-1), html("output", {}, String(value)), step(1));
  }

  #check(title, value, write) {
    return html("label", {}, html("input", { type: "checkbox", checked: value, onchange: (event) => this.#set((setup) => write(setup, event.target.checked)) }), ` ${title}`);
  }

  #clear() {
    this.#set((setup) => Object.assign(setup, { board: ".".repeat(setup.board.length), hands: [0, 0], royals: [false, false], must_drop: false, routes: [] }));
  }

  #start() {
    const { pieces, royal_caravan: royal, trade_routes: routes } = this.options;
    const camels = pieces - (royal ? 1 : 0);
    this.#set((setup) =>
      Object.assign(setup, { board: ".".repeat(setup.board.length), turn: "w", hands: [camels, camels], royals: [royal, royal], must_drop: false, routes: [], supplies: [routes, routes] }),
    );
  }
}
