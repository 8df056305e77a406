#include "constrain/texts/unicode_properties.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "constrain/texts/code_ranges.h"

namespace pleiad::constrain {
namespace {

/// What has a property: whole categories, and runs of further characters.
struct UnicodeSet {
  std::string_view name;
  std::string_view alias;
  std::string_view categories;
  std::string_view runs;
};

#include "constrain/texts/unicode_table.inl"

struct Category {
  std::string_view name;
  std::string_view alias;
  std::string_view letters;  // of the table
};

constexpr Category kCategories[] = {
    {"Uppercase_Letter", "Lu", "a"},
    {"Lowercase_Letter", "Ll", "b"},
    {"Titlecase_Letter", "Lt", "c"},
    {"Modifier_Letter", "Lm", "d"},
    {"Other_Letter", "Lo", "e"},
    {"Nonspacing_Mark", "Mn", "f"},
    {"Spacing_Mark", "Mc", "g"},
    {"Enclosing_Mark", "Me", "h"},
    {"Decimal_Number", "Nd", "i"},
    {"Letter_Number", "Nl", "j"},
    {"Other_Number", "No", "k"},
    {"Connector_Punctuation", "Pc", "l"},
    {"Dash_Punctuation", "Pd", "m"},
    {"Open_Punctuation", "Ps", "n"},
    {"Close_Punctuation", "Pe", "o"},
    {"Initial_Punctuation", "Pi", "p"},
    {"Final_Punctuation", "Pf", "q"},
    {"Other_Punctuation", "Po", "r"},
    {"Math_Symbol", "Sm", "s"},
    {"Currency_Symbol", "Sc", "t"},
    {"Modifier_Symbol", "Sk", "u"},
    {"Other_Symbol", "So", "v"},
    {"Space_Separator", "Zs", "w"},
    {"Line_Separator", "Zl", "x"},
    {"Paragraph_Separator", "Zp", "y"},
    {"Control", "Cc", "z"},
    {"Format", "Cf", "A"},
    {"Surrogate", "Cs", "B"},
    {"Private_Use", "Co", "C"},
    {"Unassigned", "Cn", "D"},
    {"Cased_Letter", "LC", "abc"},
    {"Letter", "L", "abcde"},
    {"Mark", "M", "fgh"},
    {"Combining_Mark", "M", "fgh"},
    {"Number", "N", "ijk"},
    {"digit", "Nd", "i"},
    {"Punctuation", "P", "lmnopqr"},
    {"punct", "P", "lmnopqr"},
    {"Symbol", "S", "stuv"},
    {"Separator", "Z", "wxy"},
    {"cntrl", "Cc", "z"},
    {"Other", "C", "zABCD"},
    // No categories, but made of them.
    {"Any", "Any", "abcdefghijklmnopqrstuvwxyzABCD"},
    {"Assigned", "Assigned", "abcdefghijklmnopqrstuvwxyzABC"},
};
constexpr std::size_t kNoCategories = 2;  // the last ones

/// A number at the begin, which is taken away; 1 if there is none.
char32_t take_length(std::string_view& runs) {
  if (runs.front() < '0' || runs.front() > '9') return 1;
  char32_t length = 0;
  while (!runs.empty() && runs.front() >= '0' && runs.front() <= '9') {
    length = length * 10 + static_cast<char32_t>(runs.front() - '0');
    runs.remove_prefix(1);
  }
  return length;
}

std::vector<CodeRange> of_categories(std::string_view letters) {
  std::vector<CodeRange> out;
  char32_t first = 0;
  for (std::string_view runs = kCategoryRuns; !runs.empty(); runs.remove_prefix(1)) {
    const char32_t length = take_length(runs);
    if (letters.find(runs.front()) != std::string_view::npos) {
      out.push_back({first, first + length - 1});
    }
    first += length;
  }
  return out;
}

std::vector<CodeRange> of_set(const UnicodeSet& set) {
  std::vector<CodeRange> out = of_categories(set.categories);
  char32_t first = 0;
  bool has = false;
  for (std::string_view runs = set.runs; !runs.empty(); has = !has) {
    const char32_t length = take_length(runs);
    if (has) out.push_back({first, first + length - 1});
    first += length;
    if (!runs.empty()) runs.remove_prefix(1);
  }
  return sorted_apart(std::move(out));
}

std::optional<std::vector<CodeRange>> find_category(std::string_view name, std::size_t n_known) {
  for (std::size_t i = 0; i < n_known; ++i) {
    const Category& category = kCategories[i];
    if (name == category.name || name == category.alias) {
      return sorted_apart(of_categories(category.letters));
    }
  }
  return std::nullopt;
}

std::optional<std::vector<CodeRange>> find_set(std::string_view name, const auto& sets) {
  for (const UnicodeSet& set : sets) {
    if (name == set.name || name == set.alias) return of_set(set);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<CodeRange>> unicode_property(std::string_view name) {
  const std::size_t equals = name.find('=');
  if (equals != std::string_view::npos) {
    const std::string_view kind = name.substr(0, equals);
    const std::string_view value = name.substr(equals + 1);
    if (kind == "General_Category" || kind == "gc") {
      return find_category(value, std::size(kCategories) - kNoCategories);
    }
    if (kind == "Script" || kind == "sc") return find_set(value, kScripts);
    return std::nullopt;
  }
  if (name == "ASCII") return std::vector<CodeRange>{{0, 0x7F}};
  if (auto category = find_category(name, std::size(kCategories))) return category;
  return find_set(name, kBinaryProperties);
}

}  // namespace pleiad::constrain
