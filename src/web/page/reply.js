// One reply while it comes: from the request to its last event.
import {api, explain} from "./api.js";
import {figuresOf} from "./figures.js";

/** Fills `message` with the reply to what `makeRequest` promises. `onChange` is called after every event. */
export class Reply {
  constructor(message, makeRequest, onChange) {
    this.message = message;
    this.makeRequest = makeRequest;
    this.onChange = onChange;
    this.abort = new AbortController();
    this.loading = null;  // {loaded, total} while the model is being loaded
    this.pieces = 0;      // about one for each token
    this.firstPiece = 0;  // when it came, in seconds
    this.lastPiece = 0;
  }

  /** Closing the connection is what tells the server to stop. */
  stop() { this.abort.abort(); }

  async run() {
    const {message} = this;
    const watch = setInterval(() => this.watchLoading(), 700);
    try {
      const request = await this.makeRequest();
      for await (const event of api.chat(request, this.abort.signal)) this.take(event);
      message.state = "done";
    } catch (error) {
      if (this.abort.signal.aborted) {
        message.state = "stopped";
      } else {
        message.state = "failed";
        message.error = explain(error);
      }
    } finally {
      clearInterval(watch);
      this.loading = null;
      this.endThinking();
      this.onChange();
    }
  }

  take(event) {
    const {message} = this;
    const {thinking = "", content = "", tool_calls: calls = []} = event.message ?? {};
    if (thinking || content || calls.length) this.countPiece();
    if (thinking) {
      this.thinkingFrom ??= now();
      message.thinking += thinking;
    }
    if (content || calls.length) this.endThinking();
    message.content += content;
    message.toolCalls.push(...calls);
    if (event.warnings) message.warnings = event.warnings.map(String);
    if (event.done) {
      message.reason = event.done_reason ?? "";
      message.figures = figuresOf(event);
      message.dropped = event.dropped_messages ?? 0;
    }
    this.onChange();
  }

  countPiece() {
    this.lastPiece = now();
    this.firstPiece ||= this.lastPiece;
    this.pieces += 1;
    this.loading = null;
  }

  endThinking() {
    if (this.thinkingFrom === undefined || this.message.thinkingSeconds !== null) return;
    this.message.thinkingSeconds = now() - this.thinkingFrom;
  }

  /** Pieces per second so far, or null; an estimate until the server says. */
  get rate() {
    const seconds = this.lastPiece - this.firstPiece;
    return this.pieces > 3 && seconds > 0.2 ? (this.pieces - 1) / seconds : null;
  }

  async watchLoading() {
    if (this.pieces > 0) return;
    try {
      const model = (await api.loaded()).find(({name}) => sameModel(name, this.message.model));
      this.loading = model ? loadState(model) : null;
    } catch {
      this.loading = null;  // the reply itself will say what is wrong
    }
    this.onChange();
  }
}

const now = () => performance.now() / 1000;

export function sameModel(a, b) {
  return a.replace(/:latest$/, "") === b.replace(/:latest$/, "");
}

/** How far a model of /api/ps is loaded: {loaded, total} in bytes, or null where it is ready. */
export function loadState(model) {
  if (model.state !== "loading") return null;
  return {loaded: model.loaded_bytes ?? 0, total: model.total_bytes ?? 0};
}
