// The page: the game, what is shown of it, and what clicks and keys do.

import { AnalysisView, arrowOf } from "./analysis.js";
import { BoardView } from "./board.js";
import { Connection, LostError } from "./connection.js";
import { RulesDialog, choosePlay, openHelp, openShare } from "./dialogs.js";
import { Editor } from "./editor.js";
import { Entry } from "./entry.js";
import { readFragment, readGame, writeFragment, writeGame } from "./gametext.js";
import { drawMoves } from "./movelist.js";
import { KIND_NAMES } from "./notation.js";
import { drawSeat } from "./seats.js";
import { html, refill } from "./svg.js";
import { Tree } from "./tree.js";

const $ = (id) => document.getElementById(id);
const SIDE_NAMES = { w: "White", b: "Black" };

const connection = new Connection();
const board = new BoardView($("board"), (square) => app.press(square));
const analysisView = new AnalysisView({ onLine: (moves) => app.playLine(moves), onHover: (line) => app.pointAt(line) });
const rulesDialog = new RulesDialog((preset, values) => connection.ask("rules", { preset, values }));

class App {
  tree = new Tree("yote");
  shown = null; // the position on the board
  entry = null; // the move being clicked
  flipped = false;
  editor = null;
  playing = null; // { side, seconds } of the engine
  analysis = null; // the number of the analysis that runs
  thinking = null; // the number of the analysis for the engine's move
  ahead = null; // the analysis of a position that is not shown yet
  latest = null; // what the analysis said last
  pointed = null; // the line under the pointer
  navigation = 0;
  busy = false;

  // The game ------------------------------------------------------------------------------------------------------------------------

  async start() {
    let tree = null;
    try {
      tree = readFragment(location.hash);
    } catch (error) {
      this.complain(error.message);
    }
    if (!(tree && (await this.load(tree)))) await this.load(new Tree("yote"));
  }

  // Show another game; false if the server refuses it.
  async load(tree) {
    const old = this.tree;
    try {
      await this.complete(tree);
    } catch (error) {
      this.complain(error.message);
      return false;
    }
    this.tree = tree;
    if (old.rules !== tree.rules) this.entry = null;
    this.shown = null;
    await this.goTo(tree.current);
    return true;
  }

  // Have the server check all lines, and learn who makes which move.
  async complete(tree) {
    for (const leaf of tree.leaves) await this.fetch(tree, leaf);
  }

  async fetch(tree, node) {
    if (!node.position) {
      const { position } = await connection.ask("position", { rules: tree.rules, yfen: tree.yfen, moves: node.moves });
      node.position = position;
      node.path.forEach((step, i) => (step.side = position.sides[i]));
    }
    return node.position;
  }

  async goTo(node) {
    const number = ++this.navigation;
    let position;
    this.setBusy(true);
    try {
      const fetching = this.fetch(this.tree, node);
      this.thinkAhead(node);
      position = await fetching;
    } catch (error) {
      if (!(error instanceof LostError)) this.complain(error.message);
    }
    if (number !== this.navigation) return;
    this.setBusy(false);
    if (!position) return;
    const before = this.shown;
    this.tree.current = node;
    this.shown = position;
    this.entry = new Entry(position.legal, position.cols);
    this.latest = this.pointed = null;
    const stepped = before && node.parent && node.parent.position === before;
    this.draw(stepped ? { ...position.last, before: before.board } : null);
    this.drawPanel();
    this.think();
  }

  // While the server is asked, clicks do not count: they would be about the position before.
  setBusy(busy) {
    this.busy = busy;
    $("board").setAttribute("aria-busy", String(busy));
  }

  play(text) {
    return this.goTo(this.tree.current.child(text));
  }

  playLine(moves) {
    return this.goTo(this.tree.add(moves));
  }

  undo() {
    const { tree } = this;
    if (!tree.current.parent) return;
    tree.remove(tree.current);
    // Against the engine, its answer and the own move go together.
    while (this.playing && tree.current.parent && tree.current.position?.turn === this.playing.side) tree.remove(tree.current);
    this.goTo(tree.current);
  }

