// A conversation as data, and what is sent of it. Pure.
//
// Messages: {role: "user", content} and {role: "assistant", content, thinking, toolCalls, model,
// state: "running" | "done" | "stopped" | "failed", error, figures, reason, warnings, thinkingSeconds}.

export function newConversation(model) {
  const now = Date.now();
  return {id: crypto.randomUUID?.() ?? `${now}-${Math.random()}`, title: "", created: now, changed: now, model, messages: []};
}

export function titleOf(conversation) {
  if (conversation.title) return conversation.title;
  const question = conversation.messages[0]?.content.trim().replace(/\s+/g, " ") ?? "";
  if (!question) return "New chat";
  return question.length > 60 ? `${question.slice(0, 59).trimEnd()}…` : question;
}

/** A stop or a fault leaves an empty reply behind; the model need not see it. */
function worthSending(message) {
  return message.role === "user" || message.content || message.toolCalls?.length;
}

/** The body for /api/chat: what was said before, without thinking, and the settings. */
export function requestOf(conversation, settings, think) {
  const said = conversation.messages.filter(worthSending).map(({role, content, toolCalls}) => ({
    role, content, ...(toolCalls?.length ? {tool_calls: toolCalls} : {}),
  }));
  const {system, ...options} = settings;
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
    if (message.content) parts.push(message.content);
    if (message.toolCalls?.length) parts.push("```json\n" + JSON.stringify(message.toolCalls, null, 2) + "\n```");
  }
  return `${parts.join("\n\n")}\n`;
}

export function fileName(conversation, ending) {
  const name = titleOf(conversation).replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  return `${name || "conversation"}.${ending}`;
}
