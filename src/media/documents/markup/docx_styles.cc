#include "media/documents/markup/docx_styles.h"

#include "base/ascii.h"
#include "media/documents/markup/docx_value.h"

namespace pleiad::media {
namespace {

constexpr int kBasedOnDeepest = 20;

/// The 2 of "heading 2", where the name is those words and a digit from 1; else 0.
int digit_behind(std::string_view words, std::string_view name) {
  if (!name.starts_with(words) || name.size() != words.size() + 1) return 0;
  return name.back() >= '1' && name.back() <= '9' ? name.back() - '0' : 0;
}

/// Of the built-in styles, whose names are English in every language.
void read_style_name(std::string_view name, DocxParagraph& paragraph) {
  const std::string lowered = ascii_lower(name);
  const int heading = lowered == "title" ? 1 : digit_behind("heading ", lowered);
  if (paragraph.heading == 0) paragraph.heading = heading;
  for (const char* list : {"list bullet ", "list number ", "list continue "}) {
    if (const int digit = digit_behind(list, lowered)) paragraph.depth = digit - 1;
  }
}

}  // namespace

void read_paragraph_property(const XmlElement& element, DocxParagraph& paragraph) {
  const std::string_view value = element.attribute("val");
  if (element.name == "outlineLvl") {
    // 9 is the level of body text.
    const int level = docx_number(value, 9);
    paragraph.heading = level < 9 ? level + 1 : 0;
  }
  if (element.name == "numId") paragraph.list = value;
  if (element.name == "ilvl") paragraph.level = docx_number(value, 0);
}

void DocxStyles::begin(const XmlElement& element) {
  if (element.name == "style") {
    style_ = &styles_[std::string(element.attribute("styleId"))];
  } else if (style_ && element.name == "name") {
    read_style_name(element.attribute("val"), style_->paragraph);
  } else if (style_ && element.name == "basedOn") {
    style_->based_on = element.attribute("val");
  } else if (style_) {
    read_paragraph_property(element, style_->paragraph);
  }
}

void DocxStyles::end(std::string_view name) {
  if (name == "style") style_ = nullptr;
}

DocxParagraph DocxStyles::resolve(const DocxParagraph& own, const std::string& style) const {
  DocxParagraph all = own;
  std::string_view name = style;
  for (int depth = 0; depth < kBasedOnDeepest && !name.empty(); ++depth) {
    const auto at = styles_.find(name);
    if (at == styles_.end()) break;
    const DocxParagraph& of_style = at->second.paragraph;
    if (all.heading == 0) all.heading = of_style.heading;
    if (all.list.empty()) all.list = of_style.list;
    if (all.level < 0) all.level = of_style.level;
    if (all.depth == 0) all.depth = of_style.depth;
    name = at->second.based_on;
  }
  if (all.level < 0) all.level = 0;
  return all;
}

}  // namespace pleiad::media
