// A conversation as data, and what is sent of it. Pure.
//
// Messages: {role: "user", content, pictures} and {role: "assistant", content, thinking, toolCalls, model,
// state: "running" | "done" | "stopped" | "failed", error, figures, reason, warnings, thinkingSeconds}.
// Pictures: {id, name, type, bytes, width, height}; the archive has what they show. A conversation's `detail` is the
// budget of its pictures: a number, "auto", or null for the model's own.

export function newConversation(model) {
  const now = Date.now();
  return {id: crypto.randomUUID?.() ?? `${now}-${Math.random()}`, title: "", created: now, changed: now, model, messages: []};
}

export function titleOf(conversation) {
  if (conversation.title) return conversation.title;
  const [first] = conversation.messages;
  const question = first?.content.trim().replace(/\s+/g, " ") || first?.pictures?.[0]?.name || "";
  if (!question) return "New chat";
  return question.length > 60 ? `${question.slice(0, 59).trimEnd()}…` : question;
}

/** A stop or a fault leaves an empty reply behind; the model need not see it. */
function worthSending(message) {
  return message.role === "user" || message.content || message.toolCalls?.length;
}

export function picturesOf(conversation) {
  return conversation.messages.flatMap(({pictures}) => pictures ?? []);
}

/**
 * The body for /api/chat: what was said and shown before, without thinking, and the settings. `images`: base64 by id;
 * `detail`: the budget of pictures.
 */
export function requestOf(conversation, settings, think, images, detail) {
  const said = conversation.messages.filter(worthSending).map(({role, content, pictures, toolCalls}) => ({
    role, content, ...(pictures?.length ? {images: pictures.map(({id}) => images.get(id))} : {}),
    ...(toolCalls?.length ? {tool_calls: toolCalls} : {}),
  }));
  const {system, ...options} = settings;
  if (images.size && detail !== null) options.max_soft_tokens = detail;
  return {
    model: conversation.model,
    messages: system?.trim() ? [{role: "system", content: system}, ...said] : said,
    ...(think === null ? {} : {think}),
    ...(Object.keys(options).length ? {options} : {}),
  };
}

export function asMarkdown(conversation) {
  const parts = [`# ${titleOf(conversation)}`];
  for (const message of conversation.messages) {
    parts.push(message.role === "user" ? "## Question" : `## Reply (${message.model})`);
    if (message.thinking) parts.push(`<details><summary>Thinking</summary>\n\n${message.thinking}\n\n</details>`);
    for (const {name, width, height} of message.pictures ?? []) parts.push(`*Picture: ${name}, ${width} × ${height}*`);
    if (message.content) parts.push(message.content);
    if (message.toolCalls?.length) parts.push("```json\n" + JSON.stringify(message.toolCalls, null, 2) + "\n```");
  }
  return `${parts.join("\n\n")}\n`;
}

export function fileName(conversation, ending) {
  const name = titleOf(conversation).replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  return `${name || "conversation"}.${ending}`;
}
