#include "constrain/grammars/lark.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text_format.h"
#include "base/utf8.h"
#include "constrain/grammars/lark_common.h"
#include "constrain/grammars/lark_lexer.h"
#include "constrain/grammars/lark_schemas.h"
#include "constrain/grammars/lark_terminals.h"
#include "constrain/grammars/rule_names.h"

namespace pleiad::constrain::grammars {
namespace {

class LarkReader {
  using Kind = LarkWord::Kind;

 public:
  LarkReader(std::string_view text, SchemaBudget& budget)
      : source_(text), terminals_(source_, names_), schemas_(source_, names_, budget) {}

  Result<GrammarTree> read() {
    ignored_ = names_.add("%ignore", {});
    words_ = lex_lark(source_);
    skip_lines();
    while (!source_.failed() && word().kind != Kind::end) {
      read_item();
      if (!source_.failed() && word().kind != Kind::line && word().kind != Kind::end) {
        fail(fmt::format("expected the end of the line, found {}", found()));
      }
      skip_lines();
    }
    if (!source_.failed()) finish();
    if (source_.failed()) return source_.failure();
    GrammarTree tree = names_.take_tree();
    tree.start = start_;
    return tree;
  }

 private:
  void finish() {
    names_.check(source_, "rule or terminal");
    if (!source_.failed() && !names_.has("start")) {
      source_.fail("there is no rule \"start\", which is what replies have to be");
    }
    terminals_.check();
    if (source_.failed()) return;
    if (!skipped_.empty()) {
      names_.tree().rules[ignored_].body = repeat_of(choice_of(std::move(skipped_)), 0, kUnbounded);
    }
    std::vector<Expression> parts;
    parts.push_back(rule_of(ignored_));
    parts.push_back(rule_of(names_.index("start")));
    start_ = names_.add("start", sequence_of(std::move(parts)));
  }

