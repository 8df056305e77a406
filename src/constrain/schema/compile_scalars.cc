// The rules of strings and numbers.
#include <algorithm>
#include <cmath>
#include <deque>
#include <string>

#include "constrain/schema/bounds.h"
#include "constrain/schema/compiler.h"
#include "constrain/texts/number.h"
#include "constrain/texts/number_formats.h"
#include "constrain/texts/string_formats.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMaxNumberStates = 50'000;

void narrow(Counter& length, const Counter& other) {
  length.need = std::max(length.need, other.need);
  length.room = std::min(length.room, other.room);
}

Result<Dfa> paid_number_dfa(SchemaContext& context, const NumberForm& form) {
  constexpr std::size_t kOnFailure = 200'000;
  if (context.failed()) return Failure{context.failure()};
  Result<Dfa> made = number_dfa(form);
  if (made) {
    context.spend_on(made.value());
  } else {
    context.spend(kOnFailure);
  }
  return made;
}

/// Why a step, alone or with others, is none that numbers are held to.
std::string_view multiple_problem(const Json& rule) {
  if (rule.is_number() && rule.get<double>() <= 0) return "expected a number greater than 0";
  return "supported are numbers of up to 9 digits behind the point, which together are not too "
         "large";
}

}  // namespace

/// Of its "format", where that bounds numbers. What is of no kind of value is told.
std::optional<NumberRange> SchemaCompiler::range_of_format(const Json& schema) {
  const Json* format = context_.keyword(schema, "format");
  if (!format) return std::nullopt;
  const std::string& name = format->get_ref<const std::string&>();
  auto range = constrain::range_of_format(name);
  if (!range && !pattern_of_format(name)) {
    context_.remark(
        &schema, "format",
        "this format is not known, so any number has it; known are " + known_number_formats());
  }
  return range && !range->least.is_null() ? std::move(range) : std::nullopt;
}

/// Nothing where no string can have the shape.
std::optional<TextLanguage> SchemaCompiler::text_language(const Shape& shape) {
  TextLanguage language;
  language.length = counts(context_, shape, "minLength", "maxLength");
  const auto add = [&](const Json& schema, std::string_view keyword, std::string_view pattern,
                       bool accepted) {
    std::string problem;
    const auto counted = accepted ? counted_pattern(pattern) : std::nullopt;
    if (counted) narrow(language.length, counted->length);
    const Dfa* dfa = context_.pattern(counted ? counted->pattern : pattern, problem);
    if (!dfa) return context_.note(&schema, keyword, problem);
    const DfaCondition condition{dfa, accepted};
    if (std::ranges::find(language.conditions, condition) == language.conditions.end()) {
      language.conditions.push_back(condition);
    }
  };
  for (const Json* schema : shape.schemas) {
    if (const Json* pattern = context_.keyword(*schema, "pattern")) {
      add(*schema, "pattern", pattern->get_ref<const std::string&>(), true);
    }
    const Json* format = context_.keyword(*schema, "format");
    if (!format) continue;
    const std::string& name = format->get_ref<const std::string&>();
    const auto known = pattern_of_format(name);
    const bool is_of_number = (shape.types & kNumber) != 0 && constrain::range_of_format(name);
    if (!known && is_of_number) continue;
    if (!known) {
      context_.remark(schema, "format",
                      "this format is not known, so any text has it; known are " + known_formats());
    } else if (!known->empty()) {
      add(*schema, "format", *known, true);
    }
  }
  for (const Denial& denial : shape.denials) {
    const Json* rule = find_member(*denial.schema, denial.keyword);
    if (!rule->is_string()) continue;
    const std::string& text = rule->get_ref<const std::string&>();
    if (denial.keyword == "pattern") add(*denial.schema, "pattern", text, false);
    if (denial.keyword != "format") continue;
    if (const auto all = pattern_around_format(text)) add(*denial.schema, "format", *all, false);
  }
  add_denied_words(shape, language);
  if (language.length.need > language.length.room) return std::nullopt;
  return language;
}

void SchemaCompiler::add_denied_words(const Shape& shape, TextLanguage& language) {
  std::vector<Symbols> texts;
  for (const Json* value : denied_values(shape)) {
    if (!value->is_string()) continue;
    const std::string& text = value->get_ref<const std::string&>();
    texts.push_back(spell_inside(writer_.syntax(), text));
    language.longest_denied =
        std::max(language.longest_denied, static_cast<std::uint32_t>(n_characters(text)));
  }
  if (texts.empty()) return;
  made_.push_back(context_.texts_dfa(texts));
  language.denied = &made_.back();
}

std::optional<Rule> SchemaCompiler::string(const Shape& shape) {
  const std::optional<TextLanguage> language = text_language(shape);
  if (!language || context_.failed()) return std::nullopt;
  std::vector<Rule> rules;
  for (const TextLanguage& part : language->parts()) {
    if (part.conditions.empty() && !part.denied) {
      const bool is_free = spelling_ == Spelling::any;
      rules.push_back(is_free ? writer_.string(part.length) : writer_.plain_string(part.length));
      continue;
    }
    const auto text = text_dfa(context_, part);
    if (context_.failed()) return std::nullopt;
    if (!text) {
      note_asked(shape, kString, "with all else that is asked of the string it is too large");
      spelled_freely_.insert(writer_.string(language->length).start);
      return writer_.string(language->length);
    }
    if (!is_empty(text->first)) rules.push_back(writer_.string(text->first, text->second));
  }
  if (rules.empty()) return std::nullopt;
  return rules.size() == 1 ? rules.front() : writer_.choice(rules);
}

