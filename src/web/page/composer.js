// Where questions are written.
import {Attachments} from "./attachments.js";
import {thinking} from "./preferences.js";

/**
 * `actions`: send(text, attachments), true where it was taken; stop(); detail(value), the budget of pictures that was
 * chosen; sound(value), whether videos are heard.
 */
export class Composer {
  constructor(actions) {
    this.actions = actions;
    this.form = document.getElementById("composer");
    this.area = document.getElementById("question");
    this.send = document.getElementById("send");
    this.stop = document.getElementById("stop");
    this.think = document.getElementById("thinking");
    this.context = document.getElementById("context");
    this.attachments = new Attachments({changed: () => this.update(this.state), detail: actions.detail, sound: actions.sound});
    this.think.checked = thinking.get();
    this.think.addEventListener("change", () => thinking.set(this.think.checked));
    this.stop.addEventListener("click", () => actions.stop());
    this.area.addEventListener("input", () => this.fit());
    this.area.addEventListener("keydown", (event) => this.onKey(event));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  focus() { this.area.focus(); }

  /** The chat is seen no more: nothing is recorded unseen. */
  leave() { this.attachments.microphone.leave(); }

  onKey(event) {
    // While an input method composes, Enter is its own.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.submit();
  }

  submit() {
    const text = this.area.value.trim();
    const {list, ready} = this.attachments;
    if (!ready || !text && !list.length || !this.actions.send(text, list)) return;
    this.attachments.take();
    this.area.value = "";
    this.fit();
    this.area.focus();
  }

  /** As high as what is written, up to what the style allows. */
  fit() {
    this.area.style.height = "auto";
    this.area.style.height = `${this.area.scrollHeight}px`;
    this.update(this.state);
  }

  update(state) {
    this.state = state;
    if (!state) return;
    const hadFocus = document.activeElement === this.stop;
    this.attachments.update(state.media);
    this.send.hidden = state.running;
    this.stop.hidden = !state.running;
    const empty = this.area.value.trim() === "" && !this.attachments.list.length;
    this.send.disabled = !state.ready || empty || !this.attachments.ready;
    this.think.disabled = !state.canThink;
    this.context.textContent = state.context;
    if (hadFocus && !state.running) this.area.focus();
  }
}
