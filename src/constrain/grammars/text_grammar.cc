#include "constrain/grammars/text_grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text_format.h"
#include "constrain/grammars/gbnf.h"
#include "constrain/grammars/grammar_budget.h"
#include "constrain/grammars/lark.h"
#include "constrain/grammars/regex.h"
#include "constrain/grammars/structural_tag.h"

namespace pleiad::constrain::grammars {
namespace {

constexpr std::size_t kMaxChoices = 10'000;

Result<GrammarTree> read_choice(const Json& texts) {
  if (!texts.is_array() || texts.empty()) return Failure{"expected a list of texts"};
  if (texts.size() > kMaxChoices) {
    return Failure{fmt::format("expected at most {} texts, found {}", format_count(kMaxChoices),
                               format_count(texts.size()))};
  }
  std::vector<Expression> ways;
  std::size_t n_bytes = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].is_string()) return Failure{fmt::format("text {}: expected a string", i + 1)};
    const std::string& text = texts[i].get_ref<const std::string&>();
    if (text.empty()) return Failure{fmt::format("text {}: expected one that is not empty", i + 1)};
    n_bytes += text.size();
    if (n_bytes > kMaxGrammarBytes) return Failure{"the texts have more than 256 KiB"};
    ways.push_back(text_of(text));
  }
  GrammarTree tree;
  tree.rules.push_back({"the choice", choice_of(std::move(ways)), false});
  return tree;
}

}  // namespace

bool is_text_grammar(const Json& format) {
  if (!format.is_object()) return false;
  const Json* type = find_member(format, "type");
  return type && *type == "grammar";
}

bool is_likely_lark(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line = line.substr(0, std::min(line.find('#'), line.find("//")));
    if (line.find("::=") != std::string_view::npos) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

Json text_grammar(std::string syntax, Json definition) {
  return {
      {"type", "grammar"}, {"syntax", std::move(syntax)}, {"definition", std::move(definition)}};
}

Result<GrammarTree> read_text_grammar(const Json& format, SchemaBudget& budget) {
  const Json* syntax = find_member(format, "syntax");
  const Json* definition = find_member(format, "definition");
  if (!syntax || !definition) {
    return Failure{"a grammar needs a \"syntax\" and a \"definition\""};
  }
  if (*syntax == "choice") return read_choice(*definition);
  if (*syntax == "structural_tag") {
    if (to_text(*definition).size() > kMaxGrammarBytes) {
      return Failure{"the structural tag is larger than 256 KiB"};
    }
    return read_structural_tag(*definition, budget);
  }
  if (!definition->is_string()) return Failure{"expected the grammar as a string"};
  const std::string& text = definition->get_ref<const std::string&>();
  if (text.size() > kMaxGrammarBytes) return Failure{"the grammar is larger than 256 KiB"};
  if (*syntax == "gbnf") return read_gbnf(text);
  if (*syntax == "lark") return read_lark(text, budget);
  if (*syntax == "regex") {
    return read_regex_grammar(text, budget.pattern_work());
  }
  return Failure{
      "the syntax of a grammar is \"gbnf\", \"lark\", \"regex\", \"choice\" or "
      "\"structural_tag\""};
}

}  // namespace pleiad::constrain::grammars
