// The list of conversations: choosing, renaming, exporting and deleting.
import {download, el, iconButton} from "./dom.js";
import {asMarkdown, fileName, titleOf} from "./conversation.js";
import {ask} from "./dialogs.js";

/** `actions`: choose(conversation), rename(conversation, title), remove(conversation), exportJson(conversation). */
export class Sidebar {
  constructor(actions) {
    this.actions = actions;
    this.list = document.getElementById("conversations");
    this.sidebar = document.getElementById("sidebar");
    this.shade = document.getElementById("shade");
    this.button = document.getElementById("menu");
    this.button.addEventListener("click", () => this.open(!this.isOpen()));
    this.shade.addEventListener("click", () => this.open(false));
    this.sidebar.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.isOpen()) this.open(false);
    });
  }

  isOpen() { return document.body.classList.contains("menu-open"); }

  /** On a narrow screen; on a wide one the sidebar is always there. */
  open(open) {
    document.body.classList.toggle("menu-open", open);
    this.shade.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    if (open) this.sidebar.querySelector("button").focus();
  }

  /** `isRunning(conversation)`: a reply is coming. */
  update(conversations, current, isRunning) {
    this.list.replaceChildren(...conversations.map((conversation) => {
      const title = titleOf(conversation);
      const choose = el("button", {type: "button", class: "entry", title,
                                   "aria-current": conversation === current ? "page" : null,
                                   onclick: () => this.actions.choose(conversation)},
                        isRunning(conversation) && el("span", {class: "pulse", role: "img", "aria-label": "Answering"}),
                        el("span", {}, title));
      return el("li", {}, choose, this.menu(conversation, title));
    }));
  }

  menu(conversation, title) {
    const items = {
      Rename: () => this.rename(conversation),
      "Export as Markdown": () => download(fileName(conversation, "md"), "text/markdown", asMarkdown(conversation)),
      "Export as JSON": () => this.actions.exportJson(conversation),
      Delete: () => this.remove(conversation, title),
    };
    const list = el("div", {class: "menu", popover: "auto"}, Object.entries(items).map(([label, act]) =>
      el("button", {type: "button", class: label === "Delete" ? "danger" : null, onclick: () => {
        list.hidePopover();
        act();
      }}, label)));
    const button = iconButton("more", `More about “${title}”`, () => {
      list.togglePopover();
      const {bottom, right} = button.getBoundingClientRect();
      list.style.top = `${Math.min(bottom + 4, innerHeight - list.offsetHeight - 8)}px`;
      list.style.left = `${Math.max(8, right - list.offsetWidth)}px`;
    }, {"aria-haspopup": "true"});
    return [button, list];
  }

  async rename(conversation) {
    const title = await ask({title: "Rename the conversation", field: "Title", value: titleOf(conversation), accept: "Rename"});
    if (title?.trim()) this.actions.rename(conversation, title.trim());
  }

  async remove(conversation, title) {
    const sure = await ask({title: "Delete this conversation?", text: `“${title}” is removed from this browser for good.`,
                            accept: "Delete", danger: true});
    if (sure !== null) this.actions.remove(conversation);
  }
}

