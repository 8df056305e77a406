// Questions to the user.
import {el} from "./dom.js";

/** Opens a dialog that is removed again when it closes; the focus returns to where it was. */
export function openDialog(dialog, onClose = () => {}) {
  const before = document.activeElement;
  dialog.addEventListener("close", () => {
    dialog.remove();
    // Chromium gives the focus back, but with the removed dialog goes the caret: nothing could be typed.
    before?.blur();
    before?.focus();
    onClose();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * Asks and waits: null where it was dismissed, otherwise what stands in the field
 * ("" without one). `secret` hides what is typed.
 */
export function ask({title, text, field, value = "", accept, danger = false, secret = false}) {
  return new Promise((resolve) => {
    // No password field: the browser would offer to keep it.
    const input = field && el("input", {class: secret ? "secret" : null, name: "value", type: "text", autocomplete: "off",
                                        spellcheck: "false", required: true});
    if (input) input.value = value;
    const dialog = el("dialog", {class: "ask", "aria-labelledby": "ask-title"},
      el("form", {method: "dialog"},
         el("h2", {id: "ask-title"}, title), text && el("p", {}, text),
         input && el("label", {class: "field"}, el("span", {}, field), input),
         el("div", {class: "row"},
            el("button", {type: "button", onclick: () => dialog.close()}, "Cancel"),
            el("button", {type: "submit", class: danger ? "main danger" : "main", value: "accept"}, accept))));
    openDialog(dialog, () => resolve(dialog.returnValue === "accept" ? input?.value ?? "" : null));
    input?.select();
  });
}
