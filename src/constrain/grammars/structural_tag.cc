#include "constrain/grammars/structural_tag.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_format.h"
#include "constrain/grammars/gbnf.h"
#include "constrain/grammars/regex.h"
#include "constrain/grammars/schema_expression.h"
#include "constrain/grammars/tag_fields.h"
#include "constrain/schema/budget.h"
#include "constrain/schema/validity.h"
#include "constrain/texts/markers.h"

namespace pleiad::constrain::grammars {
namespace {

class TagReader : TagFields {
 public:
  explicit TagReader(SchemaBudget& budget) : budget_(budget) {}

  Result<GrammarTree> read(const Json& tag) {
    Expression body;
    if (!tag.is_object()) {
      fail("", "expected a structural tag, an object");
    } else if (!is_of_type(tag, "", "structural_tag")) {
      return Failure{problem()};
    } else if (given(tag, "structures")) {
      is_old_ = true;
      only(tag, "", {"structures", "triggers"});
      body = read_triggered(tag, "", {}, 0);
    } else {
      only(tag, "", {"format"});
      body = read_format(member(tag, "", "format"), "format", {}, 0);
    }
    if (failed()) return Failure{problem()};
    tree_.start = add_rule(std::move(body));
    return std::move(tree_);
  }

 private:
  std::uint32_t add_rule(Expression body) {
    tree_.rules.push_back({"a structural tag", std::move(body), false});
    return static_cast<std::uint32_t>(tree_.rules.size() - 1);
  }

  /// `ends`: of the tag that this is in.
  Expression read_format(const Json& format, const std::string& path, const Words& ends,
                         int depth) {
    if (failed()) return {};
    const std::string* type = find_text_member(format, "type");
    if (!type) {
      fail(path, "expected a format, an object with a \"type\"");
    } else if (depth > kMaxNesting) {
      fail(path, "formats are nested too deeply");
    } else if (*type == "const_string") {
      only(format, path, {"value"});
      return text_of(text(format, path, "value"));
    } else if (*type == "json_schema") {
      return read_schema(format, path);
    } else if (*type == "grammar") {
      only(format, path, {"grammar"});
      return embed(read_gbnf(text(format, path, "grammar")), below(path, "grammar"));
    } else if (*type == "regex") {
      only(format, path, {"pattern"});
      return embed(read_regex_grammar(text(format, path, "pattern"), budget_.pattern_work()),
                   below(path, "pattern"));
    } else if (*type == "any_text") {
      return read_any_text(format, path, ends);
    } else if (*type == "sequence" || *type == "or") {
      only(format, path, {"elements"});
      auto parts =
          read_formats(list(format, path, "elements"), below(path, "elements"), ends, depth);
      return *type == "or" ? choice_of(std::move(parts)) : sequence_of(std::move(parts));
    } else if (*type == "optional" || *type == "plus" || *type == "star" || *type == "repeat") {
      return read_repeated(*type, format, path, ends, depth);
    } else if (*type == "tag") {
      return read_tag(format, path, 0, depth);
    } else if (*type == "triggered_tags") {
      only(format, path, {"triggers", "tags", "at_least_one", "stop_after_first", "excludes"});
      return read_triggered(format, path, ends, depth);
    } else if (*type == "tags_with_separator") {
      return read_separated(format, path, depth);
    } else {
      fail(below(path, "type"), fmt::format("\"{}\" is not supported", printable(*type)));
    }
    return {};
  }

  std::vector<Expression> read_formats(const Json& formats, const std::string& path,
                                       const Words& ends, int depth) {
    std::vector<Expression> out;
    for (std::size_t i = 0; i < formats.size(); ++i) {
      out.push_back(read_format(formats[i], fmt::format("{}[{}]", path, i), ends, depth + 1));
    }
    return out;
  }

