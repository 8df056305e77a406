// Fetching models: the field that begins it, and how far each is.
import {api, explain} from "./api.js";
import {el} from "./dom.js";
import {errorNode} from "./message_view.js";
import {PullProgress} from "./pull_progress.js";

/** `actions`: pulled(name), failed(error). */
export class PullsView {
  constructor(actions) {
    this.actions = actions;
    this.running = new Map();  // name -> PullRow
    this.input = el("input", {type: "text", name: "pull", autocomplete: "off", spellcheck: "false", required: true,
                              placeholder: "gemma4:e2b, or hf.co/user/repository:Q4_K_M"});
    this.list = el("ul", {class: "pulls", hidden: true});
    const form = el("form", {class: "pull", onsubmit: (event) => { event.preventDefault(); this.begin(this.input.value.trim()); }},
      el("label", {class: "field"}, el("span", {}, "Fetch a model"), this.input),
      el("button", {type: "submit", class: "main"}, "Pull"));
    this.node = el("div", {}, form, this.list);
  }

  begin(name) {
    if (!name) return;
    if (this.running.has(name)) return this.running.get(name).again();
    this.input.value = "";
    const row = new PullRow(name, this.actions, () => this.remove(name));
    this.running.set(name, row);
    this.list.append(row.node);
    this.list.hidden = false;
    row.start();
  }

  remove(name) {
    this.running.get(name)?.node.remove();
    this.running.delete(name);
    this.list.hidden = this.running.size === 0;
    this.input.focus();
  }
}

class PullRow {
  constructor(name, actions, onRemove) {
    this.name = name;
    this.actions = actions;
    this.onRemove = onRemove;
    this.about = el("span", {class: "quiet"});
    this.bar = el("progress", {"aria-label": `Fetching ${name}`});
    this.text = el("span", {role: "status"});
    this.state = el("span", {class: "state"}, this.bar, this.text);
    this.fault = el("div");
    this.button = el("button", {type: "button", onclick: () => this.cancel()});
    this.node = el("li", {}, el("div", {class: "what"}, el("strong", {}, name), this.about, this.state, this.fault), this.button);
  }

  again() {
    if (!this.stopping) this.start();
  }

  async start() {
    this.progress = new PullProgress();
    this.stopping = new AbortController();
    this.fault.replaceChildren();
    this.state.hidden = false;
    this.label("Cancel");
    this.show();
    try {
      for await (const line of api.pull(this.name, this.stopping.signal)) {
        this.progress.add(line, performance.now() / 1000);
        this.show();
      }
      this.stopping = null;
      this.onRemove();
      this.actions.pulled(this.name);
    } catch (error) {
      this.stopping = null;
      this.end(error);
    }
  }

  /** What has come is kept by the server: the same name goes on from there. */
  end(error) {
    this.state.hidden = true;
    this.label("Dismiss");
    if (error.name === "AbortError") return this.onRemove();
    this.fault.replaceChildren(errorNode(explain(error), () => this.again()));
    this.actions.failed(error);
  }

  cancel() {
    if (this.stopping) this.stopping.abort();
    else this.onRemove();
  }

  label(text) {
    this.button.textContent = text;
    this.button.setAttribute("aria-label", `${text} ${this.name}`);
  }

  show() {
    const {total, completed} = this.progress;
    if (total) {
      this.bar.max = total;
      this.bar.value = completed;
    } else {
      this.bar.removeAttribute("value");  // how long is not known yet
    }
    this.about.textContent = this.progress.about;
    this.text.textContent = this.progress.text(performance.now() / 1000);
  }
}