  // The engine ----------------------------------------------------------------------------------------------------------------------

  get engineOn() {
    return $("engine-on").checked;
  }

  // Ask for the analysis of a position along with the position itself, so that its first lines come sooner.
  thinkAhead(node) {
    this.ahead = null;
    if (node.position || !this.engineOn || this.editor || this.playing) return;
    const id = connection.tell("analyse", { ...this.question(node), lines: Number($("line-count").value) });
    this.ahead = { id, node, message: null };
  }

  question(node) {
    return { rules: this.tree.rules, yfen: this.tree.yfen, moves: node.moves };
  }

  think() {
    const { ahead } = this;
    this.ahead = null;
    const isAhead = ahead !== null && ahead.node === this.tree.current && !this.editor && this.engineOn && !this.playing;
    if (!isAhead) connection.tell("stop");
    this.analysis = this.thinking = null;
    const position = this.shown;
    if (!position) return;
    analysisView.clear();
    analysisView.drawExact(position.exact, (text) => this.play(text));
    const ended = { "1-0": [1, "1-0"], "0-1": [0, "0-1"], "1/2-1/2": [0.5, "½"] }[position.result];
    analysisView.drawGauge(...(ended ?? [null, ""]), this.flipped);
    if (ended || this.editor) return;
    const question = this.question(this.tree.current);
    if (isAhead) {
      this.analysis = ahead.id;
      if (ahead.message) this.hearLines(ahead.message);
    } else if (this.isEnginesTurn()) {
      this.thinking = connection.tell("analyse", { ...question, lines: 1, seconds: this.playing.seconds });
    } else if (this.engineOn) {
      this.analysis = connection.tell("analyse", { ...question, lines: Number($("line-count").value) });
    } else {
      analysisView.clear("The engine is off");
    }
  }

  isEnginesTurn() {
    return this.playing !== null && this.shown.turn === this.playing.side && !this.tree.current.children.length && !this.shown.termination;
  }

  hearLines(message) {
    if (message.id === this.thinking) {
      if (!message.done) return;
      this.thinking = null;
      if (message.lines.length) this.play(message.lines[0].pv[0]);
      else this.complain(message.error ?? "The engine found no move.");
    } else if (message.id === this.analysis) {
      this.latest = message;
      analysisView.draw(message, this.flipped);
      this.drawArrows();
    } else if (message.id === this.ahead?.id) {
      this.ahead.message = message;
    }
  }

  pointAt(line) {
    this.pointed = line;
    this.drawArrows();
  }

  arrows() {
    if (!this.latest || !this.entry.isIdle) return [];
    const lines = this.latest.lines.map((line, rank) => ({ text: line.pv[0], rank }));
    const chosen = this.pointed === null ? lines.slice(0, 3) : lines.filter((line) => line.rank === this.pointed);
    const arrows = chosen.map(({ text, rank }) => arrowOf(text, this.shown, this.pointed === null ? rank : 0));
    return arrows.filter((arrow) => arrow.squares.length || arrow.route);
  }

  drawArrows() {
    board.drawArrows(this.editor ? [] : this.arrows());
  }

  playBest() {
    if (this.latest?.lines.length && !this.editor) this.play(this.latest.lines[0].pv[0]);
  }

  // Clicks --------------------------------------------------------------------------------------------------------------------------

  get canAct() {
    return Boolean(this.shown && !this.busy && !this.editor && !this.shown.termination && !this.isEnginesTurn());
  }

  press(square) {
    if (this.editor) return this.editor.press(square);
    if (this.canAct) this.afterPress(this.entry.pressSquare(square));
  }

  // What every click on the board, a hand or a button comes to: a whole move, or a part of one.
  afterPress(text) {
    if (text) return this.play(text);
    this.draw();
  }

  pressDone() {
    const { done, pass } = this.entry.options();
    if (this.canAct && (done || pass)) this.play(done ?? pass);
  }

  cancel() {
    this.entry?.reset();
    this.draw();
  }

