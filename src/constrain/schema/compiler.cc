#include "constrain/schema/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "constrain/schema/same_value.h"
#include "constrain/texts/number.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMaxRules = 20'000;

bool speaks_of(SchemaContext& context, const Shape& shape, TypeSet types) {
  const auto speaks = [&](std::string_view keyword) {
    return (types_of_keyword(keyword) & types) != 0;
  };
  const bool object_too =
      (types & kObject) != 0 && (!shape.clauses.empty() || !shape.properties.empty());
  const bool array_too =
      (types & kArray) != 0 &&
      (!shape.every_item.empty() || !shape.some_items.empty() || !shape.places.empty());
  return object_too || array_too ||
         std::ranges::any_of(shape.schemas,
                             [&](const Json* schema) {
                               return std::ranges::any_of(context.keywords(*schema), speaks,
                                                          &Keywords::Keyword::name);
                             }) ||
         std::ranges::any_of(shape.denials, [&](const Denial& denial) {
           return speaks(denial.keyword) || denial.keyword == "enum" || denial.keyword == "const";
         });
}

/// A value that is spelled as any_plain_text() and distinct_numbers() do; nothing where it is not.
std::optional<Json> with_one_spelling(const Json& value) {
  constexpr double kMost = 1e15;
  if (value.is_structured()) return std::nullopt;
  if (!value.is_number_float()) return value;
  const double number = value.get<double>();
  if (number == std::floor(number) && std::abs(number) <= kMost) {
    return Json(static_cast<std::int64_t>(number));
  }
  const std::string text = to_text(value);
  const auto n_digits = std::ranges::count_if(text, [](char c) { return c >= '0' && c <= '9'; });
  const bool is_plain = text.find('e') == std::string::npos && n_digits <= kMostExactDigits;
  return is_plain ? std::optional(value) : std::nullopt;
}

/// A whole number within a value that 64 bits do not hold, and of which a double was made when it
/// was read; null where there is none. A double of -2^63 is one, or was written as a double.
const Json* beyond_64_bits(const Json& value) {
  constexpr double kBeyondMost = 18446744073709551616.0;  // 2^64
  constexpr double kLeast = -9223372036854775808.0;       // -2^63
  if (value.is_structured()) {
    for (const Json& part : value) {
      if (const Json* found = beyond_64_bits(part)) return found;
    }
  }
  if (!value.is_number_float()) return nullptr;
  const double number = value.get<double>();
  return number >= kBeyondMost || number <= kLeast ? &value : nullptr;
}

}  // namespace

std::vector<const Json*> values_of(const Denial& denial) {
  const Json* rule = find_member(*denial.schema, denial.keyword);
  if (denial.keyword == "const") return {rule};
  std::vector<const Json*> out;
  if (denial.keyword != "enum" || !rule->is_array()) return out;
  for (const Json& value : *rule) out.push_back(&value);
  return out;
}

