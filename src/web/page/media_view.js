// Attachments as they are seen on the page: in a row, each by its kind.
import {el, iconButton} from "./dom.js";
import {cardOf, noCardOf} from "./document_view.js";
import {lengthOf, number, tokens} from "./figures.js";
import {thumbnailOf} from "./picture_view.js";
import {playerOf} from "./player_view.js";

const VIEWS = {picture: thumbnailOf, sound: playerOf, video: playerOf, document: cardOf};

/**
 * A row of attachments. `find(attachment)` gives its blob, or null where the browser has it no more;
 * `onRemove(attachment)` is given where they can be taken away, `onPages(attachment, text)` where pages can be chosen.
 */
export class MediaRow {
  constructor(label, find, onRemove = null, onPages = null) {
    this.find = find;
    this.onRemove = onRemove;
    this.onPages = onPages;
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
      view.update?.();
      view.cost = state.cost;
      view.node.classList.toggle("wrong", Boolean(state.problem));
      if (this.onPages && attachment.pages > 1) view.pages ??= this.pagesField(attachment, view);
      const words = noteOf(attachment, state);
      if (view.note.textContent !== words) view.note.textContent = words;
    }
    this.node.hidden = attachments.length === 0;
  }

  /** The page lets go of what it showed. */
  clear() { this.update([], () => ({})); }

  view(attachment) {
    const view = {attachment, address: null, cost: null, note: el("span", {class: "cost"})};
    const {node, show, update, close} = VIEWS[attachment.kind](attachment, view);
    Object.assign(view, {update, close});
    const remove = this.onRemove && iconButton("close", `Remove ${attachment.name}`, () => this.onRemove(attachment));
    view.node = el("li", {class: attachment.kind}, node, view.note, remove);
    Promise.resolve(this.find(attachment)).catch(() => null).then((blob) => {
      if (view.gone) return;
      if (blob) {
        view.address = URL.createObjectURL(blob);
        show(view.address, blob);
      } else {
        node.replaceWith(noCardOf(attachment, "no longer kept"));
      }
    });
    this.node.append(view.node);
    return view;
  }

  /** Which pages of a document are shown. */
  pagesField(attachment, view) {
    const field = el("input", {type: "text", class: "pages", placeholder: "all pages, or 3-7,9", "aria-label": `Pages of ${attachment.name}`,
                               autocomplete: "off", spellcheck: "false"});
    field.value = attachment.chosen ?? "";
    field.addEventListener("change", () => this.onPages(attachment, field.value.trim()));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();  // the question is not sent with it
      field.blur();
      field.form.querySelector("textarea").focus();
    });
    view.note.before(field);
    return field;
  }

  forget(view) {
    view.gone = true;
    view.close?.();
    view.node.remove();
    if (view.address) URL.revokeObjectURL(view.address);
  }
}

/** "260 tokens", "0:07 · 175 tokens", "12 pages · tokens unknown". */
function noteOf({kind, seconds, pages, shown, chosen}, {cost, waiting, problem}) {
  const part = chosen && cost !== null && shown < pages ? `${number(shown)} of ` : "";
  const length = kind === "document" ? pages > 1 && `${part}${number(pages)} pages` : seconds && lengthOf(seconds);
  const taken = cost !== null ? tokens(cost) : waiting ? "counting tokens…" : problem ? "" : "tokens unknown";
  return [length, taken].filter(Boolean).join(" · ");
}
