#include "api/anthropic/media_blocks.h"

#include <fmt/format.h>

#include "api/common/request_error.h"
#include "api/common/request_json.h"

namespace pleiad::api::anthropic {
namespace {

/// {"type": "base64", "media_type", "data"} or {"type": "url", "url"}.
Json read_media_source(FieldReader& block, const std::string& path, serving::MediaKind kind,
                       MediaReader& media, RequestNotes& notes) {
  auto source = block.child("source");
  if (!source) block.refuse("source", "an object");
  const std::string type = source->required_text("type");
  Json part;
  if (type == "base64") {
    const std::string media_type = source->text("media_type").value_or("");
    part = media.read_base64(source->required_text("data"), media_type, path,
                             source->path_of("data"), kind);
  } else if (type == "url") {
    part = media.read_url(source->required_text("url"), path, source->path_of("url"), kind);
  } else if (type == "file") {
    throw RequestError(source->path_of("type"),
                       fmt::format("no files are kept here: send the {} itself, as \"base64\"",
                                   singular(kind).substr(2)),
                       "unsupported_media");
  } else {
    source->refuse("type", "\"base64\" or \"url\"");
  }
  notes.unknown(*source);
  return part;
}

}  // namespace

Json read_image(FieldReader& block, const std::string& path, MediaReader& media,
                RequestNotes& notes) {
  Json part = read_media_source(block, path, serving::MediaKind::picture, media, notes);
  read_part_budget(block, media.last(), notes);
  notes.unknown(block);
  return part;
}

bool is_file(FieldReader& document) {
  const Json* source = document.value("source");
  const Json* type = source ? find_member(*source, "type") : nullptr;
  return type && (*type == "base64" || *type == "url" || *type == "file");
}

Json read_document_file(FieldReader& block, const std::string& path, MediaReader& media,
                        RequestNotes& notes) {
  Json part = read_media_source(block, path, serving::MediaKind::document, media, notes);
  media.last().name = block.text("title").value_or("");
  read_document_fields(block, media.last());
  return part;
}

}  // namespace pleiad::api::anthropic
