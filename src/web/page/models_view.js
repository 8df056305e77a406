// The models: what is at hand, what is in memory, how far a load has come, and what is being fetched.
import {api, explain} from "./api.js";
import {el} from "./dom.js";
import {errorNode} from "./message_view.js";
import {bytes} from "./figures.js";
import {ModelRow} from "./model_row.js";
import {PullsView} from "./pulls_view.js";
import {loadState, sameModel} from "./reply.js";

/** `actions`: choose(name), models(list), failed(error). Asks the server again while it is shown. */
export class ModelsView {
  constructor(actions) {
    this.actions = actions;
    this.root = document.querySelector("#models > .column");
    this.rows = new Map();
    this.summary = el("p", {class: "quiet"});
    this.fault = el("div");
    this.list = el("ul", {class: "models"});
    this.pulls = new PullsView({pulled: () => this.refresh(), failed: actions.failed});
    this.root.replaceChildren(el("h2", {}, "Models"), this.summary, this.pulls.node, this.fault, this.list);
    this.busy = new Set();  // names with a load, an unload or a removal under way
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
      this.fault.replaceChildren(errorNode(explain(error), () => this.refresh()));
    }
    clearTimeout(this.timer);  // another refresh may have ended meanwhile
    if (this.shown) this.timer = setTimeout(() => this.refresh(), this.busy.size ? 500 : 2000);
  }

  render(models, loaded) {
    const others = loaded.filter(({name}) => !models.some((model) => sameModel(model.name, name)));
    const all = [...models, ...others].map((model) => [model, loaded.find(({name}) => sameModel(name, model.name))]);
    all.sort(([, a], [, b]) => Boolean(b) - Boolean(a));
    const rows = all.map(([model, running]) => {
      const row = this.rows.get(model.name) ?? new ModelRow(model.name, this.actions.choose, (work) => this.act(model.name, work));
      row.update(model, running, this.busy.has(model.name));
      return row;
    });
    this.rows = new Map(rows.map((row) => [row.name, row]));
    this.summary.textContent = summary(models, loaded);
    this.fault.replaceChildren(...(this.problem ? [errorNode(this.problem)] : []));
    // Moving a node would take its focus away.
    if (rows.some(({node}, index) => this.list.children[index] !== node) || this.list.children.length !== rows.length) {
      this.list.replaceChildren(...rows.map(({node}) => node));
    }
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
