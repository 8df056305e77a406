#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/run/media/attached_media.h"
#include "base/json.h"

namespace pleiad::apps {

// Media in a conversation's file. They are written whole, as APIs take them: the file means the
// same when the files are moved, changed or gone, and on another machine.

/// The messages with media in place of their numbers:
/// {"type": "image_url", "image_url": {"url": "data:image/png;base64,..."}, "name": "note.png"},
/// {"type": "audio_url", "audio_url": {"url": ...}} and {"type": "video_url", ...} likewise,
/// {"type": "file", "file": {"file_data": "data:application/pdf;base64,...", "filename": "a.pdf"},
/// "pages": "3-7", "pages_as": "image"}.
Json with_media(const Json& messages, const std::vector<AttachedMedia>& media);

/// The messages with numbers in place of media, which are added to `media`. They may stand as
/// above, as {"type": "input_audio", "input_audio": {"data": base64}}, as {"type": "input_file",
/// "file_data": ..., "filename": ...}, as {"type": "image", "image": PATH or data:...} ("audio",
/// "video" and "document" likewise) with paths relative to `folder` (documents: below it), or in a
/// message's "documents" ({"data": base64, "name": "a.pdf", "pages": "3-7"}) and as base64 in its
/// "images" (the page's exports, Ollama's requests: what each is shows its content), which then
/// come before its text. Other parts stay as they are. Throws Error that names the field.
Json take_media(const Json& messages, std::vector<AttachedMedia>& media,
                const std::filesystem::path& folder);

/// "image/jpeg" and so on, by the first bytes.
std::string media_type(const AttachedMedia& media);

}  // namespace pleiad::apps
