// Markdown's blocks: lines -> blocks. Pure; builds no DOM.
//
// Blocks: {type: "heading", level, text}, {type: "paragraph", text}, {type: "rule"},
//         {type: "code", language, text}, {type: "quote", blocks},
//         {type: "list", ordered, start, tight, items: [{checked, blocks}]},
//         {type: "table", aligns, head, rows}.
// Text is for parseInline. Outermost blocks have their `source`, to compare by.

const MAX_DEPTH = 12;
const MAX_COLUMNS = 60;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const QUOTE = /^ {0,3}> ?/;
const MARKER = /^([ \t]*)([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*))?$/;
const TABLE_RULE = /^:?-+:?$/;

export function parseBlocks(text) {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  return readBlocks(lines, 0, (block, from, to) => {
    block.source = lines.slice(from, to).join("\n");
  });
}

function readBlocks(lines, depth, onBlock = () => {}) {
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) {
      ++at;
      continue;
    }
    const [block, next] = readFence(lines, at) ?? readHeading(lines, at) ?? readRule(lines, at) ??
                          (depth < MAX_DEPTH ? readQuote(lines, at, depth) ?? readList(lines, at, depth) : null) ??
                          readTable(lines, at) ?? readParagraph(lines, at, depth);
    onBlock(block, at, next);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

function readFence(lines, at) {
  const open = FENCE.exec(lines[at]);
  if (!open) return null;
  const indent = indentOf(lines[at]);
  const mark = open[1];
  let end = at + 1;
  while (end < lines.length && !closesFence(lines[end], mark)) ++end;
  const text = lines.slice(at + 1, end).map((line) => unindent(line, indent)).join("\n");
  const language = open[2].trim().split(/\s/)[0];
  return [{type: "code", language, text}, Math.min(end + 1, lines.length)];
}

function closesFence(line, mark) {
  const text = line.trim();
  return indentOf(line) < 4 && text.length >= mark.length && text === mark[0].repeat(text.length);
}

function readHeading(lines, at) {
  const found = HEADING.exec(lines[at]);
  if (!found) return null;
  let text = lines[at].slice(found[0].length).trim();
  let end = text.length;
  while (text[end - 1] === "#") --end;
  if (end === 0 || /\s/.test(text[end - 1])) text = text.slice(0, end).trimEnd();
  return [{type: "heading", level: found[1].length, text}, at + 1];
}

function readRule(lines, at) {
  return RULE.test(lines[at]) ? [{type: "rule"}, at + 1] : null;
}

function readQuote(lines, at, depth) {
  if (!QUOTE.test(lines[at])) return null;
  const inner = [];
  let next = at;
  while (next < lines.length) {
    const line = lines[next];
    if (QUOTE.test(line)) inner.push(line.replace(QUOTE, ""));
    else if (isLazy(line, inner)) inner.push(line);
    else break;
    ++next;
  }
  return [{type: "quote", blocks: readBlocks(inner, depth + 1)}, next];
}

function markerOf(line) {
  if (RULE.test(line)) return null;
  const found = MARKER.exec(line);
  if (!found) return null;
  const indent = indentOf(found[1]);
  const gap = found[3] ? Math.min(indentOf(found[3]), 4) : 1;
  const digits = /^\d/.test(found[2]);
  return {
    indent, ordered: digits, start: digits ? parseInt(found[2], 10) : 0,
    kind: digits ? found[2].slice(-1) : found[2],
    content: indent + found[2].length + gap, text: found[4] ?? "",
  };
}

function readList(lines, at, depth) {
  const first = markerOf(lines[at]);
  if (!first || first.indent > 3) return null;
  const list = {type: "list", ordered: first.ordered, start: first.start, tight: true, items: []};
  let next = at;
  while (next < lines.length) {
    const marker = markerOf(lines[next]);
    if (!marker || marker.kind !== first.kind || marker.indent > first.indent + 1) break;
    const [item, end, endedBlank] = readItem(lines, next, marker, depth);
    if (item.loose) list.tight = false;
    list.items.push(item);
    next = end;
    const sibling = next < lines.length ? markerOf(lines[next]) : null;
    if (endedBlank && sibling?.kind === first.kind && sibling.indent <= first.indent + 1) list.tight = false;
  }
  return [list, next];
}

