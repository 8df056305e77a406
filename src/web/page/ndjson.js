// A stream of lines of JSON, as they come.

/** Yields each line's value. `stream` is a ReadableStream of bytes, cut anywhere. */
export async function* readValues(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = [];  // pieces of a line that has not ended
  try {
    for (;;) {
      const {done, value} = await reader.read();
      const lines = (done ? decoder.decode() : decoder.decode(value, {stream: true})).split("\n");
      while (lines.length > 1) {
        rest.push(lines.shift());
        yield* parseLine(rest.join(""));
        rest = [];
      }
      rest.push(lines[0]);
      if (done) break;
    }
    yield* parseLine(rest.join(""));
  } finally {
    reader.cancel().catch(() => {});
  }
}

function* parseLine(line) {
  if (line.trim() === "") return;
  try {
    yield JSON.parse(line);
  } catch {
    throw new SyntaxError(`the server sent a line that is not JSON: ${line.slice(0, 80)}`);
  }
}
