#include "constrain/grammars/numbered_rules.h"

#include <fmt/format.h>

#include <utility>

#include "base/text_format.h"

namespace pleiad::constrain::grammars {
namespace {

std::string numbered_name(const std::string& rule, std::uint64_t number) {
  return fmt::format("{}::{}", rule, number);
}

}  // namespace

void NumberedRules::define(SourceText& source, const std::string& name, std::size_t body_at,
                           std::size_t named_at) {
  if (rules_.try_emplace(name, Rule{body_at, named_at}).second) return;
  source.fail_at(named_at, fmt::format("\"{}\" is defined a second time", printable(name)));
}

std::uint32_t NumberedRules::refer(RuleNames& names, const std::string& name, std::uint64_t number,
                                   std::size_t at) {
  const std::string instance = numbered_name(name, number);
  if (!names.is_named(instance)) to_read_.push_back({name, number});
  return names.refer(instance, at);
}

void NumberedRules::check(SourceText& source, const RuleNames& names) const {
  for (const auto& [name, at] : mentioned_) {
    if (rules_.contains(name)) continue;
    source.fail_at(at, fmt::format("there is no rule \"{}\" with a number ({}::_: ...)",
                                   printable(name), printable(name)));
  }
  for (const auto& [name, rule] : rules_) {
    if (names.has(name)) {
      source.fail_at(rule.named_at, fmt::format("\"{}\" is defined a second time, with a number",
                                                printable(name)));
    } else if (names.is_named(name)) {
      source.fail_at(names.named_at(names.index(name)),
                     fmt::format("\"{}\" is a rule with a number: it is named as {}::0 or {}::_",
                                 printable(name), printable(name), printable(name)));
    }
  }
}

NumberedRules::Instance NumberedRules::take() {
  const Named named = std::move(to_read_.back());
  to_read_.pop_back();
  const Rule& rule = rules_.at(named.rule);
  return {numbered_name(named.rule, named.number), named.number, rule.body_at, rule.named_at};
}

}  // namespace pleiad::constrain::grammars