std::optional<Rule> SchemaCompiler::number(const Shape& shape) {
  NumberForm form;
  form.is_integer = (shape.types & kFraction) == 0;
  NumberBounds bounds;
  std::vector<DfaCondition> conditions;
  const auto forbid = [&](NumberForm forbidden, const Denial* denial) {
    forbidden.any_digits = true;
    Result<Dfa> dfa = paid_number_dfa(context_, forbidden);
    if (!dfa) {
      if (denial) {
        context_.note(denial->schema, denial->keyword, dfa.message());
      } else {
        context_.fail(nullptr, {}, dfa.message());
      }
      return;
    }
    if (is_empty(dfa.value())) return;
    made_.push_back(std::move(dfa).value());
    conditions.push_back({&made_.back(), false});
  };
  std::deque<NumberRange> ranges;  // that bounds point into
  for (const Json* schema : shape.schemas) {
    bounds.add(*schema);
    if (const auto range = range_of_format(*schema)) {
      ranges.push_back(*range);
      bounds.add_least(ranges.back().least, false);
      bounds.add_most(ranges.back().most, false);
    }
    for (const char* keyword : {"multipleOf", "divisibleBy"}) {
      const Json* rule = context_.keyword(*schema, keyword);
      if (!rule) continue;
      const auto step = Step::from(*rule);
      const auto both = step && form.step ? common_multiple(*form.step, *step) : step;
      if (both) {
        form.step = both;
      } else {
        context_.note(schema, keyword, multiple_problem(*rule));
      }
    }
  }
  for (const Denial& denial : shape.denials) {
    bounds.add(denial);
    if (denial.keyword != "multipleOf" && denial.keyword != "divisibleBy") continue;
    NumberForm multiples;
    const Json& rule = *find_member(*denial.schema, denial.keyword);
    multiples.step = Step::from(rule);
    if (multiples.step) {
      forbid(multiples, &denial);
    } else {
      context_.note(denial.schema, denial.keyword, multiple_problem(rule));
    }
  }
  if (context_.failed() || bounds.exclude_all()) return std::nullopt;
  form.minimum = bounds.least();
  form.maximum = bounds.most();
  if ((shape.types & kInteger) == 0) {
    NumberForm whole;
    whole.step = Step{};
    forbid(whole, nullptr);
  }
  for (const Denial& denial : shape.denials) {
    for (const Json* value : values_of(denial)) {
      if (!value->is_number() || context_.failed()) continue;
      NumberForm one;
      one.minimum = Bound::from(*value, false);
      one.maximum = one.minimum;
      if (one.minimum) forbid(one, &denial);
    }
  }
  const std::vector<DfaCondition> denied = conditions;
  const bool is_exact = conditions.empty() && (form.step || !bounds.are_exclusive());
  if (spelling_ != Spelling::any || !is_exact) {
    made_.push_back(spelling_ == Spelling::any ? exact_numbers() : distinct_numbers());
    conditions.push_back({&made_.back(), true});
  }
  if (!form.minimum && !form.maximum && !form.step && conditions.empty()) {
    return writer_.any_number(form.is_integer);
  }
  form.exponents = conditions.empty();
  Result<Dfa> dfa = paid_number_dfa(context_, form);
  if (!dfa) {
    for (const Json* schema : shape.schemas) {
      for (const char* keyword : {"multipleOf", "divisibleBy"}) {
        if (context_.keyword(*schema, keyword)) context_.note(schema, keyword, dfa.message());
      }
    }
    form.step.reset();
    dfa = paid_number_dfa(context_, form);
    if (!dfa) context_.fail(nullptr, {}, dfa.message());
  }
  if (!dfa) return std::nullopt;
  if (is_empty(dfa.value())) {
    see_whether_digits_exclude(shape, form, denied);
    return std::nullopt;
  }
  if (conditions.empty()) return writer_.plain(dfa.value());
  const std::optional<Dfa> rest = context_.restricted(dfa.value(), conditions, kMaxNumberStates);
  if (!rest) {
    context_.fail(first_part(shape), {}, "what is asked of the number is too large together");
    return std::nullopt;
  }
  if (is_empty(*rest)) {
    see_whether_digits_exclude(shape, form, denied);
    return std::nullopt;
  }
  return writer_.plain(*rest);
}

/// Of a shape without numbers of as many digits as are written: whether there are longer ones.
void SchemaCompiler::see_whether_digits_exclude(const Shape& shape, NumberForm form,
                                                const std::vector<DfaCondition>& denied) {
  form.any_digits = true;
  const Result<Dfa> all = paid_number_dfa(context_, form);
  if (!all || is_empty(all.value())) return;
  const auto left = context_.restricted(all.value(), denied, kMaxNumberStates);
  if (left && !is_empty(*left)) of_longer_numbers_.insert(shape.schemas);
}

}  // namespace pleiad::constrain
