#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "media/documents/markup/docx_numbering.h"
#include "media/documents/markup/docx_styles.h"
#include "media/documents/markup/text_layout.h"
#include "media/documents/markup/xml_events.h"

namespace pleiad::media {

/// The notes of word/footnotes.xml or endnotes.xml, by their ids.
using DocxNotes = std::map<std::string, std::string, std::less<>>;

/// What a body refers to.
struct DocxReferences {
  const DocxStyles& styles;
  DocxNumbering& numbering;
  const DocxNotes& footnotes;
  const DocxNotes& endnotes;
};

/// Follows word/document.xml, or a part of notes, and makes text of it: headings, lists, tables,
/// and notes behind the paragraph that refers to them. What was deleted or moved away while changes
/// were tracked, what is hidden, and the second form of what stands there in two, is left out.
class DocxBody : public XmlEvents {
 public:
  explicit DocxBody(const DocxReferences& references) : references_(references) {}

  void begin(const XmlElement& element) override;
  void end(std::string_view name) override;
  void text(std::string_view text) override;

  std::string take();
  /// Of a part of notes: those between others, by their ids.
  DocxNotes take_notes() { return std::move(notes_); }
  std::int64_t n_pictures() const { return n_pictures_; }

 private:
  void begin_paragraph();
  void begin_text_of_paragraph();
  void end_paragraph();
  void add(std::string_view text);
  void refer(const DocxNotes& notes, std::string_view id);
  void put_notes();

  const DocxReferences references_;
  TextLayout layout_;
  std::vector<std::string> pending_notes_;
  std::size_t n_notes_ = 0;
  DocxNotes notes_;
  std::string note_id_;
  int n_unread_ = 0;  // elements that are open within what is left out, with that
  int n_tables_ = 0;
  int n_text_elements_ = 0;
  bool in_properties_ = false;  // of a paragraph
  bool is_hidden_ = false;      // the run
  bool has_begun_ = false;      // the paragraph has text
  DocxParagraph paragraph_;
  std::string style_;
  std::int64_t n_pictures_ = 0;
};

}  // namespace pleiad::media
