#include "api/common/media.h"

#include <fmt/format.h>

#include "api/common/field_reader.h"
#include "api/common/request_error.h"

namespace pleiad::api {

std::string_view media_kind(std::string_view type) {
  if (type.find("image") != type.npos) return "images";
  if (type.find("audio") != type.npos) return "audio";
  if (type.find("video") != type.npos) return "video";
  if (type.find("file") != type.npos || type == "document") return "files";
  return {};
}

void refuse_media(std::string_view path, std::string_view kind) {
  const std::string_view name = kind == "images"  ? "pictures"
                                : kind == "audio" ? "sounds"
                                : kind == "video" ? "videos"
                                                  : "documents";
  throw RequestError(std::string(path),
                     fmt::format("{} cannot stand here: give them in messages of the user's or in "
                                 "results of tools",
                                 name),
                     "unsupported_media");
}

void check_content(const Json& message, const std::string& message_path) {
  FieldReader fields(message, message_path);
  const Json* content = fields.value("content");
  if (!content || content->is_string()) return;
  if (!content->is_array()) fields.refuse("content", "a string or a list of parts");
  for (std::size_t i = 0; i < content->size(); ++i) {
    const std::string path = element_path(fields.path_of("content"), i);
    FieldReader part((*content)[i], path);
    const std::string type = part.required_text("type");
    if (const std::string_view kind = media_kind(type); !kind.empty()) refuse_media(path, kind);
    if (type != "text") part.refuse("type", "\"text\"");
    (void)part.required_text("text");
  }
}

}  // namespace pleiad::api