  Expression read_schema(const Json& format, const std::string& path) {
    only(format, path, {"json_schema", "style", "any_order"});
    if (const Json* style = given(format, "style"); style && *style != "json") {
      fail(below(path, "style"), "other styles than \"json\" are not supported");
    }
    if (flag(format, path, "any_order")) {
      fail(below(path, "any_order"), "properties come in the order of the schema");
    }
    return schema(member(format, path, "json_schema"), below(path, "json_schema"));
  }

  Expression schema(const Json& value, const std::string& path) {
    if (failed()) return {};
    Result<SchemaExpression> read = schema_expression(value, path, budget_);
    if (!read) {
      fail("", read.message());
      return {};
    }
    auto [body, notes] = std::move(read).value();
    std::ranges::move(notes, std::back_inserter(tree_.notes));
    return rule_of(add_rule(std::move(body)));
  }

  /// The rules of a grammar behind those that there are.
  Expression embed(Result<GrammarTree> read, const std::string& path) {
    if (!read) {
      fail(path, read.message());
      return {};
    }
    GrammarTree other = std::move(read).value();
    const auto first = static_cast<std::uint32_t>(tree_.rules.size());
    for (GrammarTree::Rule& rule : other.rules) {
      move_rules(rule.body, first);
      tree_.rules.push_back(std::move(rule));
    }
    return rule_of(first + other.start);
  }
  static void move_rules(Expression& what, std::uint32_t by) {
    what.rule += what.kind == Expression::Kind::rule ? by : 0;
    for (Expression& child : what.children) move_rules(child, by);
  }

  Expression read_any_text(const Json& format, const std::string& path, const Words& ends) {
    only(format, path, {"excludes", "max_chars"});
    Words excluded = words(format, path, "excludes");
    excluded.insert(excluded.end(), ends.begin(), ends.end());
    Expression out = text_without(excluded, path);
    if (!given(format, "max_chars")) return out;
    std::vector<Expression> both;
    both.push_back(std::move(out));
    both.push_back(few_characters(format, path));
    return intersection_of(std::move(both));
  }

  /// As many as the format says, and so many more.
  Expression few_characters(const Json& format, const std::string& path, std::size_t more = 0) {
    const std::uint32_t most = number(format, path, "max_chars", false);
    return repeat_of(characters_of({{0, 0x10FFFF}}), 0, most + static_cast<std::uint32_t>(more));
  }

  /// The free text of a tag and the end behind it: the first that stands anywhere in both.
  Expression read_text_to_end(const Json& format, const std::string& path, const Words& ends) {
    only(format, path, {"excludes", "max_chars"});
    const Words excluded = words(format, path, "excludes");
    if (!fits(ends, excluded, 1 + ends.size(), path)) return {};
    const Markers markers(ends, {});
    struct Ways {
      std::vector<Expression> up_to_end;
      std::vector<Expression> end;
    };
    std::map<std::size_t, Ways> by_length;  // of the end: these are bounded together
    for (std::size_t i = 0; i < ends.size(); ++i) {
      Ways& ways = by_length[n_characters(ends[i])];
      ways.up_to_end.push_back(dfa_of(markers.text_up_to(i)));
      ways.end.push_back(text_of(ends[i]));
    }
    std::vector<Expression> out;
    for (auto& [n_of_end, ways] : by_length) {
      std::vector<Expression> all;
      all.push_back(choice_of(std::move(ways.up_to_end)));
      if (!excluded.empty()) {
        all.push_back(sequence_of(
            {dfa_of(Markers({}, excluded).text_without()), choice_of(std::move(ways.end))}));
      }
      if (given(format, "max_chars")) all.push_back(few_characters(format, path, n_of_end));
      out.push_back(intersection_of(std::move(all)));
    }
    return choice_of(std::move(out));
  }

