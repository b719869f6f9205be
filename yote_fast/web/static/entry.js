// Turns clicks into one of the legal moves. It knows only their texts: what can be clicked next is what some of them go on with.

import { HAND, parseMove, between } from "./notation.js";

const sameSet = (a, b) => a.length === b.length && contains(a, b);

// Whether the first list has everything of the second, repeats counted.
function contains(a, b) {
  const rest = [...a];
  return b.every((item) => {
    const at = rest.indexOf(item);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  });
}

export class Entry {
  constructor(legal, cols) {
    this.cols = cols;
    this.moves = legal.map((text) => parseMove(text, cols));
    this.reset();
  }

  reset() {
    this.tool = null; // "@", "R@" or "=": what the next square is for
    this.path = []; // the squares of the piece, or the first end of a route
    this.removed = []; // for each landing, what was removed after it
    this.kind = null; // decides between kinds with the same squares
  }

  get isIdle() {
    return this.tool === null && this.path.length === 0;
  }

  // The moves that begin as what was clicked so far.
  candidates() {
    if (this.tool === "=") return this.ofKind("=").filter((move) => this.path.every((square) => move.squares.includes(square)));
    if (this.tool) return this.ofKind(this.tool);
    if (!this.path.length) return this.moves;
    const landings = this.path.length - 1;
    return this.moves.filter((move) => {
      if (!"-~x".includes(move.kind) || (this.kind && move.kind !== this.kind)) return false;
      if (!this.path.every((square, i) => move.squares[i] === square)) return false;
      if (!landings || move.kind !== "x") return true;
      const now = move.removals[landings - 1];
      return this.removed.slice(0, -1).every((set, i) => sameSet(set, move.removals[i])) && contains(now, this.removed.at(-1));
    });
  }

  ofKind(kind) {
    return this.moves.filter((move) => move.kind === kind);
  }

  // What can be clicked: squares by role, the hands, and the buttons.
  options() {
    const found = { origins: new Set(), drops: new Set(), landings: new Set(), removals: new Set(), routes: new Set() };
    Object.assign(found, { camel: false, royal: false, enemyHand: false, route: false, done: null, pass: null, kinds: [] });
    const candidates = this.candidates();
    const landed = this.path.length - 1;
    if (this.tool === "=") {
      candidates.forEach((move) => move.squares.filter((square) => !this.path.includes(square)).forEach((square) => found.routes.add(square)));
    } else if (this.tool) {
      candidates.forEach((move) => found.drops.add(move.squares[0]));
    } else if (landed >= 1) {
      const kinds = [...new Set(candidates.map((move) => move.kind))];
      if (kinds.length > 1) return { ...found, kinds };
      candidates.forEach((move) => this.addContinuations(move, landed, found));
      return found;
    }
    if (landed === 0 && !this.tool) candidates.forEach((move) => found.landings.add(move.squares[1]));
    for (const move of this.moves) {
      if ("-~x".includes(move.kind)) found.origins.add(move.squares[0]);
      if (move.kind === "@") found.camel = true;
      if (move.kind === "R@") found.royal = true;
      if (move.kind === "=") found.route = true;
      if (move.kind === "--") found.pass = move.text;
      if (this.isIdle && (move.kind === "@" || move.kind === "R@")) found.drops.add(move.squares[0]);
    }
    return found;
  }

  addContinuations(move, landed, found) {
    const removed = this.removed.at(-1) ?? [];
    const left = [...(move.removals[landed - 1] ?? [])];
    removed.forEach((square) => left.splice(left.indexOf(square), 1));
    for (const square of left) {
      if (square === HAND) found.enemyHand = true;
      else found.removals.add(square);
    }
    if (left.length) return;
    if (move.squares.length > this.path.length) found.landings.add(move.squares[this.path.length]);
    else found.done = move.text;
  }

  // Each of these returns the text of a move if that is now complete, else null.

  pressSquare(square) {
    const can = this.options();
    if (this.tool === "=") {
      if (!can.routes.has(square)) return this.reset(), null;
      this.path.push(square);
      return this.path.length === 2 ? this.candidates()[0].text : null;
    }
    if (this.path.length > 1) {
      if (can.removals.has(square)) return this.remove(square);
      if (can.landings.has(square)) return this.land(square);
      return square === this.path.at(-1) ? can.done : null;
    }
    if (this.path.length === 1 && can.landings.has(square)) return this.land(square);
    if (can.drops.has(square)) return this.dropOn(square);
    const again = this.path[0] === square;
    this.reset();
    if (!again && can.origins.has(square)) this.path = [square];
    return null;
  }

  dropOn(square) {
    const drops = this.moves.filter((move) => move.squares[0] === square && (this.tool ? move.kind === this.tool : move.kind.endsWith("@")));
    return (drops.find((move) => move.kind === "@") ?? drops[0]).text;
  }

  land(square) {
    this.path.push(square);
    this.removed.push([]);
    return this.onlyMove();
  }

  remove(square) {
    this.removed.at(-1).push(square);
    return this.onlyMove();
  }

  // The move, where nothing is left to choose.
  onlyMove() {
    const candidates = this.candidates();
    return candidates.length === 1 ? candidates[0].text : null;
  }

  pressHand(kind) {
    const can = this.options();
    if (this.path.length > 1 || !(kind === "@" ? can.camel : can.royal)) return;
    const again = this.tool === kind;
    this.reset();
    if (!again) this.tool = kind;
  }

  pressEnemyHand() {
    return this.options().enemyHand ? this.remove(HAND) : null;
  }

  pressRoute() {
    const again = this.tool === "=";
    this.reset();
    if (!again) this.tool = "=";
  }

  pressKind(kind) {
    this.kind = kind;
    return this.onlyMove();
  }

  // How the board looks with what was clicked so far: the piece where it is now, and what it has taken.
  preview(board) {
    if (this.path.length < 2) return { board, taken: [], fromHand: 0 };
    const squares = [...board];
    const piece = squares[this.path[0]];
    const taken = this.removed.flat().filter((square) => square !== HAND);
    const kinds = new Set(this.candidates().map((move) => move.kind));
    if (kinds.size === 1 && kinds.has("x")) {
      for (let i = 1; i < this.path.length; i++) taken.push(between(this.path[i - 1], this.path[i], this.cols));
    }
    squares[this.path[0]] = ".";
    squares[this.path.at(-1)] = piece;
    return { board: squares.join(""), taken, fromHand: this.removed.flat().filter((square) => square === HAND).length };
  }
}
