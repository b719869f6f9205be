// Draws a position in SVG, and tells which square was clicked.

import { squareName } from "./notation.js";
import { svg } from "./svg.js";

const SIZE = 100;
const FRAME = 36;
const SLIDE_MS = 170;

const PIECE_NAMES = { C: "white camel", R: "white royal", c: "black camel", r: "black royal", ".": "empty" };

export class BoardView {
  #root;
  #layers = {};
  #shape = "";
  #squares = [];
  #pressed = null;
  #cursor = 0;

  // onPress(square) is called for clicks, taps, Enter and the two ends of a drag.
  constructor(root, onPress) {
    this.#root = root;
    this.onPress = onPress;
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", "Board");
    root.addEventListener("pointerdown", (event) => this.#onPointerDown(event));
    // The arrow keys go through the moves, unless someone went to the board with the keyboard.
    root.addEventListener("mousedown", (event) => {
      event.preventDefault();
      document.activeElement?.blur();
    });
    root.addEventListener("pointermove", (event) => this.#onPointerMove(event));
    addEventListener("pointerup", (event) => this.#onPointerUp(event));
    root.addEventListener("click", (event) => this.#onClick(event));
    root.addEventListener("keydown", (event) => this.#onKey(event));
  }

  // view: { rows, cols, flipped, board, routes, last, taken, selected, marks: Map(square -> role), arrows,
  // descriptions: Map(square -> text) }. animate: the last action, to be shown as a movement.
  draw(view, animate = null) {
    this.view = view;
    this.#drawShape(view);
    this.#drawMarks(view);
    this.#layers.routes.replaceChildren(...view.routes.map((route) => this.#route(route)));
    this.#layers.pieces.replaceChildren(...this.#pieces(view));
    this.#layers.taken.replaceChildren(...view.taken.map((square) => this.#cross(square)));
    this.#drawArrows(view.arrows);
    this.#describeSquares(view);
    if (animate && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.#animate(animate, view);
  }

  drawArrows(arrows) {
    if (!this.view) return;
    this.view.arrows = arrows;
    this.#drawArrows(arrows);
  }

  focus(square) {
    this.#moveCursor(square);
  }

  // Geometry ------------------------------------------------------------------------------------------------------------------------

  #centre(square) {
    const { rows, cols, flipped } = this.view;
    const col = square % cols;
    const row = Math.floor(square / cols);
    return [FRAME + ((flipped ? cols - 1 - col : col) + 0.5) * SIZE, FRAME + ((flipped ? row : rows - 1 - row) + 0.5) * SIZE];
  }

  #place(square) {
    return `translate(${this.#centre(square).join(" ")})`;
  }

  // Layers --------------------------------------------------------------------------------------------------------------------------

  #drawShape(view) {
    const shape = `${view.rows} ${view.cols} ${view.flipped}`;
    if (shape === this.#shape) return;
    this.#shape = shape;
    const width = view.cols * SIZE + 2 * FRAME;
    const height = view.rows * SIZE + 2 * FRAME;
    this.#root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    document.documentElement.style.setProperty("--ratio", width / height);
    for (const name of ["wood", "marks", "routes", "pieces", "taken", "arrows", "drag", "hits"]) {
      this.#layers[name] = svg("g", { class: `layer-${name}`, "aria-hidden": name === "hits" ? null : "true" });
    }
    this.#root.replaceChildren(...Object.values(this.#layers));
    this.#layers.wood.append(...this.#wood(view, width, height));
    this.#squares = [];
    for (let square = 0; square < view.rows * view.cols; square++) this.#squares.push(this.#hit(square));
    this.#cursor = Math.min(this.#cursor, this.#squares.length - 1);
    // In reading order, from the top left of what is seen.
    const order = [...this.#squares.keys()].sort((a, b) => this.#centre(a)[1] - this.#centre(b)[1] || this.#centre(a)[0] - this.#centre(b)[0]);
    this.#layers.hits.append(...order.map((square) => this.#squares[square]));
  }

  #wood(view, width, height) {
    const parts = [
      svg("rect", { class: "frame", width, height, rx: 16, fill: "url(#frame)" }),
      svg("rect", { x: 5, y: 5, width: width - 10, height: height - 10, rx: 12, class: "frame-edge" }),
      svg("rect", { x: FRAME, y: FRAME, width: width - 2 * FRAME, height: height - 2 * FRAME, fill: "url(#wood)" }),
      ...grain(FRAME, FRAME, width - 2 * FRAME, height - 2 * FRAME),
    ];
    for (let square = 0; square < view.rows * view.cols; square++) {
      const [x, y] = this.#centre(square);
      parts.push(
        svg("circle", { cx: x, cy: y + 1.2, r: 40, class: "pit-edge" }),
        svg("circle", { cx: x, cy: y, r: 39.5, fill: "url(#pit)" }),
      );
    }
    for (let col = 1; col < view.cols; col++) parts.push(line(FRAME + col * SIZE, FRAME, FRAME + col * SIZE, height - FRAME));
    for (let row = 1; row < view.rows; row++) parts.push(line(FRAME, FRAME + row * SIZE, width - FRAME, FRAME + row * SIZE));
    parts.push(svg("rect", { x: FRAME, y: FRAME, width: width - 2 * FRAME, height: height - 2 * FRAME, class: "inlay" }));
    for (let col = 0; col < view.cols; col++) {
      const [x] = this.#centre(col);
      const letter = String.fromCharCode(97 + col);
      parts.push(label(x, height - FRAME / 2 + 1, letter), label(x, FRAME / 2 + 1, letter));
    }
    for (let row = 0; row < view.rows; row++) {
      const [, y] = this.#centre(row * view.cols);
      parts.push(label(FRAME / 2, y, row + 1), label(width - FRAME / 2, y, row + 1));
    }
    parts.push(svg("rect", { width, height, class: "dusk" }));
    return parts;
  }

  #drawMarks(view) {
    const parts = [];
    const square = (at, name) => svg("rect", { x: -SIZE / 2, y: -SIZE / 2, width: SIZE, height: SIZE, class: name, transform: this.#place(at) });
    for (const at of view.last?.squares ?? []) parts.push(square(at, "mark-last"));
    for (const at of view.last?.cleared ?? []) parts.push(square(at, "mark-cleared"));
    if (view.selected !== null) parts.push(square(view.selected, "mark-selected"));
    for (const at of view.last?.cleared ?? []) if (view.board[at] === ".") parts.push(this.#cross(at, "cross-last"));
    for (const [at, role] of view.marks) {
      if (role === "landing" || role === "drop") parts.push(svg("circle", { r: role === "drop" ? 8 : 14, class: `mark-${role}`, transform: this.#place(at) }));
      if (role === "route") parts.push(svg("circle", { r: 44, class: "mark-route", transform: this.#place(at) }));
      if (role === "removal") parts.push(svg("circle", { r: 42, class: "mark-removal", transform: this.#place(at) }));
    }
    this.#layers.marks.replaceChildren(...parts);
  }

  #pieces(view) {
    const parts = [];
    [...view.board].forEach((piece, square) => {
      if (piece === ".") return;
      const group = this.#piece(piece, square);
      if (view.taken.includes(square)) group.classList.add("taken");
      parts.push(group);
    });
    return parts;
  }

  #piece(piece, square) {
    const use = svg("use", { href: `#piece-${piece}`, x: -SIZE / 2, y: -SIZE / 2, width: SIZE, height: SIZE });
    return svg("g", { transform: this.#place(square), "data-piece": square }, svg("g", {}, use));
  }

  #cross(square, name = "cross") {
    return svg("path", { d: "M-15 -15L15 15M15 -15L-15 15", class: name, transform: this.#place(square) });
  }

  #route([from, to]) {
    const [[x1, y1], [x2, y2]] = [this.#centre(from), this.#centre(to)];
    const part = (name) => svg("line", { x1, y1, x2, y2, class: name });
    const post = (square) => svg("circle", { r: 9, class: "route-post", transform: this.#place(square) });
    return svg("g", {}, part("route-shadow"), part("route"), part("route-strands"), post(from), post(to));
  }

  // Arrows --------------------------------------------------------------------------------------------------------------------------

  // Each is { squares, removed, piece, rank }: a drop has one square, rank 0 is the best line.
  #drawArrows(arrows) {
    const parts = [];
    for (const arrow of [...arrows].reverse()) {
      const group = svg("g", { class: `arrow rank-${Math.min(arrow.rank, 3)}` });
      if (arrow.route) {
        const [[x1, y1], [x2, y2]] = arrow.route.map((square) => this.#centre(square));
        group.append(svg("line", { x1, y1, x2, y2, class: "arrow-route" }));
      } else if (arrow.squares.length === 1) {
        const use = svg("use", { href: `#piece-${arrow.piece}`, x: -SIZE / 2, y: -SIZE / 2, width: SIZE, height: SIZE, class: "arrow-ghost" });
        group.append(svg("g", { transform: this.#place(arrow.squares[0]) }, use, svg("circle", { r: 41, class: "arrow-drop" })));
      } else {
        for (let i = 1; i < arrow.squares.length; i++) group.append(this.#arrow(arrow.squares[i - 1], arrow.squares[i]));
      }
      for (const square of arrow.rank ? [] : arrow.removed) group.append(svg("circle", { r: 40, class: "arrow-removed", transform: this.#place(square) }));
      parts.push(group);
    }
    this.#layers.arrows.replaceChildren(...parts);
  }

  #arrow(from, to) {
    const [[x1, y1], [x2, y2]] = [this.#centre(from), this.#centre(to)];
    const length = Math.hypot(x2 - x1, y2 - y1);
    const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    const [start, tip, head] = [16, length - 10, 34];
    const d = `M${start} -8 H${tip - head} V-23 L${tip} 0 L${tip - head} 23 V8 H${start} A8 8 0 0 1 ${start} -8 Z`;
    return svg("path", { d, transform: `translate(${x1} ${y1}) rotate(${angle})`, class: "arrow-shaft" });
  }

  // Movement ------------------------------------------------------------------------------------------------------------------------

  #animate({ squares, cleared, before, kind }, view) {
    const target = squares.at(-1);
    const moved = this.#layers.pieces.querySelector(`[data-piece="${target}"] > g`);
    if (kind === "@" || kind === "R@") {
      moved?.animate([{ transform: "scale(1.35)", opacity: 0 }, { transform: "scale(1)", opacity: 1 }], { duration: SLIDE_MS, easing: "ease-out" });
    } else if (squares.length > 1 && kind !== "=") {
      const [x, y] = this.#centre(target);
      const frames = squares.map((square) => {
        const [fromX, fromY] = this.#centre(square);
        return { transform: `translate(${fromX - x}px, ${fromY - y}px)` };
      });
      moved?.animate(frames, { duration: SLIDE_MS * (squares.length - 1), easing: "ease-in-out" });
    }
    for (const square of cleared) {
      if (view.board[square] !== "." || before[square] === ".") continue;
      const ghost = this.#piece(before[square], square);
      this.#layers.taken.append(ghost);
      ghost.firstChild.animate([{ opacity: 1 }, { opacity: 0, transform: "scale(.6)" }], { duration: 2 * SLIDE_MS, easing: "ease-in" }).finished.then(
        () => ghost.remove(),
        () => ghost.remove(),
      );
    }
  }

  // Squares to click ----------------------------------------------------------------------------------------------------------------

  #hit(square) {
    const rect = svg("rect", { x: -SIZE / 2, y: -SIZE / 2, width: SIZE, height: SIZE });
    return svg("g", { role: "button", class: "hit", tabindex: -1, "data-square": square, transform: this.#place(square) }, rect);
  }

  #describeSquares(view) {
    this.#squares.forEach((hit, square) => {
      const words = [squareName(square, view.cols), PIECE_NAMES[view.board[square]], view.descriptions.get(square)];
      hit.setAttribute("aria-label", words.filter(Boolean).join(", "));
      hit.setAttribute("aria-pressed", String(view.selected === square));
      hit.classList.toggle("can", view.descriptions.has(square));
      hit.setAttribute("tabindex", square === this.#cursor ? 0 : -1);
    });
  }

  #squareOf(event) {
    const element = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".hit");
    return element && this.#root.contains(element) ? Number(element.dataset.square) : null;
  }

  #onPointerDown(event) {
    // A finger may be about to scroll, so it counts as a click only when it is lifted.
    this.#pressed = null;
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    const square = this.#squareOf(event);
    if (square === null) return;
    this.#pressed = { square, x: event.clientX, y: event.clientY, dragging: false };
    this.#moveCursor(square, false);
    this.onPress(square);
  }

  #onPointerMove(event) {
    const pressed = this.#pressed;
    if (!pressed || !(event.buttons & 1) || this.view.selected !== pressed.square) return;
    if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 6) pressed.dragging = true;
    if (!pressed.dragging) return;
    const matrix = this.#root.getScreenCTM().inverse();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    const ghost = this.#piece(this.view.board[pressed.square], pressed.square);
    ghost.setAttribute("transform", `translate(${point.x} ${point.y}) scale(1.1)`);
    this.#layers.drag.replaceChildren(ghost);
    this.#layers.pieces.querySelector(`[data-piece="${pressed.square}"]`)?.classList.add("dragged");
  }

  #onPointerUp(event) {
    const pressed = this.#pressed;
    if (!pressed?.dragging) return;
    this.#layers.drag.replaceChildren();
    this.#layers.pieces.querySelector(".dragged")?.classList.remove("dragged");
    pressed.dragging = false;
    const square = this.#squareOf(event);
    if (square !== null && square !== pressed.square) this.onPress(square);
  }

  #onClick(event) {
    if (this.#pressed || event.detail === 0) return;
    const square = this.#squareOf(event);
    if (square === null) return;
    this.#moveCursor(square, false);
    this.onPress(square);
  }

  #onKey(event) {
    const { rows, cols, flipped } = this.view;
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };
    const step = steps[event.key];
    if (event.key === "Enter" || event.key === " ") {
      this.onPress(this.#cursor);
    } else if (step) {
      const sign = flipped ? -1 : 1;
      const row = Math.floor(this.#cursor / cols) + sign * step[0];
      const col = (this.#cursor % cols) + sign * step[1];
      if (row >= 0 && row < rows && col >= 0 && col < cols) this.#moveCursor(row * cols + col);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #moveCursor(square, focus = true) {
    this.#squares[this.#cursor]?.setAttribute("tabindex", -1);
    this.#cursor = square;
    this.#squares[square].setAttribute("tabindex", 0);
    if (focus) this.#squares[square].focus();
  }
}

function line(x1, y1, x2, y2) {
  return svg("line", { x1, y1, x2, y2, class: "grid" });
}

function label(x, y, text) {
  return svg("text", { x, y, class: "coordinate" }, String(text));
}

// The grain of the wood: long, slightly bent lines, the same each time.
function grain(x, y, width, height) {
  let seed = 7;
  const chance = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const parts = [];
  for (let at = y + 4; at < y + height - 4; at += 5 + 9 * chance()) {
    const bend = () => Math.min(Math.max(at + 10 * (chance() - 0.5), y + 1), y + height - 1).toFixed(1);
    const d = `M${x} ${bend()}C${x + width / 3} ${bend()} ${x + (2 * width) / 3} ${bend()} ${x + width} ${bend()}`;
    parts.push(svg("path", { d, class: chance() < 0.7 ? "grain" : "grain light" }));
  }
  return parts;
}