  // Drawing -------------------------------------------------------------------------------------------------------------------------

  draw(animate = null) {
    if (!this.shown) return;
    if (this.editor) this.drawEditor();
    else this.drawPosition(animate);
  }

  drawPosition(animate) {
    const position = this.shown;
    const { entry } = this;
    const can = this.canAct ? entry.options() : null;
    const preview = entry.preview(position.board);
    const { marks, descriptions } = markSquares(can, entry, preview.board);
    board.draw(
      {
        rows: position.rows,
        cols: position.cols,
        flipped: this.flipped,
        board: preview.board,
        routes: position.routes,
        last: entry.path.length > 1 ? null : position.last,
        taken: preview.taken,
        selected: entry.path.at(-1) ?? null,
        marks,
        descriptions,
        arrows: this.arrows(),
      },
      animate,
    );
    this.drawSeats(can, preview);
    this.drawPrompt(can);
  }

  drawSeats(can, preview) {
    const position = this.shown;
    const [top, bottom] = this.flipped ? ["w", "b"] : ["b", "w"];
    for (const [root, side] of [[$("seat-top"), top], [$("seat-bottom"), bottom]]) {
      const at = side === "w" ? 0 : 1;
      const own = can !== null && side === position.turn;
      const isEngine = this.playing?.side === side;
      drawSeat(root, {
        side,
        name: this.playing ? `${SIDE_NAMES[side]} (${isEngine ? "engine" : "you"})` : null,
        toMove: side === position.turn && !position.termination,
        obliged: side === position.turn && position.obliged,
        camels: position.hands[at],
        royal: position.options.royal_caravan ? position.royals[at] : null,
        supply: position.options.trade_routes ? position.supplies[at] : null,
        canCamel: own && can.camel && this.entry.path.length < 2,
        canRoyal: own && can.royal && this.entry.path.length < 2,
        tool: own ? this.entry.tool : null,
        canRemove: can !== null && !own && can.enemyHand,
        taken: side !== position.turn ? preview.fromHand : 0,
        onCamel: () => this.pressHand("@"),
        onRoyal: () => this.pressHand("R@"),
        onRemove: () => this.pressEnemyHand(),
      });
    }
  }

  pressHand(kind) {
    if (!this.canAct) return;
    this.entry.pressHand(kind);
    this.afterPress(null);
  }

  pressEnemyHand() {
    if (this.canAct) this.afterPress(this.entry.pressEnemyHand());
  }

  pressRoute() {
    if (!this.canAct || !this.entry.options().route) return;
    this.entry.pressRoute();
    this.afterPress(null);
  }

  drawPrompt(can) {
    $("prompt-text").textContent = can ? promptText(can, this.entry, this.shown) : this.isEnginesTurn() ? "The engine is thinking…" : "";
    const buttons = [];
    const add = (text, onclick, name = "") => buttons.push(html("button", { type: "button", class: name, onclick }, text));
    if (can) {
      for (const kind of can.kinds) add(KIND_NAMES[kind], () => this.afterPress(this.entry.pressKind(kind)), "primary");
      if (can.route && this.entry.path.length < 2) add(this.entry.tool === "=" ? "No route" : "Place a route", () => this.pressRoute());
      if (can.done) add("Done", () => this.pressDone(), "primary");
      else if (can.pass && this.entry.isIdle) add(this.shown.phase.actor === null ? "Pass" : "End turn", () => this.pressDone(), "primary");
      if (!this.entry.isIdle) add("Cancel", () => this.cancel(), "plain");
    }
    const hadFocus = $("prompt-buttons").contains(document.activeElement);
    refill($("prompt-buttons"), buttons);
    if (hadFocus && !$("prompt-buttons").contains(document.activeElement)) board.focus(this.entry?.path.at(-1) ?? 0);
  }

