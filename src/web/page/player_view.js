// Sounds and videos as they are played on the page.
import {noCardOf} from "./document_view.js";
import {el} from "./dom.js";

/** {node, show(address)}: the browser's own player, with its name; a card where it cannot play the file. */
export function playerOf(attachment) {
  const {kind, name} = attachment;
  const player = el(kind === "video" ? "video" : "audio",
                    {controls: true, preload: "metadata", playsinline: kind === "video", "aria-label": name});
  const node = el("figure", {class: "player"}, player, el("figcaption", {class: "name", title: name}, name));
  player.addEventListener("error", () => {
    // Taken out of the page it fails as well.
    if (player.getAttribute("src") && node.isConnected) {
      node.replaceWith(noCardOf(attachment, "this browser does not play it"));
    }
  });
  return {node, show: (address) => { player.src = address; }};
}
