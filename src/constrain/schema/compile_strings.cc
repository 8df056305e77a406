// The rules of strings.
#include <algorithm>
#include <string>

#include "constrain/schema/bounds.h"
#include "constrain/schema/compiler.h"
#include "constrain/texts/number_formats.h"
#include "constrain/texts/string_formats.h"

namespace pleiad::constrain {
namespace {

void narrow(Counter& length, const Counter& other) {
  length.need = std::max(length.need, other.need);
  length.room = std::min(length.room, other.room);
}

}  // namespace

/// Nothing where no string can have the shape.
std::optional<TextLanguage> SchemaCompiler::text_language(const Shape& shape,
                                                          FormatLengths lengths) {
  TextLanguage language;
  language.length = counts(context_, shape, "minLength", "maxLength");
  const auto add = [&](const Json& schema, std::string_view keyword, std::string_view pattern,
                       bool accepted) {
    std::string problem;
    const auto counted = accepted ? counted_pattern(pattern) : std::nullopt;
    if (counted) narrow(language.length, counted->length);
    const Dfa* dfa = context_.pattern(counted ? counted->pattern : pattern, problem);
    if (!dfa) return context_.note(&schema, keyword, problem);
    if (!accepted && is_empty(*dfa)) return;
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
    if (!known && constrain::range_of_format(name)) {
      if ((shape.types & kNumber) == 0) {
        context_.remark_of_other_types(
            schema, "format", "this is a format of numbers, so it says nothing of strings");
      }
    } else if (!known) {
      context_.remark(schema, "format",
                      "this format is not known, so any text has it; known are " + known_formats());
    } else if (!known->empty()) {
      add(*schema, "format", *known, true);
      const auto length = length_of_format(name);
      if (length && lengths == FormatLengths::counted) {
        language.length.room = std::min(language.length.room, length->most);
      } else if (length) {
        add(*schema, "format", length->pattern_of_short, true);
      }
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
  std::optional<TextLanguage> language = text_language(shape, FormatLengths::counted);
  if (!language || context_.failed()) return std::nullopt;
  std::optional<std::vector<Rule>> rules = rules_of_texts(*language);
  if (!rules && is_bounded_by_format(shape)) {
    language = text_language(shape, FormatLengths::by_pattern);
    if (!language || context_.failed()) return std::nullopt;
    rules = rules_of_texts(*language);
  }
  if (context_.failed()) return std::nullopt;
  if (!rules) {
    note_asked(shape, kString, "with all else that is asked of the string it is too large");
    spelled_freely_.insert(writer_.string(language->length).start);
    return writer_.string(language->length);
  }
  if (rules->empty()) return std::nullopt;
  return rules->size() == 1 ? rules->front() : writer_.choice(*rules);
}

bool SchemaCompiler::is_bounded_by_format(const Shape& shape) {
  return std::ranges::any_of(shape.schemas, [&](const Json* schema) {
    const Json* format = context_.keyword(*schema, "format");
    return format && length_of_format(format->get_ref<const std::string&>());
  });
}

/// One for each part of the language that has texts; nothing where one is too large.
std::optional<std::vector<Rule>> SchemaCompiler::rules_of_texts(const TextLanguage& language) {
  std::vector<Rule> rules;
  for (const TextLanguage& part : language.parts()) {
    if (part.conditions.empty() && !part.denied) {
      const bool is_free = spelling_ == Spelling::any;
      rules.push_back(is_free ? writer_.string(part.length) : writer_.plain_string(part.length));
      continue;
    }
    const auto text = text_dfa(context_, part);
    if (!text || context_.failed()) return std::nullopt;
    if (!is_empty(text->first)) rules.push_back(writer_.string(text->first, text->second));
  }
  return rules;
}

}  // namespace pleiad::constrain
