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
    this.asking = false;
    this.button = document.getElementById("microphone");
    this.button.addEventListener("click", () => (this.recorder ? this.stop() : this.start()));
    this.meter = el("meter", {min: 0, max: 1, "aria-label": "Level"});
    this.time = el("span", {class: "time", role: "timer", "aria-label": "Recorded"});
    this.done = el("button", {type: "button", class: "main", onclick: () => this.stop()}, "Done");
    this.node = el("div", {class: "recording", role: "group", "aria-label": "Recording", hidden: true},
                   el("span", {class: "pulse"}), this.meter, this.time, this.done,
                   iconButton("close", "Discard the recording", () => this.cancel()));
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.cancel();
    });
  }

  /** Whether it records, or waits to be allowed to. */
  get busy() { return Boolean(this.recorder) || this.asking; }

  async start() {
    if (this.busy) return;
    this.asking = true;
    this.actions.tell("");
    try {
      this.recorder = await Recorder.start({
        room: this.actions.room(), onSound: () => this.show(),
        onEnd: (why) => this.stop(ENDS[why]),
      });
    } catch (error) {
      this.asking = false;
      return this.actions.tell(error.message);
    }
    this.asking = false;
    this.show();
    this.node.hidden = false;
    this.done.focus();
    this.actions.changed();
  }

  show() {
    if (!this.recorder) return;
    this.meter.value = this.recorder.level;
    this.time.textContent = clock(this.recorder.seconds);
  }

  stop(words = "") {
    if (!this.recorder) return;
    const file = this.recorder.stop();
    this.end();
    if (file) this.actions.take(file, words);
    else this.actions.tell(words || "Nothing was recorded.");
  }

  cancel() {
    this.recorder.close();
    this.end();
    this.actions.tell("");
  }

  end() {
    this.recorder = null;
    this.node.hidden = true;
  }
}
