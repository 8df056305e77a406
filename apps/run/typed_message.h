#pragma once

#include <string>
#include <string_view>

namespace pleiad::apps {

/// What a user has handed over at the prompt.
struct TypedMessage {
  enum class Kind {
    nothing,  // blanks
    message,
    command,     // "/set ..."
    open_block,  // begins with """, whose end is to come in the next lines
    leave,       // the bare words exit and quit
  };
  Kind kind = Kind::nothing;
  std::string text = {};  // what is meant: without """ around it, without the first of two slashes
};

/// Several lines are a message whatever they begin with (but for /set system): they were pasted, or
/// written with Alt-Enter. """ around all of them is no part of it, """ elsewhere is.
TypedMessage read_typed_message(std::string text);

/// The lines of a block that began with """, so far; true where it has ended, and `block` is what
/// is meant. What stands behind the closing quotes belongs to it as well.
/// They are looked for from `from` on: in the lines that came last.
bool end_block(std::string& block, std::size_t from);

}  // namespace pleiad::apps
