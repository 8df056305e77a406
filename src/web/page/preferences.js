// What the browser remembers apart from conversations.

/** A value in the browser's storage; where that is shut, it lasts as long as the page. */
class Remembered {
  constructor(storage, name, initial) {
    this.name = `pleiad.${name}`;
    this.value = initial;
    try {
      this.storage = window[storage];
      const text = this.storage.getItem(this.name);
      if (text !== null) this.value = JSON.parse(text);
    } catch {
      // Shut, or damaged: the initial value stands.
    }
  }

  get() { return this.value; }

  set(value) {
    this.value = value;
    try {
      this.storage.setItem(this.name, JSON.stringify(value));
    } catch {
      // Full or shut.
    }
  }
}

export const apiKey = new Remembered("sessionStorage", "key", "");
export const lastModel = new Remembered("localStorage", "model", "");
export const thinking = new Remembered("localStorage", "thinking", false);
export const lastDetail = new Remembered("localStorage", "detail", null);  // of pictures
export const settings = new Remembered("localStorage", "settings", {});
export const theme = new Remembered("localStorage", "theme", "system");
