#pragma once

#include <string>
#include <string_view>

#include "api/common/field_reader.h"
#include "api/common/media_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::openai {

/// "input_audio", and as vLLM's clients say it, "audio_url" and "video_url".
bool is_stream_part(std::string_view type);

/// Reads {"type": "input_audio", "input_audio": {"data": base64, "format"}}, {"type": "audio_url",
/// "audio_url": {"url"}} or {"type": "video_url", "video_url": {"url"}}. What a sound is shows its
/// content, whatever `format` says. `path` is the part's.
Json read_stream(FieldReader& part, std::string_view type, const std::string& path,
                 MediaReader& media, RequestNotes& notes);

/// The same, not decoded yet: as an item of a conversation that is kept, and that read_stream
/// takes.
Json keep_stream(FieldReader& part, std::string_view type, RequestNotes& notes);

}  // namespace pleiad::api::openai
