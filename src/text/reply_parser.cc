#include "text/reply_parser.h"

#include <algorithm>
#include <utility>

#include "text/tags.h"

namespace pleiad::text {
namespace {

constexpr std::string_view kRoleLabel = "model\n";
// ASCII only: the same however the bytes of the text are cut.
constexpr std::string_view kBlanks = " \t\n\v\f\r";

}  // namespace

void Reply::add(ReplyEvent event) {
  switch (event.kind) {
    case ReplyEvent::Kind::thinking:
      thinking += event.text;
      break;
    case ReplyEvent::Kind::content:
      content += event.text;
      break;
    case ReplyEvent::Kind::call_begun:
    case ReplyEvent::Kind::call_arguments:
      break;  // the whole call follows
    case ReplyEvent::Kind::tool_call:
    case ReplyEvent::Kind::broken_tool_call:
      tool_calls.push_back(std::move(event));
      break;
  }
}

std::string ReplyParser::Label::pass(std::string_view text) {
  while (!text.empty() && !label_.empty() && text[0] == label_[seen_]) {
    text.remove_prefix(1);
    if (++seen_ == label_.size()) expect({});
  }
  if (text.empty()) return {};
  std::string out(std::exchange(label_, {}).substr(0, seen_));
  seen_ = 0;
  return out.append(text);
}

std::string ReplyParser::Label::flush() {
  // All but the line break is as good as the whole.
  const bool is_label = seen_ + 1 >= label_.size();
  std::string held(is_label ? std::string_view() : label_.substr(0, seen_));
  expect({});
  return held;
}

ReplyParser::ReplyParser(ReplyOptions options) : options_(std::move(options)) {
  if (!options_.started_in_thinking) return;
  enter(State::thought, false);
  if (!options_.begun.empty()) label_.expect({});  // it stands before what was begun
}

std::vector<ReplyEvent> ReplyParser::push_text(std::string_view text) {
  lex(text);
  return take();
}

std::vector<ReplyEvent> ReplyParser::push_control(Tag tag) {
  on_text(lexer_.flush());
  on_tag(tag, true);
  return take();
}

std::vector<ReplyEvent> ReplyParser::finish(bool cut_off) {
  on_text(lexer_.flush());
  if (state_ == State::content) content_text(label_.flush());
  if (state_ == State::thought) leave_thought();
  if (state_ == State::call) end_call(!cut_off);
  state_ = State::ended;
  return take();
}

void ReplyParser::lex(std::string_view text) {
  if (!options_.spelled_tags) return on_text(text);
  lexer_.push(
      text, [&](std::string_view plain) { on_text(plain); }, [&](Tag tag) { on_tag(tag, false); });
}

void ReplyParser::on_text(std::string_view text) {
  if (text.empty()) return;
  switch (state_) {
    case State::content:
      content_text(label_.pass(text));
      break;
    case State::thought:
      thought_text(label_.pass(text));
      break;
    case State::call:
      call_text(text);
      break;
    case State::ended:
      break;
  }
}

/// A spelled tag inside what a control token opened is only text, and so is one
/// inside a quoted string, but for the end of the call: quotes may be unbalanced.
bool ReplyParser::counts(Tag tag, bool is_token) const {
  if (is_token || state_ == State::content) return true;
  if (opened_by_token_) return false;
  const bool in_string = state_ == State::call && call_.quotes.size() % 2 == 1;
  return !in_string || tag == Tag::quote || tag == Tag::tool_call_close;
}

void ReplyParser::on_tag(Tag tag, bool is_token) {
  if (state_ == State::ended) return;
  if (!counts(tag, is_token)) return on_text(tag_text(tag));
  switch (state_) {
    case State::content:
      on_tag_in_content(tag, is_token);
      break;
    case State::thought:
      on_tag_in_thought(tag, is_token);
      break;
    case State::call:
      on_tag_in_call(tag, is_token);
      break;
    case State::ended:
      break;
  }
}

void ReplyParser::on_tag_in_content(Tag tag, bool is_token) {
  content_text(label_.flush());
  switch (tag) {
    case Tag::channel_open:
      enter(State::thought, is_token);
      break;
    case Tag::channel_close:
      skips_blanks_ = true;
      break;  // closes nothing
    case Tag::tool_call_open:
      enter(State::call, is_token);
      break;
    case Tag::turn_open:
      label_.expect(kRoleLabel);
      break;
    case Tag::turn_close:
    case Tag::eos:
      state_ = State::ended;
      break;
    case Tag::quote:
      content_text("\"");
      break;
    default:
      break;
  }
}

void ReplyParser::on_tag_in_thought(Tag tag, bool is_token) {
  if (tag == Tag::quote) return thought_text(label_.flush() + '"');
  switch (tag) {
    case Tag::channel_open:  // once more
      thought_text(label_.flush());
      label_.expect(kThoughtLabel);
      break;
    case Tag::channel_close:
      leave_thought();
      break;
    case Tag::tool_call_open:  // the thought was not closed
      leave_thought();
      enter(State::call, is_token);
      break;
    case Tag::turn_close:
    case Tag::eos:
      leave_thought();
      state_ = State::ended;
      break;
    default:
      break;
  }
}

void ReplyParser::on_tag_in_call(Tag tag, bool is_token) {
  switch (tag) {
    case Tag::quote:
      call_.quotes.push_back(call_.text.size());
      if (tells_pieces()) {
        stream_.push_quote();
        take_pieces();
      }
      break;
    case Tag::tool_call_close:
    case Tag::tool_response_open:
      end_call(true);
      break;
    case Tag::tool_call_open:  // the last one was not closed
      end_call(true);
      enter(State::call, is_token);
      break;
    case Tag::turn_close:
    case Tag::eos:
      end_call(true);
      state_ = State::ended;
      break;
    default:  // a reply's other tags have no meaning here, a placeholder even less
      if (std::ranges::find(kReplyTags, tag) != kReplyTags.end()) call_text(tag_text(tag));
      break;
  }
}

void ReplyParser::content_text(std::string_view text) {
  if (skips_blanks_) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return;
    skips_blanks_ = false;
  }
  emit(ReplyEvent::Kind::content, text);
}