  /// Whether they may be Markers, and enough is left to write so many automata of these.
  bool fits(const Words& some, const Words& more, std::size_t n_automata, const std::string& path) {
    constexpr std::size_t kStepsOfAutomaton = 1000;
    constexpr std::size_t kStepsOfByte = 128;  // it looks at all bytes that may follow
    std::size_t n_bytes = 0;
    for (const std::string& word : some) n_bytes += word.size();
    for (const std::string& word : more) n_bytes += word.size();
    if (n_bytes > Markers::kMostBytes) {
      fail(path, fmt::format("what ends its free text has {} bytes; expected at most {}",
                             format_count(n_bytes), format_count(Markers::kMostBytes)));
    } else if (!budget_.spend(n_automata * (kStepsOfAutomaton + kStepsOfByte * n_bytes))) {
      fail(path, "the structural tag is too large: its free texts take too many states together");
    }
    return !failed();
  }
  Expression text_without(const Words& excluded, const std::string& path) {
    if (!fits(excluded, {}, 1, path)) return {};
    return dfa_of(Markers({}, excluded).text_without());
  }

  Expression read_repeated(const std::string& type, const Json& format, const std::string& path,
                           const Words& ends, int depth) {
    std::uint32_t least = type == "plus" ? 1 : 0;
    std::uint32_t most = type == "optional" ? 1 : kUnbounded;
    if (type == "repeat") {
      only(format, path, {"content", "min", "max"});
      least = number(format, path, "min", false);
      most = number(format, path, "max", true);
      if (most < least)
        fail(path, fmt::format("expected at least {} times, found at most {}", least, most));
    } else {
      only(format, path, {"content"});
    }
    return repeat_of(
        read_format(member(format, path, "content"), below(path, "content"), ends, depth + 1),
        least, most);
  }

  /// Without the bytes of its beginning that came before it.
  Expression read_tag(const Json& tag, const std::string& path, std::size_t n_begun, int depth) {
    if (!tag.is_object()) {
      fail(path, "expected a tag, an object");
      return {};
    }
    if (!is_of_type(tag, path, "tag")) return {};
    only(tag, path, {"begin", is_old_ ? "schema" : "content", "end"});
    std::vector<Expression> parts;
    const std::string begin = text(tag, path, "begin");
    parts.push_back(text_of(begin.substr(std::min(n_begun, begin.size()))));
    const Json& end = member(tag, path, "end");
    const Words all =
        end.is_array() ? words(tag, path, "end", true) : Words{text(tag, path, "end")};
    if (all.empty()) fail(below(path, "end"), "expected a text, or a list of texts");
    Words ends = all;
    std::erase(ends, "");
    if (is_old_) {
      parts.push_back(schema(member(tag, path, "schema"), below(path, "schema")));
    } else {
      const Json& content = member(tag, path, "content");
      const std::string* type = find_text_member(content, "type");
      if (type && *type == "any_text" && ends.size() == all.size()) {
        parts.push_back(read_text_to_end(content, below(path, "content"), ends));
        return failed() ? Expression{} : sequence_of(std::move(parts));
      }
      parts.push_back(read_format(content, below(path, "content"), ends, depth + 1));
    }
    std::vector<Expression> ways;
    for (const std::string& way : all) ways.push_back(text_of(way));
    if (ways.empty()) return {};
    parts.push_back(choice_of(std::move(ways)));
    return sequence_of(std::move(parts));
  }

