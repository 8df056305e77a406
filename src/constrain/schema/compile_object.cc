// The rules of objects.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "constrain/schema/bounds.h"
#include "constrain/schema/compiler.h"
#include "constrain/texts/characters.h"
#include "text/unicode.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMaxNamePatterns = 8;  // each doubles the kinds of other names
constexpr std::size_t kMaxNameStates = 50'000;
constexpr std::uint32_t kMostOrderedNames = 100;  // of a form; see SchemaPolicy::forgets_names

void sort_without_case(std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> keyed;
  for (std::string& name : names) keyed.emplace_back(text::lower(name), std::move(name));
  std::ranges::stable_sort(keyed, {}, &std::pair<std::string, std::string>::first);
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::move(keyed[i].second);
}

}  // namespace

std::optional<Rule> SchemaCompiler::object(const Shape& shape) {
  ObjectForm form;
  const Counter count = counts(context_, shape, "minProperties", "maxProperties");
  form.least = count.need;
  form.most = count.room;
  if (form.least > form.most) return std::nullopt;
  const std::vector<std::string_view> patterns = name_patterns(shape);
  if (context_.failed()) return std::nullopt;
  std::vector<std::string> names = property_names(context_, shape);
  if (context_.failed()) return std::nullopt;  // then names are missing
  if (spelling_ == Spelling::one_sorted) {
    std::ranges::sort(names);
  } else if (context_.policy().order == PropertyOrder::sorted) {
    sort_without_case(names);
  }
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (const std::string& name : names) {
    if (!context_.spend(1 + shape.schemas.size())) return std::nullopt;
    numbers.emplace(name, form.properties.size());
    const Claims claims = property_claims(context_, shape, name);
    form.properties.push_back({name, is_impossible(claims) ? writer_.choice({}) : value(claims)});
  }
  for (const PresenceClause& clause : shape.clauses) {
    PropertyClause numbered;
    for (const PresenceClause::Literal& literal : clause.literals) {
      numbered.literals.push_back({numbers.at(literal.name), literal.present});
    }
    form.clauses.push_back(std::move(numbered));
  }
  form.others = other_forms(shape, names, patterns);
  if (context_.policy().forgets_names) hold_names_without_memory(shape, form);
  form.any_order = context_.policy().order == PropertyOrder::any && spelling_ == Spelling::any;
  if (context_.policy().order == PropertyOrder::any) tell_of_order(shape, form);
  if (context_.failed()) return std::nullopt;
  std::size_t work = context_.budget_left();
  const std::size_t before = work;
  const Rule rule = writer_.object(form, work);
  context_.spend(before - work + (work == 0 ? 1 : 0));
  if (spelling_ != Spelling::any && !form.others.empty()) spelled_freely_.insert(rule.start);
  return rule;
}

/// Of objects whose properties come in their order though any was asked for.
void SchemaCompiler::tell_of_order(const Shape& shape, const ObjectForm& form) {
  if (form.properties.size() < 2 && form.others.empty()) return;
  std::string why = why_in_order(form);
  if (!form.any_order && form.properties.size() > 1) why = "items that differ have one spelling";
  if (why.empty() || form.properties.empty()) return;
  context_.remark(first_part(shape), {}, "its properties come in their order: " + why);
}

/// Writes other names as if they were listed, where they are few.
void SchemaCompiler::hold_names_without_memory(const Shape& shape, ObjectForm& form) {
  std::set<std::string> written;  // forms with the same value may have names in common
  std::erase_if(form.others, [&](const OtherForm& other) {
    const std::uint32_t n_names = n_texts(other.keys);
    if (n_names > kMostOrderedNames || !context_.spend(n_names)) return false;
    for (const Symbols& inside : texts_of(other.keys)) {
      const std::string quoted = '"' + std::string(inside.begin(), inside.end()) + '"';
      const std::string name = parse_json(quoted, "a name").get<std::string>();
      if (written.insert(name).second) form.properties.push_back({name, other.value});
    }
    return true;
  });
  std::set<std::size_t> required;  // several schemas may ask for the same one
  for (const PropertyClause& clause : form.clauses) {
    if (clause.literals.size() == 1 && clause.literals[0].present) {
      required.insert(clause.literals[0].property);
    }
  }
  if (form.others.empty() || form.least <= required.size() + 1) return;
  constexpr const char* kWhy =
      "names that are not listed may come twice in a grammar, and would count twice";
  for (const Json* schema : shape.schemas) {
    if (context_.keyword(*schema, "minProperties")) {
      return context_.fail(schema, "minProperties", kWhy);
    }
  }
  context_.fail(first_part(shape), {}, kWhy);
}

