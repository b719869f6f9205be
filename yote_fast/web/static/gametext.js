// Games as text: the fragment of an address, and a text with tags, numbered turns and variations in parentheses.

import { Tree } from "./tree.js";

const RESULTS = new Set(["*", "1-0", "0-1", "1/2-1/2"]);

// Addresses: #rules=choko&yfen=...&moves=@c3.@b2&at=1 -------------------------------------------------------------------------------

export function writeFragment(tree) {
  const parts = [`rules=${tree.rules}`];
  if (tree.yfen) parts.push(`yfen=${tree.yfen.replaceAll(" ", "_")}`);
  const line = tree.current.end.moves;
  if (line.length) parts.push(`moves=${line.join(".")}`);
  const at = tree.current.path.length;
  if (at !== line.length) parts.push(`at=${at}`);
  return `#${parts.join("&")}`;
}

// The game of an address, or null if it has none.
export function readFragment(fragment) {
  const text = fragment.replace(/^#/, "");
  if (!text) return null;
  const values = {};
  for (const part of text.split("&")) {
    const at = part.indexOf("=");
    if (at < 0) throw new Error(`The link is broken: it has "${part.slice(0, 40)}".`);
    let value = part.slice(at + 1);
    try {
      value = decodeURIComponent(value);
    } catch {
      throw new Error("The link is broken: it has a stray % sign.");
    }
    values[part.slice(0, at)] = value;
  }
  const tree = new Tree(values.rules ?? "yote", values.yfen ? values.yfen.replaceAll("_", " ") : null);
  const moves = (values.moves ?? "").split(".").filter(Boolean);
  const end = tree.add(moves);
  const at = /^\d{1,4}$/.test(values.at ?? "") ? Math.min(Number(values.at), moves.length) : moves.length;
  tree.current = at ? end.path[at - 1] : tree.root;
  return tree;
}

// Texts -----------------------------------------------------------------------------------------------------------------------------

export function writeGame(tree, result) {
  const tags = [`[Rules "${tree.rules}"]`];
  if (tree.yfen) tags.push(`[YFEN "${tree.yfen}"]`);
  tags.push(`[Result "${result}"]`);
  const words = [];
  if (tree.root.children.length) writeLine(tree.root.children[0], true, words);
  return `${tags.join("\n")}\n\n${wrap([...words, result].join(" ").replaceAll("( ", "(").replaceAll(" )", ")"))}\n`;
}

function writeLine(node, fresh, words) {
  for (let at = node, first = fresh; at; at = at.children[0]) {
    const begins = first || at.side !== at.parent.side;
    if (at.side === "w" && begins) words.push(`${at.turn}.`);
    else if (at.side === "b" && first) words.push(`${at.turn}...`);
    words.push(at.text);
    first = false;
    const others = at === at.parent.children[0] ? at.parent.children.slice(1) : [];
    for (const other of others) {
      words.push("(");
      writeLine(other, true, words);
      words.push(")");
      first = true;
    }
  }
}

function wrap(text) {
  return text.replace(/(.{1,90})(?: |$)/g, "$1\n").trimEnd();
}

// A game from any of: such a text, a YFEN, bare moves. Rules that the text does not name are those given.
export function readGame(text, rules) {
  const tags = Object.fromEntries([...text.matchAll(/^\s*\[(\w+)\s+"([^"]*)"\]\s*$/gm)].map((match) => [match[1], match[2]]));
  let body = text.replace(/^\s*\[.*\]\s*$/gm, " ").replace(/\{[^}]*\}/g, " ").trim();
  let yfen = tags.YFEN ?? null;
  const position = /^(\S*\/\S*\s+[wb]\s+\d+R?\/\d+R?(?:\s+[-!](?:\s+(?:-|\d\/\d\S*)(?:\s+(?:-|p?f?(?:[mb][a-z]\d+)?))?)?)?)(?=\s|$)/.exec(body);
  if (position) {
    yfen = position[1].replace(/\s+/g, " ");
    body = body.slice(position[1].length);
  }
  const tree = new Tree(tags.Rules ?? rules, yfen);
  let node = tree.root;
  const open = [];
  for (const word of body.replace(/[()]/g, " $& ").split(/\s+/).filter(Boolean)) {
    if (word === "(") {
      if (!node.parent) throw new Error("A variation has no move that it could replace.");
      open.push(node);
      node = node.parent;
    } else if (word === ")") {
      if (!open.length) throw new Error("A parenthesis closes nothing.");
      node = open.pop();
    } else if (!RESULTS.has(word) && !/^\d+\.+$/.test(word)) {
      node = node.child(word.replace(/^\d+\.+/, ""));
    }
  }
  if (open.length) throw new Error("A parenthesis is not closed.");
  tree.current = tree.root.end;
  return tree;
}
