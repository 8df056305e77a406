// Asking our own server, and no other.
import {bytes} from "./figures.js";
import {readValues} from "./ndjson.js";
import {apiKey} from "./preferences.js";

/** What went wrong, as far as it can be told: see explain(). */
export class ApiError extends Error {
  constructor(kind, detail, status = 0) {
    super(detail);
    this.kind = kind;  // one of WORDS
    this.status = status;
  }
}

async function ask(path, body, signal) {
  const response = await send(path, body, signal);
  return response.json().catch(() => {
    throw new ApiError("server", `${path} answered with something that is not JSON`, response.status);
  });
}

/** Of one conversation, as docs/server.md has it: the server ends the connection of a body that is longer. */
const LONGEST_BODY = 64 * 1024 * 1024;

/** Yields the events of a reply; the last has `done`. */
const chat = (body, signal) => lines("/api/chat", body, signal,
  {kind: "cut", isLast: (event) => event.done, refusal: (event) => failure(0, event)});

/** Yields the lines of a pull, until it is done. Who stops asking stops it; what has come is kept. */
const pull = (model, signal) => lines("/api/pull", {model}, signal,
  {kind: "pull", isLast: (line) => line.status === "success", refusal: (line) => new ApiError("pull", line.error)});

export const api = {
  version: () => ask("/api/version"),
  models: async () => (await ask("/api/tags")).models ?? [],
  loaded: async () => (await ask("/api/ps")).models ?? [],
  show: (model) => ask("/api/show", {model}),
  load: (model) => ask("/api/generate", {model, stream: false}),
  unload: (model) => ask("/api/generate", {model, keep_alive: 0, stream: false}),
  count: (body, signal) => ask("/api/chat", {...body, stream: false}, signal),
  pages: (body, signal) => ask("/api/pages", body, signal),
  remove: async (model) => { await send("/api/delete", {model}, undefined, "DELETE"); },
  chat,
  pull,
};

/** Yields what a stream says, line by line. One with an error becomes that of `refusal`; a connection that breaks off before
 *  the line for which `isLast` holds, an ApiError of that `kind`. */
async function* lines(path, body, signal, {kind, isLast, refusal}) {
  const response = await send(path, {...body, stream: true}, signal);
  let done = false;
  try {
    for await (const line of readValues(response.body)) {
      if (line.error) throw refusal(line);
      done ||= Boolean(isLast(line));
      yield line;
    }
  } catch (error) {
    if (error instanceof TypeError) throw new ApiError(kind, error.message);
    if (error instanceof SyntaxError) throw new ApiError("server", error.message);
    throw error;
  }
  if (!done) throw new ApiError(kind, "the stream ended before its last line");
}

async function send(path, body, signal, method = body ? "POST" : "GET") {
  const text = body && JSON.stringify(body);
  if (text?.length > LONGEST_BODY) throw new ApiError("large", `${bytes(text.length)}; at most ${bytes(LONGEST_BODY)} are taken`);
  const headers = body ? {"Content-Type": "application/json"} : {};
  if (apiKey.get()) headers.Authorization = `Bearer ${apiKey.get()}`;
  let response;
  try {
    response = await fetch(path, {method, headers, signal, cache: "no-store",
                                  credentials: "omit", body: text});
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("unreachable", error.message);
  }
  if (response.ok) return response;
  const said = await response.text().catch(() => "");
  throw failure(response.status, parsed(said) ?? {error: said || response.statusText});
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function failure(status, answer) {
  const error = answer.error ?? answer;
  const text = typeof error === "string" ? error : error.message ?? "";
  const detail = answer.detail ? `${text}: ${answer.detail}` : text;
  return new ApiError(kindOf(status, answer.code ?? error.code, text), detail, status);
}

const KIND_OF_CODE = {
  context_length_exceeded: "context", model_not_found: "model", server_busy: "busy", shutting_down: "stopping",
  deadline_exceeded: "deadline", load_failed: "load", insufficient_memory: "memory",
};

function kindOf(status, code, detail) {
  if (KIND_OF_CODE[code]) return KIND_OF_CODE[code];
  if (status === 401) return "key";
  if (status === 403) return "forbidden";
  if (status === 404) return "model";
  if (status === 413) return "large";
  if (status === 503) return "busy";
  if (status === 408 || status === 504) return "deadline";
  if (/context[_ ](length|window|size)|exceeds? the (available )?context/i.test(detail)) return "context";
  return status >= 400 && status < 500 ? "request" : "server";
}

const WORDS = {
  unreachable: ["The server does not answer.", "See whether “pleiad serve” is still running, then try again."],
  cut: ["The connection broke off before the reply was complete.", "What had come is kept. Try again for a whole reply."],
  key: ["The server asks for an API key.", "Enter it, then try again."],
  forbidden: ["The server does not allow this.", "The key may lack the right, or this page's address is not among those allowed."],
  model: ["This model is not here.", "Choose another above, or see the Models page."],
  context: ["The conversation is longer than the model's context.",
            "Shorten the question, begin a new chat, or raise the context length in the settings."],
  large: ["The conversation with its files is larger than the server takes.", "Begin a new chat, or take files out of the question."],
  file: ["A file of this conversation is gone.",
            "The browser has it no more. Edit the question where it is the last one, or begin a new chat."],
  busy: ["The server is busy.", "It has as many requests as it takes. Try again in a moment."],
  stopping: ["The server is shutting down.", "Try again when it is back."],
  pull: ["The model could not be fetched.", "What has come is kept: trying again goes on from there."],
  load: ["The model could not be loaded.", "Its file may be damaged."],
  memory: ["There is not enough memory for this.", "Unload another model on the Models page, or lower the context length."],
  deadline: ["The server took too long.", "Try again; a shorter question or reply may help."],
  request: ["The server refused the request.", "The settings may hold a value that it does not take."],
  server: ["Something went wrong in the server.", "Its log says more."],
};

/** {title, hint, detail} in plain words; `detail` is what was said by whoever found it. */
export function explain(error) {
  const [title, hint] = WORDS[error.kind] ?? ["Something went wrong in this page.", "Reload it, then try again."];
  return {kind: error.kind ?? "page", title, hint, detail: error.message ?? String(error)};
}
