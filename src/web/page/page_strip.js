// The pages of a PDF as small pictures, which the server draws: nothing here reads what is in a document.
import {api} from "./api.js";
import {el} from "./dom.js";
import {number} from "./figures.js";
import {base64Of} from "./media_files.js";

const MOST_KEPT = 20;  // documents whose pages are not asked for again
const kept = new Map();  // by the document and the pages that are chosen of it: {total, sheets: [{number, aspect, picture: a blob or null}]}
let line = Promise.resolve();  // one document after the other

/** A row of pages; hidden until there are some. Those of one that nobody has scrolled to are not asked for. */
export class PageStrip {
  constructor(attachment) {
    this.attachment = attachment;
    this.blob = null;
    this.addresses = [];
    this.asked = null;  // the key of what is shown, or on its way
    this.node = el("div", {class: "sheets", role: "list", "aria-label": `Pictures of the pages of ${attachment.name}`, tabindex: "0", hidden: true});
    // What is hidden is never seen: the card beside it is watched.
    this.watch = new IntersectionObserver((entries) => {
      if (!entries.some(({isIntersecting}) => isIntersecting)) return;
      this.watch.disconnect();
      this.seen = true;
      this.update();
    });
  }

  /** The file is there; `card` is what is seen of it before its pages are. */
  show(blob, card) {
    this.blob = blob;
    this.watch.observe(card);
  }

  /** Other pages may have been chosen. */
  update() {
    const {id, chosen} = this.attachment;
    const key = `${id} ${chosen ?? ""}`;
    if (!this.blob || !this.seen || this.asked === key) return;
    this.asked = key;
    this.abort?.abort();
    this.abort = new AbortController();
    const {signal} = this.abort;
    line = line.then(() => signal.aborted ? null : sheetsOf(key, this.blob, chosen, signal))
      .then((found) => { if (found && !signal.aborted) this.draw(found); })
      .catch(() => { if (!signal.aborted) this.draw({total: 0, sheets: []}); });  // the card says all that is known
  }

  draw({total, sheets}) {
    this.release();
    this.node.replaceChildren(...sheets.map((sheet) => this.sheet(sheet)));
    const more = this.attachment.chosen ? 0 : total - sheets.length;
    if (more > 0) this.node.append(el("div", {class: "more quiet", role: "listitem"}, `and ${number(more)} more`));
    this.node.hidden = sheets.length === 0;
  }

  sheet({number: page, aspect, picture}) {
    const words = `Page ${number(page)}`;
    if (!picture) return el("div", {role: "listitem"}, el("span", {class: "blank", role: "img", "aria-label": `${words}, blank`}), number(page));
    const address = URL.createObjectURL(picture);
    this.addresses.push(address);
    const image = el("img", {src: address, alt: words, decoding: "async"});
    image.style.width = `${Math.min(6 * aspect, 16)}rem`;  // as high as all; the sides of the picture are fitted to what models see
    return el("div", {role: "listitem"}, image, number(page));
  }

  release() {
    for (const address of this.addresses.splice(0)) URL.revokeObjectURL(address);
  }

  close() {
    this.watch.disconnect();
    this.abort?.abort();
    this.release();
  }
}

async function sheetsOf(key, blob, chosen, signal) {
  const known = kept.get(key);
  kept.delete(key);
  const found = known ?? await askFor(blob, chosen, signal);
  kept.set(key, found);  // the latest last
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return found;
}

async function askFor(blob, chosen, signal) {
  const {total_pages: total, pages} = await api.pages({document: await base64Of(blob), ...(chosen ? {pages: chosen} : {})}, signal);
  return {total, sheets: pages.map(({number: page, aspect, png}) => ({number: page, aspect, picture: png ? pictureOf(png) : null}))};
}

function pictureOf(base64) {
  return new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], {type: "image/png"});
}