void ReplyParser::thought_text(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kBlanks);
  if (last == std::string_view::npos) {
    trailing_blanks_ += text;
    return;
  }
  emit(ReplyEvent::Kind::thinking, std::exchange(trailing_blanks_, {}));
  emit(ReplyEvent::Kind::thinking, text.substr(0, last + 1));
  trailing_blanks_ = text.substr(last + 1);
}

void ReplyParser::enter(State state, bool is_token) {
  state_ = state;
  opened_by_token_ = is_token;
  if (state == State::thought) label_.expect(kThoughtLabel);
}

void ReplyParser::leave_thought() {
  thought_text(label_.flush());
  trailing_blanks_.clear();
  state_ = State::content;
  skips_blanks_ = true;
}

void ReplyParser::call_text(std::string_view text) {
  call_.text += text;
  if (!tells_pieces()) return;
  stream_.push_text(text);
  take_pieces();
}

void ReplyParser::take_pieces() {
  if (stream_.name().empty()) return;
  if (!std::exchange(call_begun_, true)) {
    events_.push_back({.kind = ReplyEvent::Kind::call_begun, .name = stream_.name()});
  }
  std::string piece = stream_.take();
  if (piece.empty()) return;
  const bool goes_on = !events_.empty() && events_.back().kind == ReplyEvent::Kind::call_arguments;
  if (goes_on) {
    events_.back().text += piece;
  } else {
    events_.push_back({.kind = ReplyEvent::Kind::call_arguments, .text = std::move(piece)});
  }
}

void ReplyParser::end_call(bool complete) {
  const ToolCallBody body = std::exchange(call_, {});
  CallStream stream = std::exchange(stream_, {});
  const bool has_begun = std::exchange(call_begun_, false);
  state_ = State::content;
  skips_blanks_ = true;
  std::string raw = body.raw();
  if (!options_.tools_enabled) {
    skips_blanks_ = false;
    return emit(ReplyEvent::Kind::content, std::string(tag_text(Tag::tool_call_open)) + raw +
                                               std::string(tag_text(Tag::tool_call_close)));
  }
  Result<std::vector<ToolCall>> calls =
      complete ? read_tool_calls(body) : Failure{"the reply was cut off inside the call"};
  if (calls && has_begun) {
    if (stream.finish(calls.value().front())) {
      std::string rest = stream.take();
      if (!rest.empty()) {
        events_.push_back({.kind = ReplyEvent::Kind::call_arguments, .text = std::move(rest)});
      }
    } else {
      calls = Failure{"it does not end as it began"};
    }
  }
  if (!calls) {
    events_.push_back({.kind = ReplyEvent::Kind::broken_tool_call,
                       .text = std::move(raw),
                       .problem = calls.message(),
                       .cut_off = !complete});
    return;
  }
  for (ToolCall& call : calls.value()) {
    events_.push_back({.kind = ReplyEvent::Kind::tool_call,
                       .text = std::exchange(raw, {}),
                       .name = std::move(call.name),
                       .arguments = std::move(call.arguments)});
  }
}

void ReplyParser::emit(ReplyEvent::Kind kind, std::string_view text) {
  if (text.empty()) return;
  if (kind == ReplyEvent::Kind::thinking && !options_.thinking_enabled) {
    dropped_thinking_bytes_ += text.size();
    return;
  }
  if (!events_.empty() && events_.back().kind == kind) {
    events_.back().text += text;
  } else {
    events_.push_back({.kind = kind, .text = std::string(text)});
  }
}

std::vector<ReplyEvent> ReplyParser::take() { return std::exchange(events_, {}); }

}  // namespace pleiad::text
