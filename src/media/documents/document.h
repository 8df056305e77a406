#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "media/prepare.h"

namespace pleiad::media {

/// A page as a model is shown it.
struct DocumentPage {
  int number = 1;    // from 1, as the document counts them, whichever of them were asked for
  std::string text;  // UTF-8 without control characters but ends of lines and tabs; may be empty
  std::optional<PreparedPicture> picture;  // shown instead of the text, which is empty then
};

/// A document that was read: text, and pictures of pages.
struct Document {
  std::string format;                 // "PDF", "DOCX", "HTML", "Markdown", "CSV", "text"
  bool has_pages = false;             // else all of it is one page, whose number says nothing
  int n_pages = 1;                    // that the document has
  std::vector<DocumentPage> pages;    // those that were asked for, in ascending order
  std::vector<std::string> warnings;  // what was left out or guessed: "page 3 has nothing on it"
};

struct DocumentOptions {
  /// "3-7,9", "12-"; empty: all. Of documents with pages (PDF); others refuse it.
  std::string pages;
  int most_pages = 0;  // of these pages the first so many alone; 0: all
  /// automatic: a page with text as its text, one without as a picture.
  enum class PagesAs : std::uint8_t { automatic, text, image } pages_as = PagesAs::automatic;
  /// Soft tokens that the picture of a page may take: one of kBudgets; empty: of each page the
  /// least that shows it with kPageResolution (documents/pdf/page_picture.h).
  std::optional<int> budget = 1120;
};

}  // namespace pleiad::media
