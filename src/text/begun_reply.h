#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/chat_input.h"
#include "text/prompt.h"

namespace pleiad::text {

/// What the model's own messages look like in a prompt: without the thoughts that they spell (of
/// each part up to <channel|>, what precedes <|channel>), and without white space around.
std::string without_thoughts(std::string_view text);

/// Whether anything of a message of the model's content comes into the prompt.
bool says_something(const ChatMessage& message);

/// A message of the model's that calls no tools (and holds no results of tools): a reply can go on
/// with it.
bool is_text_of_model(const ChatMessage& message);

/// What a reply goes on with.
struct Continuation {
  enum class Of : std::uint8_t { nothing, thought, content };
  Of of = Of::nothing;
  bool skips_thought = false;  // thinking is on, and the content has begun without a thought
  bool trimmed = false;        // white space at the end of the content is not in the prompt
  bool open_calls = false;     // the last message calls tools: no reply follows without results
};

/// Decides how the prompt of a chat ends, whose messages end with anybody's. With `continues` a
/// last message of the model's is what the reply goes on with: with its content, where it has only
/// a thought and thinking is on with that; one that says nothing is dropped, and the reply begins
/// as it would without it. Otherwise the reply is a turn of its own.
Continuation begin_reply(ChatInput& chat, bool continues);

/// Where in the model's turn the reply to a prompt begins.
struct ReplyStart {
  bool in_thought = false;  // one that the prompt has opened: of the last message, or, with
                            // thinking on, behind a tool's response
  std::string begun;        // what the last message has of that thought, or else of the content
};
ReplyStart reply_start(const Prompt& prompt);

}  // namespace pleiad::text
