#include "constrain/grammars/lark.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text_format.h"
#include "constrain/grammars/grammar_looks.h"
#include "constrain/grammars/lark_common.h"
#include "constrain/grammars/lark_numbers.h"
#include "constrain/grammars/lark_options.h"
#include "constrain/grammars/lark_refusals.h"
#include "constrain/grammars/lark_schemas.h"
#include "constrain/grammars/lark_terminals.h"
#include "constrain/grammars/lark_words.h"
#include "constrain/grammars/numbered_rules.h"
#include "constrain/grammars/rule_names.h"

namespace pleiad::constrain::grammars {
namespace {

constexpr std::string_view kNoNumber = "a number is for rules, whose names are in lower case";

/// What stands in square brackets behind a rule's name.
struct Attributes {
  bool is_lazy = false;
  std::optional<Expression> suffix = std::nullopt;
  bool is_terminal() const { return is_lazy || suffix; }
};

class LarkReader {
  using Kind = LarkWord::Kind;

 public:
  LarkReader(std::string_view text, SchemaBudget& budget)
      : source_(text),
        budget_(budget),
        terminals_(source_, names_, budget),
        schemas_(source_, names_, budget),
        words_(source_),
        imports_(source_, names_, terminals_, words_),
        numbers_(words_) {}

  Result<GrammarTree> read() {
    has_lazy_ = words_.may_have_attribute("lazy") || words_.may_have_attribute("suffix");
    Expression whole = read_grammar("");
    terminals_.check();
    if (source_.failed()) return source_.failure();
    const std::uint32_t start = names_.add("start", std::move(whole));
    GrammarTree tree = names_.take_tree();
    tree.start = start;
    return tree;
  }

 private:
  /// What is of one grammar, and not of those within it or around it.
  struct Scope {
    std::uint32_t ignored = 0;  // the rule of what may stand between terminals
    std::vector<Expression> skipped;
    LarkOptions options;
    NumberedRules numbered;
    /// A rule with a number is read for no number: to see what is wrong with it.
    bool only_checks = false;
  };

  /// An alternative of a rule with a number, in words.
  struct Way {
    std::size_t condition_at = 0;  // 0: it has none
    std::size_t behind = 0;
  };

  /// What was read of a rule with a number, and is the same whatever the number is.
  struct Made {
    Expression what;
    std::size_t behind = 0;  // in words
  };

  /// Steps of a word that is read again, and of a rule for one more number.
  static constexpr std::size_t kStepsOfWord = 4;
  static constexpr std::size_t kStepsOfNumber = 16;

  /// Rules and directives up to a sign, or to the end. Gives what `start` is.
  Expression read_grammar(std::string_view closing) {
    const std::size_t begin = words_.next().at;
    scope_.ignored = names_.add("%ignore", {});
    words_.skip_lines();
    while (!source_.failed() && !words_.at_end() && !is_closing(closing)) {
      read_item();
      if (!source_.failed() && !words_.is(Kind::line) && !words_.at_end() && !is_closing(closing)) {
        words_.fail(fmt::format("expected the end of the line, found {}", words_.found()));
      }
      words_.skip_lines();
    }
    read_numbered();
    if (source_.failed()) return {};
    if (closing.empty()) names_.check(source_, "rule or terminal");
    if (!names_.has("start")) {
      source_.fail_at(closing.empty() ? source_.at() : begin,
                      "there is no rule \"start\", which is what replies have to be");
    }
    if (source_.failed()) return {};
    if (!scope_.skipped.empty()) {
      names_.tree().rules[scope_.ignored].body = repeat_of(
          choice_of(std::move(scope_.skipped)), 0, scope_.options.ignore_once ? 1 : kUnbounded);
    }
    std::vector<Expression> parts;
    if (scope_.options.allow_initial_skip) parts.push_back(rule_of(scope_.ignored));
    parts.push_back(rule_of(names_.index("start")));
    return sequence_of(std::move(parts));
  }

  bool is_closing(std::string_view closing) const {
    return !closing.empty() && words_.is_sign(closing);
  }

