#include "text/chat_template.h"

#include <algorithm>
#include <map>
#include <span>

#include "text/begun_reply.h"
#include "text/prompt_values.h"
#include "text/tags.h"
#include "text/unicode.h"

namespace pleiad::text {
namespace {

void add_media(Prompt& prompt, const ContentPart& part) {
  switch (part.kind) {
    case ContentPart::Kind::image:
      prompt.add_media(Tag::image, part.media);
      break;
    case ContentPart::Kind::audio:
      prompt.add_media(Tag::audio, part.media);
      break;
    case ContentPart::Kind::video:
      prompt.add_media(Tag::video, part.media);
      break;
    case ContentPart::Kind::document:
      if (part.media >= 0) prompt.add_place(part.media);
      break;
    case ContentPart::Kind::text:
      break;
  }
}

class ChatRenderer {
 public:
  ChatRenderer(TemplateFamily family, const ChatInput& chat) : family_(family), chat_(chat) {}

  Prompt render() {
    prompt_.add_control(Tag::bos);
    std::span<const ChatMessage> messages = chat_.messages;
    const bool has_system =
        !messages.empty() && (messages[0].role == "system" || messages[0].role == "developer");
    if (chat_.options.enable_thinking || !chat_.tools.empty() || has_system) {
      system_turn(has_system ? &messages[0] : nullptr);
    }
    messages_ = messages.subspan(has_system ? 1 : 0);
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].role == "user") last_user_ = static_cast<std::ptrdiff_t>(i);
    }
    const bool continues = chat_.options.continue_final_message && !messages_.empty();
    for (std::size_t i = 0; i + (continues ? 1 : 0) < messages_.size(); ++i) {
      if (messages_[i].role != "tool") turn(i);
    }
    if (continues) {
      begun_turn(messages_.back());
    } else if (chat_.options.add_generation_prompt) {
      generation_prompt();
    }
    return std::move(prompt_);
  }

 private:
  /// What the turn printed last, as far as the generation prompt cares.
  enum class Last { text, tool_call, tool_response };

  void open_turn(std::string_view role) {
    prompt_.add_control(Tag::turn_open);
    prompt_.add_text(role);
    prompt_.add_text("\n");
  }

  void close_turn() {
    prompt_.add_control(Tag::turn_close);
    prompt_.add_text("\n");
  }

  void system_turn(const ChatMessage* message) {
    open_turn("system");
    if (chat_.options.enable_thinking) {
      prompt_.add_control(Tag::think);
      prompt_.add_text("\n");
    }
    if (message) {
      for (const ContentPart& part : message->content.parts) {
        prompt_.add_text(strip(part.text));
        if (message->content.form == MessageContent::Form::parts) prompt_.add_text(" ");
      }
    }
    for (const Prompt& tool : chat_.tools) {
      prompt_.add_control(Tag::tool_open);
      prompt_.append(tool);
      prompt_.add_control(Tag::tool_close);
    }
    close_turn();
  }

  void turn(std::size_t index) {
    const ChatMessage& message = messages_[index];
    const bool is_model = message.role == "assistant" || message.role == "model";
    last_ = Last::text;
    if (!is_model || previous_role_ != "assistant") open_turn(is_model ? "model" : message.role);
    thought(message, index);
    for (const ToolCallInput& call : message.tool_calls) tool_call(call);
    const bool has_responses = responses(message, index);
    const bool has_content = content(message, is_model);
    end_turn(message, index, is_model, has_responses, has_content);
    previous_role_ = message.role;
  }

  void thought(const ChatMessage& message, std::size_t index) {
    const bool is_current = static_cast<std::ptrdiff_t>(index) > last_user_;
    const bool is_kept = chat_.options.preserve_thinking && !message.tool_calls.empty();
    if (message.reasoning.empty() || !(is_current || is_kept)) return;
    open_thought();
    prompt_.add_text(message.reasoning);
    close_thought();
  }

  void open_thought() {
    prompt_.add_control(Tag::channel_open);
    prompt_.add_text(kThoughtLabel);
  }

  void close_thought() {
    prompt_.add_text("\n");
    prompt_.add_control(Tag::channel_close);
  }

  /// What the reply goes on with: the content, or where there is none yet, the thought. In the same
  /// turn there may be text of earlier messages before it, printed behind the results of tools.
  void begun_turn(const ChatMessage& message) {
    if (previous_role_ != "assistant") open_turn("model");
    if (!message.reasoning.empty()) {
      open_thought();
      prompt_.mark();
      prompt_.add_text(message.reasoning);
      if (chat_.options.enable_thinking && !says_something(message)) return;
      close_thought();
    }
    prompt_.mark();
    content(message, true);
  }

  void tool_call(const ToolCallInput& call) {
    prompt_.add_control(Tag::tool_call_open);
    prompt_.add_text("call:");
    prompt_.add_text(call.name);
    prompt_.add_text("{");
    add_entries(prompt_, call.arguments);
    prompt_.add_text("}");
    prompt_.add_control(Tag::tool_call_close);
    last_ = Last::tool_call;
  }

  /// Responses come with the message itself, or as the messages of role "tool"
  /// behind it. False when there are none.
  bool responses(const ChatMessage& message, std::size_t index) {
    bool any = false;
    for (const ToolResponseInput& response : message.tool_responses) {
      tool_response(response.name.empty() ? "unknown" : response.name, response.response);
      for (const ContentPart& part : response.media) add_media(prompt_, part);
      any = true;
    }
    if (!any && !message.tool_calls.empty()) {
      std::map<Json, std::string_view> names;  // of calls, by id; null stands for none
      for (std::size_t i = index + 1; i < messages_.size() && messages_[i].role == "tool"; ++i) {
        if (!any) names = names_of(message.tool_calls);
        tool_message(messages_[i], names);
        any = true;
      }
    }
    if (any) last_ = Last::tool_response;
    return any;
  }

  /// Of calls with the same id, or without one, the last counts.
  static std::map<Json, std::string_view> names_of(const std::vector<ToolCallInput>& calls) {
    std::map<Json, std::string_view> names;
    for (const ToolCallInput& call : calls) names[call.id] = call.name;
    return names;
  }

  void tool_message(const ChatMessage& message, const std::map<Json, std::string_view>& names) {
    std::string_view name = message.name.empty() ? "unknown" : std::string_view(message.name);
    if (const auto call = names.find(message.tool_call_id); call != names.end()) {
      name = call->second;
    }
    if (message.content.form == MessageContent::Form::none) return tool_response(name, nullptr);
    std::string joined;
    for (const ContentPart& part : message.content.parts) joined += part.text;
    tool_response(name, joined);
    for (const ContentPart& part : message.content.parts) add_media(prompt_, part);
  }

  void tool_response(std::string_view name, const Json& response) {
    prompt_.add_control(Tag::tool_response_open);
    prompt_.add_text("response:");
    prompt_.add_text(name);
    prompt_.add_text("{");
    if (response.is_object()) {
      add_entries(prompt_, response);
    } else {
      prompt_.add_text("value:");
      add_value(prompt_, response, KeyStyle::bare);
    }
    prompt_.add_text("}");
    prompt_.add_control(Tag::tool_response_close);
  }

  /// True when something other than white space was printed.
  bool content(const ChatMessage& message, bool is_model) {
    bool printed = false;
    for (const ContentPart& part : message.content.parts) {
      const std::string text =
          is_model ? without_thoughts(part.text) : std::string(strip(part.text));
      prompt_.add_text(text);
      add_media(prompt_, part);
      printed = printed || !text.empty() || part.kind != ContentPart::Kind::text;
    }
    return printed;
  }

  void end_turn(const ChatMessage& message, std::size_t index, bool is_model, bool has_responses,
                bool has_content) {
    const auto rest = messages_.subspan(index + 1);
    const auto next =
        std::ranges::find_if(rest, [](const ChatMessage& other) { return other.role != "tool"; });
    const bool is_last = next == rest.end();
    const bool goes_on = is_model && !is_last && next->role == "assistant" &&
                         (message.tool_calls.empty() || has_responses);
    if (last_ == Last::tool_call) {
      prompt_.add_control(Tag::tool_response_open);
    } else if (!goes_on && !(has_responses && !has_content && is_last)) {
      close_turn();
    }
  }

  void generation_prompt() {
    const bool thinks = chat_.options.enable_thinking;
    if (last_ == Last::text) {
      open_turn("model");
      if (!thinks && family_ == TemplateFamily::large) {
        prompt_.add_control(Tag::channel_open);
        prompt_.add_text(kThoughtLabel);
        prompt_.add_control(Tag::channel_close);
      }
    } else if (last_ == Last::tool_response && thinks) {
      prompt_.add_control(Tag::channel_open);
      prompt_.add_text(kThoughtLabel);
    }
  }

  TemplateFamily family_;
  const ChatInput& chat_;
  Prompt prompt_;
  std::span<const ChatMessage> messages_;  // without the system turn's
  std::ptrdiff_t last_user_ = -1;
  std::string_view previous_role_;  // of the last message that was not a tool's
  Last last_ = Last::text;
};

}  // namespace

Prompt render_chat(TemplateFamily family, const ChatInput& chat) {
  return ChatRenderer(family, chat).render();
}

}  // namespace pleiad::text
