#include "constrain/grammars/grammar_forms.h"

#include <fmt/format.h>

#include <utility>

#include "constrain/grammars/cost_failure.h"
#include "constrain/grammars/text_grammar.h"
#include "constrain/grammars/tool_inputs.h"
#include "constrain/schema/parameter_path.h"

namespace pleiad::constrain::grammars {
namespace {

/// "response_format.format.tags[0].begin: missing": what is told of a structural tag begins with
/// its place there.
std::string message_at(const std::string& where, const Json& format, const std::string& problem) {
  const Json* syntax = find_member(format, "syntax");
  const bool is_tag = syntax && *syntax == "structural_tag";
  if (!is_tag || leading_path(problem).empty()) return fmt::format("{}: {}", where, problem);
  return where + (problem.starts_with('[') ? "" : ".") + problem;
}

void tell_notes(const ReplyGrammar& grammar, const std::string& where, const Json& format,
                std::vector<std::string>* warnings) {
  if (!warnings) return;
  for (const std::string& note : grammar.notes()) {
    warnings->push_back(message_at(where, format, note));
  }
}

}  // namespace

Result<std::unique_ptr<sampling::TokenConstraint>> GrammarForms::reply(
    std::uint64_t scope, const Json& format, Start start, std::string_view begun,
    std::vector<std::string>* warnings, const std::string& where) {
  GrammarBudget budget;
  auto grammar = find_or_make(scope, format, start, budget);
  if (!grammar) return Failure{message_at(where, format, grammar.message())};
  tell_notes(*grammar.value(), where, format, warnings);
  try {
    auto reply = std::make_unique<GrammarReply>(std::move(grammar).value());
    if (!reply->begin_with(begun)) {
      return Failure{fmt::format(
          "{}: no text of this grammar begins as the last message of the assistant's does", where)};
    }
    return std::unique_ptr<sampling::TokenConstraint>(std::move(reply));
  } catch (const sampling::ConstraintError& error) {
    return Failure{fmt::format("{}: {}", where, error.what())};
  }
}

Result<std::unique_ptr<sampling::TokenConstraint>> GrammarForms::tool_inputs(
    std::uint64_t scope, const Json& tools, std::unique_ptr<sampling::TokenConstraint> calls,
    std::span<const std::string> paths, std::vector<std::string>* warnings) {
  ToolInputs::Grammars grammars;
  GrammarBudget budget;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const Json& tool = tools[i];
    const Json* format = input_grammar(tool);
    if (!format) continue;
    const std::string path =
        i < paths.size() ? paths[i] : fmt::format("tools[{}].function.format", i);
    auto grammar = find_or_make(scope, *format, Start::at_once, budget);
    if (!grammar) return Failure{fmt::format("{}: {}", path, grammar.message())};
    tell_notes(*grammar.value(), path, *format, warnings);
    grammars[tool.at("function").at("name").get<std::string>()] = std::move(grammar).value();
  }
  if (grammars.empty()) return calls;
  return std::unique_ptr<sampling::TokenConstraint>(
      std::make_unique<ToolInputs>(trie_, std::move(grammars), std::move(calls)));
}

Result<std::shared_ptr<ReplyGrammar>> GrammarForms::find_or_make(std::uint64_t scope,
                                                                 const Json& format, Start start,
                                                                 GrammarBudget& budget) {
  bool is_new = false;
  const auto make = [&]() -> KeptForms<Kept>::Made {
    is_new = true;
    const GrammarBudget before = budget;
    auto made = make_reply_grammar(trie_, format, start, budget);
    if (!made) return Failure{made.message()};
    return std::make_shared<Kept>(Kept{std::move(made).value(), before, budget});
  };
  const auto kept = kept_.find_or_make(
      fmt::format("{} {} {} {}", scope, static_cast<int>(start), budget.state(), to_text(format)),
      make);
  if (!kept) return Failure{kept.message()};
  const Kept& found = *kept.value();
  if (!is_new && !budget.pay_again(found.before, found.after)) return too_costly();
  return found.grammar;
}

}  // namespace pleiad::constrain::grammars
