#include "constrain/grammars/lark_common.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text_format.h"

namespace pleiad::constrain::grammars {
namespace {

struct Terminal {
  std::string_view name, pattern;
};

constexpr Terminal kCommonTerminals[] = {
    {"DIGIT", "[0-9]"},
    {"HEXDIGIT", "[0-9A-Fa-f]"},
    {"INT", "[0-9]+"},
    {"SIGNED_INT", "[+-]?[0-9]+"},
    {"DECIMAL", "[0-9]+\\.[0-9]*|\\.[0-9]+"},
    {"_EXP", "[eE][+-]?[0-9]+"},
    {"FLOAT", "[0-9]+[eE][+-]?[0-9]+|([0-9]+\\.[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?"},
    {"SIGNED_FLOAT", "[+-]?([0-9]+[eE][+-]?[0-9]+|([0-9]+\\.[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?)"},
    {"NUMBER", "([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?"},
    {"SIGNED_NUMBER", "[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?"},
    {"ESCAPED_STRING", "\"([^\"\\\\\\n]|\\\\[^\\n])*\""},
    {"LCASE_LETTER", "[a-z]"},
    {"UCASE_LETTER", "[A-Z]"},
    {"LETTER", "[A-Za-z]"},
    {"WORD", "[A-Za-z]+"},
    {"CNAME", "[A-Za-z_][A-Za-z_0-9]*"},
    {"WS_INLINE", "[ \\t]+"},
    {"WS", "[ \\t\\f\\r\\n]+"},
    {"CR", "\\r"},
    {"LF", "\\n"},
    {"NEWLINE", "(\\r?\\n)+"},
    {"SH_COMMENT", "#[^\\n]*"},
    {"CPP_COMMENT", "//[^\\n]*"},
    {"C_COMMENT", "/\\*([^*]|\\*+[^*/])*\\*+/"},
    {"SQL_COMMENT", "--[^\\n]*"},
};

std::string_view common_terminal(std::string_view name) {
  const auto* const found = std::ranges::find(kCommonTerminals, name, &Terminal::name);
  return found == std::end(kCommonTerminals) ? std::string_view() : found->pattern;
}

}  // namespace

void LarkImports::read() {
  using Kind = LarkWord::Kind;
  if (!words_.is(Kind::rule) || words_.next().text != "common") {
    return words_.fail("terminals can be imported from the module common alone");
  }
  words_.skip();
  if (words_.take_sign("(")) return read_names();
  words_.expect(".");
  const LarkWord name = words_.take();
  std::string as = name.text;
  if (words_.take_sign("->")) {
    as = words_.next().text;
    if (!words_.is(Kind::terminal)) {
      words_.fail(fmt::format("expected a name, found {}", words_.found()));
    }
    words_.skip();
  }
  import(name, as);
}

void LarkImports::read_names() {
  do {
    words_.skip_lines();
    const LarkWord name = words_.take();
    import(name, name.text);
    words_.skip_lines();
  } while (words_.take_sign(","));
  words_.expect(")");
}

void LarkImports::import(const LarkWord& name, const std::string& as) {
  if (source_.failed()) return;
  const std::string_view pattern = common_terminal(name.text);
  if (name.kind != LarkWord::Kind::terminal || pattern.empty()) {
    return source_.fail_at(
        name.at, fmt::format("there is no terminal \"{}\" in common", printable(name.text)));
  }
  const LarkWord regex{LarkWord::Kind::regex, std::string(pattern), {}, name.at};
  names_.define(source_, name.at, as, terminals_.regex(regex), true);
}

}  // namespace pleiad::constrain::grammars
