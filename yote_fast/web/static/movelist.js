// The list of moves: a table of turns, variations below the move that they replace.

import { html } from "./svg.js";

// onPick(node) is called when a move is clicked.
export function drawMoves(root, tree, onPick) {
  const list = new List(tree.current, onPick);
  if (tree.root.children.length) list.line(tree.root.children[0]);
  const start = html("button", { type: "button", class: `move start${tree.current === tree.root ? " current" : ""}`, onclick: () => onPick(tree.root) }, tree.yfen ? "Position" : "Start");
  if (tree.current === tree.root) start.setAttribute("aria-current", "true");
  const hadFocus = root.contains(document.activeElement);
  root.replaceChildren(start, ...list.parts);
  const current = root.querySelector("[aria-current]");
  if (hadFocus) current?.focus({ preventScroll: true });
  if (current) {
    // Only the list itself may scroll, never the page.
    const frame = root.parentElement;
    const top = current.offsetTop - frame.offsetTop;
    if (top < frame.scrollTop || top + current.offsetHeight > frame.scrollTop + frame.clientHeight) {
      frame.scrollTop = top - frame.clientHeight / 2;
    }
  }
}

class List {
  constructor(current, onPick) {
    this.current = current;
    this.onPick = onPick;
    this.parts = [];
    this.row = null;
  }

  line(first) {
    for (let node = first; node; node = node.children[0]) {
      this.cell(node).append(this.button(node));
      const others = node.parent.children.slice(1);
      if (!others.length) continue;
      this.row = null;
      this.parts.push(html("div", { class: "variations" }, ...others.map((other) => html("p", {}, ...this.variation(other)))));
    }
  }

  // Where the table has room for a move of this side and turn.
  cell(node) {
    const turn = node.turn;
    if (!this.row || this.row.turn !== turn || (node.side === "w" && this.row.black.childElementCount)) {
      const row = { turn, white: html("span", { class: "cell" }), black: html("span", { class: "cell" }) };
      if (node.side === "b") row.white.append(html("span", { class: "skip" }, "…"));
      this.parts.push(html("div", { class: "turn" }, html("span", { class: "number" }, String(turn)), row.white, row.black));
      this.row = row;
    }
    return node.side === "b" ? this.row.black : this.row.white;
  }

  variation(first) {
    const parts = [];
    let fresh = true;
    for (let node = first; node; node = node.children[0]) {
      if (fresh || node.side !== node.parent.side) {
        if (node.side !== "b") parts.push(html("span", { class: "number" }, `${node.turn}.`));
        else if (fresh) parts.push(html("span", { class: "number" }, `${node.turn}…`));
      }
      parts.push(this.button(node));
      fresh = false;
      if (node === first) continue;
      for (const other of node.parent.children.slice(1)) {
        parts.push(html("span", { class: "inner" }, "(", ...this.variation(other), ")"));
        fresh = true;
      }
    }
    return parts;
  }

  button(node) {
    const current = node === this.current;
    const button = html("button", { type: "button", class: `move${current ? " current" : ""}`, onclick: () => this.onPick(node) }, node.text);
    if (current) button.setAttribute("aria-current", "true");
    return button;
  }
}
