// Recording what is said: the button, and what stands above the question meanwhile.
import {el, iconButton} from "./dom.js";
import {clock} from "./figures.js";
import {Recorder} from "./recorder.js";

const ENDS = {
  full: "The recording was ended: the files of one conversation have no room for more.",
  lost: "The recording was ended: the microphone is gone.",
};

/** `actions`: take(file), what was recorded; tell(words), what went wrong; changed(); room(), bytes that are left. */
export class Microphone {
  constructor(actions) {
    this.actions = actions;
    this.recorder = null;
    this.asked = null;  // of the browser, which has not answered yet
    this.button = document.getElementById("microphone");
    this.button.addEventListener("click", () => (this.recorder ? this.stop() : this.start()));
    this.meter = el("meter", {min: 0, max: 1, "aria-label": "Level"});
    this.time = el("span", {class: "time", role: "timer", "aria-label": "Recorded"});
    this.done = el("button", {type: "button", class: "main", onclick: () => this.stop()}, "Done");
    this.node = el("div", {class: "recording", role: "group", "aria-label": "Recording", hidden: true},
                   el("span", {class: "pulse"}), this.meter, this.time, this.done,
                   iconButton("close", "Discard the recording", () => this.cancel()));
    this.form = this.button.form;
    this.form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing || !this.recorder) return;
      event.stopPropagation();
      this.cancel();
    });
  }

  /** Whether it waits to be allowed. */
  get asking() { return this.asked !== null; }

  async start() {
    if (this.recorder || this.asking) return;
    const asked = this.asked = {};
    this.actions.tell("");
    let recorder = null;
    let problem = "";
    try {
      recorder = await Recorder.start({
        room: this.actions.room(), onSound: () => this.show(),
        onEnd: (why) => this.stop(ENDS[why]),
      });
    } catch (error) {
      problem = error.message;
    }
    if (this.asked !== asked) return recorder?.close();
    this.asked = null;
    if (!recorder) return this.actions.tell(problem);
    this.recorder = recorder;
    this.show();
    this.node.hidden = false;
    this.done.focus();
    this.actions.changed();
  }

  show() {
    if (!this.recorder) return;
    this.meter.value = this.recorder.level;
    const time = clock(this.recorder.seconds);
    if (this.time.textContent !== time) this.time.textContent = time;
  }

  async stop(words = "") {
    const {recorder} = this;
    if (!recorder || recorder.ending) return;
    const file = await recorder.stop();
    if (this.recorder !== recorder) return;  // discarded meanwhile
    this.end();
    if (file) this.actions.take(file, words);
    else this.actions.tell(words || "Nothing was recorded.");
  }

  /** Nobody sees it any more: what was said is kept, and an answer of the browser comes too late. */
  leave() {
    this.asked = null;
    this.stop();
    this.actions.changed();
  }

  cancel() {
    this.recorder.close();
    this.end();
    this.actions.tell("");
  }

  end() {
    this.recorder = null;
    this.node.hidden = true;
    this.form.querySelector("textarea").focus();
  }
}
