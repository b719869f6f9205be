// The choice of light or dark, before anything is drawn. Without a choice the system decides.
"use strict";
(() => {
  const KEY = "yote-theme";
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  try {
    const stored = localStorage.getItem(KEY);
    if (stored === "dark" || stored === "light") root.dataset.theme = stored;
  } catch {
    // No storage, no memory: the system decides each time.
  }
  addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme-button").addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem(KEY, root.dataset.theme);
      } catch {
        // As above.
      }
    });
  });
})();
