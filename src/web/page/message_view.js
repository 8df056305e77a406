// One message on the page.
import {confirmOn, copyText, el, icon, iconButton} from "./dom.js";
import {MarkdownView} from "./markdown_view.js";
import {bytes, duration, phrases} from "./figures.js";
import {MediaRow} from "./media_view.js";

/** A question. `media`: find(attachment), its blob; stateOf(attachment), as MediaRow has it. */
export class QuestionView {
  constructor(message, media) {
    this.message = message;
    this.media = media;
    this.row = new MediaRow("Files", media.find);
    this.text = el("div", {class: "bubble"}, message.content);
    this.actions = el("div", {class: "actions"});
    this.node = el("article", {class: "question", "aria-label": "You"}, this.row.node, this.text, this.actions);
  }

  close() {
    this.closeForm?.();
    this.row.clear();
    this.node.remove();
  }

  /** `onEdit(text, attachments)` is given for the last one alone. */
  update({onEdit}) {
    this.row.update(this.closeForm ? [] : this.message.attachments ?? [], this.media.stateOf);
    if (!onEdit) this.closeForm?.();
    if (this.shown === Boolean(onEdit)) return;
    this.shown = Boolean(onEdit);
    this.actions.replaceChildren(
      ...(onEdit ? [iconButton("edit", "Edit this question", () => this.edit(onEdit))] : []),
      ...(this.message.content ? [copyButton(() => this.message.content)] : []));
  }

  edit(onEdit) {
    const area = el("textarea", {"aria-label": "Your question", rows: "3"});
    area.value = this.message.content;
    let kept = this.message.attachments ?? [];
    const row = new MediaRow("Files of your question", this.media.find, (attachment) => {
      kept = kept.filter((other) => other !== attachment);
      row.update(kept, this.media.stateOf);
      area.focus();
    });
    row.update(kept, this.media.stateOf);
    const close = () => {
      row.clear();
      form.replaceWith(this.text);
      this.actions.hidden = false;
      this.closeForm = null;
      this.row.update(this.message.attachments ?? [], this.media.stateOf);
    };
    this.closeForm = close;
    const save = () => {
      if (area.value.trim() || kept.length) onEdit(area.value.trim(), kept);
    };
    const form = el("form", {class: "edit", onsubmit: (event) => {
      event.preventDefault();
      save();
    }}, row.node, area, el("div", {class: "row"},
                 el("button", {type: "button", onclick: close}, "Cancel"),
                 el("button", {type: "submit", class: "main"}, "Ask again")));
    area.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.stopPropagation();
        close();
      } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        save();
      }
    });
    this.text.replaceWith(form);
    this.row.clear();
    this.actions.hidden = true;
    area.focus();
  }
}

/** A reply, also while it comes. */
export class ReplyView {
  constructor(message) {
    this.message = message;
    this.thinking = el("div", {class: "markdown"});
    this.thinkingTitle = el("summary");
    this.thinkingBox = el("details", {class: "thinking", hidden: true}, this.thinkingTitle, this.thinking);
    this.content = el("div", {class: "markdown"});
    this.calls = el("div", {class: "calls"});
    this.pulse = el("span", {class: "pulse"});
    this.progress = el("progress", {"aria-label": "Loading the model"});
    this.statusText = el("span");
    this.status = el("div", {class: "status", hidden: true}, this.pulse, this.progress, this.statusText);
    this.notes = el("div", {class: "notes"});
    this.actions = el("div", {class: "actions"});
    this.figures = el("div", {class: "figures quiet"});
    this.node = el("article", {class: "reply", "aria-label": "Reply"}, this.thinkingBox, this.content, this.calls,
                   this.status, this.notes, el("div", {class: "foot"}, this.actions, this.figures));
    this.contentView = new MarkdownView(this.content);
    this.thinkingView = new MarkdownView(this.thinking);
    this.thinkingBox.addEventListener("toggle", () => this.updateThinking());
  }

  close() { this.node.remove(); }

