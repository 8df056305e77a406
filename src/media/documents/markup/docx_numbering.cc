#include "media/documents/markup/docx_numbering.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "media/documents/markup/docx_value.h"

namespace pleiad::media {
namespace {

constexpr std::array<std::pair<int, std::string_view>, 13> kRoman = {{{1000, "m"},
                                                                      {900, "cm"},
                                                                      {500, "d"},
                                                                      {400, "cd"},
                                                                      {100, "c"},
                                                                      {90, "xc"},
                                                                      {50, "l"},
                                                                      {40, "xl"},
                                                                      {10, "x"},
                                                                      {9, "ix"},
                                                                      {5, "v"},
                                                                      {4, "iv"},
                                                                      {1, "i"}}};
constexpr int kLargestRoman = 3999;
constexpr int kLargestLetter = 26 * 30;

std::string lower_roman(int number) {
  std::string text;
  for (const auto& [value, letters] : kRoman) {
    for (; number >= value; number -= value) text += letters;
  }
  return text;
}

/// a, b, ..., z, aa, bb, ...: as Word counts.
std::string lower_letters(int number) {
  const int letter = (number - 1) % 26;
  return std::string(static_cast<std::size_t>((number - 1) / 26 + 1),
                     static_cast<char>('a' + letter));
}

std::string in_upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(c - 'a' + 'A');
  return text;
}

}  // namespace

std::string list_number(int number, std::string_view format) {
  const bool is_roman = format == "lowerRoman" || format == "upperRoman";
  const bool is_letter = format == "lowerLetter" || format == "upperLetter";
  std::string text;
  if (is_roman && number >= 1 && number <= kLargestRoman) text = lower_roman(number);
  if (is_letter && number >= 1 && number <= kLargestLetter) text = lower_letters(number);
  if (text.empty()) return std::to_string(number);
  return format.starts_with("upper") ? in_upper_case(text) : text;
}

void DocxNumbering::begin(const XmlElement& element) {
  const std::string value(element.attribute("val"));
  if (element.name == "abstractNum") {
    abstract_id_ = element.attribute("abstractNumId");
    abstract_[abstract_id_];
  } else if (element.name == "num") {
    list_id_ = element.attribute("numId");
  } else if (element.name == "abstractNumId" && !list_id_.empty()) {
    lists_[list_id_] = value;
  } else if (element.name == "lvl" && !abstract_id_.empty()) {
    level_ = docx_number(element.attribute("ilvl"), -1);
    if (level_ >= kListLevels) level_ = -1;
  } else if (level_ >= 0 && !abstract_id_.empty()) {
    ListLevel& level = abstract_[abstract_id_].levels[static_cast<std::size_t>(level_)];
    if (element.name == "numFmt") level.format = value;
    if (element.name == "lvlText") level.text = value;
    if (element.name == "start") level.start = docx_number(value, 1);
  }
}

void DocxNumbering::end(std::string_view name) {
  if (name == "abstractNum") abstract_id_.clear();
  if (name == "num") list_id_.clear();
  if (name == "lvl") level_ = -1;
}

std::string DocxNumbering::next_mark(const std::string& list, int level) {
  const auto of = lists_.find(list);
  const auto found = of == lists_.end() ? abstract_.end() : abstract_.find(of->second);
  if (found == abstract_.end() || level < 0 || level >= kListLevels) return "- ";
  Counted& counted = found->second;
  const auto at = static_cast<std::size_t>(level);
  int& count = counted.counts[at];
  // Numbers that run away are a file's, not a list's.
  constexpr int kLargest = 1'000'000;
  count = count == 0 ? counted.levels[at].start : std::min(count + 1, kLargest);
  std::fill(counted.counts.begin() + level + 1, counted.counts.end(), 0);
  const ListLevel& own = counted.levels[at];
  if (own.format == "bullet") return "- ";
  if (own.format == "none") return {};
  std::string mark;
  for (std::size_t i = 0; i < own.text.size() && mark.size() < 100; ++i) {
    const bool is_place = own.text[i] == '%' && i + 1 < own.text.size() && own.text[i + 1] >= '1' &&
                          own.text[i + 1] <= '9';
    if (!is_place) {
      mark += own.text[i];
      continue;
    }
    const auto other = static_cast<std::size_t>(own.text[++i] - '1');
    const int number = counted.counts[other];
    mark += list_number(number == 0 ? counted.levels[other].start : number,
                        counted.levels[other].format);
  }
  if (mark.empty()) mark = list_number(count, own.format) + ".";
  return mark + " ";
}

}  // namespace pleiad::media