/// Of "patternProperties", as many as are supported.
std::vector<std::string_view> SchemaCompiler::name_patterns(const Shape& shape) {
  std::vector<std::string_view> patterns = property_patterns(context_, shape, kMaxNamePatterns);
  if (patterns.size() <= kMaxNamePatterns) return patterns;
  for (const Json* schema : shape.schemas) {
    if (context_.keyword(*schema, "patternProperties")) {
      context_.note(schema, "patternProperties",
                    fmt::format("more than {} patterns are not supported", kMaxNamePatterns));
      break;
    }
  }
  patterns.resize(kMaxNamePatterns);
  return patterns;
}

/// Other names, apart by the patterns that find something in them.
std::vector<OtherForm> SchemaCompiler::other_forms(const Shape& shape,
                                                   const std::vector<std::string>& names,
                                                   const std::vector<std::string_view>& patterns) {
  std::vector<Symbols> taken;
  for (const std::string& name : names) taken.push_back(spell_inside(writer_.syntax(), name));
  const std::vector<std::vector<DfaCondition>> allowed_names = name_conditions(shape);
  std::vector<OtherForm> out;
  for (std::size_t set = 0; set < std::size_t{1} << patterns.size(); ++set) {
    std::set<std::string_view> matched;
    std::vector<DfaCondition> conditions;
    std::string problem;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const bool is_matched = (set >> i & 1) != 0;
      if (is_matched) matched.insert(patterns[i]);
      conditions.push_back({context_.pattern(patterns[i], problem), is_matched});
    }
    if (matched.empty() && !allows_others(context_, shape)) continue;
    const Claims claims = other_property_claims(context_, shape, matched);
    if (is_impossible(claims)) continue;
    for (const std::vector<DfaCondition>& names_too : allowed_names) {
      if (!context_.spend(1 + taken.size())) return {};
      std::vector<DfaCondition> all = conditions;
      all.insert(all.end(), names_too.begin(), names_too.end());
      for (Dfa& keys : names_left(shape, all, taken))
        out.push_back({std::move(keys), value(claims)});
      if (context_.failed()) return {};
    }
  }
  return out;
}

/// Keys under all conditions and not taken: in calls without and with quotes.
std::vector<Dfa> SchemaCompiler::names_left(const Shape& shape,
                                            const std::vector<DfaCondition>& conditions,
                                            const std::vector<Symbols>& taken) {
  std::vector<Dfa> out;
  const auto add = [&](const Dfa& all, bool in_quotes) {
    std::optional<Dfa> keys = context_.restricted(all, conditions, kMaxNameStates);
    if (keys) keys = context_.without(*keys, taken);
    if (!keys) {
      context_.fail(first_part(shape), {}, "the names of its properties take too many states");
    } else if (!is_empty(*keys)) {
      out.push_back(in_quotes ? between_quotes(*keys) : std::move(*keys));
    }
  };
  add(any_key(writer_.syntax()), false);
  if (writer_.syntax() == Syntax::call) add(any_quoted_key(), true);
  return out;
}

/// What "propertyNames" asks of names: one of these, each all of its conditions.
std::vector<std::vector<DfaCondition>> SchemaCompiler::name_conditions(const Shape& shape) {
  std::vector<std::vector<DfaCondition>> out(1);
  for (const Json* schema : shape.schemas) {
    const Json* names = context_.keyword(*schema, "propertyNames");
    if (!names) continue;
    std::vector<DfaCondition> ways;
    for (const Shape& of_name : expander_.expand({{names, true}})) {
      if ((of_name.types & kString) == 0) continue;
      std::optional<Dfa> dfa;
      if (const auto listed = listed_values(context_, of_name)) {
        std::vector<Symbols> listed_names;
        for (const Json* name : listed->values) {
          if (name->is_string() && validity_.admits(of_name, *name, listed->of_enum)) {
            listed_names.push_back(
                spell_inside(writer_.syntax(), name->get_ref<const std::string&>()));
          }
        }
        dfa = context_.texts_dfa(listed_names);
      } else {
        const auto language = text_language(of_name, FormatLengths::by_pattern);
        if (!language) continue;  // no name has that length
        dfa = sized_text_dfa(context_, *language);
      }
      if (!dfa) {
        context_.note(schema, "propertyNames", "it is too large");
        return std::vector<std::vector<DfaCondition>>(1);
      }
      made_.push_back(std::move(*dfa));
      ways.push_back({&made_.back(), true});
    }
    std::vector<std::vector<DfaCondition>> next;
    for (const auto& before : out) {
      for (const DfaCondition& way : ways) {
        if (!context_.spend(1 + before.size())) return {};
        next.push_back(before);
        next.back().push_back(way);
      }
    }
    out = std::move(next);
  }
  return out;
}

}  // namespace pleiad::constrain
