// What sounds, videos and documents take of a prompt: the server is asked before they are sent.
import {conditionsOf, costOf, learn, problemWith} from "./abilities.js";
import {api} from "./api.js";
import {countOf} from "./conversation.js";
import {base64Of} from "./media_files.js";

const FIELD = /^messages\[\d+\]\.(images|documents)\[\d+\](\.\w+)?: /;
const REFUSALS = ["request", "large"];  // kinds of errors that the same question would meet again

/** What the server says of the only file of a request, with its name. */
const told = ({name}, text) => `“${name}”: ${text.replace(FIELD, "")}`;

/** Asks about one after the other. `onChange()` is called when something is known of one. */
export class Counting {
  constructor(onChange) {
    this.onChange = onChange;
    this.asked = new Map();     // attachment -> the conditions that were asked about last
    this.problems = new Map();  // attachment -> {conditions, words}, where the server would refuse it
    this.warnings = new Map();  // attachment -> what the server tells of it, in words
    this.waiting = new Set();   // attachments of which nothing is known yet
    this.line = Promise.resolve();
    this.current = null;        // {attachment, abort} while one is asked about
  }

  /** Asks about those that are new, or are shown in another way than before; forgets those that are gone. */
  update(attachments, way) {
    for (const gone of [...this.asked.keys()].filter((one) => !attachments.includes(one))) this.forget(gone);
    if (!way.model || !way.known) return;
    for (const one of attachments) {
      const conditions = conditionsOf(one, way);
      const known = one.kind === "picture" || problemWith(one, way) || costOf(one, way) !== null;
      if (known || this.asked.get(one) === conditions) continue;
      this.asked.set(one, conditions);
      this.waiting.add(one);
      this.line = this.line.then(() => this.ask(one, conditions, way));
    }
  }

  forget(attachment) {
    this.asked.delete(attachment);
    this.problems.delete(attachment);
    this.warnings.delete(attachment);
    this.waiting.delete(attachment);
    if (this.current?.attachment === attachment) this.current.abort.abort();
  }

  async ask(attachment, conditions, way) {
    const stands = () => this.asked.get(attachment) === conditions;
    if (!stands()) return;
    const abort = new AbortController();
    this.current = {attachment, abort};
    this.warnings.delete(attachment);
    try {
      const answer = await api.count(countOf(attachment, await base64Of(attachment.blob), way), abort.signal);
      if (!stands()) return;
      this.problems.delete(attachment);
      if (answer.media?.length) learn(attachment, answer.media[0], way);
      this.warnings.set(attachment, (answer.warnings ?? []).map((text) => told(attachment, text)).join(" "));
    } catch (error) {
      if (stands() && REFUSALS.includes(error.kind)) this.problems.set(attachment, {conditions, words: told(attachment, error.message)});
    } finally {
      this.current = null;
    }
    if (!stands()) return;
    this.waiting.delete(attachment);
    this.onChange();
  }

  /** Why the server would not take it; "" where nobody says so. */
  problemOf(attachment, way) {
    const found = this.problems.get(attachment);
    return found?.conditions === conditionsOf(attachment, way) ? found.words : "";
  }
}
