// Builds SVG and HTML elements.

const SVG = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Put new contents into an element; the button that had the focus, by its place, keeps it.
export function refill(root, parts) {
  const buttons = () => [...root.querySelectorAll("button:not(:disabled)")];
  const at = buttons().indexOf(document.activeElement);
  root.replaceChildren(...parts);
  if (at >= 0) buttons()[at]?.focus();
}
