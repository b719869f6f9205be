// A game with its variations. The first child of a node is the main line.

class Node {
  constructor(parent, text, side) {
    this.parent = parent;
    this.text = text;
    this.side = side; // who made the move, "w" or "b"; null until the server has told
    this.children = [];
    this.position = null; // what the server said about it
  }

  get path() {
    const nodes = [];
    for (let node = this; node.parent; node = node.parent) nodes.unshift(node);
    return nodes;
  }

  get moves() {
    return this.path.map((node) => node.text);
  }

  // The number of the turn: it grows when the turn comes back to White.
  get turn() {
    let number = 1;
    for (let node = this; node.parent?.parent; node = node.parent) number += node.side === "w" && node.parent.side === "b";
    return number;
  }

  child(text, side = null) {
    let node = this.children.find((child) => child.text === text);
    if (!node) {
      node = new Node(this, text, side);
      this.children.push(node);
    }
    return node;
  }

  get end() {
    let node = this;
    while (node.children.length) node = node.children[0];
    return node;
  }
}

export class Tree {
  constructor(rules, yfen = null) {
    this.rules = rules;
    this.yfen = yfen; // null for the start of a game
    this.root = new Node(null, null, null);
    this.current = this.root;
  }

  // Moves one after the other from a node; returns the last.
  add(moves, from = this.current) {
    return moves.reduce((node, text) => node.child(text), from);
  }

  // Take a move and all that follows away; its parent is current then.
  remove(node) {
    if (!node.parent) return;
    node.parent.children = node.parent.children.filter((child) => child !== node);
    this.current = node.parent;
  }

  promote(node) {
    for (let child = node; child.parent; child = child.parent) {
      const siblings = child.parent.children;
      child.parent.children = [child, ...siblings.filter((other) => other !== child)];
    }
  }

  get leaves() {
    const leaves = [];
    const visit = (node) => (node.children.length ? node.children.forEach(visit) : leaves.push(node));
    visit(this.root);
    return leaves;
  }
}