  drawPanel() {
    const position = this.shown;
    $("status").textContent = statusText(position);
    $("status").className = position.termination ? "over" : "";
    $("spoken").textContent = (position.last ? `${position.last.text}. ` : "") + statusText(position);
    $("rules-button").textContent = rulesTitle(position.rules);
    drawMoves($("move-list"), this.tree, (node) => this.goTo(node));
    const { current } = this.tree;
    $("first").disabled = $("previous").disabled = $("undo").disabled = !current.parent;
    $("next").disabled = $("last").disabled = !current.children.length;
    $("promote").disabled = !current.path.some((node) => node !== node.parent.children[0]);
    $("playing").hidden = !this.playing;
    if (this.playing) $("playing").firstElementChild.textContent = `You play ${this.playing.side === "w" ? "Black" : "White"}`;
    $("legal-moves").replaceChildren(...position.legal.slice(0, 500).map((text) => html("option", { value: text })));
    document.title = `${rulesTitle(position.rules)} · Yoté analysis board`;
    if (!this.editor) this.writeAddress();
  }

  writeAddress() {
    const fragment = writeFragment(this.tree);
    try {
      history.replaceState(null, "", fragment);
    } catch {
      // Some browsers refuse many changes in a short time; the next one will do.
    }
  }

  complain(text) {
    $("banner").firstElementChild.textContent = text;
    $("banner").hidden = false;
  }

  // Setting up ----------------------------------------------------------------------------------------------------------------------

  openEditor() {
    if (!this.shown || this.editor) return;
    this.playing = null;
    this.editor = {};
    this.think();
    this.editor = new Editor(this.shown, {
      ask: async (setup) => (await connection.ask("setup", { rules: this.tree.rules, setup })).yfen,
      onChange: () => this.drawEditor(),
      onDone: (yfen) => this.closeEditor(yfen),
      onCancel: () => this.closeEditor(null),
    });
    $("panel").hidden = true;
    $("editor").hidden = false;
    $("setup-button").setAttribute("aria-pressed", "true");
    this.drawEditor();
  }

  async closeEditor(yfen) {
    this.editor = null;
    $("panel").hidden = false;
    $("editor").hidden = true;
    $("setup-button").setAttribute("aria-pressed", "false");
    if (yfen && (await this.load(new Tree(this.tree.rules, yfen)))) return;
    this.draw();
    this.drawPanel();
    this.think();
  }

  drawEditor() {
    if (!this.editor?.setup) return;
    const { setup, brush, routeStart } = this.editor;
    const position = this.shown;
    board.draw({
      rows: position.rows,
      cols: position.cols,
      flipped: this.flipped,
      board: setup.board,
      routes: setup.routes,
      last: null,
      taken: [],
      selected: routeStart,
      marks: new Map(),
      descriptions: new Map([...setup.board].map((_, square) => [square, brush === "=" ? "end of a route" : "place or take away"])),
      arrows: [],
    });
    for (const [root, side] of [[$("seat-top"), this.flipped ? 0 : 1], [$("seat-bottom"), this.flipped ? 1 : 0]]) {
      drawSeat(root, {
        side: side ? "b" : "w",
        toMove: setup.turn === (side ? "b" : "w"),
        obliged: false,
        camels: setup.hands[side],
        royal: position.options.royal_caravan ? setup.royals[side] : null,
        supply: position.options.trade_routes ? setup.supplies[side] : null,
        taken: 0,
      });
    }
    $("prompt-text").textContent = "";
    $("prompt-buttons").replaceChildren();
  }

  // Dialogs -------------------------------------------------------------------------------------------------------------------------

  async newGame() {
    const rules = await rulesDialog.choose("New game", this.shown?.options);
    if (!rules) return;
    if (this.editor) await this.closeEditor(null);
    this.playing = null;
    await this.load(new Tree(rules));
  }

  async playEngine() {
    const choice = await choosePlay();
    if (!choice) return;
    if (this.editor) await this.closeEditor(null);
    this.playing = { side: choice.side === "w" ? "b" : "w", seconds: choice.seconds };
    this.flipped = choice.side === "b";
    $("engine-on").checked = false;
    if (choice.from === "start") await this.load(new Tree(this.tree.rules));
    else await this.goTo(this.tree.current);
  }