std::vector<const Json*> denied_values(const Shape& shape) {
  std::vector<const Json*> out;
  for (const Denial& denial : shape.denials) {
    const auto more = values_of(denial);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

SchemaCompiler::SchemaCompiler(ValueWriter& writer, const Json& root, std::string where,
                               const SchemaPolicy& policy, SchemaBudget& budget)
    : writer_(writer),
      context_(root, writer.syntax(), std::move(where), policy, budget),
      expander_(context_),
      validity_(context_),
      document_claims_{{&root, true}} {}

Result<Rule> SchemaCompiler::compile(TypeSet types) {
  Rule rule;
  if (types == kAllTypes) {
    rule = value(document_claims_);
  } else {
    rule = writer_.choice({});
    fill(document_claims_, rule, types);
  }
  while (!todo_.empty() && !context_.failed()) {
    const auto* next = todo_.front();
    todo_.pop_front();
    const auto& [claims, spelling] = next->first;
    context_.set_at_hand(claims.front().schema);
    spelling_ = spelling;
    fill(claims, next->second);
    if (writer_.automaton().is_full()) {
      context_.fail(nullptr, {},
                    fmt::format("it is too large: more than {} states are needed, the last of them "
                                "for {}",
                                Automaton::kMaxStates, place_of(claims)));
    }
    if (rules_.size() > kMaxRules) {
      context_.fail(nullptr, {},
                    fmt::format("it is too large: more than {} kinds of values", kMaxRules));
    }
  }
  if (!context_.failed()) check_distinct();
  if (context_.failed()) return Failure{context_.failure()};
  return whole_ = rule;
}

/// The same once each, without those that ask for nothing.
Claims SchemaCompiler::asked_by(const Claims& claims) {
  Claims asked;
  if (!context_.spend(1 + claims.size() + claims.size() * claims.size() / 16)) return {};
  for (const Claim& claim : claims) {
    const Claim plain{behind_references(claim.schema), claim.holds};
    const Json& schema = *plain.schema;
    if (!context_.spend(1)) return {};
    const bool says_nothing =
        schema == true || (schema.is_object() && !context_.keywords(schema).decide());
    if (claim.holds && says_nothing) continue;
    if (std::ranges::find(asked, plain) == asked.end()) asked.push_back(plain);
  }
  return asked;
}

Rule SchemaCompiler::value(const Claims& claims, Spelling spelling) {
  const Claims asked = asked_by(claims);
  if (context_.failed()) return {};
  if (asked.empty()) return writer_.any();
  const auto [found, is_new] = rules_.try_emplace({asked, spelling});
  if (is_new) {
    found->second = writer_.choice({});
    todo_.push_back(&*found);
  }
  return found->second;
}

/// What a schema refers to that says nothing else, so that equal values have one rule.
const Json* SchemaCompiler::behind_references(const Json* schema) {
  constexpr int kMostSteps = 100;
  for (int step = 0; step < kMostSteps; ++step) {
    const Keywords& keywords = context_.keywords(*schema);
    const bool is_alone = keywords.size() == 1 && keywords.begin()->name == "$ref";
    const Json* target = is_alone ? context_.resolve(*schema, "$ref") : nullptr;
    if (!target) break;
    schema = target;
  }
  return schema;
}

std::string SchemaCompiler::place_of(const Claims& claims) const {
  const std::string place = context_.document().place(claims.front().schema);
  return place.empty() ? "the whole" : place;
}

void SchemaCompiler::fill(const Claims& claims, const Rule& rule, TypeSet types) {
  std::vector<const Json*> asked;
  std::vector<Shape> shapes = expander_.expand(claims, &asked);
  for (const Json* part : asked) {
    if (!context_.is_made(part)) used_.ask(part, claims);
  }
  const auto n_of = [&](TypeSet type) {
    return std::ranges::count_if(
        shapes, [&](const Shape& shape) { return (shape.types & types & type) != 0; });
  };
  const bool has_several = n_of(kObject) > 1 || n_of(kArray) > 1;
  if (spelling_ == Spelling::one && has_several) spelling_ = Spelling::one_sorted;
  for (Shape& shape : shapes) {
    if (context_.failed() || writer_.automaton().is_full()) return;
    shape.types &= types;
    std::vector<UsedParts::Way> ways;
    const auto unlisted = unlisted_denied(shape);
    if (shape.types != 0) {
      for (const Way& way : rules_of(shape)) {
        writer_.automaton().add_choice(rule.start, way.rule);
        ways.push_back({way.types, way.rule.start});
      }
    }
    used_.add(std::move(shape.sources.schemas), shape.types, std::move(ways), unlisted);
  }
}

void SchemaCompiler::narrow_to_implied_types(Shape& shape) {
  if (!context_.policy().implied_types) return;
  TypeSet implied = 0;
  for (const Json* schema : shape.schemas) {
    if (context_.keyword(*schema, "type")) return;
    for (const auto& [name, rule] : context_.keywords(*schema)) implied |= types_of_keyword(name);
  }
  if ((shape.types & implied) != 0) shape.types &= implied;
}

bool SchemaCompiler::spend_on(const Shape& shape) {
  std::size_t n = 1 + shape.denials.size() + shape.clauses.size() + shape.properties.size();
  for (const Json* schema : shape.schemas) n += 1 + context_.keywords(*schema).size();
  for (const Denial& denial : shape.denials)
    n += find_member(*denial.schema, denial.keyword)->size();
  return context_.spend(n);
}

/// That nothing of all this is enforced: of schemas that speak of these types, else of those that
/// must not hold.
void SchemaCompiler::note_asked(const Shape& shape, TypeSet types, std::string_view why) {
  bool is_noted = false;
  const auto note = [&](const Json* schema, std::string_view keyword) {
    context_.note(schema, keyword, why);
    is_noted = true;
  };
  for (const Json* schema : shape.schemas) {
    for (const auto& [name, rule] : context_.keywords(*schema)) {
      const bool is_count = name.starts_with("min") || name.starts_with("max");
      if ((types_of_keyword(name) & types) != 0 && !is_count) note(schema, name);
    }
  }
  for (const Denial& denial : shape.denials) {
    const TypeSet of = types_of_keyword(denial.keyword);
    if (of == 0 || (of & types) != 0) note(denial.schema, denial.keyword);
  }
  if (!is_noted) context_.fail(first_part(shape), {}, why);
}

std::vector<SchemaCompiler::Way> SchemaCompiler::rules_of(Shape& shape) {
  if (!spend_on(shape)) return {};
  if (const auto values = listed(shape)) return {{shape.types, *values}};
  narrow_to_implied_types(shape);
  const auto left = static_cast<TypeSet>(shape.types & ~shape.excluded);
  if (left == kAllTypes && !speaks_of(context_, shape, kAllTypes)) {
    return {{kAllTypes, writer_.any()}};
  }
  std::vector<Way> ways;
  const auto add = [&](TypeSet types, const std::optional<Rule>& rule) {
    if (rule) ways.push_back({static_cast<TypeSet>(shape.types & types), *rule});
  };
  for (const Denial& denial : shape.denials) {
    if (denies_parts(denial.keyword, *find_member(*denial.schema, denial.keyword))) continue;
    const auto values = values_of(denial);
    const bool is_lost = std::ranges::any_of(values, [&](const Json* value) {
      return value->is_structured() && (shape.types & type_of(*value)) != 0;
    });
    if (!is_lost) continue;
    context_.note(denial.schema, denial.keyword,
                  "it has too many objects and lists to forbid, or parts of these");
  }
  const auto denied = denied_values(shape);
  if ((left & kObject) != 0) {
    add(kObject, speaks_of(context_, shape, kObject) ? object(shape) : writer_.any_object());
  }
  if ((left & kArray) != 0) {
    add(kArray, speaks_of(context_, shape, kArray) ? array(shape) : writer_.any_array());
  }
  if ((left & kString) != 0) add(kString, string(shape));
  if ((left & kNumber) != 0) add(kNumber, number(shape));
  if ((left & kBoolean) != 0) add(kBoolean, boolean(shape));
  const bool no_null =
      std::ranges::any_of(denied, [](const Json* value) { return value->is_null(); });
  if ((left & kNull) != 0 && !no_null) {
    add(kNull, writer_.literal({spell(writer_.syntax(), nullptr)}));
  }
  return ways;
}

Rule SchemaCompiler::boolean(const Shape& shape) {
  std::vector<Symbols> texts;
  const auto denied = denied_values(shape);
  for (const bool value : {true, false}) {
    if (std::ranges::none_of(denied, [&](const Json* other) { return *other == value; })) {
      texts.push_back(spell(writer_.syntax(), value));
    }
  }
  return writer_.literal(texts);
}

/// Of whole numbers that are not written as the schema has them.
void SchemaCompiler::tell_of_lost_digits(const ListedValues& listed, const Json& value) {
  constexpr std::size_t kValuesPerStep = 8;
  if (!context_.spend(n_values(value) / kValuesPerStep)) return;
  const Json* number = beyond_64_bits(value);
  if (!number) return;
  context_.remark(listed.schema, listed.of_enum ? "enum" : "const",
                  fmt::format("whole numbers beyond 64 bits are read as doubles: {} is written",
                              to_text(*number)));
}

/// The values that "enum" and "const" leave; nothing where there is neither.
std::optional<Rule> SchemaCompiler::listed(const Shape& shape) {
  const std::optional<ListedValues> listed = listed_values(context_, shape);
  if (!listed) return std::nullopt;
  std::vector<Symbols> texts;
  bool is_free = false;
  for (const Json* value : listed->values) {
    if (!context_.spend(1)) return std::nullopt;
    if (!validity_.admits(shape, *value, listed->of_enum)) continue;
    tell_of_lost_digits(*listed, *value);
    const std::optional<Json> plain = with_one_spelling(*value);
    is_free = is_free || !plain;
    const bool as_it_is = spelling_ == Spelling::any || !plain;
    texts.push_back(spell(writer_.syntax(), as_it_is ? *value : *plain));
  }
  const Rule rule = writer_.plain(context_.texts_dfa(texts));
  if (spelling_ != Spelling::any && is_free) spelled_freely_.insert(rule.start);
  return rule;
}

}  // namespace pleiad::constrain
