#include "api/openai/document_part.h"

#include <optional>
#include <utility>

#include "api/common/request_error.h"

namespace pleiad::api::openai {
namespace {

constexpr std::string_view kFileData = "file_data";
constexpr std::string_view kFileUrl = "file_url";

struct DocumentSource {
  std::string text;  // base64, a data: URI or a URL
  std::string path;  // of the text
  std::string name;  // of the file
  bool is_url = false;
};

DocumentSource read_holder(FieldReader& holder) {
  if (holder.has("file_id")) {
    throw RequestError(holder.path_of("file_id"),
                       "no files are kept here: send the document itself, as file_data",
                       "unsupported_media");
  }
  DocumentSource source;
  source.name = holder.text("filename").value_or("");
  source.is_url = holder.has(kFileUrl);
  if (source.is_url && holder.has(kFileData)) {
    throw RequestError(holder.path_of(kFileUrl), "expected this or file_data, found both");
  }
  const std::string_view key = source.is_url ? kFileUrl : kFileData;
  source.text = holder.required_text(key);
  source.path = holder.path_of(key);
  return source;
}

DocumentSource read_source_of_document(FieldReader& part, std::string_view type,
                                       RequestNotes& notes) {
  for (const std::string_view key : {"cache_control", "prompt_cache_breakpoint"}) {
    (void)part.value(key);  // marks where to cache, which happens anyhow
  }
  if (type == "input_file") return read_holder(part);
  auto holder = part.child("file");
  if (!holder) part.refuse("file", "an object with \"file_data\"");
  DocumentSource source = read_holder(*holder);
  notes.unknown(*holder);
  return source;
}

}  // namespace

bool is_document_part(std::string_view type) { return type == "file" || type == "input_file"; }

Json read_document(FieldReader& part, std::string_view type, const std::string& path,
                   MediaReader& media, RequestNotes& notes) {
  DocumentSource source = read_source_of_document(part, type, notes);
  constexpr auto kKind = serving::MediaKind::document;
  // Some clients send base64 alone, without "data:".
  Json read = source.is_url || is_media_url(source.text)
                  ? media.read_url(source.text, path, source.path, kKind)
                  : media.read_base64(source.text, "", path, source.path, kKind);
  media.last().name = std::move(source.name);
  read_document_fields(part, media.last());
  notes.unknown(part);
  return read;
}

Json keep_document(FieldReader& part, std::string_view type, RequestNotes& notes) {
  DocumentSource source = read_source_of_document(part, type, notes);
  Json kept = {{"type", "input_file"}};
  if (!source.name.empty()) kept["filename"] = std::move(source.name);
  kept[std::string(source.is_url ? kFileUrl : kFileData)] = std::move(source.text);
  serving::MediaPart wishes;
  read_document_fields(part, wishes);
  for (const char* key : {"pages", "pages_as", "max_soft_tokens"}) {
    if (const Json* value = part.value(key)) kept[key] = *value;
  }
  notes.unknown(part);
  return kept;
}

}  // namespace pleiad::api::openai