  stopPlaying() {
    this.playing = null;
    $("engine-on").checked = recall("engine") !== "off";
    this.goTo(this.tree.current);
  }

  share() {
    if (!this.shown || this.editor) return;
    const share = { link: location.href, yfen: this.shown.yfen, text: writeGame(this.tree, this.tree.root.end.position?.result ?? "*") };
    openShare(share, async (text) => {
      try {
        const tree = readGame(text, this.tree.rules);
        await this.complete(tree);
        this.playing = null;
        await this.load(tree);
        return null;
      } catch (error) {
        return error.message;
      }
    });
  }

  flip() {
    this.flipped = !this.flipped;
    this.draw();
    if (this.latest) analysisView.draw(this.latest, this.flipped);
    else $("gauge").classList.toggle("flipped", this.flipped);
  }
}

// What a position and a half-clicked move look like in words and marks ----------------------------------------------------------------

function markSquares(can, entry, squares) {
  const marks = new Map();
  const descriptions = new Map();
  if (!can) return { marks, descriptions };
  const note = (set, words, role) =>
    set.forEach((square) => {
      descriptions.set(square, words);
      if (role) marks.set(square, role);
    });
  if (entry.path.length < 2) note(can.origins, "can move");
  note(can.drops, "drop here", entry.tool ? "drop" : null);
  note(can.landings, "go here", "landing");
  note(can.removals, "remove", "removal");
  note(can.routes, "end of a route", "route");
  if (entry.path.length && squares[entry.path.at(-1)] !== ".") descriptions.set(entry.path.at(-1), can.done ? "click again when done" : "chosen");
  return { marks, descriptions };
}

function promptText(can, entry, position) {
  const side = SIDE_NAMES[position.turn];
  if (can.kinds.length) return "Which of these?";
  if (entry.tool === "=") return entry.path.length ? "Click the other end of the route." : "Click one end of the route.";
  if (entry.tool) return `Click a square for the ${entry.tool === "@" ? "camel" : "royal"}.`;
  if (entry.path.length > 1) {
    const parts = [];
    if (can.removals.size) parts.push("click a piece to remove");
    if (can.enemyHand) parts.push("click the hand to remove from it");
    if (can.landings.size) parts.push("jump on");
    const text = parts.join(", or ") || "done";
    return `${text[0].toUpperCase()}${text.slice(1)}.`;
  }
  if (entry.path.length) return "Click a marked square.";
  if (position.obliged) return `${side} must drop: click an empty square.`;
  if (position.phase.actor !== null) return can.origins.size ? "One more move along the routes, or the end of the turn." : "A route, or the end of the turn.";
  const parts = [];
  if (can.camel) parts.push("click an empty square to drop");
  else if (can.royal) parts.push("click an empty square to drop the royal");
  if (can.origins.size) parts.push("click a piece to move it");
  const text = parts.join(", or ");
  return text ? `${text[0].toUpperCase()}${text.slice(1)}.` : "";
}

