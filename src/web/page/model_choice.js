// Which model answers, and what is known of it.
import {api} from "./api.js";
import {number} from "./figures.js";
import {el} from "./dom.js";
import {sameModel} from "./reply.js";

export class ModelChoice {
  constructor(onChoose) {
    this.box = document.getElementById("model");
    this.models = [];
    this.shown = null;          // /api/show
    this.learning = true;       // it is being asked for
    this.contextLength = null;  // of the loaded model
    this.box.addEventListener("change", () => onChoose(this.box.value));
  }

  /** Of those that can be used: `wanted`, otherwise the first. */
  setModels(models, wanted) {
    this.models = models.filter(({problem}) => !problem);
    return this.models.find(({name}) => sameModel(name, wanted))?.name ?? this.models[0]?.name ?? "";
  }

  /** A name that the server no longer has stays visible, so that it is not swapped in silence. */
  select(name) {
    const names = this.models.map((model) => model.name);
    const known = names.find((other) => sameModel(other, name));
    const options = names.map((other) => el("option", {value: other}, other.replace(/:latest$/, "")));
    if (!known) options.unshift(el("option", {value: name, disabled: true}, name ? `${name} (not here)` : "No model"));
    // Left alone where it is as it was: somebody may have it open.
    const state = options.map(({value}) => value).join("\n");
    if (state !== this.offered) this.box.replaceChildren(...options);
    this.offered = state;
    this.box.value = known ?? name;
  }

  /** Asks what the model can do. */
  async learn(name) {
    this.name = name;
    this.shown = null;
    this.contextLength = null;
    this.learning = Boolean(name);
    if (!name) return;
    const shown = await api.show(name).catch(() => null);
    if (this.name === name) Object.assign(this, {shown, learning: false});
    await this.learnContext(name);
  }

  async learnContext(name) {
    const loaded = await api.loaded().catch(() => []);
    const length = loaded.find((model) => sameModel(model.name, name))?.context_length ?? null;
    if (this.name === name) this.contextLength = length;
  }

  /** Yes as long as nobody knows better: the server says so where it cannot. */
  canThink() {
    return this.shown?.capabilities?.includes("thinking") ?? true;
  }

  canSee() {
    return this.shown?.capabilities?.includes("vision") ?? true;
  }

  canHear() {
    return this.shown?.capabilities?.includes("audio") ?? true;
  }

  /** The most tokens of a picture where nobody says otherwise. */
  usualBudget() {
    return this.shown?.vision?.max_soft_tokens ?? 280;
  }

  /** "1,204 of 32,768 tokens": how much of the context the last reply left used. */
  contextText(conversation) {
    const figures = conversation.messages.findLast(({figures: some}) => some)?.figures;
    if (!figures || !this.contextLength || figures.prompt === null) return "";
    return `${number(figures.prompt + (figures.generated ?? 0))} of ${number(this.contextLength)} tokens`;
  }
}
