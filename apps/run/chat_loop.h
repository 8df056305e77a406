#pragma once

#include <functional>
#include <string>

#include "apps/common/environment.h"
#include "apps/run/answerer.h"
#include "apps/run/chat_state.h"

namespace pleiad::apps {

/// One exchange or a whole conversation with a model.
class ChatLoop {
 public:
  ChatLoop(Answerer& answerer, ChatState state, const Environment& environment);

  /// Lines from the terminal (or a pipe) until /bye. Returns the exit status.
  int converse(bool keep_history);

  /// One prompt, one reply.
  int answer_once(const std::string& prompt);

  /// Continues a text as it is, without the chat template.
  int complete_once(const std::string& prompt);

 private:
  struct Typed {
    enum class Kind { nothing, line, block, leave };
    Kind kind = Kind::nothing;
    std::string text;
  };

  /// Generates and shows the reply to the messages so far.
  ChatReply answer();
  Typed read_message(class LineReader& reader);
  ReplyObserver observer(std::function<void(const text::ReplyEvent&)> on_event,
                         class ProgressBar& bar) const;
  bool ask_for_tool_results(class LineReader& reader, const ChatReply& reply);
  void converse_about(class LineReader& reader, const std::string& message);
  void report(const ChatReply& reply);
  void note(const std::string& text) const;

  Answerer& answerer_;
  ChatState state_;
  const Environment& environment_;
  bool stdout_is_terminal_;
};

}  // namespace pleiad::apps