function statusText(position) {
  if (position.termination) {
    const winner = { "1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "Draw" }[position.result];
    return `${winner}: ${position.termination}`;
  }
  const notes = [];
  if (position.obliged) notes.push("must drop");
  if (position.phase.placed) notes.push("route placed");
  if (position.phase.moved) notes.push("free move made");
  if (position.phase.bonus) notes.push("bonus move");
  else if (position.phase.actor !== null) notes.push("main action made");
  if (position.occurrences > 1) notes.push(`position stands for the ${position.occurrences === 2 ? "second" : `${position.occurrences}th`} time`);
  return [`${SIDE_NAMES[position.turn]} to move`, ...notes].join(" · ");
}

function rulesTitle(rules) {
  const [preset, ...changes] = rules.split("+");
  const titles = { yote: "Yoté", choko: "Choko", heroes: "Heroes", challenges: "Challenges" };
  return [titles[preset], ...changes.map((change) => change.replaceAll("_", " ").replace("=", " "))].join(" + ");
}

const app = new App();

// The server --------------------------------------------------------------------------------------------------------------------------

let connectedBefore = false;

connection.addEventListener("hello", ({ detail }) => {
  rulesDialog.setForm(detail.form);
  $("version").textContent = `yote_fast ${detail.version}`;
  document.body.classList.remove("lost");
  $("banner").hidden = true;
  if (connectedBefore && app.shown) app.goTo(app.tree.current);
  else app.start();
  connectedBefore = true;
});
connection.addEventListener("refused", ({ detail }) => app.complain(detail.message));
connection.addEventListener("lost", () => {
  document.body.classList.add("lost");
  if ($("banner").hidden) app.complain("The server cannot be reached; trying again.");
});
connection.addEventListener("lines", ({ detail }) => app.hearLines(detail));
connection.addEventListener("error", ({ detail }) => {
  // Where a game is over nothing can be analysed, which the position says in its own way.
  if (detail.id !== app.ahead?.id && detail.id !== app.analysis) app.complain(detail.message);
});

// What the page remembers from one visit to the next ---------------------------------------------------------------------------------

function remember(name, value) {
  try {
    localStorage.setItem(`yote-${name}`, value);
  } catch {
    // Without storage every visit is the first.
  }
}

function recall(name) {
  try {
    return localStorage.getItem(`yote-${name}`);
  } catch {
    return null;
  }
}

// Buttons and keys --------------------------------------------------------------------------------------------------------------------

const actions = {
  first: () => app.goTo(app.tree.root),
  previous: () => app.tree.current.parent && app.goTo(app.tree.current.parent),
  next: () => app.tree.current.children.length && app.goTo(app.tree.current.children[0]),
  last: () => app.goTo(app.tree.current.end),
  undo: () => app.undo(),
  flip: () => app.flip(),
  promote: () => {
    app.tree.promote(app.tree.current);
    app.drawPanel();
  },
  "new-button": () => app.newGame(),
  "rules-button": () => app.newGame(),
  "setup-button": () => (app.editor ? app.closeEditor(null) : app.openEditor()),
  "play-button": () => app.playEngine(),
  "share-button": () => app.share(),
  "help-button": () => openHelp(),
};
for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);

$("playing").lastElementChild.addEventListener("click", () => app.stopPlaying());
$("banner").lastElementChild.addEventListener("click", () => ($("banner").hidden = true));
$("line-count").addEventListener("change", () => {
  remember("lines", $("line-count").value);
  app.think();
});
$("engine-on").addEventListener("change", () => {
  remember("engine", $("engine-on").checked ? "on" : "off");
  app.latest = null;
  app.drawArrows();
  app.think();
});
$("engine-on").checked = recall("engine") !== "off";
$("line-count").value = recall("lines") ?? "3";

$("type-move").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = $("move-text");
  const text = field.value.trim();
  if (!app.canAct || !text) return;
  if (app.shown.legal.includes(text)) {
    field.value = "";
    app.play(text);
  } else {
    field.setCustomValidity(`${text} is not a legal move here.`);
    field.reportValidity();
  }
});
$("move-text").addEventListener("input", () => $("move-text").setCustomValidity(""));

const keys = {
  ArrowLeft: actions.previous,
  ArrowRight: actions.next,
  ArrowUp: actions.first,
  ArrowDown: actions.last,
  Home: actions.first,
  End: actions.last,
  Backspace: actions.undo,
  Escape: () => app.cancel(),
  " ": () => app.playBest(),
  f: actions.flip,
  e: () => $("engine-on").click(),
  h: () => app.pressHand("@"),
  r: () => app.pressHand("R@"),
  o: () => app.pressEnemyHand(),
  p: () => app.pressRoute(),
  d: () => app.pressDone(),
  m: () => $("move-text").focus(),
  n: actions["new-button"],
  "?": actions["help-button"],
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === " " && event.target.closest("button, input, summary")) return;
  const action = keys[event.key];
  if (!action || (app.editor && !"f?n".includes(event.key))) return;
  event.preventDefault();
  action();
});

addEventListener("hashchange", () => {
  if (location.hash !== writeFragment(app.tree)) app.start();
});
