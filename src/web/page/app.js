// The page: what is shown, and what happens on a key or a click.
import {costOf, learn, problemWith} from "./abilities.js";
import {api, ApiError, explain} from "./api.js";
import {Archive} from "./archive.js";
import {ChatView} from "./chat_view.js";
import {Composer} from "./composer.js";
import {attachmentsOf, fileName, inOrder, newConversation, requestOf, titleOf} from "./conversation.js";
import {ask} from "./dialogs.js";
import {download, el} from "./dom.js";
import {errorNode} from "./message_view.js";
import {ModelChoice} from "./model_choice.js";
import {ModelsView} from "./models_view.js";
import {apiKey, lastDetail, lastModel, settings, thinking} from "./preferences.js";
import {Reply} from "./reply.js";
import {exportOf, readMedia} from "./sent_media.js";
import {openSettings} from "./settings_dialog.js";
import {Sidebar} from "./sidebar.js";

const byId = (id) => document.getElementById(id);
const SAVE_EVERY = 2000;  // milliseconds, while a reply comes

class App {
  constructor() {
    this.archive = new Archive();
    this.conversations = [];
    this.current = newConversation(lastModel.get());
    this.refused = false;  // the banner says that the model cannot take the conversation's files
    this.replies = new Map();  // conversation id -> Reply; each goes on while another is shown
    this.chat = new ChatView({
      edit: (text, attachments) => this.askAgain(text, attachments), again: () => this.answerAgain(),
      find: (attachment) => this.archive.blob(attachment),
      stateOf: (attachment) => ({cost: costOf(attachment, this.way()), problem: problemWith(attachment, this.way())}),
    });
    this.composer = new Composer({send: (text, attachments) => this.ask(text, attachments), stop: () => this.stop(),
                                  detail: (value) => this.chooseDetail(value), sound: (value) => this.chooseSound(value)});
    this.choice = new ModelChoice((name) => this.chooseModel(name));
    this.models = new ModelsView({
      choose: (name) => { this.chooseModel(name); this.showChat(); },
      models: (list) => this.takeModels(list),
      failed: (error) => this.noticeKey(error, () => this.models.refresh()),
    });
    this.sidebar = new Sidebar({
      choose: (conversation) => this.open(conversation),
      rename: (conversation, title) => { conversation.title = title; this.save(conversation); },
      remove: (conversation) => this.remove(conversation),
      exportJson: (conversation) => this.exportJson(conversation),
    });
  }

  async start() {
    byId("new-chat").addEventListener("click", () => this.newChat());
    byId("settings-button").addEventListener("click", () => openSettings(this.choice.shown, () => this.enterKey(() => this.connect())));
    document.addEventListener("keydown", (event) => this.onKey(event));
    addEventListener("hashchange", () => this.route());
    this.archive.onOtherTab(() => this.reload());
    this.chat.show(this.current);
    this.conversations = await this.archive.open();
    if (!this.archive.lasting) {
      byId("conversations").after(el("p", {class: "quiet"}, "This browser keeps nothing: conversations last as long as the page."));
    }
    this.route();
    this.composer.focus();
    await this.connect();
  }

  /** Learns what the server has; again after a key was entered or a fault. */
  async connect() {
    try {
      const [models, {pleiad}] = await Promise.all([api.models(), api.version()]);
      byId("version").textContent = `Pleiad ${pleiad}`;
      this.takeModels(models);
      this.banner(models.length ? null : {title: "There are no models yet.", hint: "“pleiad list” on the server says where it looks for them."});
      await this.choice.learn(this.current.model);
    } catch (error) {
      this.banner(explain(error));
      this.noticeKey(error, () => this.connect());
    }
    this.update();
  }

  /** A conversation keeps its model, also one that the server no longer has; a new one takes what there is. */
  takeModels(models) {
    const usable = this.choice.setModels(models, this.current.model);
    if (this.current.messages.length === 0) this.current.model = usable;
    this.choice.select(this.current.model);
  }

  banner(problem, again = () => this.connect()) {
    document.querySelector("#chat > .error")?.remove();
    this.refused = false;
    if (problem) byId("composer").before(errorNode(problem, again));
  }

  /** The shown conversation follows the address: "#models", "#<its id>". */
  route() {
    const place = location.hash.slice(1);
    const models = place === "models";
    byId("models").hidden = !models;
    byId("chat").hidden = models;
    byId("models-link").toggleAttribute("aria-current", models);
    this.models[models ? "show" : "hide"]();
    if (models) this.composer.leave();
    const found = this.conversations.find(({id}) => id === place);
    if (found && found !== this.current) this.show(found);
    this.sidebar.open(false);
    this.update();
  }

