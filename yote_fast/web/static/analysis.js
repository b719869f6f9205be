// The engine's panel: the evaluation bar, the score, the best lines, and exact values.

import { parseMove, HAND } from "./notation.js";
import { html } from "./svg.js";

const $ = (id) => document.getElementById(id);

export class AnalysisView {
  // onLine(moves): play the moves of a line; onHover(index or null): a line is pointed at.
  constructor({ onLine, onHover }) {
    this.onLine = onLine;
    this.onHover = onHover;
  }

  clear(words = "") {
    $("score").textContent = "";
    $("effort").textContent = words;
    $("lines").replaceChildren();
  }

  // What the engine said about a position.
  draw(message, flipped) {
    const [best] = message.lines;
    if (best?.score) this.drawGauge(best.score.chance, tiny(best.score), flipped);
    $("score").textContent = best?.score ? short(best.score) : "…";
    $("score").title = best?.score ? long(best.score) : "";
    const speed = message.seconds > 0.05 ? ` · ${thousands(message.nodes / message.seconds)}/s` : "";
    const verdict = best?.score && best.score.hundredths === null ? `${long(best.score)} · ` : "";
    const state = message.done ? " · done" : "";
    $("effort").textContent = message.error ?? (best ? `${verdict}depth ${best.depth}${state} · ${thousands(message.nodes)} nodes${speed}` : "");
    this.#drawLines(message.lines);
  }

  // Lines keep their elements, so that a click on one that changes meanwhile still counts.
  #drawLines(lines) {
    const list = $("lines");
    while (list.childElementCount > lines.length) list.lastChild.remove();
    lines.forEach((line, i) => {
      if (i === list.childElementCount) list.append(this.#newLine(i));
      const [value, moves] = list.children[i].children;
      const side = !line.score || line.score.chance === 0.5 ? "even" : line.score.chance > 0.5 ? "white" : "black";
      value.className = `value ${side}`;
      value.textContent = line.score ? short(line.score) : "…";
      value.title = line.score ? `${long(line.score)}, depth ${line.depth}` : "";
      while (moves.childElementCount > line.pv.length) moves.lastChild.remove();
      line.pv.forEach((text, at) => {
        if (at === moves.childElementCount) moves.append(this.#newMove(i, at));
        const button = moves.children[at];
        button.className = `pv ${line.sides[at]}`;
        button.textContent = text;
      });
    });
    this.lines = lines;
  }

  #newLine(i) {
    return html(
      "li",
      { onpointerenter: () => this.onHover(i), onpointerleave: () => this.onHover(null) },
      html("span", {}),
      html("span", { class: "pv-moves" }),
    );
  }

  #newMove(i, at) {
    return html("button", { type: "button", title: "Play the line up to here", onclick: () => this.onLine(this.lines[i].pv.slice(0, at + 1)) });
  }

  drawGauge(chance, text, flipped) {
    const gauge = $("gauge");
    gauge.classList.toggle("flipped", flipped);
    gauge.classList.toggle("known", chance !== null);
    gauge.classList.toggle("for-white", chance !== null && chance >= 0.5);
    const percent = chance === null ? 50 : Math.round(100 * (chance === 0 || chance === 1 ? chance : Math.min(Math.max(chance, 0.03), 0.97)));
    gauge.style.setProperty("--white", `${percent}%`);
    gauge.setAttribute("aria-valuenow", percent);
    gauge.setAttribute("aria-valuetext", text || "unknown");
    $("gauge-text").textContent = text;
  }

  // Exact values of the endgame tables, where the server has them.
  drawExact(exact, onMove) {
    const box = $("exact");
    box.hidden = !exact;
    if (!exact) return box.replaceChildren();
    const groups = [1, 0, -1].map((value) => {
      const moves = Object.keys(exact.moves).filter((text) => exact.moves[text] === value);
      if (!moves.length) return null;
      return html("p", {}, html("b", { class: `value ${VALUE_SIDES[value]}` }, VALUE_NAMES[value]), ...moves.map((text) => html("button", { type: "button", class: "pv", onclick: () => onMove(text) }, text)));
    });
    const title = exact.value === null ? "Exact values" : `Exact value: ${VALUE_NAMES[exact.value]}`;
    return box.replaceChildren(html("h3", {}, title), ...groups.filter(Boolean));
  }
}

const VALUE_NAMES = { 1: "White wins", 0: "draw", "-1": "Black wins" };
const VALUE_SIDES = { 1: "white", 0: "even", "-1": "black" };

// A move as the board draws it.
export function arrowOf(text, position, rank) {
  const move = parseMove(text, position.cols);
  const piece = (move.kind === "R@" ? "R" : "C")[position.turn === "w" ? "toUpperCase" : "toLowerCase"]();
  const removed = move.removals.flat().filter((square) => square !== HAND);
  if (move.kind === "=") return { squares: [], route: move.squares, removed, piece, rank };
  return { squares: move.squares, removed, piece, rank };
}

function short(score) {
  if (score.win_in !== null) return `1-0 in ${score.win_in}`;
  if (score.loss_in !== null) return `0-1 in ${score.loss_in}`;
  return `${score.hundredths > 0 ? "+" : score.hundredths < 0 ? "−" : ""}${(Math.abs(score.hundredths) / 100).toFixed(2)}`;
}

// For the narrow bar.
function tiny(score) {
  if (score.hundredths === null) return score.win_in !== null ? "1-0" : "0-1";
  return (Math.abs(score.hundredths) / 100).toFixed(1);
}

function long(score) {
  if (score.win_in !== null) return `White wins in ${score.win_in}`;
  if (score.loss_in !== null) return `Black wins in ${score.loss_in}`;
  return `${short(score)} pieces for White`;
}

function thousands(number) {
  if (number >= 1e9) return `${(number / 1e9).toFixed(1)} G`;
  if (number >= 1e6) return `${(number / 1e6).toFixed(1)} M`;
  if (number >= 1e3) return `${Math.round(number / 1e3)} k`;
  return String(Math.round(number));
}
