// Pictures as they are seen on the page: in a row, and each by itself.
import {openDialog} from "./dialogs.js";
import {el, iconButton} from "./dom.js";
import {bytes, number, tokens} from "./figures.js";

/**
 * A row of pictures. `find(picture)` gives a picture's blob, or null where the browser has it no more; `onRemove(picture)`
 * is given where pictures can be taken away.
 */
export class PictureRow {
  constructor(label, find, onRemove = null) {
    this.find = find;
    this.onRemove = onRemove;
    this.views = new Map();  // picture -> {node, note, address}
    this.node = el("ul", {class: "pictures", "aria-label": label, hidden: true});
  }

  /** `costOf(picture)`: its tokens, or null where nobody knows. */
  update(pictures, costOf) {
    for (const [picture, view] of this.views) {
      if (pictures.includes(picture)) continue;
      this.forget(view);
      this.views.delete(picture);
    }
    for (const picture of pictures) {
      if (!this.views.has(picture)) this.views.set(picture, this.view(picture));
      const cost = costOf(picture);
      const view = this.views.get(picture);
      view.cost = cost;
      view.note.textContent = cost === null ? "tokens unknown" : tokens(cost);
    }
    this.node.hidden = pictures.length === 0;
  }

  /** The page lets go of what it showed. */
  clear() { this.update([], () => null); }

  view(picture) {
    const image = el("img", {alt: picture.name, decoding: "async"});
    const note = el("span", {class: "cost"});
    const open = el("button", {type: "button", class: "open", "aria-label": `Look at ${picture.name}`, title: picture.name,
                               onclick: () => view.address && openPicture(picture, view)}, image);
    const remove = this.onRemove && iconButton("close", `Remove ${picture.name}`, () => this.onRemove(picture));
    const view = {node: el("li", {}, open, note, remove), note, address: null, cost: null};
    // The name stands where the picture cannot be shown.
    const name = () => image.replaceWith(el("span", {class: "name"}, picture.name));
    image.addEventListener("error", () => {
      open.disabled = true;
      name();
    });
    Promise.resolve(this.find(picture)).catch(() => null).then((blob) => {
      if (view.gone) return;
      if (blob) {
        view.address = URL.createObjectURL(blob);
        image.src = view.address;
      } else {
        open.disabled = true;
        open.replaceChildren(el("span", {class: "name"}, `${picture.name}: no longer kept`));
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

function openPicture(picture, {address, cost}) {
  const said = [picture.name, `${number(picture.width)} × ${number(picture.height)}`, bytes(picture.bytes),
                ...(cost === null ? [] : [tokens(cost)])];
  const dialog = el("dialog", {class: "picture", "aria-label": picture.name},
    el("img", {src: address, alt: picture.name}),
    el("footer", {}, el("span", {class: "quiet"}, said.join(" · ")), iconButton("close", "Close", () => dialog.close())));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  openDialog(dialog);
}
