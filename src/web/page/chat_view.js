// The messages of the conversation that is shown.
import {el} from "./dom.js";
import {QuestionView, ReplyView} from "./message_view.js";

const NEAR_END = 60;  // pixels

/**
 * `actions`: edit(text, attachments) and again(), for the last question and reply; find(attachment), its blob;
 * stateOf(attachment), as MediaRow has it.
 */
export class ChatView {
  constructor(actions) {
    this.actions = actions;
    this.scroller = document.getElementById("messages");
    this.column = this.scroller.firstElementChild;
    this.toEnd = document.getElementById("to-end");
    this.announcer = document.getElementById("announcer");
    this.views = [];
    this.following = true;
    this.scroller.addEventListener("scroll", () => this.noticeScroll());
    this.toEnd.addEventListener("click", () => this.follow());
    new ResizeObserver(() => this.following && this.follow()).observe(this.scroller);
  }

  /** Another conversation, or none of its messages is as it was. */
  show(conversation) {
    this.conversation = conversation;
    for (const view of this.views) view.close();
    this.views = [];
    this.column.replaceChildren();
    this.following = true;
  }

  /** `reply`: the running one, or null. */
  update(reply) {
    const {messages} = this.conversation;
    const kept = this.views.findIndex((view, index) => view.message !== messages[index]);
    for (const view of this.views.splice(kept < 0 ? messages.length : kept)) view.close();
    if (messages.length === 0) {
      this.column.replaceChildren(welcome());
    } else if (this.views.length === 0) {
      this.column.replaceChildren();
    }
    for (const message of messages.slice(this.views.length)) {
      const view = message.role === "user" ? new QuestionView(message, this.actions) : new ReplyView(message);
      this.views.push(view);
      this.column.append(view.node);
    }
    const lastQuestion = messages.findLastIndex(({role}) => role === "user");
    this.views.forEach((view, index) => {
      const free = reply === null;
      if (view instanceof QuestionView) {
        view.update({onEdit: free && index === lastQuestion ? this.actions.edit : null});
      } else {
        const isLast = index === messages.length - 1;
        view.update({reply: isLast ? reply : null, onAgain: free && isLast ? this.actions.again : null});
      }
    });
    if (this.following) this.scroller.scrollTop = this.scroller.scrollHeight;
    this.noticeScroll();
  }

  noticeScroll() {
    const {scrollTop, scrollHeight, clientHeight} = this.scroller;
    this.following = scrollHeight - scrollTop - clientHeight < NEAR_END;
    this.toEnd.hidden = this.following;
  }

  follow() {
    this.following = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.toEnd.hidden = true;
  }

  /** For those who listen instead of looking. */
  announce(text) {
    this.announcer.textContent = text.slice(0, 3000);
  }
}

function welcome() {
  return el("div", {class: "welcome"}, el("img", {src: "/assets/pleiad.svg", alt: "", width: "44", height: "44"}),
            el("p", {class: "greeting"}, "What would you like to know?"),
            el("p", {class: "quiet"}, "What you write stays between this browser and your server."));
}
