// Documents as cards, and what cannot be shown.
import {el, icon} from "./dom.js";
import {bytes} from "./figures.js";
import {DOCX, PDF} from "./media_kinds.js";

const FORMATS = {[PDF]: "PDF", [DOCX]: "DOCX"};

/** {node, show()}: a document's name, format and size. It is never opened: what is in it is for the model. */
export function cardOf({name, type, bytes: size}) {
  const ending = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1];
  const format = FORMATS[type] ?? (ending ? ending.toUpperCase() : "Text");
  return {node: card("document", name, `${format}, ${bytes(size)}`), show: () => {}};
}

/** The name alone, and why there is no more. */
export function noCardOf({kind, name}, why) {
  return card(kind, name, why);
}

function card(kind, name, words) {
  return el("div", {class: "card"}, icon(kind === "sound" ? "microphone" : kind),
            el("span", {class: "name", title: name}, name), el("span", {class: "quiet"}, words));
}
