#include "media/documents/markup/docx_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text_format.h"
#include "media/documents/markup/docx_value.h"

namespace pleiad::media {
namespace {

/// What stands in these is not read: the form for old programs beside one that is read, text that
/// was deleted or moved away, properties as they were before.
constexpr std::string_view kLeftOut[] = {"Fallback",  "del",         "moveFrom", "pPrChange",
                                         "rPrChange", "tblPrChange", "sectPr",   "instrText",
                                         "delText",   "trPr",        "tblPr",    "tcPr"};

bool is_separator(const XmlElement& note) {
  const std::string_view type = note.attribute("type");
  return !type.empty() && type != "normal";
}

}  // namespace

void DocxBody::begin(const XmlElement& element) {
  const std::string_view name = element.name;
  const bool is_left_out = std::ranges::find(kLeftOut, name) != std::end(kLeftOut);
  if (n_unread_ > 0 || is_left_out) {
    ++n_unread_;
    return;
  }
  if (name == "p") {
    begin_paragraph();
  } else if (name == "pPr") {
    in_properties_ = true;
  } else if (in_properties_) {
    if (name == "pStyle") style_ = element.attribute("val");
    read_paragraph_property(element, paragraph_);
  } else if (name == "r") {
    is_hidden_ = false;
  } else if (name == "vanish") {
    is_hidden_ = docx_is_on(element);
  } else if (name == "t") {
    ++n_text_elements_;
  } else if (name == "tab" || name == "ptab") {
    add("\t");
  } else if (name == "br" || name == "cr") {
    add("\n");
  } else if (name == "noBreakHyphen") {
    add("-");
  } else if (name == "tbl") {
    if (n_tables_++ == 0) {
      layout_.end_points();
      layout_.break_block();
    }
  } else if (name == "tr") {
    layout_.begin_row();
  } else if (name == "tc") {
    layout_.begin_cell();
  } else if (name == "docPr" && !element.attribute("descr").empty()) {
    add(fmt::format("[image: {}]", element.attribute("descr")));
  } else if (name == "blip" || name == "imagedata") {
    ++n_pictures_;
  } else if (name == "footnoteReference") {
    refer(references_.footnotes, element.attribute("id"));
  } else if (name == "endnoteReference") {
    refer(references_.endnotes, element.attribute("id"));
  } else if ((name == "footnote" || name == "endnote") && !is_separator(element)) {
    note_id_ = element.attribute("id");
  }
}

void DocxBody::end(std::string_view name) {
  if (n_unread_ > 0) {
    --n_unread_;
    return;
  }
  if (name == "p") {
    end_paragraph();
  } else if (name == "pPr") {
    in_properties_ = false;
  } else if (name == "t") {
    n_text_elements_ -= n_text_elements_ > 0;
  } else if (name == "tc") {
    layout_.end_cell();
  } else if (name == "tr") {
    layout_.end_row();
  } else if (name == "tbl") {
    if (n_tables_ > 0 && --n_tables_ == 0) {
      layout_.break_block();
      put_notes();
    }
  } else if (name == "footnote" || name == "endnote") {
    std::string note = layout_.take();
    while (note.ends_with('\n')) note.pop_back();
    note.erase(0, std::min(note.find_first_not_of(' '), note.size()));
    if (!note_id_.empty()) notes_[std::exchange(note_id_, {})] = std::move(note);
    layout_ = TextLayout();
  }
}

void DocxBody::text(std::string_view text) {
  if (n_unread_ == 0 && n_text_elements_ > 0) add(text);
}

void DocxBody::begin_paragraph() {
  paragraph_ = {};
  style_.clear();
  has_begun_ = false;
  in_properties_ = false;
  is_hidden_ = false;
}

void DocxBody::begin_text_of_paragraph() {
  if (has_begun_) return;
  has_begun_ = true;
  const DocxParagraph whole = references_.styles.resolve(paragraph_, style_);
  const bool is_point = !whole.list.empty() && whole.list != "0";
  const std::string mark = is_point ? references_.numbering.next_mark(whole.list, whole.level) : "";
  if (whole.heading > 0) {
    layout_.end_points();
    layout_.break_block();
    const int depth = std::min(whole.heading, 6);
    layout_.mark_line(std::string(static_cast<std::size_t>(depth), '#') + " " +
                      (mark == "- " ? "" : mark));
  } else if (is_point) {
    layout_.begin_point_at(static_cast<std::size_t>(whole.level + whole.depth), mark);
  } else {
    layout_.end_points();
    layout_.break_block();
  }
}

void DocxBody::add(std::string_view text) {
  if (is_hidden_ || in_properties_ || text.empty()) return;
  begin_text_of_paragraph();
  layout_.add_verbatim(text);
}

void DocxBody::end_paragraph() {
  if (has_begun_) {
    // A list's points stand line by line, other paragraphs a line apart.
    const DocxParagraph whole = references_.styles.resolve(paragraph_, style_);
    const bool is_point = whole.heading == 0 && !whole.list.empty() && whole.list != "0";
    if (is_point) {
      layout_.break_line();
    } else {
      layout_.break_block();
    }
  }
  has_begun_ = false;
  if (n_tables_ == 0) put_notes();
}

void DocxBody::refer(const DocxNotes& notes, std::string_view id) {
  if (is_hidden_) return;
  ++n_notes_;
  add(fmt::format("[^{}]", n_notes_));
  const auto note = notes.find(id);
  pending_notes_.push_back(
      fmt::format("[^{}]: {}", n_notes_, note == notes.end() ? "(missing)" : note->second));
}

void DocxBody::put_notes() {
  for (const std::string& note : pending_notes_) {
    layout_.end_points();
    layout_.break_block();
    layout_.add_verbatim(note);
  }
  if (!pending_notes_.empty()) layout_.break_block();
  pending_notes_.clear();
}

std::string DocxBody::take() {
  put_notes();
  return layout_.take();
}

}  // namespace pleiad::media