  show(conversation) {
    this.current = conversation;
    if (this.refused) this.banner(null);
    this.chat.show(conversation);
    this.choice.select(conversation.model);
    this.choice.learn(conversation.model).then(() => this.update());
  }

  showChat() {
    location.hash = this.conversations.includes(this.current) ? this.current.id : "";
    this.composer.focus();
  }

  open(conversation) {
    if (this.current !== conversation) this.show(conversation);
    this.showChat();
    this.route();
  }

  newChat() {
    this.open(newConversation(this.current.model || lastModel.get()));
  }

  chooseModel(name) {
    this.current.model = name;
    lastModel.set(name);
    if (this.refused) this.banner(null);
    this.choice.select(name);
    this.choice.learn(name).then(() => this.update());
    if (this.conversations.includes(this.current)) this.save(this.current);
  }

  running(conversation = this.current) {
    return this.replies.get(conversation.id) ?? null;
  }

  /** The budget of a conversation's pictures; a new one takes the last that was chosen. */
  detail(conversation = this.current) {
    return conversation.detail === undefined ? lastDetail.get() : conversation.detail;
  }

  chooseDetail(value) {
    this.current.detail = value;
    lastDetail.set(value);
    if (this.conversations.includes(this.current)) this.save(this.current);
    this.update();
  }

  /** Whether the sound of a conversation's videos is heard. */
  chooseSound(value) {
    this.current.sound = value;
    if (this.conversations.includes(this.current)) this.save(this.current);
    this.update();
  }

  /** How a conversation is shown (abilities.js). */
  way(conversation = this.current) {
    const {model, sound = false} = conversation;
    return {model, called: model.replace(/:latest$/, "") || "the model", sees: this.choice.canSee(), hears: this.choice.canHear(),
            known: !this.choice.learning, usual: this.choice.usualBudget(), detail: this.detail(conversation), sound};
  }

  ask(text, attachments) {
    if (this.running() || !this.current.model) return false;
    for (const attachment of attachments) {
      if (attachment.blob) this.archive.add(attachment);
    }
    if (attachments.length) this.current.detail ??= this.detail();
    const shown = attachments.map(({blob, ...attachment}) => attachment);
    this.current.messages.push({role: "user", content: text, ...(shown.length ? {attachments: shown} : {})});
    if (!this.conversations.includes(this.current)) {
      this.conversations.unshift(this.current);
      history.replaceState(null, "", `#${this.current.id}`);
    }
    this.answer(this.current);
    return true;
  }

  /** The last question in other words: what followed it goes. */
  askAgain(text, attachments) {
    if (this.running() || !this.current.model) return;
    const {messages} = this.current;
    const from = messages.findLastIndex(({role}) => role === "user");
    if (!this.takes([...attachmentsOf({messages: messages.slice(0, from)}), ...attachments])) return;
    messages.splice(from);
    this.ask(text, attachments);
  }

  answerAgain() {
    const {messages} = this.current;
    if (!this.takes(attachmentsOf(this.current))) return;
    while (messages.at(-1)?.role === "assistant") messages.pop();
    if (messages.length) this.answer(this.current);
  }

  /** Whether the model takes such files; says why not, and what stands there stays. */
  takes(attachments) {
    const problems = new Set(attachments.map((one) => problemWith(one, this.way())).filter(Boolean));
    if (this.refused) this.banner(null);
    if (!problems.size) return true;
    this.banner({title: "Nothing was sent.", hint: [...problems].join(" ")}, null);
    this.refused = true;
    return false;
  }

  async answer(conversation) {
    const think = this.choice.canThink() ? thinking.get() : null;
    const said = {...conversation, messages: [...conversation.messages]};
    const way = this.way(conversation);
    const makeRequest = async () => requestOf(said, settings.get(), think, await this.textsOf(said), way);
    const message = {role: "assistant", content: "", thinking: "", thinkingSeconds: null, toolCalls: [],
                     model: conversation.model, state: "running", error: null, figures: null};
    conversation.messages.push(message);
    conversation.changed = Date.now();
    const reply = new Reply(message, makeRequest, () => this.onReply(conversation));
    this.replies.set(conversation.id, reply);
    this.chat.following = true;
    this.chat.announce(`${conversation.model} is answering`);
    this.save(conversation);
    await reply.run();
    this.replies.delete(conversation.id);
    learnAll(inOrder(said), message.figures?.media ?? [], way);
    if (conversation === this.current) {
      this.chat.announce(message.content || message.error?.title || "The reply has ended");
      this.choice.learnContext(conversation.model).then(() => this.update());
    }
    if (this.conversations.includes(conversation)) this.save(conversation);
    if (message.error) this.noticeKey({kind: message.error.kind}, () => conversation === this.current && this.answerAgain());
  }

