#include "constrain/texts/pattern_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/text_format.h"
#include "base/utf8.h"
#include "constrain/texts/code_ranges.h"
#include "constrain/texts/unicode_properties.h"
#include "text/unicode.h"

namespace pleiad::constrain {
namespace {

using Kind = PatternNode::Kind;
using Ranges = std::vector<CodeRange>;

constexpr std::size_t kMaxPropertyRanges = 200'000;  // of all properties that a pattern names
constexpr int kMaxGroups = 32;                       // inside each other

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

class PatternReader {
 public:
  PatternReader(std::string_view pattern, const PatternOptions& options)
      : rest_(pattern), length_(pattern.size()), options_(options) {}

  PatternNode read() {
    PatternNode node = choice(0);
    if (!rest_.empty()) fail("a ')' closes nothing");
    return node;
  }
  const std::string& problem() const { return problem_; }
  std::size_t problem_at() const { return problem_at_; }

 private:
  std::size_t at() const { return length_ - rest_.size(); }
  void fail(std::string why) {
    if (problem_.empty()) {
      problem_ = std::move(why);
      problem_at_ = at();
    }
    rest_ = {};
  }
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  char take_byte() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  PatternNode choice(int depth) {
    if (depth > kMaxGroups) {
      fail("its groups are nested too deeply");
      return {};
    }
    PatternNode out{.kind = Kind::choice};
    do {
      out.children.push_back(sequence(depth));
    } while (take("|"));
    return out.children.size() == 1 ? std::move(out.children[0]) : out;
  }

  PatternNode sequence(int depth) {
    PatternNode out{.kind = Kind::sequence};
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      out.children.push_back(repeated(one(depth)));
    }
    return out;
  }

  PatternNode one(int depth) {
    const std::size_t here = at();
    if (take("^")) {
      ++n_begins_;
      return {.kind = Kind::begin, .at = here};
    }
    if (take("$")) return {.kind = Kind::end, .at = here};
    if (rest_.starts_with("\\b") || rest_.starts_with("\\B")) {
      ++n_boundaries_;
      const bool is_negated = rest_[1] == 'B';
      rest_.remove_prefix(2);
      return {.kind = Kind::boundary, .at = here, .is_negated = is_negated};
    }
    if (take("(?=")) return ahead({.kind = Kind::ahead, .at = here}, depth);
    if (take("(?!")) return ahead({.kind = Kind::ahead, .at = here, .is_negated = true}, depth);
    if (take("(")) return group(depth);
    if (take("[")) return {.kind = Kind::characters, .characters = bracket()};
    if (take(".")) return {.kind = Kind::characters, .characters = dot()};
    if (take("\\")) return {.kind = Kind::characters, .characters = in_cases(escape(false))};
    if (std::string_view("*+?{").find(rest_.front()) != std::string_view::npos) {
      fail(fmt::format("'{}' repeats nothing", rest_.front()));
      return {};
    }
    const char32_t code = character();
    return {.kind = Kind::characters, .characters = in_cases({{code, code}})};
  }

  Ranges dot() const {
    if (options_.dot_is_anything) return {{0, kLastCharacterCode}};
    if (!options_.dot_ends_lines) return all_but({{'\n', '\n'}});
    return all_but({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}});
  }

  Ranges in_cases(Ranges ranges) const {
    return options_.ignores_case ? with_both_cases(std::move(ranges)) : ranges;
  }

  /// What is looked for, and the ')' behind it.
  PatternNode ahead(PatternNode node, int depth) {
    const std::size_t n_begins = n_begins_;
    const std::size_t n_boundaries = n_boundaries_;
    node.children.push_back(inside(depth));
    node.asks_begin = n_begins_ > n_begins;
    node.asks_word = n_boundaries_ > n_boundaries;
    return node;
  }

  /// What stands in a group, and the ')' behind it. Flags end there.
  PatternNode inside(int depth) { return inside(depth, options_); }
  PatternNode inside(int depth, const PatternOptions& behind) {
    PatternNode node = choice(depth + 1);
    if (!take(")")) fail("a '(' is not closed");
    options_ = behind;
    return node;
  }