  /** `reply` while it runs, otherwise null; `onAgain` for the last one alone. */
  update({reply, onAgain}) {
    const {message} = this;
    this.node.setAttribute("aria-busy", String(Boolean(reply)));
    this.updateThinking();
    this.contentView.update(message.content);
    while (this.calls.childNodes.length < message.toolCalls.length) {
      this.calls.append(callNode(message.toolCalls[this.calls.childNodes.length]));
    }
    this.status.hidden = !reply;
    if (reply) return this.updateStatus(reply);
    const state = `${message.state} ${Boolean(onAgain)}`;
    if (state === this.shown) return;
    this.shown = state;
    this.notes.replaceChildren(...noteNodes(message, onAgain));
    this.actions.replaceChildren(
      ...(message.content ? [copyButton(() => message.content)] : []),
      ...(onAgain && !message.error ? [iconButton("again", "Answer again", onAgain)] : []));
    this.figures.replaceChildren(
      ...[message.model, ...(message.figures ? phrases(message.figures) : [])].map((text) => el("span", {}, text)));
  }

  updateStatus({pieces, loading, rate}) {
    const share = pieces === 0 && loading?.total ? loading : null;
    this.progress.hidden = !share;
    this.pulse.hidden = Boolean(share);
    if (share) {
      this.progress.max = share.total;
      this.progress.value = share.loaded;
    }
    // An estimate from what has come; the exact figure follows at the end.
    if (pieces > 0) this.statusText.textContent = rate === null ? "" : `about ${rate.toFixed(1)} tok/s`;
    else if (share) this.statusText.textContent = `Loading ${this.message.model}: ${bytes(share.loaded)} of ${bytes(share.total)}`;
    else this.statusText.textContent = `${loading ? "Loading" : "Waiting for"} ${this.message.model}`;
  }

  /** What is folded away is not laid out until somebody looks. */
  updateThinking() {
    const {thinking, thinkingSeconds} = this.message;
    if (!thinking) return;
    this.thinkingBox.hidden = false;
    this.thinkingBox.classList.toggle("running", thinkingSeconds === null);
    this.thinkingTitle.textContent = thinkingSeconds === null ? "Thinking" : `Thought for ${duration(thinkingSeconds)}`;
    if (this.thinkingBox.open) this.thinkingView.update(thinking);
  }
}

function copyButton(text) {
  const button = iconButton("copy", "Copy", () => copyText(text()).then(() => confirmOn(button, "Copied")));
  return button;
}

function noteNodes(message, onAgain) {
  const notes = [];
  if (message.state === "stopped") notes.push(note("Stopped."));
  if (message.state === "running") {
    notes.push(note("Not complete: its page was closed, or another tab still follows it.", "warning"));
  }
  if (message.state === "done" && message.reason === "length") {
    notes.push(note("Cut at the limit: the reply may go on. The longest reply and the context length are in the settings.", "warning"));
  }
  if (message.state === "done" && !message.content && !message.toolCalls.length && message.reason !== "length") {
    notes.push(note("The model ended without an answer."));
  }
  if (message.dropped > 0) notes.push(note(`The oldest messages did not fit and were left out (${message.dropped}).`, "warning"));
  for (const text of message.warnings ?? []) notes.push(note(text, "warning"));
  if (message.error) notes.push(errorNode(message.error, onAgain));
  return notes;
}

function note(text, kind = "") {
  return el("p", {class: `note ${kind}`}, kind && icon("warning"), el("span", {}, text));
}

const OWN_KINDS = ["large", "file"];  // found here, before the server was asked

export function errorNode({kind, title, hint, detail}, onAgain) {
  return el("div", {class: "error", role: "alert"}, el("strong", {}, title), el("p", {}, hint),
            detail && el("p", {class: "detail"}, OWN_KINDS.includes(kind) ? detail : `The server says: ${detail}`),
            onAgain && el("button", {type: "button", onclick: onAgain}, "Try again"));
}

function callNode(call) {
  const {name = "?", arguments: given = {}} = call.function ?? {};
  const values = Object.entries(typeof given === "object" && given ? given : {"": given});
  return el("div", {class: "call"}, el("div", {class: "name"}, icon("tool"), "Calls ", el("code", {}, name)),
            el("dl", {}, values.flatMap(([key, value]) => [
              el("dt", {}, key), el("dd", {}, typeof value === "string" ? value : JSON.stringify(value, null, 2))])));
}
