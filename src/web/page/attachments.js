// Pictures of the question that is being written: picked, pasted, dropped or taken.
import {canAsk, hasOwnCamera, takePicture} from "./camera.js";
import {el} from "./dom.js";
import {number, tokens} from "./figures.js";
import {readPicture} from "./picture_files.js";
import {BUDGETS, costOf, refusal} from "./pictures.js";
import {PictureRow} from "./picture_view.js";

const byId = (id) => document.getElementById(id);

/** `actions`: changed(), after pictures came or went; detail(value), the budget that was chosen. */
export class Attachments {
  constructor(actions) {
    this.actions = actions;
    this.pictures = [];
    this.reading = 0;  // calls of add() that go on
    this.problem = "";
    this.state = {canSee: true, blind: "", usual: BUDGETS[2], detail: null, pictures: false};
    this.form = byId("composer");
    this.files = byId("picture-files");
    this.capture = byId("picture-capture");
    this.detail = byId("detail");
    this.row = new PictureRow("Pictures of your question", ({blob}) => blob, (picture) => this.remove(picture));
    this.note = el("p", {class: "note quiet", role: "status"});
    byId("attachments").append(this.row.node, this.note);
    byId("add-pictures").addEventListener("click", () => this.files.click());
    byId("camera").addEventListener("click", () => this.useCamera());
    this.detail.addEventListener("change", () => actions.detail(chosenDetail(this.detail.value)));
    for (const field of [this.files, this.capture]) {
      field.addEventListener("change", () => {
        const picked = [...field.files];
        field.value = "";  // the same file may be picked again
        this.add(picked);
      });
    }
    document.addEventListener("paste", (event) => this.onPaste(event));
    for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
      document.addEventListener(name, (event) => this.onDrag(event));
    }
  }

  /** Whether a question can go with them. */
  get ready() { return this.reading === 0 && (this.state.canSee || !this.pictures.length && !this.state.pictures); }

  /** The question takes them with it. */
  take() {
    this.pictures = [];
    this.problem = "";
  }

  async add(files) {
    if (!files.length) return;
    if (!this.state.canSee) return this.tell(this.state.blind);
    this.reading += 1;
    this.tell("");
    const refused = [];
    try {
      for (const file of files) {
        const picture = await readPicture(file).catch(() => null);
        if (picture) this.pictures.push(picture);
        else refused.push(file.name || "what was pasted");
      }
    } finally {
      this.reading -= 1;
    }
    this.tell(refused.length ? refusal(refused) : "");
    this.form.querySelector("textarea").focus();
  }

  remove(picture) {
    this.pictures = this.pictures.filter((other) => other !== picture);
    this.tell("");
    this.form.querySelector("textarea").focus();
  }

  tell(problem) {
    this.problem = problem;
    this.actions.changed();
  }

  async useCamera() {
    if (hasOwnCamera()) return this.capture.click();
    try {
      const file = await takePicture();
      if (file) await this.add([file]);
    } catch (error) {
      this.tell(error.message);
    }
  }

  /** Text that comes along is what was meant: a cell of a table, say, is copied as both. */
  onPaste(event) {
    const files = [...event.clipboardData.files];
    if (!files.length || event.clipboardData.types.includes("text/plain") || this.isElsewhere()) return;
    event.preventDefault();
    this.add(files);
  }

  onDrag(event) {
    if (!event.dataTransfer?.types.includes("Files") || this.isElsewhere()) return;
    event.preventDefault();  // the browser would leave the page for the file
    const leaves = event.type === "dragleave" && event.relatedTarget === null;
    this.form.classList.toggle("dropping", event.type !== "drop" && !leaves && this.state.canSee);
    if (event.type === "drop") this.add([...event.dataTransfer.files]);
  }

  isElsewhere() {
    return byId("chat").hidden || document.querySelector("dialog[open]") !== null;
  }

  /**
   * `state`: canSee, blind (why not, in words), usual (the model's own budget), detail (the conversation's),
   * pictures (whether it has any).
   */
  update(state) {
    this.state = state;
    const {canSee, blind, usual, detail} = state;
    const cost = (picture) => costOf(picture, detail, usual);
    this.row.update(this.pictures, cost);
    const costs = this.pictures.map(cost);
    const total = costs.reduce((sum, one) => sum + one, 0);
    const several = this.pictures.length > 1;
    const words = [
      this.reading ? "Reading the picture…" : "",
      this.problem,
      !canSee && (this.pictures.length || state.pictures) ? blind : "",
      several ? `${number(this.pictures.length)} pictures, ${tokens(total)}${costs.includes(null) ? " and those of the unknown ones" : ""}` : "",
    ].filter(Boolean).join(" ");
    if (this.note.textContent !== words) this.note.textContent = words;
    this.note.hidden = !words;
    this.label("add-pictures", "Add pictures", canSee ? "" : blind);
    this.label("camera", "Take a picture", !canSee ? blind : hasOwnCamera() || canAsk() ? "" : "Browsers give a page the camera over HTTPS or on this machine alone.");
    this.offerDetail(usual);
    this.detail.value = String(detail ?? "");
    this.detail.disabled = !canSee;
    byId("detail-choice").hidden = !(this.pictures.length || state.pictures);
  }

  /** A control that is off says why. */
  label(id, name, problem) {
    const button = byId(id);
    const words = problem ? `${name}: ${problem}` : name;
    button.disabled = Boolean(problem);
    button.title = words;
    button.setAttribute("aria-label", words);
  }

  offerDetail(usual) {
    if (this.offered === usual) return;
    this.offered = usual;
    this.detail.replaceChildren(
      el("option", {value: ""}, `up to ${number(usual)} tokens (model's)`),
      el("option", {value: "auto"}, "as its size needs"),
      ...BUDGETS.map((budget) => el("option", {value: budget}, `up to ${number(budget)} tokens`)));
  }
}

function chosenDetail(value) {
  if (value === "") return null;
  return value === "auto" ? "auto" : Number(value);
}
