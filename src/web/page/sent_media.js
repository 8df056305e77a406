// The files of a conversation as text: to be sent, and to be exported.
import {attachmentsOf, fieldsOf} from "./conversation.js";
import {base64Of} from "./media_files.js";

/** {texts: base64 by id, missing: attachments that the browser has no more}. `find(attachment)` gives a blob or null. */
export async function readMedia(conversation, find) {
  const texts = new Map(), missing = [];
  for (const attachment of attachmentsOf(conversation)) {
    const blob = await Promise.resolve(find(attachment)).catch(() => null);
    const text = blob && await base64Of(blob).catch(() => null);
    if (text) texts.set(attachment.id, text);
    else missing.push(attachment);
  }
  return {texts, missing};
}

/** {text: JSON of the conversation with what its files hold, as `pleiad run --chat` takes it; missing, as above}. */
export async function exportOf(conversation, find) {
  const {texts, missing} = await readMedia(conversation, find);
  const messages = conversation.messages.map(({attachments, ...message}) => {
    const kept = (attachments ?? []).filter(({id}) => texts.has(id));
    // The names of `images`, in their order.
    const pictures = kept.filter(({kind}) => kind !== "document").map(({counted, ...others}) => others);
    return {...message, ...(pictures.length ? {pictures} : {}), ...fieldsOf(kept, texts)};
  });
  return {text: JSON.stringify({...conversation, messages}, null, 2), missing};
}