  PatternNode group(int depth) {
    const PatternOptions outside = options_;
    if (take("?")) {
      if (rest_.starts_with("P<")) take("P");
      const bool is_name = rest_.starts_with("<") && !rest_.starts_with("<=") &&
                           !rest_.starts_with("<!") && rest_.find('>') != std::string_view::npos;
      if (is_name) {
        rest_.remove_prefix(rest_.find('>') + 1);
      } else if (rest_.starts_with("<")) {
        fail("looking back is not supported");
        return {};
      } else if (!take(":")) {
        if (!flags()) return {};
        if (take(")")) return {.kind = Kind::sequence};  // for the rest of the group around it
        if (!take(":")) fail("flags end with ':' or ')'");
      }
    }
    return inside(depth, outside);
  }

  std::string one_character() const {
    return std::string(rest_.substr(0, std::max<std::size_t>(utf8_length(rest_), 1)));
  }

  /// Up to ':' or ')'.
  bool flags() {
    bool on = true;
    while (!rest_.empty() && rest_.front() != ':' && rest_.front() != ')') {
      const char flag = rest_.front();
      if (flag == '-' && on) {
        on = false;
      } else if (flag == 'i') {
        options_.ignores_case = on;
      } else if (flag == 's') {
        options_.dot_is_anything = on;
      } else {
        fail(fmt::format("'(?{}' is not supported: of flags, i and s are", one_character()));
        return false;
      }
      take_byte();
    }
    return true;
  }

  PatternNode repeated(PatternNode node) {
    std::uint32_t least = 0;
    std::uint32_t most = kUnbounded;
    if (take("+")) {
      least = 1;
    } else if (take("?")) {
      most = 1;
    } else if (take("{")) {
      if (!bounds(least, most)) return {};
    } else if (!take("*")) {
      return node;
    }
    take("?");  // lazy ones find the same strings
    if (node.is_condition()) {
      fail("'^', '$', '\\b' and what looks ahead cannot be repeated");
      return {};
    }
    PatternNode out{.kind = Kind::repeat, .least = least, .most = most};
    out.children.push_back(std::move(node));
    return out;
  }

  /// m} or m,} or m,n}
  bool bounds(std::uint32_t& least, std::uint32_t& most) {
    bool good = number(least);
    most = least;
    if (good && take(",")) {
      if (rest_.starts_with("}")) {
        most = kUnbounded;
      } else {
        good = number(most);
      }
    }
    const bool is_too_much =
        least > options_.most_times || (most > options_.most_times && most != kUnbounded);
    if (good && is_too_much) {
      fail(fmt::format("a number in braces is {} at most", format_count(options_.most_times)));
    } else if (!good || !take("}")) {
      fail("a '{' needs one or two numbers, and a '}'");
    } else if (least > most) {
      fail(fmt::format("'{{{},{}}}' asks for more than it allows", least, most));
    }
    return problem_.empty();
  }

  bool number(std::uint32_t& out) {
    std::size_t length = 0;
    out = 0;
    while (length < rest_.size() && rest_[length] >= '0' && rest_[length] <= '9' && length < 7) {
      out = out * 10 + static_cast<std::uint32_t>(rest_[length++] - '0');
    }
    rest_.remove_prefix(length);
    return length > 0;
  }

  Ranges bracket() {
    const bool negated = take("^");
    Ranges out;
    while (!take("]")) {
      if (rest_.empty()) {
        fail("a '[' is not closed");
        return {};
      }
      const Ranges first = member();
      const bool is_one = first.size() == 1 && first[0].first == first[0].last;
      if (is_one && rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']') {
        take("-");
        const Ranges last = member();
        if (last.size() != 1 || last[0].first != last[0].last || last[0].first < first[0].first) {
          fail("a range in [] needs two characters in order");
          return {};
        }
        out.push_back({first[0].first, last[0].first});
      } else {
        out.insert(out.end(), first.begin(), first.end());
      }
    }
    out = in_cases(sorted_apart(std::move(out)));
    return negated ? all_but(out) : out;
  }

  Ranges member() {
    if (take("\\")) return escape(true);
    const char32_t code = character();
    return {{code, code}};
  }

