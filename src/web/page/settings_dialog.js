// Settings: how the model samples, what it is told, and the page's colours.
import {openDialog} from "./dialogs.js";
import {el, iconButton} from "./dom.js";
import {apiKey, settings, theme} from "./preferences.js";

const NUMBERS = [
  {name: "temperature", label: "Temperature", min: 0, max: 5, help: "0 always takes the likeliest token"},
  {name: "top_p", label: "Top p", min: 0, max: 1, help: "tokens that make up this share"},
  {name: "top_k", label: "Top k", min: 0, max: 1000000, whole: true, help: "so many of the likeliest tokens"},
  {name: "min_p", label: "Min p", min: 0, max: 1, help: "at least this share of the likeliest"},
  {name: "seed", label: "Seed", min: 0, max: Number.MAX_SAFE_INTEGER, whole: true, usual: "another each time", help: "the same seed gives the same reply"},
  {name: "num_predict", label: "Longest reply", min: -1, max: 10000000, whole: true, help: "in tokens; -1 has no limit"},
  {name: "num_ctx", label: "Context length", min: 1, max: 100000000, whole: true, help: "in tokens; questions and replies share it"},
];
const THEMES = {system: "As the system", light: "Light", dark: "Dark"};

/** Opens the dialog; `shown` is what /api/show says of the model, or null. `onKey` enters another key. */
export function openSettings(shown, onKey) {
  const defaults = defaultsOf(shown);
  const dialog = el("dialog", {class: "settings", "aria-labelledby": "settings-title"},
    el("header", {}, el("h2", {id: "settings-title"}, "Settings"), iconButton("close", "Close", () => dialog.close())),
    systemField(),
    el("p", {class: "quiet"}, "An empty field leaves it to the model."),
    el("div", {class: "grid"}, NUMBERS.map((field) => numberField(field, defaults[field.name]))),
    themeField(),
    el("div", {class: "row"},
       apiKey.get() && el("button", {type: "button", onclick: () => { dialog.close(); onKey(); }}, "API key"),
       el("button", {type: "button", onclick: () => { settings.set({}); dialog.close(); openSettings(shown, onKey); }},
          "All to the model's defaults"),
       el("button", {type: "button", class: "main", onclick: () => dialog.close()}, "Done")));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  openDialog(dialog);
}

/** The values of "name value" lines; what the model itself would do. */
export function defaultsOf(shown) {
  const defaults = {};
  for (const line of (shown?.parameters ?? "").split("\n")) {
    const [name, ...value] = line.trim().split(/\s+/);
    if (name) defaults[name] = value.join(" ");
  }
  return defaults;
}

function keep(name, value) {
  const {[name]: _, ...others} = settings.get();
  settings.set(value === null ? others : {...others, [name]: value});
}

function systemField() {
  const area = el("textarea", {rows: "3", placeholder: "The model's default", name: "system"});
  area.value = settings.get().system ?? "";
  area.addEventListener("input", () => keep("system", area.value.trim() ? area.value : null));
  return el("label", {class: "field"}, el("span", {}, "System prompt"), area);
}

function numberField({name, label, min, max, whole, usual = "model's default", help}, given) {
  const input = el("input", {type: "number", name, min, max, step: whole ? "1" : "any", inputmode: whole && min >= 0 ? "numeric" : null,
                             placeholder: given ? `${given} (model's)` : usual, "aria-describedby": `help-${name}`});
  input.value = settings.get()[name] ?? "";
  const note = el("small", {id: `help-${name}`}, help);
  input.addEventListener("input", () => {
    const valid = input.checkValidity();
    note.textContent = valid ? help : `a ${whole ? "whole number" : "number"} from ${min}${max < 1e6 ? ` to ${max}` : " on"}`;
    note.classList.toggle("wrong", !valid);
    if (valid) keep(name, input.value === "" ? null : Number(input.value));
  });
  return el("label", {class: "field"}, el("span", {}, label), input, note);
}

function themeField() {
  const choose = (name) => {
    theme.set(name);
    if (name === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
  };
  return el("fieldset", {class: "themes"}, el("legend", {}, "Colours"), Object.entries(THEMES).map(([name, label]) =>
    el("label", {}, el("input", {type: "radio", name: "theme", value: name, checked: theme.get() === name,
                                 onchange: () => choose(name)}), label)));
}
