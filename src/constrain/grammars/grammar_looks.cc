#include "constrain/grammars/grammar_looks.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace pleiad::constrain::grammars {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kNameBytes =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

std::string_view without(std::string_view bytes, std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(bytes), line.size()));
}

enum class Looks { like_nothing, like_gbnf, like_lark };

/// What a line that begins a rule or a directive looks like.
Looks looks_of_line(std::string_view line) {
  line = without(kBlanks, line);
  if (line.starts_with("%")) return Looks::like_lark;
  line = without("?!", line);
  const std::string_view behind = without(kNameBytes, line);
  if (behind.size() == line.size()) return Looks::like_nothing;
  line = without(kBlanks, behind);
  if (line.starts_with("::=")) return Looks::like_gbnf;
  return line.starts_with(":") ? Looks::like_lark : Looks::like_nothing;
}

/// What its first such line looks like.
Looks looks_of(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Looks looks = looks_of_line(text.substr(0, end));
    if (looks != Looks::like_nothing) return looks;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return Looks::like_nothing;
}

}  // namespace

Result<GrammarTree> read_as_lark(Result<GrammarTree> read, std::string_view text) {
  if (read || looks_of(text) != Looks::like_gbnf) return read;
  return Failure{read.message() + "; this looks like GBNF, and is read as Lark"};
}

Result<GrammarTree> read_as_gbnf(Result<GrammarTree> read, std::string_view text) {
  if (read || looks_of(text) != Looks::like_lark) return read;
  return Failure{read.message() + "; this looks like Lark, and is read as GBNF"};
}

}  // namespace pleiad::constrain::grammars
