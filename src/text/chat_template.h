#pragma once

#include "text/chat_input.h"
#include "text/prompt.h"

namespace pleiad::text {

/// Two official chat templates exist. They differ in one place: with thinking
/// off, the large models' generation prompt holds an empty thought.
enum class TemplateFamily {
  e_series,  // E2B, E4B
  large,     // 12B, 26B-A4B, 31B
};

/// The prompt that the official template prints for this chat, <bos> included.
/// Whatever came from the chat is text; only the template's own tokens are control.
Prompt render_chat(TemplateFamily family, const ChatInput& chat);

}  // namespace pleiad::text
