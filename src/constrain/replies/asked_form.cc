#include "constrain/replies/asked_form.h"

#include <fmt/format.h>

#include <utility>

#include "constrain/grammars/text_grammar.h"

namespace pleiad::constrain {
namespace {

/// The text that tools take may have any form.
ReplyForms::Constraint without_inputs(ReplyForms& forms, const AskedForm& asked,
                                      std::vector<std::string>& warnings) {
  ToolPolicy policy = asked.policy;
  if (asked.is_of_calls()) {
    policy.parallel = policy.must_call && policy.parallel;  // else one is open at a time
    return forms.tools(asked.scope, *asked.tools, policy, asked.start, &warnings);
  }
  if (!asked.has_format()) return std::unique_ptr<sampling::TokenConstraint>();
  const bool may_call =
      asked.tools && asked.begun.empty() && !grammars::is_text_grammar(*asked.format);
  if (may_call) {
    return forms.tools_or_json(asked.scope, *asked.tools, policy, *asked.format, asked.start,
                               &warnings, asked.format_path);
  }
  return forms.json(asked.scope, *asked.format, asked.start, asked.begun, &warnings,
                    asked.format_path, policy.any_order);
}

}  // namespace

ReplyForms::Constraint make_asked_form(ReplyForms& forms, const AskedForm& asked,
                                       std::vector<std::string>& warnings) {
  ReplyForms::Constraint made = without_inputs(forms, asked, warnings);
  if (!made || !made.value() || !asked.tools) return made;
  return forms.grammars().tool_inputs(asked.scope, *asked.tools, std::move(made).value(),
                                      asked.policy.paths, &warnings);
}

std::string unused_form(const AskedForm& asked) {
  if (!asked.has_format() || !asked.tools) return {};
  if (asked.must_call()) {
    return asked.format_path + ": a tool had to be called, so the format was not used";
  }
  if (grammars::is_text_grammar(*asked.format)) {
    return "tools: the reply had to have the format, so no tool could be called";
  }
  if (!asked.begun.empty()) {
    return "tools: the answer goes on with what has the format, so no tool could be called";
  }
  return {};
}

std::string cut_form(std::string_view path, std::string_view what) {
  return fmt::format("{}: {} cut the answer off, so that it may not have this form", path, what);
}

}  // namespace pleiad::constrain
