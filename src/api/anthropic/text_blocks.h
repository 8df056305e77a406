#pragma once

#include <string>
#include <string_view>

#include "api/anthropic/citations/cited_sources.h"
#include "api/common/field_reader.h"
#include "api/common/media_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::anthropic {

/// The "type" of a block.
std::string block_type(FieldReader& block);

/// Refuses a block of another type than `expected`: media as what they are.
[[noreturn]] void refuse_block(FieldReader& block, const std::string& path, const std::string& type,
                               std::string_view expected);

/// What a text block says.
std::string read_text_block(FieldReader& block, RequestNotes& notes);

/// Texts of blocks that stand beside each other, and pictures and documents between them, as the
/// content of one message. The models' template puts parts together without anything between them,
/// so a document is kept apart from its neighbours here.
class TextParts {
 public:
  /// `media`, `sources`: null where there can be none. What is cited is told to `sources`.
  TextParts(MediaReader* media, CitedSources* sources, RequestNotes& notes)
      : media_(media), sources_(sources), notes_(notes) {}

  /// A text, a document, a search result or a picture; false where it is of another type.
  bool add(FieldReader& block, const std::string& path, const std::string& type);

  bool empty() const { return parts_.empty(); }
  /// One text, or parts.
  Json take();

 private:
  void add_file(FieldReader& block, const std::string& path);
  void add_apart(std::string text);
  bool ends_in_text() const { return !parts_.empty() && parts_.back()["type"] == "text"; }

  MediaReader* media_;
  CitedSources* sources_;
  RequestNotes& notes_;
  Json parts_ = Json::array();
  bool ends_apart_ = false;
};

/// A string, or a list of text blocks, as content; null where there is none.
Json read_texts(FieldReader& holder, std::string_view key, RequestNotes& notes);
/// The same with all blocks that TextParts takes.
Json read_blocks(FieldReader& holder, std::string_view key, MediaReader& media,
                 CitedSources& sources, RequestNotes& notes);

}  // namespace pleiad::api::anthropic
