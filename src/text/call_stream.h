#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "text/tool_call_reader.h"

namespace pleiad::text {

/// The arguments of a call as JSON while the model writes it, `call:NAME{key:value,...}`. Goes as
/// far as the call has its proper form: from where read_tool_calls() would have to guess, nothing
/// more comes, until finish(). Strings come in pieces of whole characters, other values whole.
class CallStream {
 public:
  void push_text(std::string_view text);
  void push_quote();

  /// Known where the arguments begin; empty until then.
  const std::string& name() const { return name_; }
  /// The JSON that is new.
  std::string take() { return std::exchange(fresh_, {}); }

  /// At the end of the call, which is read whole as `call`: what take() gives makes the text
  /// complete. False where that does not go on from what came before.
  bool finish(const ToolCall& call);

 private:
  enum class State : std::uint8_t {
    name,    // up to the '{'
    key,     // or what closes an object
    plain,   // a key without quotes
    quoted,  // a key in quotes
    colon,
    value,  // or what closes a list
    string,
    bare,    // a number or a word
    behind,  // a value
    done,
    lost,  // it has no proper form
  };

  void push(char c);
  std::size_t push_string(std::string_view text);
  void begin();
  void open(char bracket);
  void close(char bracket);
  void end_key(State next);
  void end_bare();
  void write(std::string_view json);
  void write_inside(std::string_view text);
  void lose() { state_ = State::lost; }

  State state_ = State::name;
  bool may_close_ = false;  // key, value: nothing has come since the bracket that opened
  std::string word_;        // of the name, a key, a bare value; of a string: half a character
  std::vector<char> open_;  // brackets
  std::string name_;
  std::string json_;   // all that came
  std::string fresh_;  // of it, what was not taken
};

}  // namespace pleiad::text
