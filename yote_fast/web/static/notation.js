// The written form of squares and actions: grammar only, as the server sends and expects it.

export const HAND = -1;

export function squareName(square, cols) {
  return String.fromCharCode(97 + (square % cols)) + (Math.floor(square / cols) + 1);
}

function parseSquare(name, cols) {
  return (Number(name.slice(1)) - 1) * cols + name.charCodeAt(0) - 97;
}

// An action as { text, kind, squares, removals }: removals[i] are those made after landing on squares[i + 1].
export function parseMove(text, cols) {
  const square = (name) => parseSquare(name, cols);
  if (text === "--") return { text, kind: "--", squares: [], removals: [] };
  const drop = /^(R?@)(.+)$/.exec(text);
  if (drop) return { text, kind: drop[1], squares: [square(drop[2])], removals: [] };
  const route = /^=([a-z]\d+)([a-z]\d+)$/.exec(text);
  if (route) return { text, kind: "=", squares: [square(route[1]), square(route[2])], removals: [] };
  const slide = /^([a-z]\d+)([-~])([a-z]\d+)$/.exec(text);
  if (slide) return { text, kind: slide[2], squares: [square(slide[1]), square(slide[3])], removals: [] };
  const [from, ...landings] = text.split("x");
  const squares = [square(from)];
  const removals = [];
  for (const landing of landings) {
    const [to, removed] = landing.split("/");
    squares.push(square(to));
    removals.push(removed ? removed.split(",").map((name) => (name === "*" ? HAND : square(name))) : []);
  }
  return { text, kind: "x", squares, removals };
}

// The square that a jump passes over.
export function between(from, to, cols) {
  const row = (Math.floor(from / cols) + Math.floor(to / cols)) / 2;
  return row * cols + ((from % cols) + (to % cols)) / 2;
}

export const KIND_NAMES = { "-": "Step or leap", "~": "Free move", x: "Capture" };
