// The rules of numbers.
#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "constrain/schema/bounds.h"
#include "constrain/schema/compiler.h"
#include "constrain/schema/one_of.h"
#include "constrain/texts/number.h"
#include "constrain/texts/number_formats.h"
#include "constrain/texts/string_formats.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMaxNumberStates = 50'000;
constexpr std::array<std::string_view, 2> kStepKeywords = {"multipleOf", "divisibleBy"};

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

/// What a shape asks of its numbers.
struct SchemaCompiler::AskedNumber {
  NumberForm form;
  NumberBounds bounds;
  std::deque<NumberRange> ranges;        // that bounds point into
  std::vector<DfaCondition> conditions;  // beside the form
};

/// Of its "format", where that bounds numbers. What is of no kind of value is told.
std::optional<NumberRange> SchemaCompiler::range_of_format(const Json& schema) {
  const Json* format = context_.keyword(schema, "format");
  if (!format) return std::nullopt;
  const std::string& name = format->get_ref<const std::string&>();
  auto range = constrain::range_of_format(name);
  const bool is_of_strings = !range && pattern_of_format(name);
  if (!range && !is_of_strings) {
    context_.remark(
        &schema, "format",
        "this format is not known, so any number has it; known are " + known_number_formats());
  }
  const Json* type = context_.keyword(schema, "type");
  if (is_of_strings && type && (types_listed(*type) & kString) == 0) {
    context_.remark_of_other_types(&schema, "format",
                                   "this is a format of strings, so it says nothing of numbers");
  }
  return range && !range->least.is_null() ? std::move(range) : std::nullopt;
}

/// The bounds and the step of one schema.
void SchemaCompiler::ask_of_number(const Json& schema, AskedNumber& asked) {
  asked.bounds.add(schema);
  if (const auto range = range_of_format(schema)) {
    asked.ranges.push_back(*range);
    asked.bounds.add_least(asked.ranges.back().least, false);
    asked.bounds.add_most(asked.ranges.back().most, false);
  }
  for (const std::string_view keyword : kStepKeywords) {
    const Json* rule = context_.keyword(schema, keyword);
    if (!rule) continue;
    const auto step = Step::from(*rule);
    std::optional<Step>& all = asked.form.step;
    const auto both = step && all ? common_multiple(*all, *step) : step;
    if (both) {
      all = both;
    } else {
      context_.note(&schema, keyword, multiple_problem(*rule));
    }
  }
}

/// `denial`: that says so, if any does.
void SchemaCompiler::forbid(NumberForm forbidden, const Denial* denial, AskedNumber& asked) {
  forbidden.any_digits = true;
  Result<Dfa> dfa = paid_number_dfa(context_, forbidden);
  if (!dfa) {
    if (denial) return context_.note(denial->schema, denial->keyword, dfa.message());
    return context_.fail(nullptr, {}, dfa.message());
  }
  if (is_empty(dfa.value())) return;
  made_.push_back(std::move(dfa).value());
  asked.conditions.push_back({&made_.back(), false});
}

/// The contrary of denied bounds, and no denied multiples.
void SchemaCompiler::ask_of_denied(const Denial& denial, AskedNumber& asked) {
  asked.bounds.add(denial);
  if (!is_one_of(kStepKeywords, denial.keyword)) return;
  NumberForm multiples;
  const Json& rule = *find_member(*denial.schema, denial.keyword);
  multiples.step = Step::from(rule);
  if (multiples.step) return forbid(multiples, &denial, asked);
  context_.note(denial.schema, denial.keyword, multiple_problem(rule));
}

/// Whole numbers where only others are asked for, and values that are denied.
void SchemaCompiler::forbid_numbers(const Shape& shape, AskedNumber& asked) {
  if ((shape.types & kInteger) == 0) {
    NumberForm whole;
    whole.step = Step{};
    forbid(whole, nullptr, asked);
  }
  for (const Denial& denial : shape.denials) {
    for (const Json* value : values_of(denial)) {
      if (!value->is_number() || context_.failed()) continue;
      NumberForm one;
      one.minimum = Bound::from(*value, false);
      one.maximum = one.minimum;
      if (one.minimum) forbid(one, &denial, asked);
    }
  }
}

/// Of that form, but for its step where it is too large with that.
std::optional<Dfa> SchemaCompiler::numbers_of_form(const Shape& shape, NumberForm& form) {
  Result<Dfa> dfa = paid_number_dfa(context_, form);
  if (!dfa) {
    for (const Json* schema : shape.schemas) {
      for (const std::string_view keyword : kStepKeywords) {
        if (context_.keyword(*schema, keyword)) context_.note(schema, keyword, dfa.message());
      }
    }
    form.step.reset();
    dfa = paid_number_dfa(context_, form);
    if (!dfa) context_.fail(nullptr, {}, dfa.message());
  }
  if (!dfa) return std::nullopt;
  return std::move(dfa).value();
}

std::optional<Rule> SchemaCompiler::number(const Shape& shape) {
  AskedNumber asked;
  NumberForm& form = asked.form;
  form.is_integer = (shape.types & kFraction) == 0;
  for (const Json* schema : shape.schemas) ask_of_number(*schema, asked);
  for (const Denial& denial : shape.denials) ask_of_denied(denial, asked);
  if (context_.failed() || asked.bounds.exclude_all()) return std::nullopt;
  form.minimum = asked.bounds.least();
  form.maximum = asked.bounds.most();
  forbid_numbers(shape, asked);
  std::vector<DfaCondition>& conditions = asked.conditions;
  const std::vector<DfaCondition> denied = conditions;
  const bool is_exact = conditions.empty() && (form.step || !asked.bounds.are_exclusive());
  if (spelling_ != Spelling::any || !is_exact) {
    made_.push_back(spelling_ == Spelling::any ? exact_numbers() : distinct_numbers());
    conditions.push_back({&made_.back(), true});
  }
  if (!form.minimum && !form.maximum && !form.step && conditions.empty()) {
    return writer_.any_number(form.is_integer);
  }
  form.exponents = conditions.empty();
  std::optional<Dfa> dfa = numbers_of_form(shape, form);
  if (dfa && !is_empty(*dfa) && !conditions.empty()) {
    dfa = context_.restricted(*dfa, conditions, kMaxNumberStates);
    if (!dfa) {
      context_.fail(first_part(shape), {}, "what is asked of the number is too large together");
    }
  }
  if (!dfa) return std::nullopt;
  if (!is_empty(*dfa)) return writer_.plain(*dfa);
  see_whether_digits_exclude(shape, form, denied);
  return std::nullopt;
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
