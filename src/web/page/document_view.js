// Documents as cards, those of pages with these below them, and what cannot be shown.
import {el, icon} from "./dom.js";
import {bytes} from "./figures.js";
import {DOCX, PDF} from "./media_kinds.js";
import {PageStrip} from "./page_strip.js";

const FORMATS = {[PDF]: "PDF", [DOCX]: "DOCX"};

/**
 * A document's name, format and size, and small pictures of a PDF's pages: {node, show(address, blob), update(), close()}.
 * It is never opened here: what is in it is for the model.
 */
export function cardOf(attachment) {
  const {name, type, bytes: size} = attachment;
  const ending = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1];
  const format = FORMATS[type] ?? (ending ? ending.toUpperCase() : "Text");
  const node = card("document", name, `${format}, ${bytes(size)}`);
  if (type !== PDF) return {node, show: () => {}};
  const strip = new PageStrip(attachment);
  return {node: el("div", {class: "with-sheets"}, node, strip.node), show: (address, blob) => strip.show(blob, node),
          update: () => strip.update(), close: () => strip.close()};
}

/** The name alone, and why there is no more. */
export function noCardOf({kind, name}, why) {
  return card(kind, name, why);
}

function card(kind, name, words) {
  return el("div", {class: "card"}, icon(kind === "sound" ? "microphone" : kind),
            el("span", {class: "name", title: name}, name), el("span", {class: "quiet"}, words));
}
