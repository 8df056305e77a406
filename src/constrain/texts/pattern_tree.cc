#include "constrain/texts/pattern_tree.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/text_format.h"
#include "constrain/texts/code_ranges.h"
#include "constrain/texts/pattern_classes.h"
#include "constrain/texts/pattern_cursor.h"

namespace pleiad::constrain {
namespace {

using Kind = PatternNode::Kind;
using Ranges = std::vector<CodeRange>;

constexpr int kMaxGroups = 32;  // inside each other; repetitions of repetitions too

/// The letters that (?...) may have.
std::string_view known_flags(PatternDialect dialect) {
  switch (dialect) {
    case PatternDialect::schemas:
      return "is";
    case PatternDialect::grammars:
      return "aimsux";
    case PatternDialect::rust:
      return "imsuxU";
  }
  return {};
}

/// "i, m and s"
std::string listed(std::string_view letters) {
  std::string out(1, letters.front());
  for (std::size_t i = 1; i < letters.size(); ++i) {
    out += i + 1 == letters.size() ? " and " : ", ";
    out += letters[i];
  }
  return out;
}

/// What a group is called that begins with "(?" and this, where it is none that can be read.
const char* unknown_group(std::string_view rest) {
  if (rest.starts_with("<")) return "looking back";
  if (rest.starts_with("P=")) return "referring back ('(?P=name)')";
  if (rest.starts_with("#")) return "a comment ('(?#...)')";
  if (rest.starts_with("(")) return "a condition ('(?(1)...)')";
  if (rest.starts_with(">")) return "a group that gives nothing back ('(?>...)')";
  if (rest.starts_with("|")) return "a group of branches ('(?|...)')";
  if (rest.starts_with("R)") || rest.starts_with("&") || rest.starts_with("P>")) {
    return "a pattern that repeats in itself ('(?R)')";
  }
  return nullptr;
}

class PatternReader {
 public:
  PatternReader(std::string_view pattern, const PatternOptions& options)
      : cursor_(pattern), classes_(cursor_), options_(options) {}

  PatternNode read() {
    PatternNode node = choice(0);
    if (!cursor_.at_end()) cursor_.fail("a ')' closes nothing");
    return node;
  }
  const PatternCursor& cursor() const { return cursor_; }

 private:
  PatternNode choice(int depth) {
    if (depth > kMaxGroups) {
      cursor_.fail("its groups are nested too deeply");
      return {};
    }
    PatternNode out{.kind = Kind::choice};
    do {
      out.children.push_back(sequence(depth));
    } while (cursor_.take("|"));
    return out.children.size() == 1 ? std::move(out.children[0]) : out;
  }

  void skip_space() {
    if (options_.skips_space) cursor_.skip_space();
  }

  PatternNode sequence(int depth) {
    PatternNode out{.kind = Kind::sequence};
    for (skip_space(); !cursor_.at_end() && cursor_.peek() != '|' && cursor_.peek() != ')';
         skip_space()) {
      out.children.push_back(repeated(one(depth)));
    }
    return out;
  }

  PatternNode one(int depth) {
    const std::size_t here = cursor_.at();
    const auto characters = [here](Ranges ranges) {
      return PatternNode{.kind = Kind::characters, .characters = std::move(ranges), .at = here};
    };
    if (takes_begin()) {
      ++n_begins_;
      return {.kind = Kind::begin, .at = here};
    }
    if (takes_end()) return {.kind = Kind::end, .at = here};
    if (cursor_.starts_with("\\b") || cursor_.starts_with("\\B")) {
      ++n_boundaries_;
      const bool is_negated = cursor_.peek(1) == 'B';
      cursor_.skip(2);
      return {.kind = Kind::boundary, .at = here, .is_negated = is_negated};
    }
    if (cursor_.take("(?=")) return ahead({.kind = Kind::ahead, .at = here}, depth);
    if (cursor_.take("(?!")) {
      return ahead({.kind = Kind::ahead, .at = here, .is_negated = true}, depth);
    }
    if (cursor_.take("(")) return group(here, depth);
    if (cursor_.take("[")) return characters(classes_.bracket(options_));
    if (cursor_.take(".")) return characters(PatternClasses::dot(options_));
    if (cursor_.take("\\")) return characters(in_cases(classes_.escape(options_, false)));
    if (std::string_view("*+?{").find(cursor_.peek()) != std::string_view::npos) {
      cursor_.fail(fmt::format("'{}' repeats nothing", cursor_.peek()));
      return {};
    }
    const char32_t code = cursor_.character();
    return characters(in_cases({{code, code}}));
  }

