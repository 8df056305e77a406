// Conversations and their files, kept in the browser (IndexedDB) and told to its other tabs.

import {attachmentsOf} from "./conversation.js";

/** A page of an earlier version cannot open it, and so sweeps away no files that it does not know of: 3 has attachments. */
const VERSION = 3;

/**
 * Falls back to memory where the browser keeps nothing; then `lasting` is false. Files have a table of their own, which
 * is called "pictures" since it had no others: a conversation is written again and again while a reply comes.
 */
export class Archive {
  constructor() {
    this.lasting = true;
    this.database = null;
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel("pleiad") : null;
    this.blobs = new Map();    // of files, by their ids: those of this page's life
    this.written = new Set();  // ids of files that the database has
    this.refused = new Set();  // and of those that it had no room for
  }

  /** All conversations; the latest changed first. */
  async open() {
    try {
      const request = indexedDB.open("pleiad", VERSION);
      request.onupgradeneeded = ({oldVersion}) => {
        if (oldVersion < 1) request.result.createObjectStore("conversations", {keyPath: "id"});
        if (oldVersion < 2) request.result.createObjectStore("pictures", {keyPath: "id"});
      };
      this.database = await result(request);
      // A later version of the page, in another tab, waits for it.
      this.database.onversionchange = () => {
        this.database.close();
        this.database = null;
        this.lasting = false;
      };
      await this.sweep();
    } catch {
      this.lasting = false;
    }
    return this.all();
  }

  async all() {
    if (!this.database) return [];
    const found = await result(this.table("readonly").getAll());
    for (const conversation of found) bringUpToDate(conversation);
    return found.sort((a, b) => b.changed - a.changed);
  }

  /** An attachment of a message, before the conversation is put. */
  add({id, blob}) { this.blobs.set(id, blob); }

  /** An attachment's blob; null where the browser has it no more. */
  async blob({id}) {
    if (this.blobs.has(id)) return this.blobs.get(id);
    if (!this.database) return null;
    const found = await result(this.database.transaction("pictures").objectStore("pictures").get(id));
    if (!found) return null;
    this.blobs.set(id, found.blob);
    this.written.add(id);
    return found.blob;
  }

  /** The conversation together with its files; where there is no room for these, alone: throws then. */
  async put(conversation) {
    if (!this.database) return;
    const missing = idsOf(conversation).filter(
      (id) => this.blobs.has(id) && !this.written.has(id) && !this.refused.has(id));
    try {
      await this.write(conversation, missing);
      for (const id of missing) this.written.add(id);
    } catch (error) {
      if (!missing.length) throw error;
      for (const id of missing) this.refused.add(id);
      await this.write(conversation, []);
      throw error;
    } finally {
      this.channel?.postMessage({put: conversation.id});
    }
  }

  async write(conversation, ids) {
    const change = this.database.transaction(["conversations", "pictures"], "readwrite");
    const table = change.objectStore("pictures");
    for (const id of ids) table.put({id, blob: this.blobs.get(id)});
    change.objectStore("conversations").put(structuredClone(conversation));
    await end(change);
  }

  async remove(id) {
    if (!this.database) return;
    await result(this.table("readwrite").delete(id));
    await this.sweep();
    this.channel?.postMessage({removed: id});
  }

  /** Files that no conversation has any more go. */
  async sweep() {
    const change = this.database.transaction(["conversations", "pictures"], "readwrite");
    const table = change.objectStore("pictures");
    const [conversations, ids] = await Promise.all(
      [result(change.objectStore("conversations").getAll()), result(table.getAllKeys())]);
    for (const conversation of conversations) bringUpToDate(conversation);
    const used = new Set(conversations.flatMap(idsOf));
    for (const id of ids.filter((other) => !used.has(other))) {
      table.delete(id);
      this.written.delete(id);
      this.blobs.delete(id);
    }
    await end(change);
  }

  /** `callback` hears when another tab has changed something. */
  onOtherTab(callback) {
    this.channel?.addEventListener("message", ({data}) => {
      if (data.removed) this.written.clear();  // perhaps swept there
      callback();
    });
  }

  table(mode) {
    return this.database.transaction("conversations", mode).objectStore("conversations");
  }
}

/** What was written by a page that knew pictures alone. */
function bringUpToDate({messages}) {
  for (const message of messages.filter(({pictures}) => pictures)) {
    message.attachments = message.pictures.map((picture) => ({kind: "picture", ...picture}));
    delete message.pictures;
  }
}

const idsOf = (conversation) => attachmentsOf(conversation).map(({id}) => id);

function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** The end of a transaction: only then is it known that there was room. */
function end(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = ({target}) => reject(target.error);  // a request's: the transaction has none yet
    transaction.onabort = () => reject(transaction.error ?? new DOMException("the browser gave it up", "AbortError"));
  });
}
