#include "constrain/grammars/rule_names.h"

#include <fmt/format.h>

#include "base/text_format.h"

namespace pleiad::constrain::grammars {

std::uint32_t RuleNames::index_of(const std::string& name, std::size_t at) {
  const auto [found, is_new] =
      indices_.try_emplace(name, static_cast<std::uint32_t>(rules_.size()));
  if (is_new) {
    rules_.push_back({false, at});
    tree_.rules.push_back({name, {}, false});
  }
  return found->second;
}

std::uint32_t RuleNames::refer(const std::string& name, std::size_t at) {
  return index_of(name, at);
}

void RuleNames::define(SourceText& source, std::size_t at, const std::string& name, Expression body,
                       bool is_terminal) {
  const std::uint32_t index = index_of(name, at);
  if (rules_[index].is_defined) {
    source.fail_at(at, fmt::format("\"{}\" is defined a second time", printable(name)));
    return;
  }
  if (body.depth > kMaxDepth) {
    source.fail_at(
        at, fmt::format("what \"{}\" is has too many levels inside each other", printable(name)));
    return;
  }
  rules_[index].is_defined = true;
  tree_.rules[index].body = std::move(body);
  tree_.rules[index].is_terminal = is_terminal;
}

std::uint32_t RuleNames::add(std::string name, Expression body) {
  rules_.push_back({true, 0});
  tree_.rules.push_back({std::move(name), std::move(body), false});
  return static_cast<std::uint32_t>(rules_.size() - 1);
}

bool RuleNames::has(const std::string& name) const {
  const auto found = indices_.find(name);
  return found != indices_.end() && rules_[found->second].is_defined;
}

void RuleNames::check(SourceText& source, std::string_view what) const {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i].is_defined) continue;
    source.fail_at(rules_[i].named_at,
                   fmt::format("there is no {} \"{}\"", what, printable(tree_.rules[i].name)));
    return;
  }
}

}  // namespace pleiad::constrain::grammars