  bool takes_begin() {
    if (options_.dialect != PatternDialect::schemas && cursor_.take("\\A")) return true;
    return takes_edge("^");
  }
  bool takes_end() {
    if (options_.dialect != PatternDialect::schemas && cursor_.take("\\z")) return true;
    if (options_.dialect == PatternDialect::grammars && cursor_.take("\\Z")) return true;
    return takes_edge("$");
  }
  bool takes_edge(std::string_view edge) {
    if (!cursor_.starts_with(edge)) return false;
    if (options_.has_lines) {
      cursor_.fail(
          fmt::format("with the flag m '{}' is about lines, which is not supported", edge));
    }
    cursor_.skip(1);
    return true;
  }

  Ranges in_cases(Ranges ranges) const {
    return options_.ignores_case ? with_both_cases(std::move(ranges)) : ranges;
  }

  /// What is looked for, and the ')' behind it.
  PatternNode ahead(PatternNode node, int depth) {
    const std::size_t n_begins = n_begins_;
    const std::size_t n_boundaries = n_boundaries_;
    node.children.push_back(inside(node.at, depth, options_));
    node.asks_begin = n_begins_ > n_begins;
    node.asks_word = n_boundaries_ > n_boundaries;
    return node;
  }

  /// What stands in a group that began at `begin`, and the ')' behind it. Flags end there.
  PatternNode inside(std::size_t begin, int depth, const PatternOptions& behind) {
    PatternNode node = choice(depth + 1);
    if (!cursor_.take(")")) cursor_.fail_at(begin, "this '(' is not closed");
    options_ = behind;
    return node;
  }

  PatternNode group(std::size_t begin, int depth) {
    const PatternOptions outside = options_;
    skip_space();
    if (cursor_.take("?")) {
      if (cursor_.starts_with("P<")) cursor_.skip(1);
      const std::string_view rest = cursor_.rest();
      const bool is_name = rest.starts_with("<") && !rest.starts_with("<=") &&
                           !rest.starts_with("<!") && rest.find('>') != std::string_view::npos;
      if (is_name) {
        cursor_.skip(rest.find('>') + 1);
      } else if (const char* const what = unknown_group(rest)) {
        cursor_.fail(fmt::format("{} is not supported", what));
        return {};
      } else if (!cursor_.take(":")) {
        if (!flags()) return {};
        if (cursor_.take(")")) return {.kind = Kind::sequence};  // for the group around it
        if (!cursor_.take(":")) cursor_.fail("flags end with ':' or ')'");
      }
    }
    return inside(begin, depth, outside);
  }

  /// Up to ':' or ')'.
  bool flags() {
    bool on = true;
    const std::string_view known = known_flags(options_.dialect);
    while (!cursor_.at_end() && cursor_.peek() != ':' && cursor_.peek() != ')') {
      const char flag = cursor_.peek();
      if (flag == '-' && on) {
        on = false;
      } else if (flag == 'u' && !on && known.find('u') != std::string_view::npos) {
        cursor_.fail("'(?-u' is not supported: replies are text of whole characters");
        return false;
      } else if (known.find(flag) == std::string_view::npos) {
        cursor_.fail(fmt::format("'(?{}' is not supported: of flags, {} are",
                                 cursor_.one_character(), listed(known)));
        return false;
      }
      // The others change nothing here: which of several texts is preferred, and that characters
      // are Unicode's, and classes ASCII's.
      if (flag == 'i') options_.ignores_case = on;
      if (flag == 's') options_.dot_is_anything = on;
      if (flag == 'm') options_.has_lines = on;
      if (flag == 'x') options_.skips_space = on;
      cursor_.skip(1);
    }
    return true;
  }

