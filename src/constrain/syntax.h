#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "constrain/automaton.h"
#include "constrain/symbol.h"

namespace pleiad::constrain {

using Symbols = std::vector<Symbol>;

/// How values are written.
enum class Syntax : std::uint8_t {
  json,
  /// As in Gemma's tool calls: `{key:<|"|>text<|"|>,other:[1,true]}`. Strings stand between
  /// quote tokens and escape nothing; there is no white space.
  call,
};

/// What opens and closes a string.
Symbol quote(Syntax syntax);

/// Whether a key of a call may have it, and no quotes.
bool may_be_bare(char c);

/// A value, as a reply would write it; JSON without white space.
Symbols spell(Syntax syntax, const Json& value);
/// A key of an object, with its ':'.
Symbols spell_key(Syntax syntax, std::string_view key);
/// The inside of a string.
Symbols spell_inside(Syntax syntax, std::string_view text);

void append(Symbols& out, std::string_view text);

}  // namespace pleiad::constrain
