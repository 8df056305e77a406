#include "constrain/schema/context.h"

#include <fmt/format.h>

#include <algorithm>

namespace pleiad::constrain {
namespace {

/// Parts looked at, properties compared: a second's work or so.
constexpr std::size_t kSchemaWork = 2'000'000;
constexpr std::size_t kMaxNotes = 16;

}  // namespace

SchemaContext::SchemaContext(const Json& root, Syntax syntax, std::string where,
                             const SchemaPolicy& policy)
    : document_(root),
      syntax_(syntax),
      where_(std::move(where)),
      policy_(policy),
      work_(kSchemaWork) {}

void SchemaContext::fail(const Json* part, std::string_view keyword, std::string_view why) {
  if (failed()) return;
  failure_ = fmt::format("{}{}{}: {}", where_, document_.place(part),
                         keyword.empty() ? std::string() : pointer_step(keyword), why);
}

void SchemaContext::note(const Json* part, std::string_view keyword, std::string_view why) {
  if (quiet_ > 0) return;
  if (policy_.refuse_unenforced) return fail(part, keyword, why);
  add_note(part, keyword, why);
}

void SchemaContext::remark(const Json* part, std::string_view keyword, std::string_view why) {
  if (quiet_ == 0) add_note(part, keyword, why);
}

void SchemaContext::add_note(const Json* part, std::string_view keyword, std::string_view why) {
  if (notes_.size() == kMaxNotes || !noted_.emplace(part, keyword).second) return;
  notes_.push_back({document_.place(part) + pointer_step(keyword), std::string(why)});
}

bool SchemaContext::spend(std::size_t steps) {
  if (failed()) return false;
  if (steps > work_) {
    fail(nullptr, {}, "it is too large: its alternatives and references together are too many");
    return false;
  }
  work_ -= steps;
  return true;
}

const Json* SchemaContext::resolve(const Json& part, std::string_view keyword) {
  const Json* reference = find_member(part, keyword);
  if (!reference || !reference->is_string()) {
    fail(&part, keyword, "expected a string");
    return nullptr;
  }
  const Result<const Json*> target =
      document_.resolve(part, reference->get_ref<const std::string&>());
  if (!target) {
    fail(&part, keyword, target.message());
    return nullptr;
  }
  return target.value();
}

const Dfa* SchemaContext::pattern(std::string_view pattern, std::string& problem) {
  auto known = patterns_.find(pattern);
  if (known == patterns_.end()) {
    known =
        patterns_.emplace(std::string(pattern), pattern_dfa(syntax_, pattern, {}, pattern_work_))
            .first;
  }
  if (known->second) return &known->second.value();
  problem = known->second.message();
  return nullptr;
}

std::optional<bool> SchemaContext::matches(std::string_view pattern, std::string_view text) {
  std::string problem;
  const Dfa* dfa = this->pattern(pattern, problem);
  if (!dfa) return std::nullopt;
  return accepts_symbols(*dfa, spell_inside(syntax_, text));
}

bool accepts_symbols(const Dfa& dfa, const Symbols& symbols) {
  std::uint32_t at = 0;
  for (const Symbol symbol : symbols) {
    const auto& edges = dfa.states[at].edges;
    const auto edge = std::ranges::find_if(edges, [&](const Dfa::Edge& candidate) {
      return candidate.first <= symbol && symbol <= candidate.last;
    });
    if (edge == edges.end()) return false;
    at = edge->target;
  }
  return dfa.states[at].accepts;
}

}  // namespace pleiad::constrain
