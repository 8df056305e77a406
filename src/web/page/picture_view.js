// Pictures as they are seen on the page: small in a row, and each by itself.
import {openDialog} from "./dialogs.js";
import {el, iconButton} from "./dom.js";
import {bytes, number, tokens} from "./figures.js";

/** {node, show(address)}; `view` has its address and tokens by the time that it is looked at. */
export function thumbnailOf(picture, view) {
  const image = el("img", {alt: picture.name, decoding: "async"});
  const open = el("button", {type: "button", class: "open", "aria-label": `Look at ${picture.name}`, title: picture.name,
                             onclick: () => view.address && openPicture(picture, view)}, image);
  // The name stands where the picture cannot be shown.
  image.addEventListener("error", () => {
    open.disabled = true;
    image.replaceWith(el("span", {class: "name"}, picture.name));
  });
  return {node: open, show: (address) => { image.src = address; }};
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
