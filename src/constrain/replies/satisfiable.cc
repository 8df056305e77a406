#include "constrain/replies/satisfiable.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "constrain/replies/reply_form.h"
#include "constrain/schema/same_value.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kStatesPerStep = 8;
constexpr std::uint64_t kCountingStepsPerStep = 2;
constexpr std::string_view kRestHolds = ", and the rest holds";

struct Tried {
  bool is_possible = false;
  std::optional<ImpossiblePart> part;  // that is to blame; nothing, too, where that is not known
  std::vector<SchemaNote> unwritten;
  std::string uncounted;
};

Tried try_schema(const Json& schema, const WantedValues& wanted, SchemaBudget& budget) {
  Automaton automaton;
  ValueWriter writer(automaton, wanted.syntax);
  SchemaCompiler compiler(writer, schema, wanted.where, wanted.policy, budget);
  const Result<Rule> rule = compiler.compile(wanted.types);
  if (!rule || !budget.spend(automaton.n_states() / kStatesPerStep)) return {};
  const std::uint64_t most_steps =
      std::min<std::uint64_t>(kMostCountingSteps, budget.left() * kCountingStepsPerStep);
  const CountedFinish finish = finish_counted(automaton, rule.value().start, most_steps);
  if (!budget.spend(finish.counts.n_steps / kCountingStepsPerStep)) return {};
  if (finish.counts.gave_up && most_steps < kMostCountingSteps) return {};
  if (!finish.finished && !automaton.has_heights()) return {};
  Tried out;
  out.uncounted = finish.uncounted();
  out.is_possible = automaton.height(rule.value().start) <= wanted.most_levels;
  out.part = compiler.impossible_part(wanted.most_levels, wanted.types);
  if (out.part) out.part->why += out.uncounted;
  if (out.is_possible) out.unwritten = compiler.unwritten_parts();
  return out;
}

/// The keywords of a part that ask something of a value, but its "type", the last one first.
std::vector<std::string> keywords_from_behind(const Json& schema, const SchemaFault& part) {
  std::vector<std::string> out;
  const Json::json_pointer place(part.pointer);
  if (!schema.contains(place) || !schema[place].is_object()) return out;
  for (const auto& member : schema[place].items()) {
    if (decides(member.key()) && member.key() != "type") out.push_back(member.key());
  }
  std::ranges::reverse(out);
  return out;
}

/// Leaves a part or a keyword out, if the schema has values then, or another part is to blame.
bool leave_out_if_it_helps(Json& schema, const SchemaFault& fault, const ImpossiblePart& part,
                           const WantedValues& wanted, SchemaBudget& budget) {
  Json without = schema;
  if (!budget.spend(n_values(schema)) || !leave_out(without, fault, budget)) return false;
  const Tried tried = try_schema(without, wanted, budget);
  const auto is_of = [&](const ImpossiblePart::Other& other) {
    return other.fault.pointer == tried.part->fault.pointer;
  };
  const bool is_other = tried.part && tried.part->fault.pointer != part.fault.pointer &&
                        std::ranges::none_of(part.others, is_of);
  if (!tried.is_possible && !is_other) return false;
  schema = std::move(without);
  return true;
}

/// What was left out of a part that no value satisfies, or of another that the same value is held
/// to, in words behind "no value can satisfy it; "; empty where nothing helps.
std::string leave_out_of_claims(Json& schema, const ImpossiblePart& part,
                                const WantedValues& wanted, SchemaBudget& budget) {
  const auto helps = [&](SchemaFault fault, const std::string& keyword) {
    fault.keyword = keyword;
    return leave_out_if_it_helps(schema, fault, part, wanted, budget);
  };
  const auto named = [](const std::string& keyword, const std::string& of) {
    return fmt::format("{} {}{} is left out", of.empty() ? "its" : "the", to_text(Json(keyword)),
                       of);
  };
  if (!part.fault.keyword.empty() && helps(part.fault, part.fault.keyword)) return "it is left out";
  std::vector<ImpossiblePart::Other> all = {{part.fault, {}}};
  for (const auto& other : part.others) all.push_back({other.fault, " of " + other.path});
  for (const auto& [fault, of] : all) {
    if (fault.is_opposite) continue;
    for (const std::string& keyword : keywords_from_behind(schema, fault)) {
      if (helps(fault, keyword)) return named(keyword, of);
    }
  }
  for (const auto& [fault, of] : all) {
    if (helps(fault, {}))
      return of.empty() ? "it is left free" : "what is asked" + of + " is left out";
  }
  for (const auto& [fault, of] : all) {
    if (!fault.is_opposite && helps(fault, "type")) return named("type", of);
  }
  return {};
}

/// The same of whatever is to blame.
std::string leave_out_of(Json& schema, const ImpossiblePart& part, const WantedValues& wanted,
                         SchemaBudget& budget) {
  using Kind = ImpossiblePart::Kind;
  if (part.kind == Kind::none_is_found) {
    return leave_out(schema, part.fault, budget) ? "this is left out" : "";
  }
  if (part.kind == Kind::no_value) {
    std::string how = leave_out_of_claims(schema, part, wanted, budget);
    if (!how.empty()) return how;
  }
  return leave_out(schema, part.fault, budget) ? "it is left free" : "";
}

}  // namespace

std::optional<ImpossiblePart> impossible_part(const Json& schema, const WantedValues& wanted,
                                              SchemaBudget& budget) {
  return try_schema(schema, wanted, budget).part;
}

std::vector<std::string> unwritten_parts(const Json& schema, const WantedValues& wanted,
                                         SchemaBudget& budget) {
  const Tried tried = try_schema(schema, wanted, budget);
  std::vector<std::string> out;
  for (const SchemaNote& note : tried.unwritten) {
    out.push_back(fmt::format("{}: {}{}", note.path, note.why, tried.uncounted));
  }
  return out;
}

bool make_satisfiable(Json& schema, const WantedValues& wanted, SchemaBudget& budget,
                      std::size_t most, std::vector<std::string>& left_out) {
  Json left = schema;
  std::vector<std::string> told = left_out;
  for (;;) {
    const Tried tried = try_schema(left, wanted, budget);
    if (tried.is_possible) break;
    if (!tried.part || told.size() >= most) return false;
    const std::string how = leave_out_of(left, *tried.part, wanted, budget);
    if (how.empty()) return false;
    told.push_back(fmt::format("{}: {}; {}{}", tried.part->path, tried.part->why, how, kRestHolds));
  }
  schema = std::move(left);
  left_out = std::move(told);
  return true;
}

bool tells_of_no_value(std::string_view left_out) {
  return left_out.ends_with(kRestHolds) &&
         (left_out.find(": no value can satisfy it") != std::string_view::npos ||
          left_out.find(": no string matches it") != std::string_view::npos ||
          left_out.find(": no object can satisfy it") != std::string_view::npos ||
          left_out.find(": its values are nested deeper") != std::string_view::npos);
}

}  // namespace pleiad::constrain