  bool at_repetition() const {
    return !cursor_.at_end() &&
           std::string_view("*+?{").find(cursor_.peek()) != std::string_view::npos;
  }

  PatternNode repeated(PatternNode node) {
    for (int depth = 0;; ++depth) {
      skip_space();
      if (!at_repetition()) return node;
      if (depth > 0 && !may_repeat_again(depth)) return {};
      node = repeated_once(std::move(node));
    }
  }

  /// Behind a repetition: Rust repeats that one. Elsewhere "a++" gives nothing back, if anything.
  bool may_repeat_again(int depth) {
    if (options_.dialect == PatternDialect::rust && depth < kMaxGroups) return true;
    cursor_.fail(options_.dialect == PatternDialect::rust
                     ? std::string("its repetitions are nested too deeply")
                     : fmt::format("'{}' behind another repetition is not supported: what is "
                                   "repeated twice needs brackets around it",
                                   cursor_.peek()));
    return false;
  }

  PatternNode repeated_once(PatternNode node) {
    std::uint32_t least = 0;
    std::uint32_t most = kUnbounded;
    if (cursor_.take("+")) {
      least = 1;
    } else if (cursor_.take("?")) {
      most = 1;
    } else if (cursor_.take("{")) {
      if (!bounds(least, most)) return {};
    } else {
      cursor_.skip(1);
    }
    cursor_.take("?");  // lazy ones find the same strings
    if (node.is_condition()) {
      cursor_.fail("'^', '$', '\\b' and what looks ahead cannot be repeated");
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
    if (good && cursor_.take(",")) {
      skip_blanks();
      if (cursor_.starts_with("}")) {
        most = kUnbounded;
      } else {
        good = number(most);
      }
    }
    const bool is_too_much =
        least > options_.most_times || (most > options_.most_times && most != kUnbounded);
    if (good && is_too_much) {
      cursor_.fail(
          fmt::format("a number in braces is {} at most", format_count(options_.most_times)));
    } else if (!good || !cursor_.take("}")) {
      cursor_.fail("a '{' needs one or two numbers, and a '}'");
    } else if (least > most) {
      cursor_.fail(fmt::format("'{{{},{}}}' asks for more than it allows", least, most));
    }
    return !cursor_.failed();
  }

  /// Around numbers in braces: Rust reads blanks there in any case.
  void skip_blanks() {
    skip_space();
    while (options_.dialect == PatternDialect::rust && cursor_.take(" ")) {
    }
  }

  /// With the space around it, where that means nothing.
  bool number(std::uint32_t& out) {
    skip_blanks();
    std::size_t length = 0;
    out = 0;
    for (char c = cursor_.peek(); c >= '0' && c <= '9' && length < 7; c = cursor_.peek()) {
      out = out * 10 + static_cast<std::uint32_t>(c - '0');
      cursor_.skip(1);
      ++length;
    }
    skip_blanks();
    return length > 0;
  }

  PatternCursor cursor_;
  PatternClasses classes_;
  PatternOptions options_;
  std::size_t n_begins_ = 0;  // that were read
  std::size_t n_boundaries_ = 0;
};

}  // namespace

Result<PatternNode> read_pattern(std::string_view pattern, const PatternOptions& options,
                                 std::size_t* problem_at) {
  PatternReader reader(pattern, options);
  PatternNode node = reader.read();
  if (!reader.cursor().failed()) return node;
  if (problem_at) *problem_at = reader.cursor().problem_at();
  return Failure{reader.cursor().problem()};
}

}  // namespace pleiad::constrain
