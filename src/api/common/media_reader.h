#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/field_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api {

/// The media of one request on their way into AnswerRequest::media: decoded from base64, not looked
/// into beyond their first bytes. Each is given back as the part of a message that stands for it.
/// Throws RequestError where one is no base64 or no URL, or where there are more than one request
/// may have.
class MediaReader {
 public:
  using Kind = serving::MediaKind;

  explicit MediaReader(RequestNotes& notes, std::size_t most_bytes = serving::kMostMediaBytes)
      : notes_(notes), most_bytes_(most_bytes) {}

  /// "data:image/png;base64,...", or "https://..." (fetched later, where that is allowed). `path`
  /// is that of the part, `source` of the text itself. `kind` empty: what its bytes are, a picture
  /// where that cannot be told.
  Json read_url(const std::string& url, const std::string& path, const std::string& source,
                std::optional<Kind> kind = Kind::picture);
  /// Base64 alone; `media_type` is what the client calls it, or empty.
  Json read_base64(std::string_view text, std::string_view media_type, const std::string& path,
                   const std::string& source, std::optional<Kind> kind = Kind::picture);
  /// Bytes as they are.
  Json read_bytes(std::string bytes, std::string_view media_type, const std::string& path,
                  const std::string& source, std::optional<Kind> kind);

  /// The one that was read last.
  serving::MediaPart& last() { return parts_.back(); }

  std::vector<serving::MediaPart> take() { return std::move(parts_); }

 private:
  Json part(serving::MediaPart part, const std::string& path);

  RequestNotes& notes_;
  const std::size_t most_bytes_;
  std::vector<serving::MediaPart> parts_;
  std::size_t n_bytes_ = 0;
};

/// Whether a text is a URL of the kinds that read_url takes; nothing is said of the rest of it.
bool is_media_url(std::string_view text);

/// `max_soft_tokens`: one of media::kBudgets, or "auto".
void read_budget(FieldReader& fields, std::optional<int>& budget, bool& automatic);

/// What stands beside a picture for it alone: `max_soft_tokens`, or `mm_processor_kwargs` with it.
void read_part_budget(FieldReader& part, serving::MediaPart& media, RequestNotes& notes);

/// What stands beside a video for it alone: `num_frames`, `max_soft_tokens` of each frame, and
/// `use_audio_in_video` (its sound is heard too), or `mm_processor_kwargs` with them.
void read_video_fields(FieldReader& part, serving::MediaPart& media, RequestNotes& notes);

/// What stands beside a document for it alone: `pages` ("3-7,9"), `pages_as` ("auto", "text",
/// "image") and `max_soft_tokens` of each page that is shown as a picture.
void read_document_fields(FieldReader& part, serving::MediaPart& media);

/// The same for all pictures and videos of a request that have none of their own, as vLLM's clients
/// say it; a budget is that of pictures alone.
void read_request_budget(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes);

/// `num_frames` and `use_audio_in_video` of all videos of a request.
void read_request_videos(FieldReader& fields, serving::AnswerRequest& request);

}  // namespace pleiad::api
