// Building the page's nodes. Nothing here, and nothing else, reads markup from text.

/** el("button", {class: "plain", onclick: stop}, "Stop"); null attributes and children are left out. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A picture of icons.svg. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `/assets/icons.svg#${name}`);
  svg.append(use);
  return svg;
}

/** A button with a picture; the label is for those who do not see it, and on hovering. */
export function iconButton(name, label, onclick, attributes = {}) {
  return el("button", {type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...attributes},
            icon(name));
}

export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Pages of other machines without HTTPS have no clipboard.
  const area = el("textarea", {class: "off-screen", readonly: true});
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** Shows for a moment that a button has done its work. */
export function confirmOn(button, label) {
  const usual = button.getAttribute("aria-label");
  button.classList.add("done");
  button.setAttribute("aria-label", label);
  setTimeout(() => {
    button.classList.remove("done");
    button.setAttribute("aria-label", usual);
  }, 1500);
}

export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const link = el("a", {href: address, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
