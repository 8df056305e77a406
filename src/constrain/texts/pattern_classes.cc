#include "constrain/texts/pattern_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text_format.h"
#include "constrain/texts/code_ranges.h"
#include "constrain/texts/unicode_properties.h"

namespace pleiad::constrain {
namespace {

using Ranges = std::vector<CodeRange>;

constexpr std::size_t kMaxPropertyRanges = 200'000;  // of all properties that a pattern names
constexpr std::size_t kMaxCombinedRanges = 2'000'000;
constexpr int kMaxClasses = 32;  // inside each other

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/// \d \w \s and their opposites.
std::optional<Ranges> named_class(char name) {
  const Ranges digits = {{'0', '9'}};
  const Ranges blanks = {{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680},
                         {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                         {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
  switch (name) {
    case 'd':
      return digits;
    case 'D':
      return all_but(digits);
    case 'w':
      return word_characters();
    case 'W':
      return all_but(word_characters());
    case 's':
      return blanks;
    case 'S':
      return all_but(blanks);
    default:
      return std::nullopt;
  }
}

/// [:alpha:] and the like.
struct PosixClass {
  std::string_view name;
  std::vector<CodeRange> characters;
};

const std::vector<PosixClass>& posix_classes() {
  static const std::vector<PosixClass> kClasses = {
      {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
      {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
      {"ascii", {{0, 0x7F}}},
      {"blank", {{'\t', '\t'}, {' ', ' '}}},
      {"cntrl", {{0, 0x1F}, {0x7F, 0x7F}}},
      {"digit", {{'0', '9'}}},
      {"graph", {{'!', '~'}}},
      {"lower", {{'a', 'z'}}},
      {"print", {{' ', '~'}}},
      {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
      {"space", {{'\t', '\r'}, {' ', ' '}}},
      {"upper", {{'A', 'Z'}}},
      {"word", word_characters()},
      {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
  };
  return kClasses;
}

/// "[:", letters and ":]": another '[' begins brackets.
bool has_posix_class(std::string_view rest) {
  if (!rest.starts_with("[:")) return false;
  rest.remove_prefix(rest.starts_with("[:^") ? 3 : 2);
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  rest.remove_prefix(std::min(rest.find_first_not_of(kLetters), rest.size()));
  return rest.starts_with(":]");
}

/// Of the class that begins there, where POSIX has it; else empty.
std::string_view posix_class_name(std::string_view rest) {
  if (!has_posix_class(rest)) return {};
  rest.remove_prefix(rest.starts_with("[:^") ? 3 : 2);
  const std::string_view name = rest.substr(0, rest.find(":]"));
  const auto& known = posix_classes();
  return std::ranges::find(known, name, &PosixClass::name) == known.end() ? std::string_view()
                                                                          : name;
}

Ranges in_both(const Ranges& left, const Ranges& right) {
  Ranges outside = all_but(left);
  const Ranges other = all_but(right);
  outside.insert(outside.end(), other.begin(), other.end());
  return all_but(outside);
}

Ranges in_cases(Ranges ranges, const PatternOptions& options) {
  return options.ignores_case ? with_both_cases(std::move(ranges)) : std::move(ranges);
}

}  // namespace

std::vector<CodeRange> word_characters() {
  return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
}

Ranges PatternClasses::dot(const PatternOptions& options) {
  if (options.dot_is_anything) return {{0, kLastCharacterCode}};
  if (options.dialect != PatternDialect::schemas) return all_but({{'\n', '\n'}});
  return all_but({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}});
}

Ranges PatternClasses::bracket(const PatternOptions& options) {
  return options.dialect == PatternDialect::rust ? nested_bracket(options, 0)
                                                 : flat_bracket(options);
}

Ranges PatternClasses::flat_bracket(const PatternOptions& options) {
  const std::size_t begin = cursor_.at() - 1;
  const bool is_negated = cursor_.take("^");
  Ranges out;
  while (!cursor_.take("]")) {
    if (cursor_.at_end()) {
      cursor_.fail_at(begin, "this '[' is not closed");
      return {};
    }
    if (const std::string_view name = posix_class_name(cursor_.rest()); !name.empty()) {
      cursor_.fail(fmt::format("'[:{}:]', a class of POSIX, is not supported", name));
      return {};
    }
    const Ranges some = member_or_range(options);
    out.insert(out.end(), some.begin(), some.end());
  }
  out = in_cases(sorted_apart(std::move(out)), options);
  return is_negated ? all_but(out) : out;
}

/// With brackets in it, names of POSIX, and what two sides have in common (&&), what the left one
/// has alone (--), or one of both (~~). The sides are all that stands there; '^' is of the whole.
Ranges PatternClasses::nested_bracket(const PatternOptions& options, int depth) {
  const std::size_t begin = cursor_.at() - 1;
  if (depth > kMaxClasses) {
    cursor_.fail("its brackets are nested too deeply");
    return {};
  }
  const bool is_negated = cursor_.take("^");
  Ranges left;
  Ranges side;
  char how = '|';
  if (options.skips_space) cursor_.skip_space();
  const bool begins_closed = cursor_.take("]");
  if (begins_closed) side.push_back({']', ']'});
  while (cursor_.take("-")) side.push_back({'-', '-'});
  for (;;) {
    if (options.skips_space) cursor_.skip_space();
    if (cursor_.at_end()) {
      cursor_.fail_at(begin, begins_closed
                                 ? "this '[' is not closed: a ']' at its begin is a character"
                                 : "this '[' is not closed");
      return {};
    }
    if (cursor_.take("]")) break;
    const char c = cursor_.peek();
    if ((c == '&' || c == '-' || c == '~') && cursor_.peek(1) == c) {
      left = combined(how, left, in_cases(std::move(side), options));
      how = c;
      side.clear();
      cursor_.skip(2);
      continue;
    }
    const Ranges some = nested_item(options, depth);
    side.insert(side.end(), some.begin(), some.end());
  }
  const Ranges out = combined(how, left, in_cases(std::move(side), options));
  return is_negated ? all_but(out) : out;
}

Ranges PatternClasses::nested_item(const PatternOptions& options, int depth) {
  if (has_posix_class(cursor_.rest())) return posix_class();
  return cursor_.take("[") ? nested_bracket(options, depth + 1) : member_or_range(options);
}

Ranges PatternClasses::combined(char how, const Ranges& left, const Ranges& right) {
  n_combined_ += left.size() + right.size();
  if (n_combined_ > kMaxCombinedRanges) {
    cursor_.fail("its brackets combine too many characters");
    return {};
  }
  if (how == '&') return in_both(left, right);
  if (how == '-') return in_both(left, all_but(right));
  Ranges both = left;
  both.insert(both.end(), right.begin(), right.end());
  if (how == '|') return sorted_apart(std::move(both));
  return in_both(sorted_apart(std::move(both)), all_but(in_both(left, right)));
}

Ranges PatternClasses::posix_class() {
  const std::size_t begin = cursor_.at();
  cursor_.skip(2);
  const bool is_negated = cursor_.take("^");
  const std::string_view name = cursor_.rest().substr(0, cursor_.rest().find(":]"));
  const auto& classes = posix_classes();
  const auto found = std::ranges::find(classes, name, &PosixClass::name);
  if (found == classes.end()) {
    cursor_.fail_at(begin,
                    fmt::format("there is no class '[:{}:]': there are [:alpha:], [:digit:] and "
                                "the others of POSIX",
                                printable(name, 40)));
    return {};
  }
  cursor_.skip(name.size() + 2);
  return is_negated ? all_but(found->characters) : found->characters;
}

Ranges PatternClasses::member_or_range(const PatternOptions& options) {
  const bool is_rust = options.dialect == PatternDialect::rust;
  Ranges first = member(options);
  const bool is_one = first.size() == 1 && first[0].first == first[0].last;
  const bool skips = is_rust && options.skips_space;  // elsewhere space means itself in brackets
  if (skips) cursor_.skip_space();
  const char behind = cursor_.peek(1);
  const bool is_range =
      cursor_.peek() == '-' && behind != ']' && behind != '\0' && !(is_rust && behind == '-');
  if (!is_one || !is_range) return first;
  cursor_.take("-");
  if (skips) cursor_.skip_space();
  const Ranges last = member(options);
  if (last.size() != 1 || last[0].first != last[0].last || last[0].first < first[0].first) {
    cursor_.fail("a range in [] needs two characters in order");
    return {};
  }
  return {{first[0].first, last[0].first}};
}

Ranges PatternClasses::member(const PatternOptions& options) {
  if (cursor_.take("\\")) return escape(options, true);
  const char32_t code = cursor_.character();
  return {{code, code}};
}

Ranges PatternClasses::escape(const PatternOptions& options, bool in_brackets) {
  if (cursor_.at_end()) {
    cursor_.fail("it ends with a '\\'");
    return {};
  }
  const char c = cursor_.peek();
  if (auto named = named_class(c)) {
    cursor_.skip(1);
    return *named;
  }
  if (c == 'p' || c == 'P') return property(options, cursor_.take_byte() == 'P');
  const auto only = [](char32_t code) { return Ranges{{code, code}}; };
  const bool is_schema = options.dialect == PatternDialect::schemas;
  constexpr std::string_view kLetters = "tnrfv0a";
  constexpr std::string_view kCodes("\t\n\r\f\v\0\a", 7);
  const std::string_view letters = is_schema ? kLetters.substr(0, 6) : kLetters;
  if (c == '0' && is_decimal(cursor_.peek(1))) {
    cursor_.fail(
        fmt::format("'\\0{}' is not supported: '\\x' and two hexadecimal digits are a "
                    "character by its number",
                    cursor_.peek(1)));
    return {};
  }
  if (const std::size_t at = letters.find(c); at != std::string_view::npos) {
    cursor_.skip(1);
    return only(static_cast<unsigned char>(kCodes[at]));
  }
  if (c == 'b' && in_brackets) {
    cursor_.skip(1);
    return only('\b');
  }
  if (c == 'u' || c == 'x' || (c == 'U' && !is_schema)) {
    cursor_.skip(1);
    if (c == 'u') return only(code_unit());
    return only(coded(c == 'x' ? 2 : 8, options.dialect == PatternDialect::rust));
  }
  const bool is_word = is_decimal(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  if (!is_word) return only(cursor_.character());
  refuse_word(c);
  return {};
}

void PatternClasses::refuse_word(char c) {
  const bool refers_back = is_decimal(c) || c == 'k';
  cursor_.fail(refers_back ? fmt::format("'\\{}', which refers back, is not supported", c)
                           : fmt::format("'\\{}' is not supported", c));
}

/// {name} behind \p or \P; of Rust's one letter too, and a script by its name alone.
Ranges PatternClasses::property(const PatternOptions& options, bool is_negated) {
  const bool is_rust = options.dialect == PatternDialect::rust;
  const std::size_t end = cursor_.rest().find('}');
  const bool in_braces = cursor_.peek() == '{';
  std::string_view name;
  if (in_braces && end != std::string_view::npos) {
    name = cursor_.rest().substr(1, end - 1);
    cursor_.skip(1);
  } else if (is_rust && cursor_.peek() >= 'A' && cursor_.peek() <= 'Z') {
    name = cursor_.rest().substr(0, 1);
  } else {
    cursor_.take("{");
    cursor_.fail("'\\p' needs the name of a property in braces");
    return {};
  }
  std::optional<Ranges> found = unicode_property(name);
  if (!found && is_rust) found = unicode_property("Script=" + std::string(name));
  if (!found) {
    cursor_.fail(
        fmt::format("'\\p{{{}}}' is not supported: properties are the general categories, many "
                    "scripts (Script=Latin), and Alphabetic, Lowercase, Uppercase, White_Space "
                    "and those of emoji",
                    printable(name, 40)));
    return {};
  }
  n_property_ranges_ += found->size();
  if (n_property_ranges_ > kMaxPropertyRanges) {
    cursor_.fail("it names too many properties");
    return {};
  }
  cursor_.skip(name.size());
  if (in_braces) cursor_.skip(1);
  return is_negated ? all_but(*found) : *found;
}

/// Behind "\\u". Two halves of a character are one.
char32_t PatternClasses::code_unit() {
  const bool in_braces = cursor_.starts_with("{");
  const char32_t high = coded(4, true);
  if (in_braces || high < 0xD800 || high > 0xDBFF) return high;
  const std::string_view behind = cursor_.rest();
  if (cursor_.take("\\u") && !cursor_.starts_with("{")) {
    const char32_t low = coded(4, true);
    if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00);
  }
  if (!cursor_.failed()) cursor_.back_to(behind);
  return high;
}

char32_t PatternClasses::coded(std::size_t n_digits, bool may_have_braces) {
  std::string_view digits = cursor_.rest().substr(0, n_digits);
  bool is_closed = true;
  const bool in_braces = may_have_braces && cursor_.take("{");
  if (in_braces) {
    const std::size_t end = cursor_.rest().find('}');
    is_closed = end <= 6;
    digits = cursor_.rest().substr(0, std::min<std::size_t>(end, 7));
    cursor_.skip(digits.size() + 1);
  } else {
    cursor_.skip(digits.size());
  }
  std::uint64_t code = 0;
  bool good = !digits.empty() && is_closed && (digits.size() == n_digits || in_braces);
  for (const char c : digits) {
    const auto at = std::string_view("0123456789abcdefABCDEF").find(c);
    good = good && at != std::string_view::npos;
    code = code * 16 + (at > 15 ? at - 6 : at);
  }
  good = good && code <= kLastCharacterCode;
  if (!good) cursor_.fail("'\\x' and '\\u' need hexadecimal digits");
  return good ? static_cast<char32_t>(code) : 0;
}

}  // namespace pleiad::constrain
