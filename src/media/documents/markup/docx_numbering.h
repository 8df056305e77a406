#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "media/documents/markup/xml_events.h"

namespace pleiad::media {

/// Levels that a list of Word can have.
inline constexpr int kListLevels = 9;

/// How the points of a level are marked.
struct ListLevel {
  std::string format = "decimal";  // w:numFmt: "bullet", "lowerLetter", "upperRoman", ...
  std::string text;                // w:lvlText: "%1.%2."
  int start = 1;
};

/// word/numbering.xml: the lists of a document, and how far each has counted.
class DocxNumbering : public XmlEvents {
 public:
  void begin(const XmlElement& element) override;
  void end(std::string_view name) override;
  void text(std::string_view) override {}

  /// What stands before the next point of that list: "- ", "3. ", "2.1 ". Of lists that are not
  /// described "- ".
  std::string next_mark(const std::string& list, int level);

 private:
  struct Counted {
    std::array<ListLevel, kListLevels> levels;
    std::array<int, kListLevels> counts = {};
  };

  std::map<std::string, Counted, std::less<>> abstract_;   // w:abstractNum by its id
  std::map<std::string, std::string, std::less<>> lists_;  // w:num -> w:abstractNum
  std::string abstract_id_;                                // that is being read
  std::string list_id_;
  int level_ = -1;
};

/// "3", "c", "iii" and so on, for formats of w:numFmt.
std::string list_number(int number, std::string_view format);

}  // namespace pleiad::media
