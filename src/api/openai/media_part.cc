#include "api/openai/media_part.h"

#include "api/common/request_json.h"
#include "api/openai/document_part.h"
#include "api/openai/picture_part.h"
#include "api/openai/stream_part.h"

namespace pleiad::api::openai {
namespace {

std::size_t text_bytes(const Json* value) {
  return value && value->is_string() ? value->get_ref<const std::string&>().size() : 0;
}

}  // namespace

bool is_media_part(std::string_view type) {
  return is_picture_part(type) || is_stream_part(type) || is_document_part(type);
}

Json read_media_part(FieldReader& part, const std::string& path, MediaReader& media,
                     RequestNotes& notes) {
  const std::string type = part.required_text("type");
  if (is_document_part(type)) return read_document(part, type, path, media, notes);
  return is_picture_part(type) ? read_picture(part, path, media, notes)
                               : read_stream(part, type, path, media, notes);
}

Json keep_media_part(FieldReader& part, RequestNotes& notes) {
  const std::string type = part.required_text("type");
  if (is_document_part(type)) return keep_document(part, type, notes);
  return is_picture_part(type) ? keep_picture(part, notes) : keep_stream(part, type, notes);
}

std::size_t media_bytes(const Json& item) {
  std::size_t n = 0;
  for (const char* key : {"content", "output"}) {
    const Json* parts = find_member(item, key);
    if (!parts || !parts->is_array()) continue;
    for (const Json& part : *parts) {
      for (const char* key_of_text :
           {"image_url", "audio_url", "video_url", "file_data", "file_url"}) {
        n += text_bytes(find_member(part, key_of_text));
      }
      const Json* audio = find_member(part, "input_audio");
      if (audio) n += text_bytes(find_member(*audio, "data"));
    }
  }
  return n;
}

}  // namespace pleiad::api::openai
