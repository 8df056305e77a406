// Numbers as people read them.

const whole = new Intl.NumberFormat("en");

export const number = (value) => whole.format(value);

export function tokens(count) {
  return `${number(count)} ${count === 1 ? "token" : "tokens"}`;
}

export function rate(count, seconds) {
  const value = count / seconds;
  return `${value < 100 ? value.toFixed(1) : number(Math.round(value))} tok/s`;
}

export function bytes(count) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = count;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; ++unit) value /= 1000;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function duration(seconds) {
  if (seconds < 0.95) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "0:07", "1:02:03": of a recording. */
export function clock(seconds) {
  const whole = Math.floor(seconds);
  const two = (value) => String(value).padStart(2, "0");
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** Of a sound or a video: "0:07", or "400 ms". */
export const lengthOf = (seconds) => (seconds < 1 ? duration(seconds) : clock(seconds));

/** "1 picture", "3 files" where they are of several kinds. */
export function countOfKinds(kinds) {
  const word = new Set(kinds).size === 1 ? kinds[0] : "file";
  return `${number(kinds.length)} ${word}${kinds.length === 1 ? "" : "s"}`;
}

/** What the last event of a reply says, kept with the message. */
export function figuresOf(event) {
  const seconds = (name) => event[name] === undefined ? null : event[name] / 1e9;
  return {
    prompt: event.prompt_eval_count ?? null,
    cached: event.prompt_eval_cached_count ?? null,  // null: the server did not say
    promptSeconds: seconds("prompt_eval_duration"),
    generated: event.eval_count ?? null,
    generatedSeconds: seconds("eval_duration"),
    loadSeconds: seconds("load_duration"),
    totalSeconds: seconds("total_duration"),
    media: event.media ?? [],  // how each file was shown, in the order of the request
  };
}

/** The figures as short phrases, each true by itself: rates count evaluated tokens alone. */
export function phrases(figures) {
  const said = [];
  if (figures.generated !== null) {
    const speed = figures.generated > 0 && figures.generatedSeconds > 0;
    said.push(tokens(figures.generated) + (speed ? ` at ${rate(figures.generated, figures.generatedSeconds)}` : ""));
  }
  if (figures.prompt !== null) said.push(promptPhrase(figures));
  if (figures.media?.length) said.push(mediaPhrase(figures.media));
  if (figures.loadSeconds > 0.1) said.push(`loaded in ${duration(figures.loadSeconds)}`);
  if (figures.totalSeconds > 0) said.push(`${duration(figures.totalSeconds)} in all`);
  return said;
}

function mediaPhrase(media) {
  const cached = media.filter((one) => one.cached).length;
  const count = countOfKinds(media.map(({kind = "picture"}) => kind));
  return `${count}: ${tokens(media.reduce((sum, one) => sum + one.tokens, 0))}, ${number(cached)} cached`;
}

function promptPhrase({prompt, cached, promptSeconds}) {
  const whole = `prompt ${number(prompt)}`;
  if (cached === null) return `${whole}, cached unknown`;
  const evaluated = prompt - cached;
  const speed = evaluated > 0 && promptSeconds > 0 ? ` at ${rate(evaluated, promptSeconds)}` : "";
  return `${whole}: ${number(cached)} cached, ${number(evaluated)} evaluated${speed}`;
}
