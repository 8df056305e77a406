// Markdown -> DOM, kept up to date while the text grows.
import {confirmOn, copyText, el, iconButton} from "./dom.js";
import {parseBlocks} from "./blocks.js";
import {parseInline} from "./inline.js";

/** Shows Markdown below `root`. Blocks that have not changed keep their nodes. */
export class MarkdownView {
  constructor(root) {
    this.root = root;
    this.blocks = [];
  }

  update(text) {
    if (text === this.text) return;
    this.text = text;
    const blocks = parseBlocks(text);
    blocks.forEach((block, index) => {
      const before = this.blocks[index];
      const node = this.root.childNodes[index];
      if (!before) this.root.append(blockNode(block));
      else if (before.source !== block.source && !growCode(node, before, block)) node.replaceWith(blockNode(block));
    });
    while (this.root.childNodes.length > blocks.length) this.root.lastChild.remove();
    this.blocks = blocks;
  }
}

/** Code that only grew keeps its node, and with it what the reader has selected. */
function growCode(node, before, block) {
  const grew = block.type === "code" && before.type === "code" && before.language === block.language &&
               block.text.startsWith(before.text);
  if (grew) node.querySelector("code").append(block.text.slice(before.text.length));
  return grew;
}

export function blockNode(block) {
  switch (block.type) {
    case "heading": return el(`h${Math.min(block.level + 2, 6)}`, {"data-level": block.level}, inline(block.text));
    case "paragraph": return el("p", {}, inline(block.text));
    case "rule": return el("hr");
    case "code": return codeNode(block);
    case "quote": return el("blockquote", {}, block.blocks.map(blockNode));
    case "list": return listNode(block);
    case "table": return tableNode(block);
  }
}

function codeNode(block) {
  const code = el("code", {}, block.text);
  const copy = iconButton("copy", "Copy code", () => copyText(code.textContent).then(() => confirmOn(copy, "Copied")));
  return el("figure", {class: "code"},
            el("figcaption", {}, el("span", {}, block.language || "code"), copy),
            el("pre", {tabindex: "0"}, code));
}

function listNode(block) {
  const attributes = block.ordered && block.start !== 1 ? {start: block.start} : {};
  return el(block.ordered ? "ol" : "ul", attributes, block.items.map((item) => {
    const content = item.blocks.flatMap(
      (inner) => block.tight && inner.type === "paragraph" ? inline(inner.text) : [blockNode(inner)]);
    if (item.checked === null) return el("li", {}, content);
    const box = el("input", {type: "checkbox", disabled: true, checked: item.checked,
                             "aria-label": item.checked ? "done" : "to do"});
    return el("li", {class: "task"}, box, content);
  }));
}

function tableNode(block) {
  const row = (tag, cells) => el("tr", {}, cells.map(
    (cell, column) => el(tag, {class: `to-${block.aligns[column]}`}, inline(cell))));
  return el("div", {class: "table", tabindex: "0", role: "group", "aria-label": "Table"},
            el("table", {}, el("thead", {}, row("th", block.head)),
               el("tbody", {}, block.rows.map((cells) => row("td", cells)))));
}

function inline(text) {
  return parseInline(text).map(inlineNode);
}

function inlineNode(node) {
  switch (node.type) {
    case "text": return node.text;
    case "break": return el("br");
    case "code": return el("code", {}, node.text);
    case "link": return el("a", {href: node.url, target: "_blank", rel: "noopener noreferrer"}, node.nodes.map(inlineNode));
    default: return el(node.type, {}, node.nodes.map(inlineNode));
  }
}
