// A conversation as data, and what is sent of it. Pure.
//
// Messages: {role: "user", content, attachments} and {role: "assistant", content, thinking, toolCalls, model,
// state: "running" | "done" | "stopped" | "failed", error, figures, reason, warnings, thinkingSeconds}.
// Attachments: {id, kind: "picture" | "sound" | "video" | "document", name, type, bytes}, of pictures with width and
// height, of sounds and videos with seconds, of documents with pages, chosen ("3-7", or all), shown (how many of them)
// and pictured (how many of these as pictures), as far as they are known; counted: {conditions, tokens}. The archive has
// their bytes. A conversation's `detail` is the budget of its pictures: a number, "auto", or null for the model's own;
// `sound`: its videos are heard.

import {lengthOf} from "./figures.js";

export function newConversation(model) {
  const now = Date.now();
  return {id: crypto.randomUUID?.() ?? `${now}-${Math.random()}`, title: "", created: now, changed: now, model, messages: []};
}

export function titleOf(conversation) {
  if (conversation.title) return conversation.title;
  const [first] = conversation.messages;
  const question = first?.content.trim().replace(/\s+/g, " ") || first?.attachments?.[0]?.name || "";
  if (!question) return "New chat";
  return question.length > 60 ? `${question.slice(0, 59).trimEnd()}…` : question;
}

/** A stop or a fault leaves an empty reply behind; the model need not see it. */
function worthSending(message) {
  return message.role === "user" || message.content || message.toolCalls?.length;
}

export function attachmentsOf(conversation) {
  return conversation.messages.flatMap(({attachments}) => attachments ?? []);
}

/** As they stand in a request: the documents of a message, then its others. */
export function inOrder(conversation) {
  return conversation.messages.flatMap(({attachments = []}) => [
    ...attachments.filter(({kind}) => kind === "document"), ...attachments.filter(({kind}) => kind !== "document")]);
}

/** A message's fields for what is attached to it; `texts`: base64 by id. What has none is left out. */
export function fieldsOf(attachments = [], texts) {
  const kept = attachments.filter(({id}) => texts.has(id));
  const documents = kept.filter(({kind}) => kind === "document")
    .map(({id, name, chosen}) => ({data: texts.get(id), name, ...(chosen ? {pages: chosen} : {})}));
  const images = kept.filter(({kind}) => kind !== "document").map(({id}) => texts.get(id));
  return {...(documents.length ? {documents} : {}), ...(images.length ? {images} : {})};
}

function optionsOf(attachments, {detail, sound, hears}) {
  const hasPictures = attachments.some(({kind}) => kind === "picture" || kind === "document");
  return {
    ...(hasPictures && detail !== null ? {max_soft_tokens: detail} : {}),
    ...(sound && hears && attachments.some(({kind}) => kind === "video") ? {use_audio_in_video: true} : {}),
  };
}

/**
 * The body for /api/chat: what was said and shown before, without thinking, and the settings. `texts`: base64 by id;
 * `way`: how it is shown (abilities.js).
 */
export function requestOf(conversation, settings, think, texts, way) {
  const said = conversation.messages.filter(worthSending).map(({role, content, attachments, toolCalls}) => ({
    role, content, ...fieldsOf(attachments, texts), ...(toolCalls?.length ? {tool_calls: toolCalls} : {}),
  }));
  const {system, ...chosen} = settings;
  const options = {...chosen, ...optionsOf(attachmentsOf(conversation), way)};
  return {
    model: conversation.model,
    messages: system?.trim() ? [{role: "system", content: system}, ...said] : said,
    ...(think === null ? {} : {think}),
    ...(Object.keys(options).length ? {options} : {}),
  };
}

/** The body that asks what an attachment takes of a prompt: nothing is answered, and no model is loaded. */
export function countOf(attachment, text, way) {
  return {
    model: way.model, options: optionsOf([attachment], way), _debug_render_only: true,
    messages: [{role: "user", content: "", ...fieldsOf([attachment], new Map([[attachment.id, text]]))}],
  };
}

export function asMarkdown(conversation) {
  const parts = [`# ${titleOf(conversation)}`];
  for (const message of conversation.messages) {
    parts.push(message.role === "user" ? "## Question" : `## Reply (${message.model})`);
    if (message.thinking) parts.push(`<details><summary>Thinking</summary>\n\n${message.thinking}\n\n</details>`);
    for (const attachment of message.attachments ?? []) parts.push(`*${inWords(attachment)}*`);
    if (message.content) parts.push(message.content);
    if (message.toolCalls?.length) parts.push("```json\n" + JSON.stringify(message.toolCalls, null, 2) + "\n```");
  }
  return `${parts.join("\n\n")}\n`;
}

function inWords({kind, name, width, height, seconds, pages}) {
  const what = {picture: "Picture", sound: "Sound", video: "Video", document: "Document"}[kind];
  const known = [width && `${width} × ${height}`, seconds && lengthOf(seconds), pages > 1 && `${pages} pages`];
  return [`${what}: ${name}`, ...known.filter(Boolean)].join(", ");
}

export function fileName(conversation, ending) {
  const name = titleOf(conversation).replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  return `${name || "conversation"}.${ending}`;
}
