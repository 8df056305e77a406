// What the lines of a pull say: how far it is, how fast, when it will be done, and what is left out.
import {bytes, duration} from "./figures.js";

const WINDOW = 6;       // seconds that the rate is of
const INTERVAL = 0.25;  // between two samples

export class PullProgress {
  constructor() {
    this.files = new Map();  // digest -> see file()
    this.size = 0;           // of all files, once it is said
    this.about = "";
    this.status = "";
    this.leftOut = [];       // sentences
    this.samples = [];       // [seconds, bytes that came since the beginning]
    this.came = 0;
  }

  /** A line of /api/pull; `now` in seconds. */
  add(line, now) {
    this.status = line.total ? "" : line.status ?? "";
    this.leftOut = line.left_out ?? this.leftOut;
    if (line.size) {
      this.size = line.size;
      this.about = [line.host && `from ${line.host}`, line.type, line.license, bytes(line.size)].filter(Boolean).join(" · ");
      for (const {digest, size, at_hand: there} of line.files ?? []) this.files.set(digest, file(size, there));
    }
    if (!line.total) return;
    if (!this.files.has(line.digest)) this.files.set(line.digest, file(line.total, 0));
    this.came += moved(this.files.get(line.digest), line);
    if (this.samples.length && now - this.samples.at(-1)[0] < INTERVAL) return;
    this.samples.push([now, this.came]);
    while (this.samples.length > 2 && now - this.samples[0][0] > WINDOW) this.samples.shift();
  }

  get total() {
    return Math.max(this.size, this.sum("total"));
  }

  get completed() {
    return this.sum("completed");
  }

  sum(part) {
    let sum = 0;
    for (const file of this.files.values()) sum += file[part];
    return sum;
  }

  rate(now) {
    if (!this.samples.length || now - this.samples[0][0] < INTERVAL) return 0;
    return (this.came - this.samples[0][1]) / (now - this.samples[0][0]);
  }

  text(now) {
    if (this.status || !this.total) return this.status;
    const rate = this.rate(now);
    const left = this.total - this.completed;
    return [`${bytes(this.completed)} of ${bytes(this.total)}`, rate >= 1 ? `${bytes(rate)}/s` : null,
            rate >= 1 && left > 0 ? `${duration(Math.max(1, left / rate))} left` : null].filter(Boolean).join(" · ");
  }
}

/** `there`: bytes that are there before it begins. They are read again first, which is no progress. */
const file = (total, there) => ({total, there, completed: there, told: null});

/** Takes what a line says of a file; the bytes that have come since the one before. */
function moved(file, line) {
  const told = Math.min(line.completed ?? 0, line.total);
  if (file.told !== null && told < file.told) file.there = told;  // it starts over
  const before = file.completed, began = file.told !== null;
  file.total = line.total;
  file.completed = Math.max(told, Math.min(file.there, line.total));
  file.told = told;
  return began ? Math.max(0, file.completed - before) : 0;
}
