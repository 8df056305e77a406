#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "constrain/grammars/source_text.h"

namespace pleiad::constrain::grammars {

/// A word of a grammar in Lark.
struct LarkWord {
  enum class Kind : std::uint8_t {
    rule,       // a name in lower case, and none of an import; without '!', '?' before it
    terminal,   // a name in upper case
    text,       // "..."; `text` is what it means
    regex,      // /.../
    number,     // of digits, or 0x and hexadecimal ones
    directive,  // %ignore, %import, ...; with the '%'
    json,       // {...}, behind %json, %regex, %llguidance
    token,      // <...>
    sign,       // one of : | ( ) [ ] { } * + ? ~ , . = _ and -> .. ::
    line,       // one or more ends of lines
    end,
  };
  Kind kind = Kind::end;
  std::string text = {};
  std::string flags = {};  // text, regex: the letters behind it
  std::size_t at = 0;
};

/// The words of a grammar, comments left out; of names that are imported as others see
/// find_imported_names(). Fails at what is none.
std::vector<LarkWord> lex_lark(SourceText& source);

}  // namespace pleiad::constrain::grammars
