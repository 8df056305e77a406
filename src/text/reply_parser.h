#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "text/call_stream.h"
#include "text/tag_lexer.h"
#include "text/tool_call_reader.h"

namespace pleiad::text {

struct ReplyOptions {
  bool started_in_thinking = false;  // see reply_start()
  bool thinking_enabled = true;      // off: thoughts are dropped, and counted
  bool tools_enabled = true;         // off: a call is shown as content
  /// Whether a tag counts that is spelled in ordinary text, not given by its
  /// control token. What a control token opened is only closed by one.
  bool spelled_tags = true;
  /// What is known of a call comes while it is written: call_begun, then call_arguments, which
  /// together are the JSON text of its arguments, before its tool_call or broken_tool_call.
  bool call_pieces = false;
  /// What the prompt has already of the thought or the content that the reply goes on with.
  std::string begun = {};
};

struct ReplyEvent {
  enum class Kind : std::uint8_t {
    thinking,
    content,
    call_begun,      // with ReplyOptions::call_pieces alone
    call_arguments,  // likewise
    tool_call,
    broken_tool_call,
  };
  Kind kind = Kind::content;
  std::string text = {};     // to append; of a whole call: all of it as the model wrote it
  std::string name = {};     // call_begun, tool_call
  Json arguments = {};       // tool_call: an object
  std::string problem = {};  // broken_tool_call: why it cannot be used
  bool cut_off = false;      // broken_tool_call: the reply ended inside it
};

/// A whole reply, put together from events.
struct Reply {
  std::string thinking;
  std::string content;
  std::vector<ReplyEvent> tool_calls;  // the broken ones too

  void add(ReplyEvent event);
};

/// Splits what the model writes into thoughts, content and tool calls while it is
/// being written. The events, put together, do not depend on how the text was
/// cut. Text is kept back only while it may belong to a tag, or while white space
/// may turn out to be the end of a thought. Linear time.
class ReplyParser {
 public:
  explicit ReplyParser(ReplyOptions options);

  std::vector<ReplyEvent> push_text(std::string_view text);
  std::vector<ReplyEvent> push_control(Tag tag);

  /// The rest, at the end. `cut_off` says that the model had more to say (length
  /// limit, stop string, cancelled): then an unfinished call is broken, so that
  /// half a command is never run.
  std::vector<ReplyEvent> finish(bool cut_off);

  /// What comes next belongs to a thought (so far as is known).
  bool in_thought() const { return state_ == State::thought; }
  /// Likewise to a tool call.
  bool in_call() const { return state_ == State::call; }
  /// The model has ended its turn; what follows is ignored.
  bool ended() const { return state_ == State::ended; }
  /// Bytes of thought that were dropped because thinking is off.
  std::size_t dropped_thinking_bytes() const { return dropped_thinking_bytes_; }

 private:
  enum class State : std::uint8_t { content, thought, call, ended };

  /// Drops an expected first word ("thought\n") that may come in pieces.
  class Label {
   public:
    void expect(std::string_view label) {
      label_ = label;
      seen_ = 0;
    }
    /// Gives back what is not the label.
    std::string pass(std::string_view text);
    std::string flush();

   private:
    std::string_view label_;
    std::size_t seen_ = 0;
  };

  void lex(std::string_view text);
  void on_text(std::string_view text);
  void on_tag(Tag tag, bool is_token);
  bool counts(Tag tag, bool is_token) const;
  void on_tag_in_content(Tag tag, bool is_token);
  void on_tag_in_thought(Tag tag, bool is_token);
  void on_tag_in_call(Tag tag, bool is_token);
  void content_text(std::string_view text);
  void thought_text(std::string_view text);
  void enter(State state, bool is_token);
  void leave_thought();
  void call_text(std::string_view text);
  void take_pieces();
  bool tells_pieces() const { return options_.call_pieces && options_.tools_enabled; }
  void end_call(bool complete);
  void emit(ReplyEvent::Kind kind, std::string_view text);
  std::vector<ReplyEvent> take();

  ReplyOptions options_;
  State state_ = State::content;
  bool opened_by_token_ = false;  // the thought or call that is open
  TagLexer lexer_;
  Label label_;
  bool skips_blanks_ = false;    // content: after a thought or a call
  std::string trailing_blanks_;  // thought: dropped if it ends here
  ToolCallBody call_;
  CallStream stream_;        // of the call that is open, where its pieces are told
  bool call_begun_ = false;  // and it was told that it has begun
  std::size_t dropped_thinking_bytes_ = 0;
  std::vector<ReplyEvent> events_;
};

}  // namespace pleiad::text
