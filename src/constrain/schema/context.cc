#include "constrain/schema/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "constrain/schema/parameter_path.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMaxNotes = 16;

std::size_t n_parts(const Dfa& dfa) {
  std::size_t n = 0;
  for (const Dfa::State& state : dfa.states) n += 1 + state.edges.size();
  return n;
}

}  // namespace

SchemaContext::SchemaContext(const Json& root, Syntax syntax, std::string where,
                             const SchemaPolicy& policy, SchemaBudget& budget)
    : document_(root), syntax_(syntax), where_(std::move(where)), policy_(policy), budget_(budget) {
  if (const Json* part = document_.too_long_address()) {
    fail(part, "$id", "it is too long, or all of them are together");
  }
}

std::vector<SchemaNote> SchemaContext::notes() const {
  std::vector<SchemaNote> out = notes_;
  if (noted_.size() > out.size()) {
    out.push_back(
        {where_, fmt::format("{} more keywords are not enforced", noted_.size() - out.size())});
  }
  return out;
}

void SchemaContext::set_origin(const Json* made, const Json* part, std::string_view keyword) {
  origins_[made] = origin_of(part, keyword);
}

SchemaContext::Origin SchemaContext::origin_of(const Json* part, std::string_view keyword) const {
  const auto made = origins_.find(part);
  return made == origins_.end() ? Origin{part, keyword} : made->second;
}

void SchemaContext::fail(const Json* part, std::string_view keyword, std::string_view why) {
  if (failed()) return;
  const SchemaFault fault = fault_at(part, keyword);
  if (part) fault_ = fault;
  failure_ = fmt::format("{}: {}", path_of(fault), why);
}

SchemaFault SchemaContext::fault_at(const Json* part, std::string_view keyword) const {
  const Origin origin = origin_of(part, keyword);
  SchemaFault fault;
  fault.pointer = document_.place(origin.part);
  fault.keyword = origin.keyword;
  return fault;
}

std::string SchemaContext::path_of(const SchemaFault& fault) const {
  const std::string step = fault.keyword.empty() ? std::string() : pointer_step(fault.keyword);
  return parameter_path(where_, fault.pointer + step);
}

void SchemaContext::note(const Json* part, std::string_view keyword, std::string_view why) {
  if (quiet_ > 0) return;
  if (policy_.refuse_unenforced) return fail(part, keyword, why);
  add_note(part, keyword, why);
}

void SchemaContext::remark(const Json* part, std::string_view keyword, std::string_view why) {
  if (quiet_ == 0) add_note(part, keyword, why);
}

void SchemaContext::remark_of_other_types(const Json* part, std::string_view keyword,
                                          std::string_view why) {
  if (quiet_ == 0) add_note(part, keyword, why, true);
}

void SchemaContext::lose(const Json* part, std::string_view keyword) {
  if (quiet_ == 0 && !lost_) lost_ = Origin{part, keyword};
}

std::optional<SchemaFault> SchemaContext::lost() const {
  if (!lost_) return std::nullopt;
  SchemaFault fault = fault_at(lost_->part, lost_->keyword);
  fault.is_opposite = true;
  return fault;
}

void SchemaContext::add_note(const Json* part, std::string_view keyword, std::string_view why,
                             bool is_of_other_types) {
  const auto [from, name] = origin_of(part, keyword);
  if (!noted_.emplace(from, name).second || notes_.size() == kMaxNotes) return;
  notes_.push_back({path_of(fault_at(part, keyword)), std::string(why), is_of_other_types});
}

bool SchemaContext::spend(std::size_t steps) {
  if (failed()) return false;
  if (budget_.spend(steps)) return true;
  fail(at_hand_, {},
       fmt::format(
           "it is too large: what it takes to work out its alternatives, references, values "
           "and patterns, up to here, is too many steps (of {} for all schemas of a request)",
           SchemaBudget::kSteps));
  return false;
}

