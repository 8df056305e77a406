// What a model can be shown, and what each attachment takes of its prompt. Pure.
import {costOf as costOfPicture} from "./pictures.js";

// How a conversation shows its media is a `way` below: {model, called: its name in words, sees, hears, known: whether
// the server has said so, usual: its own budget of pictures, detail: the conversation's, sound: whether videos are heard}.

/** Why the model cannot be shown such an attachment, in words; "" where it can, as far as is known. */
export function problemWith({kind, pictured, name}, {called, sees, hears}) {
  if (kind === "sound") return hears ? "" : `${called} hears no sound.`;
  if (kind === "document") {
    return pictured && !sees ? `${called} sees no pictures, and pages of “${name}” would be shown as some.` : "";
  }
  return sees ? "" : `${called} sees no ${kind === "video" ? "videos" : "pictures"}.`;
}

/** What the tokens of a sound, a video or a document depend on, as one text. */
export function conditionsOf({kind, pictured, chosen}, {model, hears, detail, sound}) {
  if (kind === "document") return [model, pictured === 0 ? "" : detail, chosen ?? ""].join(" ");
  return kind === "video" ? `${model} ${sound && hears}` : model;
}

/** The tokens of an attachment; null where they are not known. Those of pictures follow a rule; others are counted. */
export function costOf(attachment, way) {
  if (attachment.kind === "picture") return costOfPicture(attachment, way.detail, way.usual);
  const {counted} = attachment;
  return counted?.conditions === conditionsOf(attachment, way) ? counted.tokens : null;
}

/** What the server told of an attachment, an entry of its `media`. */
export function learn(attachment, told, way) {
  if (attachment.kind === "picture") {
    if (!attachment.width) Object.assign(attachment, {width: told.width, height: told.height});
    return;
  }
  if (told.seconds !== undefined) attachment.seconds = told.seconds;
  if (told.kind === "document") {
    Object.assign(attachment, {pages: told.total_pages, shown: told.pages, pictured: told.picture_pages});
  }
  if (told.tokens !== undefined) attachment.counted = {conditions: conditionsOf(attachment, way), tokens: told.tokens};
}