  /// Behind the backslash.
  Ranges escape(bool in_brackets) {
    if (rest_.empty()) {
      fail("it ends with a '\\'");
      return {};
    }
    if (auto named = named_class(rest_.front())) {
      take_byte();
      return *named;
    }
    if (rest_.front() == 'p' || rest_.front() == 'P') return property(take_byte() == 'P');
    const auto only = [](char32_t code) { return Ranges{{code, code}}; };
    constexpr std::string_view kLetters = "tnrfv0";
    constexpr std::string_view kCodes("\t\n\r\f\v\0", 6);
    const char c = rest_.front();
    if (const std::size_t at = kLetters.find(c); at != std::string_view::npos) {
      take_byte();
      return only(static_cast<unsigned char>(kCodes[at]));
    }
    if (c == 'b' && in_brackets) {
      take_byte();
      return only('\b');
    }
    if (c == 'u' || c == 'x') return only(take_byte() == 'u' ? code_unit() : coded(2));
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (is_word) {
      fail(fmt::format("'\\{}' is not supported", c));
      return {};
    }
    return only(character());
  }

  /// {name} behind \p or \P.
  Ranges property(bool is_negated) {
    const std::size_t end = rest_.find('}');
    if (!take("{") || end == std::string_view::npos) {
      fail("'\\p' needs the name of a property in braces");
      return {};
    }
    const std::string_view name = rest_.substr(0, end - 1);
    std::optional<Ranges> found = unicode_property(name);
    if (!found) {
      fail(
          fmt::format("'\\p{{{}}}' is not supported: properties are the general categories, many "
                      "scripts (Script=Latin), and Alphabetic, Lowercase, Uppercase, White_Space "
                      "and those of emoji",
                      printable(name, 40)));
      return {};
    }
    n_property_ranges_ += found->size();
    if (n_property_ranges_ > kMaxPropertyRanges) {
      fail("it names too many properties");
      return {};
    }
    rest_.remove_prefix(end);
    return is_negated ? all_but(*found) : *found;
  }

  /// Behind "\\u". Two halves of a character are one.
  char32_t code_unit() {
    const bool in_braces = rest_.starts_with("{");
    const char32_t high = coded(4);
    if (in_braces || high < 0xD800 || high > 0xDBFF) return high;
    const std::string_view behind = rest_;
    if (take("\\u") && !rest_.starts_with("{")) {
      const char32_t low = coded(4);
      if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00);
    }
    rest_ = behind;
    return high;
  }

  char32_t coded(std::size_t n_digits) {
    std::string_view digits = rest_.substr(0, n_digits);
    bool is_closed = true;
    const bool in_braces = n_digits == 4 && take("{");
    if (in_braces) {
      const std::size_t end = rest_.find('}');
      is_closed = end <= 6;
      digits = rest_.substr(0, std::min<std::size_t>(end, 7));
      rest_.remove_prefix(std::min(rest_.size(), digits.size() + 1));
    } else {
      rest_.remove_prefix(digits.size());
    }
    char32_t code = 0;
    bool good = !digits.empty() && is_closed && (digits.size() == n_digits || in_braces);
    for (const char c : digits) {
      const auto at = std::string_view("0123456789abcdefABCDEF").find(c);
      good = good && at != std::string_view::npos;
      code = code * 16 + static_cast<char32_t>(at > 15 ? at - 6 : at);
    }
    if (!good || code > kLastCharacterCode) fail("'\\x' and '\\u' need hexadecimal digits");
    return good && code <= kLastCharacterCode ? code : 0;
  }

  char32_t character() {
    const std::size_t length = rest_.empty() ? 0 : utf8_length(rest_);
    if (length == 0) {
      fail("it is not UTF-8, or ends too early");
      return 0;
    }
    const char32_t code = text::first_character(rest_);
    rest_.remove_prefix(length);
    return code;
  }

  std::string_view rest_;
  std::size_t length_;
  PatternOptions options_;
  std::string problem_;
  std::size_t problem_at_ = 0;
  std::size_t n_begins_ = 0;  // that were read
  std::size_t n_boundaries_ = 0;
  std::size_t n_property_ranges_ = 0;
};

}  // namespace

std::vector<CodeRange> word_characters() {
  return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
}

Result<PatternNode> read_pattern(std::string_view pattern, const PatternOptions& options,
                                 std::size_t* problem_at) {
  PatternReader reader(pattern, options);
  PatternNode node = reader.read();
  if (reader.problem().empty()) return node;
  if (problem_at) *problem_at = reader.problem_at();
  return Failure{reader.problem()};
}

}  // namespace pleiad::constrain
