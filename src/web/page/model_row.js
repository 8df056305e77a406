// One model of the list. Its nodes stay while their texts change, so that no click is lost.
import {api} from "./api.js";
import {ask} from "./dialogs.js";
import {el} from "./dom.js";
import {bytes, duration, number} from "./figures.js";
import {detailsNode} from "./model_details.js";
import {loadState} from "./reply.js";

const YEAR = 365 * 86400;

const DELETABLE = ["pleiad", "hugging face"];  // what pulling fills; Ollama's store and folders are left alone

export class ModelRow {
  /** `onAct(work)`: load, unload or delete, as work(name). */
  constructor(name, onChoose, onAct) {
    this.name = name;
    this.facts = el("span", {class: "quiet"});
    this.problem = el("span", {class: "problem"});
    this.mark = el("span", {class: "dot"});
    this.progress = el("progress", {"aria-label": "Loading"});
    this.text = el("span");
    this.state = el("span", {class: "state"}, this.mark, this.progress, this.text);
    this.button = el("button", {type: "button", onclick: () => onAct(this.running ? api.unload : api.load)});
    this.details = el("div", {class: "more", hidden: true});
    this.more = el("button", {type: "button", "aria-expanded": "false", "aria-label": `Details of ${name}`,
                              onclick: () => onAct(() => this.toggleDetails())}, "Details");
    this.remove = el("button", {type: "button", class: "danger", "aria-label": `Delete ${name}`,
                                onclick: () => this.confirmRemoval(onAct)}, "Delete");
    this.node = el("li", {},
      el("div", {class: "what"},
         el("button", {type: "button", class: "link", title: "Chat with this model", onclick: () => onChoose(name)}, name),
         this.facts, this.problem, this.state),
      el("div", {class: "acts"}, this.more, this.remove, this.button), this.details);
  }

  async toggleDetails() {
    if (this.details.hidden) this.details.replaceChildren(detailsNode(this.model, await api.show(this.name)));
    this.details.hidden = !this.details.hidden;
    this.more.setAttribute("aria-expanded", String(!this.details.hidden));
  }

  async confirmRemoval(onAct) {
    const accepted = await ask({title: `Delete ${this.name}?`, danger: true, accept: "Delete",
                                text: "Its files go too, unless another model needs them. It can be fetched or made again."});
    if (accepted !== null) onAct(api.remove);
  }

  /** `running`: what /api/ps says of it, if anything. */
  update(model, running, busy) {
    const details = model.details ?? {};
    const loading = running ? loadState(running) : null;
    this.running = running;
    this.model = model;
    this.remove.hidden = !DELETABLE.includes(model.source);
    this.remove.disabled = busy;
    this.more.hidden = Boolean(model.problem);
    this.facts.textContent = [details.family, details.parameter_size, details.quantization_level,
                              model.size && !running ? `${bytes(model.size)} on disk` : null].filter(Boolean).join(" · ");
    this.problem.textContent = model.problem ?? "";
    this.state.hidden = !running;
    this.progress.hidden = !loading?.total;
    this.mark.hidden = Boolean(loading?.total);
    this.mark.className = loading ? "pulse" : "dot";
    if (loading?.total) {
      this.progress.max = loading.total;
      this.progress.value = loading.loaded;
    }
    if (running) this.text.textContent = loading ? loadingText(loading) : runningText(running);
    this.button.hidden = Boolean(model.problem || loading);
    this.button.disabled = busy;
    this.button.textContent = running ? "Unload" : "Load";
    this.button.setAttribute("aria-label", `${this.button.textContent} ${this.name}`);
  }
}

function loadingText({loaded, total}) {
  return total ? `Loading: ${bytes(loaded)} of ${bytes(total)}` : "Loading";
}

function runningText(running) {
  return ["In memory", running.size ? bytes(running.size) : null,
          running.context_length ? `context ${number(running.context_length)}` : null, leaving(running)].filter(Boolean).join(" · ");
}

function leaving(running) {
  if (running.state === "unloading") return "being unloaded";
  const seconds = (Date.parse(running.expires_at) - Date.now()) / 1000;
  if (Number.isNaN(seconds)) return null;
  if (seconds > 50 * YEAR) return "stays";
  return seconds > 1 ? `unloaded after ${duration(seconds)} at rest` : "unloaded when idle";
}
