// Taking turns at what only so many may do at once.

export class Turns {
  constructor(most) {
    this.free = most;
    this.waiting = [];  // who gets the next ones, in the order in which they came
  }

  /** Waits for one's turn, which leave() ends. Throws what `signal` was aborted with where it was before. */
  take(signal) {
    if (this.free > 0) {
      --this.free;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.waiting.push(resolve);
      signal.addEventListener("abort", () => {
        if (!this.waiting.includes(resolve)) return;
        this.waiting = this.waiting.filter((other) => other !== resolve);
        reject(signal.reason);
      }, {once: true});
    });
  }

  leave() {
    const next = this.waiting.shift();
    if (next) next();
    else ++this.free;
  }
}