  Expression read_triggered(const Json& format, const std::string& path, const Words& ends,
                            int depth) {
    const Words triggers = words(format, path, "triggers");
    Words excluded = words(format, path, "excludes");
    excluded.insert(excluded.end(), ends.begin(), ends.end());
    const std::string_view key = is_old_ ? "structures" : "tags";
    const Json& tags = list(format, path, key);
    if (triggers.empty()) fail(below(path, "triggers"), "expected a list that is not empty");
    if (!fits(triggers, excluded, 1 + triggers.size(), path)) return {};
    const Markers markers(triggers, excluded);
    std::vector<Expression> at_once;  // tags without text before them
    std::vector<Expression> after_text;
    std::vector<std::vector<Expression>> of_trigger(triggers.size());
    for (std::size_t i = 0; i < tags.size() && !failed(); ++i) {
      const std::string tag_path = fmt::format("{}[{}]", below(path, key), i);
      const std::size_t trigger = trigger_of(triggers, text(tags[i], tag_path, "begin"), tag_path);
      if (failed()) return {};
      const std::string& begun = triggers[trigger];
      const Expression rest = rule_of(add_rule(read_tag(tags[i], tag_path, begun.size(), depth)));
      at_once.push_back(sequence_of({text_of(begun), rest}));
      of_trigger[trigger].push_back(rest);
    }
    const bool at_least_one = flag(format, path, "at_least_one");
    const bool is_alone = at_least_one && flag(format, path, "stop_after_first");
    for (std::size_t i = 0; i < triggers.size() && !failed(); ++i) {
      if (of_trigger[i].empty()) continue;
      std::vector<Expression> parts;
      Dfa free_text = markers.text_up_to(i);
      if (is_empty(free_text) && !is_alone) {
        fail(fmt::format("{}[{}]", below(path, "triggers"), i),
             "free text never comes to it: what ends such text, or is excluded, is in it");
      }
      parts.push_back(dfa_of(std::move(free_text)));
      parts.push_back(choice_of(std::move(of_trigger[i])));
      after_text.push_back(sequence_of(std::move(parts)));
    }
    if (failed()) return {};
    Expression first = choice_of(std::move(at_once));
    Expression next = choice_of(std::move(after_text));
    Expression free = dfa_of(markers.text_without());
    std::vector<Expression> parts;
    if (is_alone) return first;
    if (flag(format, path, "stop_after_first")) {
      parts.push_back(std::move(next));
      parts.push_back(std::move(free));
      return choice_of(std::move(parts));
    }
    if (at_least_one) parts.push_back(std::move(first));
    parts.push_back(repeat_of(std::move(next), 0, kUnbounded));
    parts.push_back(std::move(free));
    return sequence_of(std::move(parts));
  }

  /// The one that a tag begins with.
  std::size_t trigger_of(const Words& triggers, std::string_view begin, const std::string& path) {
    std::size_t found = triggers.size();
    for (std::size_t i = 0; i < triggers.size(); ++i) {
      if (!begin.starts_with(triggers[i])) continue;
      if (found < triggers.size())
        fail(below(path, "begin"), "it begins with several of the triggers; expected one");
      found = i;
    }
    if (found == triggers.size()) fail(below(path, "begin"), "it begins with none of the triggers");
    return found;
  }

  Expression read_separated(const Json& format, const std::string& path, int depth) {
    only(format, path, {"tags", "separator", "at_least_one", "stop_after_first"});
    const Json& tags = list(format, path, "tags");
    const std::string separator = text(format, path, "separator");
    std::vector<Expression> ways;
    for (std::size_t i = 0; i < tags.size() && !failed(); ++i) {
      ways.push_back(read_tag(tags[i], fmt::format("{}.tags[{}]", path, i), 0, depth));
    }
    if (failed()) return {};
    const Expression one = rule_of(add_rule(choice_of(std::move(ways))));
    Expression some = one;
    if (!flag(format, path, "stop_after_first")) {
      some = sequence_of({one, repeat_of(sequence_of({text_of(separator), one}), 0, kUnbounded)});
    }
    return flag(format, path, "at_least_one") ? some : repeat_of(std::move(some), 0, 1);
  }

  GrammarTree tree_;
  SchemaBudget& budget_;
  bool is_old_ = false;  // tags have a "schema"
};

}  // namespace

Result<GrammarTree> read_structural_tag(const Json& tag, SchemaBudget& budget) {
  return TagReader(budget).read(tag);
}

}  // namespace pleiad::constrain::grammars