  /** The files of a conversation in base64, by their ids. */
  async textsOf(conversation) {
    const {texts, missing} = await readMedia(conversation, (attachment) => this.archive.blob(attachment));
    if (missing.length) throw new ApiError("file", missing[0].name);
    return texts;
  }

  /** Says which files the browser has no more. */
  async exportJson(conversation) {
    const {text, missing} = await exportOf(conversation, (attachment) => this.archive.blob(attachment));
    download(fileName(conversation, "json"), "application/json", text);
    if (missing.length) {
      this.banner({title: "Files are missing from what was exported.",
                   hint: `The browser has them no more: ${missing.map(({name}) => name).join(", ")}.`});
    }
  }

  onReply(conversation) {
    if (conversation === this.current) this.update();
    if (Date.now() - (this.saved ?? 0) > SAVE_EVERY && this.conversations.includes(conversation)) this.save(conversation);
  }

  stop() {
    this.running()?.stop();
  }

  save(conversation) {
    this.saved = Date.now();
    this.conversations.sort((a, b) => b.changed - a.changed);
    this.archive.put(conversation).catch((error) => this.banner({title: "The browser could not keep this conversation.",
                                                                 hint: "Its storage may be full; export what matters.", detail: error.message}));
    this.update();
  }

  remove(conversation) {
    this.running(conversation)?.stop();
    this.conversations = this.conversations.filter((other) => other !== conversation);
    this.archive.remove(conversation.id).catch(() => {});  // what is left goes with the next one
    if (conversation === this.current) this.newChat();
    this.update();
  }

  /** Another tab has changed something: what runs here stays as it is. */
  async reload() {
    const stored = await this.archive.all();
    this.conversations = stored.map((conversation) => {
      const here = this.conversations.find(({id}) => id === conversation.id);
      return here && (this.running(here) || here.changed >= conversation.changed && here.title === conversation.title &&
                      !this.waits(here)) ? here : conversation;
    });
    const shown = this.conversations.find(({id}) => id === this.current.id);
    if (shown && shown !== this.current) this.show(shown);
    this.update();
  }

  waits(conversation) {
    return conversation.messages.at(-1)?.state === "running";
  }

  /** Where the server wants a key: asks for it, then goes on with `again`. */
  noticeKey(error, again) {
    if (error.kind === "key") this.enterKey(again);
  }

  async enterKey(again) {
    if (document.querySelector("dialog[open]")) return;
    const key = await ask({title: "API key", text: "The server asks for a key. It is kept until this tab is closed.",
                           field: "Key", secret: true, accept: "Use it"});
    if (key === null) return;
    apiKey.set(key.trim());
    this.banner(null);
    again();
  }

  onKey(event) {
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && this.running() && !byId("chat").hidden) {
      this.stop();
    } else if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.newChat();
    }
  }

  /** Draws at most once a frame. */
  update() {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = null;
      this.draw();
    });
  }

  draw() {
    const title = titleOf(this.current);
    byId("title").textContent = byId("chat").hidden ? "" : title;
    document.title = title === "New chat" ? "Pleiad" : `${title} · Pleiad`;
    this.chat.update(this.running());
    this.composer.update({running: Boolean(this.running()), ready: Boolean(this.current.model),
                          canThink: this.choice.canThink(), context: this.choice.contextText(this.current),
                          media: {kept: attachmentsOf(this.current), way: this.way()}});
    const shown = this.conversations.map((conversation) => `${conversation.id} ${titleOf(conversation)} ${Boolean(this.running(conversation))}`);
    const state = [this.current.id, this.archive.lasting, ...shown].join("\n");
    if (state !== this.listed) this.sidebar.update(this.conversations, this.current, (conversation) => Boolean(this.running(conversation)));
    this.listed = state;
  }
}

/** What the browser does not know of its files the server says, in the order of the request. */
function learnAll(attachments, media, way) {
  if (media.length === attachments.length) attachments.forEach((one, index) => learn(one, media[index], way));
}

new App().start();
