// The dialogs: rules of a new game, playing the engine, sharing, help.

import { html } from "./svg.js";

const $ = (id) => document.getElementById(id);

for (const dialog of document.querySelectorAll("dialog")) {
  dialog.querySelector("[value=cancel]")?.addEventListener("click", () => dialog.close("cancel"));
  // A click beside it closes it.
  dialog.addEventListener("pointerdown", (event) => event.target === dialog && dialog.close("cancel"));
}

// Open a dialog and wait: whether it was confirmed.
function open(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok"), { once: true }));
}

// Rules -----------------------------------------------------------------------------------------------------------------------------

export class RulesDialog {
  // check(preset, values) asks the server for { rules }, their text.
  constructor(check) {
    this.check = check;
    this.form = null;
  }

  setForm(form) {
    this.form = form;
  }

  // The text of the rules chosen, or null. It starts from the values of the rules now.
  async choose(title, values) {
    if (!this.form) return null;
    $("rules-title").textContent = title;
    $("rules-error").textContent = "";
    const presets = this.form.presets.map((preset) => html("button", { type: "button", role: "radio", class: "preset", "data-preset": preset.name, onclick: () => this.#fill(preset.values) }, preset.title));
    $("rules-presets").replaceChildren(...presets);
    $("rules-options").replaceChildren(...this.form.options.map((option) => this.#field(option)));
    $("rules-options").oninput = () => this.#markPreset();
    this.#fill(values ?? this.form.presets[0].values);
    const dialog = $("rules-dialog");
    let rules = null;
    dialog.querySelector("form").onsubmit = async (event) => {
      event.preventDefault();
      try {
        rules = (await this.check(this.form.presets[0].name, this.#read())).rules;
        dialog.close("ok");
      } catch (error) {
        $("rules-error").textContent = error.message;
      }
    };
    return (await open(dialog)) ? rules : null;
  }

  #field(option) {
    const id = `rule-${option.name}`;
    let input;
    if (option.switch) input = html("input", { type: "checkbox", id, "data-option": option.name });
    else if (option.choices) input = html("select", { id, "data-option": option.name }, ...option.choices.map((choice) => html("option", { value: choice.value }, choice.title)));
    else input = html("input", { type: "number", id, min: option.min, max: option.max, required: true, "data-option": option.name });
    return html("div", { class: `field${option.switch ? " check" : ""}` }, html("label", { for: id }, option.title), input, html("small", {}, option.hint));
  }

  #inputs() {
    return [...$("rules-options").querySelectorAll("[data-option]")];
  }

  #fill(values) {
    for (const input of this.#inputs()) {
      const value = values[input.dataset.option];
      if (input.type === "checkbox") input.checked = value;
      else input.value = value;
    }
    this.#markPreset();
  }

  #read() {
    return Object.fromEntries(
      this.#inputs().map((input) => {
        const value = input.type === "checkbox" ? input.checked : input.type === "number" ? Number(input.value) : input.value;
        return [input.dataset.option, value];
      }),
    );
  }

  #markPreset() {
    const values = this.#read();
    for (const button of $("rules-presets").children) {
      const preset = this.form.presets.find((preset) => preset.name === button.dataset.preset);
      const chosen = Object.keys(values).every((name) => preset.values[name] === values[name]);
      button.setAttribute("aria-checked", String(chosen));
    }
  }
}

// The others ------------------------------------------------------------------------------------------------------------------------

// { side, seconds, from } or null.
export async function choosePlay() {
  const dialog = $("play-dialog");
  if (!(await open(dialog))) return null;
  const data = new FormData(dialog.querySelector("form"));
  return { side: data.get("side"), seconds: Number(data.get("seconds")), from: data.get("from") };
}

// share: { link, yfen, text }; onLoad(text) returns what is wrong with a text, or null if it is loaded.
export function openShare(share, onLoad) {
  $("share-link").value = share.link;
  $("share-yfen").value = share.yfen;
  $("share-text").value = share.text;
  $("load-text").value = "";
  $("load-text").setCustomValidity("");
  $("load-text").oninput = () => $("load-text").setCustomValidity("");
  $("load-button").onclick = async () => {
    const wrong = await onLoad($("load-text").value);
    if (wrong === null) return $("share-dialog").close();
    $("load-text").setCustomValidity(wrong);
    $("load-text").reportValidity();
  };
  open($("share-dialog"));
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const field = $(button.dataset.copy);
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Pages that do not come from this machine or over https may not write to the clipboard in that way.
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
}

export function openHelp() {
  open($("help-dialog"));
}