  /// %lark {...}: a grammar of its own, with names and ignored text of its own.
  Expression read_nested(int depth) {
    words_.skip();
    words_.expect("{");
    if (depth + nesting_ >= kMaxNesting) words_.fail("its grammars are nested too deeply");
    if (source_.failed()) return {};
    RuleNames::Names names = names_.exchange_names({});
    Scope scope = std::exchange(scope_, {});
    nesting_ += depth + 1;
    Expression whole = read_grammar("}");
    nesting_ -= depth + 1;
    words_.expect("}");
    names_.exchange_names(std::move(names));
    scope_ = std::move(scope);
    return rule_of(names_.add("a grammar", std::move(whole)));
  }

  void read_item() {
    if (words_.is(Kind::directive)) return read_directive();
    if (!words_.is(Kind::rule) && !words_.is(Kind::terminal)) {
      return words_.fail(
          fmt::format("expected a rule, a terminal or a directive, found {}", words_.found()));
    }
    const LarkWord name = words_.take();
    const bool is_terminal = name.kind == Kind::terminal;
    if (is_terminal && words_.is_sign("::")) return words_.fail(kNoNumber);
    if (words_.take_sign("::")) return read_numbered_rule(name);
    if (words_.is_sign(".")) return words_.fail(kNoPriorities);
    if (words_.is_sign("{")) return words_.fail(kNoTemplates);
    if (is_terminal && words_.is_sign("[")) {
      return words_.fail("attributes are for rules, whose names are in lower case");
    }
    Attributes attributes;
    if (!is_terminal && words_.take_sign("[")) attributes = read_attributes();
    words_.expect(":");
    Expression body = read_ways(0, is_terminal || attributes.is_terminal());
    if (source_.failed()) return;
    if (attributes.is_terminal()) body = lazy_terminal(std::move(body), std::move(attributes));
    names_.define(source_, name.at, name.text, std::move(body), is_terminal);
  }

  /// name::_: ...
  void read_numbered_rule(const LarkWord& name) {
    if (!words_.take_sign("_")) {
      return words_.fail(
          fmt::format("expected '_', which stands for any number, found {}", words_.found()));
    }
    if (words_.is_sign(".")) return words_.fail(kNoPriorities);
    const std::size_t behind = words_.next().at;
    if (words_.take_sign("[") && read_attributes().is_terminal()) {
      return source_.fail_at(behind,
                             "a rule with a number is no terminal: neither lazy nor with a suffix");
    }
    words_.expect(":");
    scope_.numbered.define(source_, name.text, words_.at(), name.at);
    numbers_.own = 0;
    scope_.only_checks = true;
    (void)read_ways(0, false);
    scope_.only_checks = false;
    numbers_.own.reset();
  }

  /// What the rules with a number are for each number with which they are named.
  void read_numbered() {
    if (source_.failed()) return;
    scope_.numbered.check(source_, names_);
    const std::size_t behind = words_.at();
    while (!source_.failed() && !scope_.numbered.all_are_read()) {
      const NumberedRules::Instance rule = scope_.numbered.take();
      words_.go_to(rule.body_at);
      numbers_.own = rule.number;
      Expression body = read_ways(0, false);
      numbers_.own.reset();
      if (!budget_.spend(kStepsOfNumber)) {
        source_.fail_at(rule.named_at,
                        "the grammar is too large: this rule comes to more numbers than rules are "
                        "made for one request");
      }
      names_.define(source_, rule.named_at, rule.name, std::move(body));
    }
    if (!source_.failed()) words_.go_to(behind);
  }

  /// The shortest text of a body, with the suffix that it ends with.
  Expression lazy_terminal(Expression body, Attributes attributes) {
    if (attributes.suffix) {
      std::vector<Expression> parts;
      parts.push_back(std::move(body));
      parts.push_back(std::move(*attributes.suffix));
      body = sequence_of(std::move(parts));
    }
    return with_ignored(terminals_.add(std::move(body), attributes.is_lazy));
  }

