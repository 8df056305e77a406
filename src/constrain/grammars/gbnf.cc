#include "constrain/grammars/gbnf.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "base/text_format.h"
#include "constrain/grammars/grammar_looks.h"
#include "constrain/grammars/rule_names.h"
#include "constrain/grammars/source_text.h"
#include "constrain/texts/code_ranges.h"
#include "text/unicode.h"

namespace pleiad::constrain::grammars {
namespace {

constexpr char32_t kLastCode = 0x10FFFF;
constexpr std::uint32_t kMostTimes = 100'000;

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

class GbnfReader {
 public:
  explicit GbnfReader(std::string_view text) : source_(text) {}

  Result<GrammarTree> read() {
    skip_space(true);
    while (!source_.at_end()) read_rule();
    if (!source_.failed()) names_.check(source_, "rule");
    if (!source_.failed() && !names_.has("root")) {
      source_.fail("there is no rule \"root\", which is what replies have to be");
    }
    if (source_.failed()) return source_.failure();
    GrammarTree tree = names_.take_tree();
    tree.start = names_.index("root");
    return tree;
  }

 private:
  void skip_space(bool with_lines) {
    for (;;) {
      const char c = source_.peek();
      if (c == '#') {
        source_.skip_line();
      } else if (c == ' ' || c == '\t' || (with_lines && (c == '\n' || c == '\r'))) {
        source_.skip(1);
      } else {
        return;
      }
    }
  }

  std::string take_name() {
    std::string name;
    while (is_name_byte(source_.peek())) {
      name += source_.peek();
      source_.skip(1);
    }
    return name;
  }

  void read_rule() {
    const std::size_t begin = source_.at();
    const std::string name = take_name();
    if (name.empty()) {
      source_.fail(fmt::format("expected the name of a rule, found {}", source_.found()));
      return;
    }
    skip_space(false);
    if (!source_.take("::=")) {
      source_.fail(
          fmt::format("expected '::=' behind \"{}\", found {}", printable(name), source_.found()));
      return;
    }
    skip_space(true);
    Expression body = read_choice(0);
    if (source_.failed()) return;
    if (!source_.at_end() && source_.peek() != '\n' && source_.peek() != '\r') {
      source_.fail(fmt::format("expected the end of the rule \"{}\", found {}", printable(name),
                               source_.found()));
      return;
    }
    names_.define(source_, begin, name, std::move(body));
    skip_space(true);
  }

  Expression read_choice(int depth) {
    std::vector<Expression> ways;
    ways.push_back(read_sequence(depth));
    while (takes_bar(depth)) {
      skip_space(true);
      ways.push_back(read_sequence(depth));
    }
    return choice_of(std::move(ways));
  }

  /// A '|', also as the first thing of a further line.
  bool takes_bar(int depth) {
    if (source_.take("|")) return true;
    if (depth > 0) return false;  // lines are skipped there
    SourceText ahead = source_;
    std::swap(ahead, source_);
    skip_space(true);
    if (source_.take("|")) return true;
    std::swap(ahead, source_);
    return false;
  }

  Expression read_sequence(int depth) {
    std::vector<Expression> parts;
    while (!source_.at_end()) {
      const std::size_t begin = source_.at();
      const char c = source_.peek();
      if (c == '*' || c == '+' || c == '?' || c == '{') {
        if (parts.empty()) {
          source_.fail(fmt::format("'{}' repeats nothing", c));
          break;
        }
        read_repetition(parts.back());
      } else if (c == '"') {
        parts.push_back(read_text());
      } else if (c == '[') {
        parts.push_back(read_class());
      } else if (c == '.') {
        source_.skip(1);
        parts.push_back(characters_of({{0, kLastCode}}));
      } else if (c == '(') {
        parts.push_back(read_group(depth));
      } else if (c == '<' || c == '!') {
        source_.fail(
            "tokens (<...>) are not supported: a grammar is over the reply's text, and begins "
            "behind its thinking");
      } else if (is_name_byte(c)) {
        parts.push_back(rule_of(names_.refer(take_name(), begin)));
      } else {
        break;
      }
      skip_space(depth > 0);
    }
    return sequence_of(std::move(parts));
  }

