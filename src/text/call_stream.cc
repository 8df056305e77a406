#include "text/call_stream.h"

#include "base/utf8.h"
#include "text/call_text.h"

namespace pleiad::text {
void CallStream::push_text(std::string_view text) {
  while (!text.empty() && state_ != State::done && state_ != State::lost) {
    const std::size_t n = state_ == State::string ? push_string(text) : 1;
    if (state_ != State::string) push(text.front());
    text.remove_prefix(n);
  }
}

void CallStream::push_quote() {
  switch (state_) {
    case State::key:
      state_ = State::quoted;
      break;
    case State::quoted:
      end_key(State::colon);
      break;
    case State::value:
      write("\"");
      state_ = State::string;
      break;
    case State::string:
      write_inside(std::exchange(word_, {}));
      write("\"");
      state_ = State::behind;
      break;
    case State::done:
      break;
    default:
      lose();
  }
}

/// All of it: what is no quote token is a part of the string.
std::size_t CallStream::push_string(std::string_view text) {
  word_ += text;
  const std::size_t n_whole = word_.size() - utf8_unfinished(word_);
  write_inside(std::string_view(word_).substr(0, n_whole));
  word_.erase(0, n_whole);
  return text.size();
}

void CallStream::push(char c) {
  if (state_ == State::name) {
    if (c == '{') return begin();
    word_ += c;
    return;
  }
  const bool is_in_word =
      state_ == State::plain || state_ == State::quoted || state_ == State::bare;
  if (is_blank(c) && !is_in_word) return;
  switch (state_) {
    case State::key:
      if (c == '}' && may_close_) return close(c);
      if (std::string_view(":,{}[]\"'").find(c) != std::string_view::npos) return lose();
      word_ = c;
      state_ = State::plain;
      break;
    case State::plain:
      if (c == ':') {
        end_key(State::value);
        if (state_ == State::value) write(":");
      } else if (std::string_view(",{}[]").find(c) != std::string_view::npos) {
        lose();
      } else {
        word_ += c;
      }
      break;
    case State::quoted:
      word_ += c;
      break;
    case State::colon:
      if (c != ':') return lose();
      write(":");
      state_ = State::value;
      break;
    case State::value:
      if (c == '{' || c == '[') return open(c);
      if (c == ']' && may_close_) return close(c);
      if (c == ',' || is_closer(c)) return lose();
      word_ = c;
      state_ = State::bare;
      break;
    case State::bare:
      if (c != ',' && !is_closer(c)) {
        word_ += c;
        break;
      }
      end_bare();
      if (state_ == State::behind) push(c);
      break;
    case State::behind:
      if (is_closer(c)) return close(c);
      if (c != ',') return lose();
      write(",");
      may_close_ = false;
      state_ = open_.back() == '{' ? State::key : State::value;
      break;
    default:
      break;
  }
}

void CallStream::begin() {
  constexpr std::string_view kCall = "call:";
  std::string_view word = word_;
  while (!word.empty() && is_blank(word.front())) word.remove_prefix(1);
  if (!word.starts_with(kCall)) return lose();
  const std::string_view name = trim(word.substr(kCall.size()));
  if (!is_function_name(name)) return lose();
  name_ = name;
  word_.clear();
  open('{');
}

void CallStream::open(char bracket) {
  constexpr std::size_t kDeepest = 60;  // a little less than the reader of whole calls takes
  if (open_.size() == kDeepest) return lose();
  open_.push_back(bracket);
  write(std::string_view(&bracket, 1));
  may_close_ = true;
  state_ = bracket == '{' ? State::key : State::value;
}

void CallStream::close(char bracket) {
  if (open_.back() != (bracket == '}' ? '{' : '[')) return lose();
  open_.pop_back();
  write(std::string_view(&bracket, 1));
  state_ = open_.empty() ? State::done : State::behind;
}

void CallStream::end_key(State next) {
  const std::string_view key = state_ == State::plain ? trim(word_) : std::string_view(word_);
  if (key.empty() && state_ == State::plain) return lose();
  write(to_text(Json(key)));
  word_.clear();
  state_ = next;
}

void CallStream::end_bare() {
  const Json value = bare_value(trim(word_));
  if (value.is_string()) return lose();
  write(to_text(value));
  word_.clear();
  state_ = State::behind;
}

void CallStream::write_inside(std::string_view text) {
  if (text.empty()) return;
  const std::string quoted = to_text(Json(text));
  write(std::string_view(quoted).substr(1, quoted.size() - 2));
}

void CallStream::write(std::string_view json) {
  json_ += json;
  fresh_ += json;
}

bool CallStream::finish(const ToolCall& call) {
  if (call.name != name_) return false;
  if (state_ == State::done) return true;
  state_ = State::done;
  const std::string whole = to_text(call.arguments);
  if (!whole.starts_with(json_)) return false;
  write(std::string_view(whole).substr(json_.size()));
  return true;
}

}  // namespace pleiad::text
