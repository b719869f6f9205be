// The two sides beside the board: who is to move, and what they have in hand.

import { html, refill, svg } from "./svg.js";

const NAMES = { w: "White", b: "Black" };

// seat: { side, name, toMove, obliged, camels, royal, supply, canCamel, canRoyal, tool, canRemove, taken, onCamel, onRoyal, onRemove };
// royal and supply are null where the rules have none, taken is how many of the hand the move being entered takes.
export function drawSeat(root, seat) {
  const role = seat.canRemove ? "removal" : "";
  const press = seat.canRemove ? seat.onRemove : seat.onCamel;
  const enabled = seat.canRemove || seat.canCamel;
  const words = `${NAMES[seat.side]}'s hand: ${count(seat.camels, "camel")}${seat.canRemove ? ", can be removed" : ""}`;
  const camels = html(
    "button",
    { type: "button", class: `hand ${role}`, "aria-label": words, title: words, "aria-pressed": String(seat.tool === "@"), disabled: !enabled, onclick: press },
    pile(seat.side === "w" ? "C" : "c", seat.camels, seat.taken),
    html("span", { class: "count" }, String(seat.camels)),
  );
  const parts = [
    html("span", { class: `name${seat.toMove ? " to-move" : ""}` }, html("i", { class: `dot ${seat.side}` }), seat.name ?? NAMES[seat.side]),
    seat.obliged ? html("span", { class: "badge must", title: "The other side dropped by choice: this side must drop too" }, "must drop") : null,
    html("span", { class: "gap" }),
    seat.supply === null ? null : supply(seat.supply),
    seat.royal === null ? null : royalButton(seat),
    camels,
  ];
  refill(root, parts.filter(Boolean));
  root.classList.toggle("active", seat.toMove);
}

function royalButton(seat) {
  const words = `${NAMES[seat.side]}'s royal ${seat.royal ? "in hand" : "is not in hand"}`;
  const piece = seat.side === "w" ? "R" : "r";
  return html(
    "button",
    { type: "button", class: `hand royal${seat.royal ? "" : " gone"}`, "aria-label": words, title: words, "aria-pressed": String(seat.tool === "R@"), disabled: !seat.canRoyal, onclick: seat.onRoyal },
    svg("svg", { viewBox: "0 0 100 100", width: 30, height: 30, "aria-hidden": "true" }, svg("use", { href: `#piece-${piece}`, width: 100, height: 100 })),
  );
}

function supply(left) {
  const words = `${count(left, "route")} left to place`;
  return html("span", { class: "badge supply", title: words, "aria-label": words, role: "img" }, svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: "M4 20L20 4" })), String(left));
}

// A row of overlapping pieces.
function pile(piece, number, taken) {
  const step = number > 12 ? 9 : 13;
  const width = number ? 30 + (number - 1) * step : 30;
  const picture = svg("svg", { class: "pile", viewBox: `0 0 ${width} 30`, width, height: 30, "aria-hidden": "true" });
  for (let i = 0; i < number; i++) {
    picture.append(svg("use", { href: `#piece-${piece}`, x: i * step, y: 0, width: 30, height: 30, class: i >= number - taken ? "taken" : null }));
  }
  return picture;
}

function count(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
