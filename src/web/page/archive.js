// Conversations, kept in the browser (IndexedDB) and told to its other tabs.

/** Falls back to memory where the browser keeps nothing; then `lasting` is false. */
export class Archive {
  constructor() {
    this.lasting = true;
    this.database = null;
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel("pleiad") : null;
  }

  /** All conversations; the latest changed first. */
  async open() {
    try {
      const request = indexedDB.open("pleiad", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("conversations", {keyPath: "id"});
      this.database = await result(request);
    } catch {
      this.lasting = false;
    }
    return this.all();
  }

  async all() {
    if (!this.database) return [];
    const found = await result(this.table("readonly").getAll());
    return found.sort((a, b) => b.changed - a.changed);
  }

  async put(conversation) {
    if (!this.database) return;
    await result(this.table("readwrite").put(structuredClone(conversation)));
    this.channel?.postMessage({put: conversation.id});
  }

  async remove(id) {
    if (!this.database) return;
    await result(this.table("readwrite").delete(id));
    this.channel?.postMessage({removed: id});
  }

  /** `callback` hears when another tab has changed something. */
  onOtherTab(callback) {
    this.channel?.addEventListener("message", callback);
  }

  table(mode) {
    return this.database.transaction("conversations", mode).objectStore("conversations");
  }
}

function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
