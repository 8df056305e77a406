#include "api/openai/stream_part.h"

#include <utility>

#include "api/common/request_error.h"

namespace pleiad::api::openai {
namespace {

/// Where the bytes are: base64 in "data", or a URL.
struct StreamSource {
  std::string text;
  std::string path;  // of the text
  std::string format;
  bool is_url = false;
};

serving::MediaKind kind_of_type(std::string_view type) {
  return type == "video_url" ? serving::MediaKind::video : serving::MediaKind::sound;
}

StreamSource read_source(FieldReader& part, std::string_view type, RequestNotes& notes) {
  if (part.has("file_id")) {
    throw RequestError(part.path_of("file_id"),
                       "no files are kept here: send the file itself, in base64",
                       "unsupported_media");
  }
  for (const std::string_view key : {"cache_control", "prompt_cache_breakpoint"}) {
    (void)part.value(key);  // marks where to cache, which happens anyhow
  }
  StreamSource source;
  if (type == "input_audio") {
    auto audio = part.child(type);
    if (!audio) part.refuse(type, "an object with \"data\" and \"format\"");
    source.text = audio->required_text("data");
    source.path = audio->path_of("data");
    source.format = audio->text("format").value_or("");
    notes.unknown(*audio);
    return source;
  }
  source.is_url = true;
  const Json* url = part.value(type);
  if (url && url->is_string()) {
    source.text = url->get<std::string>();
    source.path = part.path_of(type);
    return source;
  }
  if (!url || !url->is_object()) part.refuse(type, "a URL, or an object with \"url\"");
  FieldReader holder(*url, part.path_of(type));
  source.text = holder.required_text("url");
  source.path = holder.path_of("url");
  notes.unknown(holder);
  return source;
}

}  // namespace

bool is_stream_part(std::string_view type) {
  return type == "input_audio" || type == "audio_url" || type == "video_url";
}

Json read_stream(FieldReader& part, std::string_view type, const std::string& path,
                 MediaReader& media, RequestNotes& notes) {
  const StreamSource source = read_source(part, type, notes);
  const serving::MediaKind kind = kind_of_type(type);
  // "data" may be a data: URI as well: some clients send what they have.
  Json read = source.is_url || is_media_url(source.text)
                  ? media.read_url(source.text, path, source.path, kind)
                  : media.read_base64(source.text, "", path, source.path, kind);
  if (kind == serving::MediaKind::video) read_video_fields(part, media.last(), notes);
  notes.unknown(part);
  return read;
}

Json keep_stream(FieldReader& part, std::string_view type, RequestNotes& notes) {
  StreamSource source = read_source(part, type, notes);
  Json kept = {{"type", type}};
  if (type == "input_audio") {
    Json& audio = kept["input_audio"];
    audio["data"] = std::move(source.text);
    if (!source.format.empty()) audio["format"] = source.format;
  } else {
    kept[std::string(type)] = std::move(source.text);
  }
  if (kind_of_type(type) == serving::MediaKind::video) {
    serving::MediaPart wishes;
    read_video_fields(part, wishes, notes);
    if (wishes.budget) kept["max_soft_tokens"] = *wishes.budget;
    if (wishes.frames) kept["num_frames"] = *wishes.frames;
    if (wishes.with_sound) kept["use_audio_in_video"] = *wishes.with_sound;
  }
  notes.unknown(part);
  return kept;
}

}  // namespace pleiad::api::openai