void SchemaContext::spend_on(const Dfa& made) { spend(n_parts(made)); }

void SchemaContext::spend_on(const std::optional<Dfa>& made, std::size_t max_states,
                             std::size_t per_state) {
  spend(made ? n_parts(*made) + made->states.size() * (per_state - 1) : max_states * per_state);
}

std::optional<Dfa> SchemaContext::restricted(const Dfa& dfa,
                                             const std::vector<DfaCondition>& conditions,
                                             std::size_t max_states) {
  const std::size_t per_state = 1 + 4 * conditions.size();
  max_states = std::min(max_states, budget_.left() / per_state + 1);
  std::size_t n_pairs = 0;
  std::optional<Dfa> made = constrain::restricted(dfa, conditions, max_states, &n_pairs);
  spend(n_pairs);
  spend_on(made, max_states, per_state);
  return failed() ? std::nullopt : std::move(made);
}

std::optional<Dfa> SchemaContext::without(const Dfa& dfa, const std::vector<Symbols>& texts) {
  std::size_t n = 0;
  for (const Symbols& text : texts) n += 1 + text.size();
  if (!spend(n)) return std::nullopt;
  const std::size_t max_states = std::min(Automaton::kMaxStates, budget_.left() + 1);
  std::optional<Dfa> made = constrain::without(dfa, texts, max_states);
  spend_on(made, max_states);
  return failed() ? std::nullopt : std::move(made);
}

Dfa SchemaContext::texts_dfa(const std::vector<Symbols>& texts) {
  std::size_t n = 0;
  for (const Symbols& text : texts) n += 1 + text.size();
  return spend(n) ? dfa_of(texts) : dfa_of({});
}

const Keywords& SchemaContext::keywords(const Json& schema) {
  const auto [known, is_new] = keywords_.try_emplace(&schema);
  if (!is_new) return known->second;
  const Keywords& keywords = known->second =
      Keywords(schema, document_.draft() != SchemaDraft::up_to_7);
  spend(1 + (schema.is_structured() ? schema.size() : 0));
  if (const auto problem = misused_keyword(keywords)) {
    fail(&schema, problem->keyword, problem->why);
  }
  return keywords;
}

const Json* SchemaContext::resolve(const Json& part, std::string_view keyword) {
  const Json* reference = this->keyword(part, keyword);
  if (!reference || !reference->is_string()) {
    fail(&part, keyword, "expected a string");
    return nullptr;
  }
  const auto [known, is_new] = targets_.try_emplace({&part, keyword}, nullptr);
  if (!is_new) return known->second;
  const std::string& text = reference->get_ref<const std::string&>();
  const Result<const Json*> target =
      keyword == "$ref" ? document_.resolve(part, text) : document_.resolve_dynamically(part, text);
  if (!target) {
    fail(&part, keyword, target.message());
    return nullptr;
  }
  return known->second = target.value();
}

const Dfa* SchemaContext::pattern(std::string_view pattern, std::string& problem) {
  auto known = patterns_.find(pattern);
  if (known == patterns_.end()) {
    Result<Dfa> made = found_pattern_dfa(syntax_, pattern, {}, budget_.pattern_work());
    spend(pattern.size() + (made ? n_parts(made.value()) : 0));
    known = patterns_.emplace(std::string(pattern), std::move(made)).first;
  }
  if (known->second) return &known->second.value();
  problem = known->second.message();
  return nullptr;
}

bool SchemaContext::matches_nothing(std::string_view pattern) {
  std::string problem;
  const Dfa* dfa = this->pattern(pattern, problem);
  return dfa && is_empty(*dfa);
}

std::optional<bool> SchemaContext::matches(std::string_view pattern, std::string_view text) {
  std::string problem;
  const Dfa* dfa = this->pattern(pattern, problem);
  if (!dfa || !spend(1 + text.size() / 4)) return std::nullopt;
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
