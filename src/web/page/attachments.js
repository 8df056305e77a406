// What goes with the question that is being written: picked, pasted, dropped, taken or recorded.
import {costOf, problemWith} from "./abilities.js";
import {hasOwnCamera, takePicture} from "./camera.js";
import {Counting} from "./counting.js";
import {problemWith as problemWithDevice} from "./devices.js";
import {el} from "./dom.js";
import {countOfKinds, number, tokens} from "./figures.js";
import {MOST_BYTES, MOST_FILES, readFile, tooLarge, tooMany} from "./media_files.js";
import {MediaRow} from "./media_view.js";
import {Microphone} from "./microphone.js";
import {BUDGETS, PAGE_BUDGET} from "./pictures.js";

const byId = (id) => document.getElementById(id);
const NOBODY = {model: "", called: "the model", sees: true, hears: true, known: false, usual: BUDGETS[2], detail: null, sound: false};

/** `actions`: changed(), after some came or went; detail(value) and sound(value), which were chosen. */
export class Attachments {
  constructor(actions) {
    this.actions = actions;
    this.list = [];
    this.reading = 0;  // calls of add() that go on
    this.problem = "";
    this.kept = [];    // of the conversation
    this.way = NOBODY;
    this.form = byId("composer");
    this.files = byId("files");
    this.capture = byId("capture");
    this.detail = byId("detail");
    this.sound = byId("video-sound");
    this.counting = new Counting(() => actions.changed());
    this.row = new MediaRow("Files of your question", ({blob}) => blob, (attachment) => this.remove(attachment),
                            (attachment, pages) => this.choosePages(attachment, pages));
    this.note = el("p", {class: "note quiet", role: "status"});
    this.microphone = new Microphone({
      take: (file, words) => this.add([file], {words, always: true}), tell: (words) => this.tell(words), changed: () => actions.changed(),
      room: () => this.room(),
    });
    byId("attachments").append(this.row.node, this.microphone.node, this.note);
    byId("add-files").addEventListener("click", () => this.files.click());
    byId("camera").addEventListener("click", () => this.useCamera());
    this.detail.addEventListener("change", () => actions.detail(chosenDetail(this.detail.value)));
    this.sound.addEventListener("change", () => actions.sound(this.sound.checked));
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
  get ready() {
    return this.reading === 0 && !this.microphone.recorder && !this.refusals().length;
  }

  /** Why the conversation, with them, cannot be sent to the model; each reason once. */
  refusals() {
    const ofModel = [...this.kept, ...this.list].map((one) => problemWith(one, this.way));
    const n = this.kept.length + this.list.length;
    const ofServer = this.list.map((one) => this.counting.problemOf(one, this.way));
    return [...new Set([...ofModel, ...ofServer, this.room() < 0 && tooLarge(), n > MOST_FILES && tooMany(n)])].filter(Boolean);
  }

  /** The bytes that files of the conversation may still have. */
  room() {
    return MOST_BYTES - [...this.kept, ...this.list].reduce((sum, {bytes}) => sum + bytes, 0);
  }

  /** The question takes them with it. */
  take() {
    this.list = [];
    this.problem = "";
  }

  /** What the model cannot be shown is refused unless `always`: what was recorded is not lost. `words`: told beside. */
  async add(files, {words = "", always = false} = {}) {
    if (!files.length) return;
    this.reading += 1;
    this.tell(words);
    const refused = [words];
    try {
      for (const file of files) {
        try {
          const attachment = await readFile(file, always ? Infinity : this.room());
          const problem = problemWith(attachment, this.way);
          if (problem && !always) refused.push(problem);
          else this.list.push(attachment);
        } catch (error) {
          refused.push(error.message);
        }
      }
    } finally {
      this.reading -= 1;
    }
    this.tell([...new Set(refused)].filter(Boolean).join(" "));
    this.form.querySelector("textarea").focus();
  }

  remove(attachment) {
    this.list = this.list.filter((other) => other !== attachment);
    this.tell("");
    this.form.querySelector("textarea").focus();
  }

  choosePages(attachment, pages) {
    attachment.chosen = pages || undefined;
    this.actions.changed();
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
    this.form.classList.toggle("dropping", event.type !== "drop" && !leaves);
    if (event.type === "drop") this.add([...event.dataTransfer.files]);
  }

  isElsewhere() {
    return byId("chat").hidden || document.querySelector("dialog[open]") !== null;
  }

  /** `kept`: what the conversation has; `way`: how it is shown (abilities.js). */
  update({kept, way}) {
    this.kept = kept;
    this.way = way;
    this.counting.update(this.list, way);
    this.row.update(this.list, (one) => this.stateOf(one));
    const warnings = this.list.map((one) => this.counting.warnings.get(one));
    const words = [this.reading ? "Reading the file…" : "", this.problem, ...this.refusals(), ...warnings, this.sum()].filter(Boolean);
    const text = [...new Set(words)].join(" ");
    if (this.note.textContent !== text) this.note.textContent = text;
    this.note.hidden = !text;
    this.updateControls();
  }

  stateOf(attachment) {
    return {cost: costOf(attachment, this.way), waiting: this.counting.waiting.has(attachment),
            problem: problemWith(attachment, this.way) || this.counting.problemOf(attachment, this.way)};
  }

  /** "2 pictures, 520 tokens": of several. */
  sum() {
    if (this.list.length < 2) return "";
    const costs = this.list.map((one) => costOf(one, this.way));
    const total = costs.reduce((sum, one) => sum + one, 0);
    const rest = costs.includes(null) ? " and those of the unknown ones" : "";
    return `${countOfKinds(this.list.map(({kind}) => kind))}, ${tokens(total)}${rest}`;
  }

  updateControls() {
    const {called, sees, hears, usual, detail, sound} = this.way;
    const all = [...this.kept, ...this.list];
    label("camera", "Take a picture", !sees ? `${called} sees no pictures.` : hasOwnCamera() ? "" : problemWithDevice("camera"));
    const {recorder, asking} = this.microphone;
    byId("microphone").classList.toggle("records", Boolean(recorder));
    label("microphone", recorder ? "End the recording" : "Record with the microphone",
          recorder ? "" : asking ? "Waiting to be allowed…" : !hears ? `${called} hears no sound.` : problemWithDevice("microphone"));
    this.offerDetail(usualOf(all, usual));
    this.detail.value = String(detail ?? "");
    this.detail.disabled = !sees;
    byId("detail-choice").hidden = !all.some(({kind, pictured}) => kind === "picture" || kind === "document" && pictured);
    this.sound.checked = sound;
    byId("video-sound-choice").hidden = !hears || !all.some(({kind}) => kind === "video");
  }

  offerDetail(usual) {
    if (this.offered === usual) return;
    this.offered = usual;
    this.detail.replaceChildren(
      el("option", {value: ""}, usual),
      el("option", {value: "auto"}, "as its size needs"),
      ...BUDGETS.map((budget) => el("option", {value: budget}, `up to ${number(budget)} tokens`)));
  }
}

/** What the server does unasked: pages that are shown as pictures have a budget of their own. */
function usualOf(attachments, usual) {
  const pages = attachments.some(({kind, pictured}) => kind === "document" && pictured);
  if (!pages) return `up to ${number(usual)} tokens (model's)`;
  const ofPages = number(PAGE_BUDGET);
  return attachments.some(({kind}) => kind === "picture") ? `up to ${number(usual)} tokens (model's), pages ${ofPages}`
                                                          : `up to ${ofPages} tokens (usual of pages)`;
}

/** A control that is off says why. */
function label(id, name, problem) {
  const button = byId(id);
  const words = problem ? `${name}: ${problem}` : name;
  button.disabled = Boolean(problem);
  button.title = words;
  button.setAttribute("aria-label", words);
}

function chosenDetail(value) {
  if (value === "") return null;
  return value === "auto" ? "auto" : Number(value);
}