  Attributes read_attributes() {
    Attributes out;
    bool names_suffix = false;
    const std::size_t begin = words_.next().at;
    while (!source_.failed() && !words_.is_sign("]")) {
      const LarkWord name = words_.next();
      if (!words_.is(Kind::rule)) {
        words_.fail(fmt::format("expected an attribute, found {}", words_.found()));
      } else if (name.text == "lazy") {
        words_.skip();
        out.is_lazy = true;
      } else if (name.text == "suffix") {
        words_.skip();
        words_.expect("=");
        if (out.suffix) words_.fail("a rule has one suffix at most");
        const bool is_empty = words_.is(Kind::text) && words_.next().text.empty();
        out.suffix = read_value(0, true);
        if (!is_empty) out.is_lazy = true;
      } else if (name.text == "capture" || name.text == "stop_capture") {
        // A name for what is read, which is the same without it.
        names_suffix = names_suffix || name.text == "stop_capture";
        words_.skip();
        if (words_.take_sign("=") || name.text == "stop_capture") read_capture_name();
      } else {
        words_.fail(why_no_attribute(name.text));
      }
      if (!words_.take_sign(",")) break;
    }
    words_.expect("]");
    if (!source_.failed() && names_suffix && !out.suffix) {
      source_.fail_at(begin, "stop_capture names what a suffix is, and there is none");
    }
    return out;
  }

  void read_capture_name() {
    if (!words_.is(Kind::text) || !words_.next().flags.empty()) {
      words_.fail(fmt::format("expected a name in quotes, found {}", words_.found()));
    }
    words_.skip();
  }

  void read_directive() {
    const LarkWord name = words_.next();
    if (name.text == "%ignore") {
      words_.skip();
      Expression what = read_ways(0, true);
      if (!source_.failed()) scope_.skipped.push_back(terminals_.add(std::move(what)));
    } else if (name.text == "%import") {
      words_.skip();
      imports_.read();
    } else if (name.text == "%llguidance") {
      scope_.options.add(source_, words_.next(1));
      words_.skip(2);
    } else {
      words_.fail(why_no_directive(name.text));
    }
  }

  /// Alternatives; `in_terminal`: of a terminal, else of a rule.
  Expression read_ways(int depth, bool in_terminal) {
    std::vector<Expression> ways;
    do {
      if (depth > 0) words_.skip_lines();
      const std::size_t begin = words_.at();
      if (!skips_way(begin)) {
        Expression way = read_common(depth, in_terminal);
        read_alias();
        const std::size_t condition_at = is_condition() ? words_.at() + 1 : 0;
        if (read_condition()) ways.push_back(std::move(way));
        if (scope_.only_checks) ways_[begin] = {condition_at, words_.at()};
        if (numbers_.own && depth == 0) budget_.spend(kStepsOfWord * (words_.at() - begin));
      }
      if (depth > 0 || words_.goes_on_with("|")) words_.skip_lines();
    } while (words_.take_sign("|"));
    return choice_of(std::move(ways));
  }

  /// Of a rule that is read for a number: whether this alternative is none for it. Then the next
  /// word is that behind it. Rules that it names have that number only where it is one.
  bool skips_way(std::size_t begin) {
    if (!numbers_.own || scope_.only_checks || source_.failed()) return false;
    const Way way = ways_.at(begin);
    if (way.condition_at == 0) return false;
    words_.go_to(way.condition_at);
    const bool is_so = numbers_.read_condition();
    budget_.spend(words_.at() - way.condition_at);
    words_.go_to(is_so ? begin : way.behind);
    return !is_so;
  }

  /// Which names a branch of a tree.
  void read_alias() {
    if (!words_.take_sign("->")) return;
    if (!words_.is(Kind::rule) && !words_.is(Kind::terminal)) {
      words_.fail(fmt::format("expected a name, found {}", words_.found()));
    }
    words_.skip();
  }

  bool read_condition() {
    if (!is_condition()) return true;
    words_.skip();
    return numbers_.read_condition();
  }

  /// In a terminal: what all of A & B are.
  Expression read_common(int depth, bool in_terminal) {
    std::vector<Expression> parts;
    while (!source_.failed()) {
      if (depth > 0) words_.skip_lines();
      const std::size_t begin = words_.at();
      parts.push_back(read_parts(depth, in_terminal));
      const bool is_empty = words_.at() == begin;
      if (depth > 0 || words_.goes_on_with("&")) words_.skip_lines();
      if (is_empty && (parts.size() > 1 || words_.is_sign("&"))) {
        words_.fail(fmt::format("'&' stands between two terminals, found {}", words_.found()));
      }
      if (!words_.is_sign("&")) break;
      if (!in_terminal) {
        words_.fail("'&' makes terminals, whose names are in upper case, of terminals");
      }
      words_.skip();
    }
    return intersection_of(std::move(parts));
  }

