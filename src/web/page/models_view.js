// The models: what is at hand, what is in memory, and how far a load has come.
import {api, explain} from "./api.js";
import {el} from "./dom.js";
import {errorNode} from "./message_view.js";
import {bytes, duration, number} from "./figures.js";
import {loadState, sameModel} from "./reply.js";

const YEAR = 365 * 86400;

/** `actions`: choose(name), models(list), failed(error). Asks the server again while it is shown. */
export class ModelsView {
  constructor(actions) {
    this.actions = actions;
    this.root = document.querySelector("#models > .column");
    this.busy = new Set();  // names with a load or unload under way
    this.problem = null;
    this.timer = 0;
  }

  show() {
    this.shown = true;
    this.refresh();
  }

  hide() {
    this.shown = false;
    clearTimeout(this.timer);
  }

  async refresh() {
    clearTimeout(this.timer);
    try {
      const [models, loaded] = await Promise.all([api.models(), api.loaded()]);
      this.actions.models(models);
      this.render(models, loaded);
    } catch (error) {
      this.actions.failed(error);
      this.root.replaceChildren(el("h2", {}, "Models"), errorNode(explain(error), () => this.refresh()));
    }
    if (this.shown) this.timer = setTimeout(() => this.refresh(), this.busy.size ? 500 : 2000);
  }

  render(models, loaded) {
    const others = loaded.filter(({name}) => !models.some((model) => sameModel(model.name, name)));
    const all = [...models, ...others].map((model) => [model, loaded.find(({name}) => sameModel(name, model.name))]);
    all.sort(([, a], [, b]) => Boolean(b) - Boolean(a));
    const focused = document.activeElement?.dataset?.act;
    this.root.replaceChildren(
      el("h2", {}, "Models"), el("p", {class: "quiet"}, summary(models, loaded)),
      ...(this.problem ? [errorNode(this.problem)] : []),
      el("ul", {class: "models"}, all.map(([model, running]) => this.row(model, running))));
    if (focused) this.root.querySelector(`[data-act="${CSS.escape(focused)}"]`)?.focus();
  }

  row(model, running) {
    const details = model.details ?? {};
    const facts = [details.family, details.parameter_size, details.quantization_level,
                   model.size && !running ? `${bytes(model.size)} on disk` : null];
    const loading = running && loadState(running);
    return el("li", {class: running ? "in-memory" : null},
      el("div", {class: "what"},
         el("button", {type: "button", class: "link", title: "Chat with this model", "data-act": `chat ${model.name}`,
                       onclick: () => this.actions.choose(model.name)}, model.name),
         el("span", {class: "quiet"}, facts.filter(Boolean).join(" · ")),
         model.problem && el("span", {class: "problem"}, model.problem),
         running && stateNode(running, loading)),
      !model.problem && !loading && this.button(model.name, running));
  }

  button(name, running) {
    const label = running ? "Unload" : "Load";
    return el("button", {type: "button", disabled: this.busy.has(name), "data-act": `${label} ${name}`,
                         "aria-label": `${label} ${name}`, onclick: () => this.act(name, running ? api.unload : api.load)}, label);
  }

  async act(name, work) {
    this.busy.add(name);
    this.problem = null;
    this.refresh();
    try {
      await work(name);
    } catch (error) {
      this.problem = explain(error);
      this.actions.failed(error);
    }
    this.busy.delete(name);
    if (this.shown) this.refresh();
  }
}

function summary(models, loaded) {
  if (models.length + loaded.length === 0) return "The server has found no models yet.";
  const ready = loaded.filter((model) => !loadState(model));
  const memory = ready.reduce((sum, {size = 0}) => sum + size, 0);
  const held = ready.length ? `${ready.length} in memory, ${bytes(memory)}` : "none in memory";
  return `${models.length} at hand, ${held}.`;
}

function stateNode(running, loading) {
  if (loading) {
    const progress = loading.total ? el("progress", {max: loading.total, value: loading.loaded, "aria-label": "Loading"}) : null;
    const text = loading.total ? `Loading: ${bytes(loading.loaded)} of ${bytes(loading.total)}` : "Loading";
    return el("span", {class: "state"}, progress ?? el("span", {class: "pulse"}), el("span", {}, text));
  }
  const facts = [running.size ? bytes(running.size) : null,
                 running.context_length ? `context ${number(running.context_length)}` : null, leaving(running)];
  return el("span", {class: "state"}, el("span", {class: "dot"}),
            el("span", {}, ["In memory", ...facts.filter(Boolean)].join(" · ")));
}

function leaving(running) {
  if (running.state === "unloading") return "being unloaded";
  const seconds = (Date.parse(running.expires_at) - Date.now()) / 1000;
  if (Number.isNaN(seconds)) return null;
  if (seconds > 50 * YEAR) return "stays";
  return seconds > 1 ? `unloaded after ${duration(seconds)} at rest` : "unloaded when idle";
}