  const LarkWord& word(std::size_t ahead = 0) const {
    return words_[std::min(at_ + ahead, words_.size() - 1)];
  }
  bool is_sign(std::string_view sign, std::size_t ahead = 0) const {
    return word(ahead).kind == Kind::sign && word(ahead).text == sign;
  }
  bool take_sign(std::string_view sign) {
    if (!is_sign(sign)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view sign) {
    if (!take_sign(sign)) fail(fmt::format("expected '{}', found {}", sign, found()));
  }
  void skip_lines() {
    while (word().kind == Kind::line) ++at_;
  }
  void fail(std::string_view why) {
    source_.fail_at(word().at, why);
    at_ = words_.size() - 1;
  }
  std::string found() const {
    if (word().kind == Kind::end) return "the end";
    if (word().kind == Kind::line) return "the end of the line";
    return word().kind == Kind::text ? "a text" : fmt::format("'{}'", printable(word().text));
  }

  void read_item() {
    if (word().kind == Kind::directive) return read_directive();
    if (word().kind != Kind::rule && word().kind != Kind::terminal) {
      return fail(fmt::format("expected a rule, a terminal or a directive, found {}", found()));
    }
    const LarkWord name = word();
    ++at_;
    if (is_sign(".")) return fail("priorities are not supported: all readings are followed");
    if (is_sign("{")) return fail("templates are not supported");
    if (is_sign("["))
      return fail("attributes of rules, as [lazy] and [capture], are not supported");
    expect(":");
    const bool is_terminal = name.kind == Kind::terminal;
    Expression body = read_ways(0, is_terminal);
    if (!source_.failed()) names_.define(source_, name.at, name.text, std::move(body), is_terminal);
  }

  void read_directive() {
    const LarkWord name = word();
    if (name.text == "%ignore") {
      ++at_;
      Expression what = read_ways(0, true);
      if (!source_.failed()) skipped_.push_back(terminals_.add(std::move(what)));
    } else if (name.text == "%import") {
      ++at_;
      read_import();
    } else if (name.text == "%llguidance" && is_sign("{", 1) && is_sign("}", 2)) {
      at_ += 3;  // without options it says whose dialect this is
    } else {
      fail(fmt::format("'{}' is not supported", printable(name.text)));
    }
  }

  void read_import() {
    if (word().kind != Kind::rule || word().text != "common") {
      return fail("terminals can be imported from the module common alone");
    }
    ++at_;
    if (take_sign("(")) return read_imported_names();
    expect(".");
    const LarkWord name = word();
    ++at_;
    std::string as = name.text;
    if (take_sign("->")) {
      as = word().text;
      if (word().kind != Kind::terminal)
        fail(fmt::format("expected a terminal, found {}", found()));
      ++at_;
    }
    import(name, as);
  }

  void read_imported_names() {
    do {
      skip_lines();
      const LarkWord name = word();
      ++at_;
      import(name, name.text);
      skip_lines();
    } while (take_sign(","));
    expect(")");
  }

  void import(const LarkWord& name, const std::string& as) {
    if (source_.failed()) return;
    const std::string_view pattern = common_terminal(name.text);
    if (name.kind != Kind::terminal || pattern.empty()) {
      return source_.fail_at(
          name.at, fmt::format("there is no terminal \"{}\" in common", printable(name.text)));
    }
    LarkWord regex{Kind::regex, std::string(pattern), {}, name.at};
    names_.define(source_, name.at, as, terminals_.regex(regex), true);
  }

  /// Alternatives; `in_terminal`: of a terminal, else of a rule.
  Expression read_ways(int depth, bool in_terminal) {
    std::vector<Expression> ways;
    do {
      if (depth > 0) skip_lines();
      ways.push_back(read_common(depth, in_terminal));
      if (take_sign("->")) {  // names a branch of a tree
        if (word().kind != Kind::rule) fail(fmt::format("expected a name, found {}", found()));
        ++at_;
      }
      if (depth > 0 || goes_on_with("|")) skip_lines();
    } while (take_sign("|"));
    return choice_of(std::move(ways));
  }

  bool goes_on_with(std::string_view sign) const {
    return word().kind == Kind::line && is_sign(sign, 1);
  }

  /// In a terminal: what all of A & B are.
  Expression read_common(int depth, bool in_terminal) {
    std::vector<Expression> parts;
    while (!source_.failed()) {
      if (depth > 0) skip_lines();
      const std::size_t begin = at_;
      parts.push_back(read_parts(depth, in_terminal));
      const bool is_empty = at_ == begin;
      if (depth > 0 || goes_on_with("&")) skip_lines();
      if (is_empty && (parts.size() > 1 || is_sign("&"))) {
        fail(fmt::format("'&' stands between two terminals, found {}", found()));
      }
      if (!is_sign("&")) break;
      if (!in_terminal) refuse_set();
      ++at_;
    }
    return intersection_of(std::move(parts));
  }

  void refuse_set() {
    fail(fmt::format("'{}' makes terminals, whose names are in upper case, of terminals",
                     printable(word().text)));
  }

  Expression read_parts(int depth, bool in_terminal) {
    std::vector<Expression> parts;
    while (!source_.failed()) {
      if (depth > 0) skip_lines();
      const bool ends = word().kind == Kind::line || word().kind == Kind::end || is_sign("|") ||
                        is_sign("&") || is_sign(")") || is_sign("]") || is_sign("->");
      if (ends) break;
      parts.push_back(read_repeated(depth, in_terminal));
    }
    return sequence_of(std::move(parts));
  }

  Expression read_repeated(int depth, bool in_terminal) {
    Expression what = read_atom(depth, in_terminal);
    std::uint32_t least = 0;
    std::uint32_t most = kUnbounded;
    const std::size_t begin = word().at;
    if (take_sign("+")) {
      least = 1;
    } else if (take_sign("?")) {
      most = 1;
    } else if (is_sign("~") && word(1).kind == Kind::number) {
      ++at_;
      most = least = read_number();
      if (take_sign("..")) most = read_number();
    } else if (take_sign("{")) {
      if (!is_sign(",")) most = least = read_number();
      if (take_sign(",")) most = is_sign("}") ? kUnbounded : read_number();
      expect("}");
    } else if (!take_sign("*")) {
      return what;
    }
    if (!source_.failed() && most < least) {
      source_.fail_at(begin, fmt::format("expected at least {} times, found {}", least, most));
    }
    return repeat_of(std::move(what), least, most);
  }

  std::uint32_t read_number() {
    constexpr std::size_t kMostDigits = 5;
    if (word().kind != Kind::number) {
      fail(fmt::format("expected a number, found {}", found()));
      return 0;
    }
    if (word().text.size() > kMostDigits) {
      fail("expected a number below 100000");
      return 0;
    }
    const auto number = static_cast<std::uint32_t>(std::stoul(word().text));
    ++at_;
    return number;
  }

  Expression read_atom(int depth, bool in_terminal) {
    const LarkWord what = word();
    if (is_sign("(") || is_sign("[")) return read_group(depth, in_terminal);
    if (is_sign("~")) return read_complement(depth, in_terminal);
    if (word(1).kind == Kind::json) return read_schema(in_terminal);
    ++at_;
    switch (what.kind) {
      case Kind::text:
        return lexeme(is_sign("..") ? read_range(what) : terminals_.text(what), in_terminal);
      case Kind::regex:
        if (in_terminal) return terminals_.regex(what);
        return lexeme(terminals_.add(terminals_.regex(what)), false);
      case Kind::terminal:
        return lexeme(rule_of(names_.refer(what.text, what.at)), in_terminal);
      case Kind::rule:
        if (!in_terminal) return rule_of(names_.refer(what.text, what.at));
        source_.fail_at(what.at, "a terminal is made of terminals, not of rules");
        return {};
      default:
        --at_;
        refuse_atom();
        return {};
    }
  }

  void refuse_atom() {
    if (word().kind == Kind::token) {
      fail(
          "tokens (<...>) are not supported: a grammar is over the reply's text, and begins behind "
          "its thinking");
    } else if (word().kind == Kind::directive) {
      fail(fmt::format("'{}' is not supported", printable(word().text)));
    } else {
      fail(fmt::format("expected a part of a rule, found {}", found()));
    }
  }

  /// %json {...}
  Expression read_schema(bool in_terminal) {
    if (in_terminal) fail("a terminal is made of terminals, not of schemas");
    if (source_.failed()) return {};
    const LarkWord what = word(1);
    at_ += 2;
    return lexeme(schemas_.add(what), false);
  }

  Expression read_complement(int depth, bool in_terminal) {
    if (!in_terminal) refuse_set();
    if (depth >= kMaxNesting) fail("its '~' are nested too deeply");
    if (source_.failed()) return {};
    ++at_;
    return complement_of(read_atom(depth + 1, in_terminal));
  }

  Expression read_group(int depth, bool in_terminal) {
    if (depth >= kMaxNesting) {
      fail("its brackets are nested too deeply");
      return {};
    }
    const std::string_view closing = is_sign("(") ? ")" : "]";
    ++at_;
    Expression inside = read_ways(depth + 1, in_terminal);
    skip_lines();
    expect(closing);
    return closing == "]" ? repeat_of(std::move(inside), 0, 1) : std::move(inside);
  }

  /// "a".."z"
  Expression read_range(const LarkWord& first) {
    ++at_;
    const LarkWord last = word();
    if (last.kind != Kind::text) {
      fail(fmt::format("expected a text behind '..', found {}", found()));
      return {};
    }
    ++at_;
    return terminals_.range(first, last);
  }

  /// In a rule: with what is ignored behind it.
  Expression lexeme(Expression what, bool in_terminal) {
    if (in_terminal) return what;
    std::vector<Expression> parts;
    parts.push_back(std::move(what));
    parts.push_back(rule_of(ignored_));
    return sequence_of(std::move(parts));
  }

  SourceText source_;
  RuleNames names_;
  LarkTerminals terminals_;
  LarkSchemas schemas_;
  std::vector<LarkWord> words_;
  std::size_t at_ = 0;
  std::uint32_t ignored_ = 0;  // the rule of what may stand between terminals
  std::vector<Expression> skipped_;
  std::uint32_t start_ = 0;
};

}  // namespace

Result<GrammarTree> read_lark(std::string_view text, SchemaBudget& budget) {
  return LarkReader(text, budget).read();
}

}  // namespace pleiad::constrain::grammars
