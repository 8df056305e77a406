// Questions to the user.
import {el} from "./dom.js";

/**
 * Asks and waits: null where it was dismissed, otherwise what stands in the field
 * ("" without one). `secret` hides what is typed.
 */
export function ask({title, text, field, value = "", accept, danger = false, secret = false}) {
  return new Promise((resolve) => {
    const input = field && el("input", {name: "value", type: secret ? "password" : "text", autocomplete: "off", required: true});
    if (input) input.value = value;
    const dialog = el("dialog", {class: "ask", "aria-labelledby": "ask-title"},
      el("form", {method: "dialog"},
         el("h2", {id: "ask-title"}, title), text && el("p", {}, text),
         input && el("label", {class: "field"}, el("span", {}, field), input),
         el("div", {class: "row"},
            el("button", {type: "button", onclick: () => dialog.close()}, "Cancel"),
            el("button", {type: "submit", class: danger ? "main danger" : "main", value: "accept"}, accept))));
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "accept" ? input?.value ?? "" : null);
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
    input?.select();
  });
}
