// Attachments as they are seen on the page: in a row, each by its kind.
import {el, iconButton} from "./dom.js";
import {cardOf, noCardOf} from "./document_view.js";
import {lengthOf, number, tokens} from "./figures.js";
import {thumbnailOf} from "./picture_view.js";
import {playerOf} from "./player_view.js";

const VIEWS = {picture: thumbnailOf, sound: playerOf, video: playerOf, document: cardOf};

/**
 * A row of attachments. `find(attachment)` gives its blob, or null where the browser has it no more;
 * `onRemove(attachment)` is given where they can be taken away.
 */
export class MediaRow {
  constructor(label, find, onRemove = null) {
    this.find = find;
    this.onRemove = onRemove;
    this.views = new Map();  // attachment -> {node, note, attachment, address, cost}
    this.node = el("ul", {class: "media", "aria-label": label, hidden: true});
  }

  /** `stateOf(attachment)`: {cost, its tokens or null where nobody knows; waiting, for them; problem, in words}. */
  update(attachments, stateOf) {
    for (const [attachment, view] of this.views) {
      if (attachments.includes(attachment)) continue;
      this.forget(view);
      this.views.delete(attachment);
    }
    for (const attachment of attachments) {
      if (!this.views.has(attachment)) this.views.set(attachment, this.view(attachment));
      const state = stateOf(attachment);
      const view = this.views.get(attachment);
      view.cost = state.cost;
      view.node.classList.toggle("wrong", Boolean(state.problem));
      const words = noteOf(attachment, state);
      if (view.note.textContent !== words) view.note.textContent = words;
    }
    this.node.hidden = attachments.length === 0;
  }

  /** The page lets go of what it showed. */
  clear() { this.update([], () => ({})); }

  view(attachment) {
    const view = {attachment, address: null, cost: null, note: el("span", {class: "cost"})};
    const {node, show} = VIEWS[attachment.kind](attachment, view);
    const remove = this.onRemove && iconButton("close", `Remove ${attachment.name}`, () => this.onRemove(attachment));
    view.node = el("li", {class: attachment.kind}, node, view.note, remove);
    Promise.resolve(this.find(attachment)).catch(() => null).then((blob) => {
      if (view.gone) return;
      if (blob) {
        view.address = URL.createObjectURL(blob);
        show(view.address);
      } else {
        node.replaceWith(noCardOf(attachment, "no longer kept"));
      }
    });
    this.node.append(view.node);
    return view;
  }

  forget(view) {
    view.gone = true;
    view.node.remove();
    if (view.address) URL.revokeObjectURL(view.address);
  }
}

/** "260 tokens", "0:07 · 175 tokens", "12 pages · tokens unknown". */
function noteOf({kind, seconds, pages}, {cost, waiting, problem}) {
  const length = kind === "document" ? pages > 1 && `${number(pages)} pages` : seconds && lengthOf(seconds);
  const taken = cost !== null ? tokens(cost) : waiting ? "counting tokens…" : problem ? "" : "tokens unknown";
  return [length, taken].filter(Boolean).join(" · ");
}