  Expression read_parts(int depth, bool in_terminal) {
    constexpr std::string_view kBehind[] = {"|", "&", ")", "]", "}", "->"};
    std::vector<Expression> parts;
    while (!source_.failed()) {
      if (depth > 0) words_.skip_lines();
      const bool ends = words_.is(Kind::line) || words_.at_end() || is_condition() ||
                        std::ranges::any_of(kBehind, [&](auto it) { return words_.is_sign(it); });
      if (ends) break;
      parts.push_back(read_repeated(depth, in_terminal));
    }
    return sequence_of(std::move(parts));
  }

  bool is_condition() const { return words_.is(Kind::directive) && words_.next().text == "%if"; }

  Expression read_repeated(int depth, bool in_terminal) {
    Expression what = read_value(depth, in_terminal);
    std::uint32_t least = 0;
    std::uint32_t most = kUnbounded;
    const std::size_t begin = words_.next().at;
    if (words_.take_sign("+")) {
      least = 1;
    } else if (words_.take_sign("?")) {
      most = 1;
    } else if (words_.is_sign("~") && words_.is(Kind::number, 1)) {
      words_.skip();
      most = least = words_.take_number();
      if (words_.take_sign("..")) most = words_.take_number();
    } else if (words_.take_sign("{")) {
      if (!words_.is_sign(",")) most = least = words_.take_number();
      if (words_.take_sign(",")) most = words_.is_sign("}") ? kUnbounded : words_.take_number();
      words_.expect("}");
    } else if (!words_.take_sign("*")) {
      return what;
    }
    if (!source_.failed() && most < least) {
      source_.fail_at(begin, fmt::format("expected at least {} times, found {}", least, most));
    }
    return repeat_of(std::move(what), least, most);
  }

  Expression read_value(int depth, bool in_terminal) {
    const bool is_same = numbers_.own && (words_.is(Kind::text) || words_.is(Kind::regex) ||
                                          words_.is(Kind::directive) || words_.is_sign("~"));
    if (!is_same) return read_new_value(depth, in_terminal);
    const std::size_t begin = words_.at();
    auto found = made_.find(begin);
    if (found == made_.end()) {
      const std::optional<std::uint64_t> number = std::exchange(numbers_.own, std::nullopt);
      Expression what = read_new_value(depth, in_terminal);
      numbers_.own = number;
      found = made_.try_emplace(begin, Made{std::move(what), words_.at()}).first;
    }
    if (!source_.failed()) words_.go_to(found->second.behind);
    return found->second.what;
  }

  Expression read_new_value(int depth, bool in_terminal) {
    const LarkWord what = words_.next();
    if (uses_template()) {
      words_.skip();
      words_.fail(kNoTemplates);
      return {};
    }
    if (words_.is_sign("(") || words_.is_sign("[")) return read_group(depth, in_terminal);
    if (words_.is_sign("~")) return read_complement(depth, in_terminal);
    if (what.kind == Kind::directive) return read_object(what, depth, in_terminal);
    switch (what.kind) {
      case Kind::text:
        words_.skip();
        return literal(words_.is_sign("..") ? read_range(what) : terminals_.text(what),
                       in_terminal);
      case Kind::regex:
        words_.skip();
        return lexeme(terminals_.regex(what), in_terminal);
      case Kind::terminal: {
        words_.skip();
        if (words_.is_sign("::")) words_.fail(kNoNumber);
        Expression named = rule_of(names_.refer(what.text, what.at));
        return in_terminal ? std::move(named) : with_ignored(std::move(named));
      }
      case Kind::rule:
        words_.skip();
        if (!in_terminal) return read_named(what);
        source_.fail_at(what.at, "a terminal is made of terminals, not of rules");
        return {};
      case Kind::token:
        words_.fail(
            "tokens (<...>) are not supported: a grammar is over the reply's text, and begins "
            "behind its thinking");
        return {};
      default:
        if (words_.is_sign(".")) words_.fail(kNoPriorities);
        words_.fail(fmt::format("expected a part of a rule, found {}", words_.found()));
        return {};
    }
  }