/** An item's lines are indented below its marker; two columns are enough, as models write them. */
function readItem(lines, at, marker, depth) {
  const wanted = Math.min(marker.content, marker.indent + 2);
  const inner = [marker.text];
  let next = at + 1;
  let blanks = 0;
  for (; next < lines.length; ++next) {
    const line = lines[next];
    if (isBlank(line)) {
      ++blanks;
      continue;
    }
    const belongs = indentOf(line) >= wanted || (blanks === 0 && isLazy(line, inner));
    if (!belongs) break;
    for (; blanks > 0; --blanks) inner.push("");
    inner.push(unindent(line, marker.content));
  }
  const task = /^\[([ xX])\][ \t]+/.exec(inner[0]);
  if (task) inner[0] = inner[0].slice(task[0].length);
  let loose = false;
  let previousEnd = -1;
  const blocks = readBlocks(inner, depth + 1, (block, from, to) => {
    if (previousEnd >= 0 && from > previousEnd) loose = true;
    previousEnd = to;
  });
  return [{checked: task ? task[1] !== " " : null, blocks, loose}, next, blanks > 0];
}

function readTable(lines, at) {
  if (!lines[at].includes("|") || at + 1 >= lines.length || !lines[at + 1].includes("-")) return null;
  const head = cellsOf(lines[at]);
  const rules = cellsOf(lines[at + 1]);
  if (rules.length !== head.length || head.length > MAX_COLUMNS) return null;
  if (!rules.every((cell) => TABLE_RULE.test(cell))) return null;
  const aligns = rules.map((cell) => {
    if (cell.endsWith(":")) return cell.startsWith(":") ? "center" : "right";
    return "left";
  });
  const rows = [];
  let next = at + 2;
  for (; next < lines.length && !isBlank(lines[next]) && !startsBlock(lines[next]); ++next) {
    const cells = cellsOf(lines[next]);
    rows.push(head.map((_, column) => cells[column] ?? ""));
  }
  return [{type: "table", aligns, head, rows}, next];
}

function cellsOf(line) {
  let text = line.trim();
  if (text.startsWith("|")) text = text.slice(1);
  if (text.endsWith("|") && !text.endsWith("\\|")) text = text.slice(0, -1);
  return text.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function readParagraph(lines, at, depth) {
  let next = at + 1;
  while (next < lines.length && !isBlank(lines[next]) && !interrupts(lines[next], depth) && !readTable(lines, next)) {
    ++next;
  }
  const text = lines.slice(at, next).map((line) => line.trim()).join("\n");
  return [{type: "paragraph", text}, next];
}

function startsBlock(line) {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line);
}

function interrupts(line, depth) {
  if (FENCE.test(line) || HEADING.test(line) || RULE.test(line)) return true;
  if (depth >= MAX_DEPTH) return false;
  const marker = markerOf(line);
  return QUOTE.test(line) || Boolean(marker && marker.text && marker.indent < 4);
}

/** A line that goes on with the paragraph before it, without the marks of its container. */
function isLazy(line, inner) {
  const last = inner[inner.length - 1] ?? "";
  return !isBlank(line) && !isBlank(last) && !startsBlock(line) && !startsBlock(last) && !markerOf(line);
}

function isBlank(line) {
  return line.trim() === "";
}

/** In columns; a tab goes to the next multiple of four. */
function indentOf(line) {
  let column = 0;
  for (const character of line) {
    if (character === " ") ++column;
    else if (character === "\t") column += 4 - (column % 4);
    else break;
  }
  return column;
}

function unindent(line, columns) {
  let column = 0;
  let at = 0;
  while (at < line.length && column < columns) {
    if (line[at] === " ") ++column;
    else if (line[at] === "\t") column += 4 - (column % 4);
    else break;
    ++at;
  }
  return " ".repeat(Math.max(0, column - columns)) + line.slice(at);
}
