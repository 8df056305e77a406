#pragma once

#include <map>
#include <string>
#include <string_view>

#include "media/documents/markup/xml_events.h"

namespace pleiad::media {

/// What a paragraph is, by itself or by its style.
struct DocxParagraph {
  int heading = 0;   // 1 to 9; 0: none
  std::string list;  // w:numId; empty: none, "0": none whatever its style says
  int level = -1;    // in the list, from 0; -1: not said
  int depth = 0;  // how much deeper it stands than its level: "List Bullet 2" is a list of its own
};

/// word/styles.xml.
class DocxStyles : public XmlEvents {
 public:
  void begin(const XmlElement& element) override;
  void end(std::string_view name) override;
  void text(std::string_view) override {}

  /// A paragraph that says this of itself, in that style.
  DocxParagraph resolve(const DocxParagraph& own, const std::string& style) const;

 private:
  struct Style {
    DocxParagraph paragraph;
    std::string based_on;
  };
  std::map<std::string, Style, std::less<>> styles_;
  Style* style_ = nullptr;  // that is being read
};

/// Reads what of it a paragraph's properties say: w:outlineLvl, w:numId, w:ilvl.
void read_paragraph_property(const XmlElement& element, DocxParagraph& paragraph);

}  // namespace pleiad::media
