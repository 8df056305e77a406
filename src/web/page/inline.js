// Markdown within a line: text -> nodes. Pure; builds no DOM.
//
// Nodes: {type: "text" | "code", text}, {type: "break"},
//        {type: "strong" | "em" | "del", nodes}, {type: "link", url, nodes}.

const MAX_OPEN = 16;  // emphasis or brackets within each other; deeper ones stay text
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;
const SPECIAL = /[\\`*_~[\]!<\n]|https?:\/\//g;
const LINK_TARGET = /\(\s*(<[^<>\n]{0,2000}>|[^\s()<>]{0,2000}(?:\([^\s()]{0,2000}\)[^\s()]{0,2000}){0,9})(?:\s+(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'))?\s*\)/y;
const ANGLE_LINK = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y;
const BARE_LINK = /https?:\/\/[^\s<>]{1,2000}/y;
const LINE_BREAK = /<br\s?\/?>/iy;

/** The address where it may be followed, otherwise null: http, https and mailto alone. */
export function safeUrl(address) {
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

export function parseInline(text) {
  return new InlineParser(text).parse();
}

/** What a reader sees, without any marks. */
export function plainText(nodes) {
  return nodes.map((node) => node.text ?? (node.type === "break" ? "\n" : plainText(node.nodes))).join("");
}

class InlineParser {
  constructor(text) {
    this.text = text;
    this.at = 0;
    // What is open: {mark, count, nodes}; the lowest is the line itself.
    this.frames = [{mark: "", count: 0, nodes: []}];
    this.lastRun = lastRuns(text);
  }

  parse() {
    const {text} = this;
    while (this.at < text.length) {
      SPECIAL.lastIndex = this.at;
      const found = SPECIAL.exec(text);
      const next = found ? found.index : text.length;
      this.addText(text.slice(this.at, next));
      this.at = next;
      if (found) this.readSpecial(text[next]);
    }
    this.closeDownTo(0);
    return this.frames[0].nodes;
  }

  readSpecial(character) {
    switch (character) {
      case "\\": return this.readEscape();
      case "`": return this.readCode();
      case "*": case "_": case "~": return this.readEmphasis(character);
      case "[": return this.openBracket("[");
      case "!": return this.text[this.at + 1] === "[" ? this.openBracket("![") : this.takeText(1);
      case "]": return this.closeBracket();
      case "<": return this.readAngle();
      case "\n": return this.readBreak();
      default: return this.readBareLink();
    }
  }

  top() { return this.frames[this.frames.length - 1]; }

  addText(text) {
    if (!text) return;
    const {nodes} = this.top();
    const last = nodes[nodes.length - 1];
    if (last?.type === "text") last.text += text;
    else nodes.push({type: "text", text});
  }

  takeText(length) {
    this.addText(this.text.slice(this.at, this.at + length));
    this.at += length;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text);
  }

  readEscape() {
    const next = this.text[this.at + 1];
    if (next === "\n") {
      this.at += 1;
    } else if (next && PUNCTUATION.test(next)) {
      this.addText(next);
      this.at += 2;
    } else {
      this.takeText(1);
    }
  }

  readBreak() {
    const {nodes} = this.top();
    const last = nodes[nodes.length - 1];
    if (last?.type === "text") last.text = last.text.trimEnd();
    nodes.push({type: "break"});
    this.at += 1;
  }

  readCode() {
    const length = runLength(this.text, this.at);
    const start = this.at + length;
    let end = this.lastRun.get(`\`${length}`) > this.at ? start : -1;
    while (end >= 0) {
      end = this.text.indexOf("`", end);
      const closing = runLength(this.text, end);
      if (closing === length) break;
      end += closing;
    }
    if (end < 0) return this.takeText(length);
    let code = this.text.slice(start, end).replaceAll("\n", " ");
    if (code.startsWith(" ") && code.endsWith(" ") && /[^ ]/.test(code)) code = code.slice(1, -1);
    this.top().nodes.push({type: "code", text: code});
    this.at = end + length;
  }

  readEmphasis(mark) {
    const length = runLength(this.text, this.at);
    const before = this.text[this.at - 1] ?? " ";
    const after = this.text[this.at + length] ?? " ";
    let opens = !/\s/.test(after);
    let closes = !/\s/.test(before);
    if (mark === "_") {
      opens &&= !WORD.test(before);
      closes &&= !WORD.test(after);
    } else if (mark === "~" && length !== 2) {
      return this.takeText(length);
    }
    let left = length;
    while (closes && left > 0) {
      const index = this.findOpen(mark, length, opens);
      if (index < 0) break;
      left -= this.closeEmphasis(index, left);
    }
    this.at += length;
    if (left === 0) return;
    if (opens && this.frames.length < MAX_OPEN) {
      this.frames.push({mark, count: left, length, closes, nodes: []});
    } else {
      this.addText(mark.repeat(left));
    }
  }

  /** The frame that a run of `mark` closes; emphasis never reaches out of a bracket. */
  findOpen(mark, length, opens) {
    for (let index = this.frames.length - 1; index > 0; --index) {
      const frame = this.frames[index];
      if (frame.mark === "[" || frame.mark === "![") return -1;
      if (frame.mark !== mark) continue;
      // "*a**b*": a run that both opens and closes pairs only with its like.
      const unlike = (opens || frame.closes) && (frame.length + length) % 3 === 0 &&
                     (frame.length % 3 !== 0 || length % 3 !== 0);
      if (!unlike) return index;
    }
    return -1;
  }

  closeEmphasis(index, left) {
    this.closeDownTo(index);
    const frame = this.frames[index];
    const used = Math.min(2, left, frame.count);
    const type = frame.mark === "~" ? "del" : used === 2 ? "strong" : "em";
    const node = {type, nodes: frame.nodes};
    frame.count -= used;
    if (frame.count === 0) {
      this.frames.pop();
      this.top().nodes.push(node);
    } else {
      frame.nodes = [node];
    }
    return used;
  }

  /** Frames above `index` were never closed: their marks are text. */
  closeDownTo(index) {
    const open = this.frames.splice(index + 1);
    for (const frame of open) {
      this.addText(frame.mark.startsWith("[") || frame.mark === "![" ? frame.mark : frame.mark.repeat(frame.count));
      for (const node of frame.nodes) {
        if (node.type === "text") this.addText(node.text);
        else this.top().nodes.push(node);
      }
    }
  }

  openBracket(mark) {
    if (this.frames.length >= MAX_OPEN) return this.takeText(mark.length);
    this.frames.push({mark, count: 1, nodes: []});
    this.at += mark.length;
  }

  closeBracket() {
    const index = this.frames.findLastIndex((frame) => frame.mark === "[" || frame.mark === "![");
    if (index < 0) return this.takeText(1);
    this.at += 1;
    const target = this.match(LINK_TARGET);
    const isImage = this.frames[index].mark === "![";
    if (!target) {
      this.closeDownTo(index - 1);
      this.addText("]");
      return;
    }
    this.closeDownTo(index);
    const {nodes} = this.frames.pop();
    this.at += target[0].length;
    const url = safeUrl(target[1].replace(/^<|>$/g, ""));
    // Pictures would be a request to another host: they become links.
    const shown = nodes.length || !url ? withoutLinks(nodes) : [{type: "text", text: url}];
    if (isImage && url) shown.push({type: "text", text: " (picture)"});
    if (url) this.top().nodes.push({type: "link", url, nodes: shown});
    else for (const node of shown) this.top().nodes.push(node);
  }

  readAngle() {
    const lineBreak = this.match(LINE_BREAK);
    const link = lineBreak ? null : this.match(ANGLE_LINK);
    if (lineBreak) {
      this.top().nodes.push({type: "break"});
      this.at += lineBreak[0].length;
    } else if (link && safeUrl(link[1])) {
      this.addLink(link[1], link[0].length);
    } else {
      this.takeText(1);
    }
  }

  readBareLink() {
    const found = WORD.test(this.text[this.at - 1] ?? " ") ? null : this.match(BARE_LINK);
    let address = found?.[0].replace(/[*_~`'"]+.*$/, "") ?? "";
    address = address.replace(/[.,:;!?\]]+$/, "");
    while (address.endsWith(")") && count(address, ")") > count(address, "(")) {
      address = address.slice(0, -1).replace(/[.,:;!?\]]+$/, "");
    }
    if (safeUrl(address)) this.addLink(address, address.length);
    else this.takeText(4);
  }

  addLink(address, length) {
    const shown = {type: "text", text: address.replace(/^mailto:/, "")};
    this.top().nodes.push({type: "link", url: safeUrl(address), nodes: [shown]});
    this.at += length;
  }
}

function runLength(text, at) {
  let end = at;
  while (text[end] === text[at]) ++end;
  return end - at;
}

/** Where each length of a run of backticks comes last, so that none is looked for in vain. */
function lastRuns(text) {
  const last = new Map();
  for (const run of text.matchAll(/`+/g)) last.set(`\`${run[0].length}`, run.index);
  return last;
}

function withoutLinks(nodes) {
  return nodes.flatMap((node) => {
    if (node.type === "link") return node.nodes;
    return node.nodes ? [{...node, nodes: withoutLinks(node.nodes)}] : [node];
  });
}

function count(text, character) {
  return text.split(character).length - 1;
}