  Expression read_group(int depth) {
    if (depth >= kMaxNesting) {
      source_.fail("its brackets are nested too deeply");
      return {};
    }
    const std::size_t begin = source_.at();
    source_.skip(1);
    skip_space(true);
    Expression inside = read_choice(depth + 1);
    if (!source_.failed() && !source_.take(")")) {
      if (source_.at_end()) {
        source_.fail_at(begin, "this '(' is not closed");
      } else {
        source_.fail(fmt::format("expected ')', found {}", source_.found()));
      }
    }
    return inside;
  }

  void read_repetition(Expression& what) {
    std::uint32_t least = 0;
    std::uint32_t most = kUnbounded;
    const std::size_t begin = source_.at();
    if (source_.take("+")) {
      least = 1;
    } else if (source_.take("?")) {
      most = 1;
    } else if (source_.take("{")) {
      skip_space(false);
      if (!source_.take_number(kMostTimes, least)) return;
      most = least;
      skip_space(false);
      if (source_.take(",")) {
        skip_space(false);
        most = kUnbounded;
        if (source_.peek() != '}' && !source_.take_number(kMostTimes, most)) return;
        skip_space(false);
      }
      if (!source_.take("}")) {
        source_.fail(fmt::format("expected '}}', found {}", source_.found()));
        return;
      }
      if (most < least) {
        source_.fail_at(begin, fmt::format("expected at least {} times, found {}", least, most));
        return;
      }
    } else {
      source_.skip(1);
    }
    what = repeat_of(std::move(what), least, most);
    nested(what, begin);
  }

  /// Repetitions of repetitions are nested as brackets are, and both inside each other.
  void nested(const Expression& what, std::size_t begin) {
    const Expression* inside = &what;
    int depth = what.depth > kMaxDepth ? kMaxNesting : 0;
    while (inside->kind == Expression::Kind::repeat) {
      inside = &inside->children.front();
      if (++depth > kMaxNesting) {
        source_.fail_at(begin, "its repetitions are nested too deeply");
        return;
      }
    }
  }

  Expression read_text() {
    const std::size_t begin = source_.at();
    source_.skip(1);
    std::string text;
    while (!source_.take("\"")) {
      if (source_.at_end()) {
        source_.fail_at(begin, "this '\"' is not closed");
        return {};
      }
      text::append_utf8(text, read_character());
      if (source_.failed()) return {};
    }
    return text_of(std::move(text));
  }

  Expression read_class() {
    const std::size_t begin = source_.at();
    source_.skip(1);
    const bool is_negated = source_.take("^");
    std::vector<CodeRange> ranges;
    while (!source_.take("]")) {
      if (source_.at_end()) {
        source_.fail_at(begin, "this '[' is not closed");
        return {};
      }
      CodeRange range;
      const std::size_t here = source_.at();
      range.first = range.last = read_character();
      if (source_.peek() == '-' && source_.peek(1) != ']' && source_.peek(1) != '\0') {
        source_.skip(1);
        range.last = read_character();
      }
      if (source_.failed()) return {};
      if (range.last < range.first) {
        source_.fail_at(here, "a range needs two characters in order");
        return {};
      }
      ranges.push_back(range);
    }
    return characters_of(is_negated ? all_but(ranges) : sorted_apart(std::move(ranges)));
  }

  /// One that may be escaped.
  char32_t read_character() {
    if (source_.peek() != '\\') return source_.take_character();
    const std::size_t begin = source_.at();
    source_.skip(1);
    const char c = source_.peek();
    source_.skip(1);
    switch (c) {
      case 'x':
        return source_.take_hex(2);
      case 'u':
        return source_.take_hex(4);
      case 'U':
        return source_.take_hex(8);
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'n':
        return '\n';
      case '\\':
      case '"':
      case '[':
      case ']':
      case '-':
      case '^':
        return static_cast<unsigned char>(c);
      default:
        source_.fail_at(begin,
                        "this escape is not known: there are \\n, \\r, \\t, \\\\, \\\", \\[, \\], "
                        "\\-, \\^, \\x, \\u and \\U");
        return 0;
    }
  }

  SourceText source_;
  RuleNames names_;
};

}  // namespace

Result<GrammarTree> read_gbnf(std::string_view text) {
  return read_as_gbnf(GbnfReader(text).read(), text);
}

}  // namespace pleiad::constrain::grammars