  /// A rule, with its number where one is behind it.
  Expression read_named(const LarkWord& name) {
    if (!words_.take_sign("::")) return rule_of(names_.refer(name.text, name.at));
    scope_.numbered.mention(name.text, name.at);
    const std::uint64_t number = numbers_.read_value();
    if (scope_.only_checks || source_.failed()) return {};
    return rule_of(scope_.numbered.refer(names_, name.text, number, name.at));
  }

  /// A name with braces that say no number of times.
  bool uses_template() const {
    const bool is_name = words_.is(Kind::rule) || words_.is(Kind::terminal);
    return is_name && words_.is_sign("{", 1) &&
           (words_.is(Kind::rule, 2) || words_.is(Kind::terminal, 2) || words_.is(Kind::text, 2) ||
            words_.is(Kind::regex, 2));
  }

  /// What begins with a directive: %json {...}, %regex {...} or %lark {...}
  Expression read_object(const LarkWord& what, int depth, bool in_terminal) {
    const LarkWord object = words_.next(1);
    if (what.text == "%regex") {
      words_.skip(2);
      return lexeme(terminals_.part_of_text(object), in_terminal);
    }
    if (what.text != "%json" && what.text != "%lark") {
      words_.fail(fmt::format("'{}' is not supported", printable(what.text)));
    } else if (in_terminal) {
      words_.fail(fmt::format("a terminal is made of terminals, not of {}",
                              what.text == "%json" ? "schemas" : "grammars"));
    }
    if (source_.failed()) return {};
    if (what.text == "%lark") return with_ignored(read_nested(depth));
    words_.skip(2);
    return with_ignored(schemas_.add(object));
  }

  Expression read_complement(int depth, bool in_terminal) {
    if (depth >= kMaxNesting) words_.fail("its '~' are nested too deeply");
    if (source_.failed()) return {};
    words_.skip();
    return lexeme(complement_of(read_value(depth + 1, true)), in_terminal);
  }

  Expression read_group(int depth, bool in_terminal) {
    if (depth >= kMaxNesting) {
      words_.fail("its brackets are nested too deeply");
      return {};
    }
    const std::string_view closing = words_.is_sign("(") ? ")" : "]";
    words_.skip();
    Expression inside = read_ways(depth + 1, in_terminal);
    words_.skip_lines();
    words_.expect(closing);
    return closing == "]" ? repeat_of(std::move(inside), 0, 1) : std::move(inside);
  }

  /// "a".."z"
  Expression read_range(const LarkWord& first) {
    words_.skip();
    const LarkWord last = words_.next();
    if (!words_.is(Kind::text)) {
      words_.fail(fmt::format("expected a text behind '..', found {}", words_.found()));
      return {};
    }
    words_.skip();
    return terminals_.range(first, last);
  }

  /// In a rule: a terminal without a name.
  Expression lexeme(Expression what, bool in_terminal) {
    if (in_terminal || source_.failed()) return what;
    return with_ignored(terminals_.add(std::move(what)));
  }

  /// The same of what is as long as it is: it need be no terminal, but beside lazy ones.
  Expression literal(Expression what, bool in_terminal) {
    const bool is_empty = what.kind == Expression::Kind::text && what.text.empty();
    if (has_lazy_ && !is_empty) return lexeme(std::move(what), in_terminal);
    return in_terminal ? std::move(what) : with_ignored(std::move(what));
  }

  Expression with_ignored(Expression what) {
    std::vector<Expression> parts;
    parts.push_back(std::move(what));
    parts.push_back(rule_of(scope_.ignored));
    return sequence_of(std::move(parts));
  }

  SourceText source_;
  SchemaBudget& budget_;
  RuleNames names_;
  LarkTerminals terminals_;
  LarkSchemas schemas_;
  LarkWords words_;
  LarkImports imports_;
  LarkNumbers numbers_;
  Scope scope_;
  std::map<std::size_t, Way> ways_;   // by the word that they begin with
  std::map<std::size_t, Made> made_;  // the same
  bool has_lazy_ = false;
  int nesting_ = 0;  // of grammars and brackets around that grammar
};

}  // namespace

Result<GrammarTree> read_lark(std::string_view text, SchemaBudget& budget) {
  return read_as_lark(LarkReader(text, budget).read(), text);
}

}  // namespace pleiad::constrain::grammars
