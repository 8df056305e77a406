// Fetching models: the field that begins it, and how far each is.
import {api, explain} from "./api.js";
import {el} from "./dom.js";
import {errorNode} from "./message_view.js";
import {PullProgress} from "./pull_progress.js";
import {Turns} from "./turns.js";

/** Fetched at a time. Each takes a connection, of which a browser has six to a host, in all its windows, and chats need some too. */
const MOST_AT_ONCE = 2;

/** `actions`: pulled(name), failed(error). */
export class PullsView {
  constructor(actions) {
    this.actions = actions;
    this.running = new Map();  // name -> PullRow
    this.turns = new Turns(MOST_AT_ONCE);
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
    const row = new PullRow(name, this.turns, this.actions, () => this.remove(name));
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
  constructor(name, turns, actions, onRemove) {
    this.name = name;
    this.turns = turns;
    this.actions = actions;
    this.onRemove = onRemove;
    this.about = el("span", {class: "quiet"});
    this.bar = el("progress", {"aria-label": `Fetching ${name}`});
    this.text = el("span", {role: "status"});
    this.state = el("span", {class: "state"}, this.bar, this.text);
    this.leftOut = el("div", {class: "quiet"});
    this.shownLeftOut = null;
    this.fault = el("div");
    this.button = el("button", {type: "button", onclick: () => this.cancel()});
    this.node = el("li", {},
      el("div", {class: "what"}, el("strong", {}, name), this.about, this.state, this.leftOut, this.fault), this.button);
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
    this.bar.hidden = true;
    this.text.textContent = `Waiting: ${MOST_AT_ONCE} models are fetched at a time`;
    try {
      await this.turns.take(this.stopping.signal);
      await this.follow().finally(() => this.turns.leave());
      this.stopping = null;
      this.done();
    } catch (error) {
      this.stopping = null;
      this.end(error);
    }
  }

  async follow() {
    this.bar.hidden = false;
    this.show();
    for await (const line of api.pull(this.name, this.stopping.signal)) {
      this.progress.add(line, performance.now() / 1000);
      this.show();
    }
  }

  /** What was left out is said until it has been read. */
  done() {
    if (this.progress.leftOut.length === 0) {
      this.onRemove();
    } else {
      this.bar.hidden = true;
      this.text.textContent = "Fetched";
      this.label("Dismiss");
    }
    this.actions.pulled(this.name);
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
    if (this.shownLeftOut === this.progress.leftOut) return;
    this.shownLeftOut = this.progress.leftOut;
    this.leftOut.replaceChildren(...this.shownLeftOut.map((text) => el("div", {}, `Left out: ${text}`)));
  }
}
