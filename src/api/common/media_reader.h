#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/field_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api {

/// The pictures of one request on their way into AnswerRequest::media: decoded from base64, not
/// looked into. Each is given back as the part of a message that stands for it. Throws RequestError
/// where one is no base64 or no URL, or where there are more than one request may have.
class MediaReader {
 public:
  explicit MediaReader(RequestNotes& notes, std::size_t most_bytes = serving::kMostMediaBytes)
      : notes_(notes), most_bytes_(most_bytes) {}

  /// "data:image/png;base64,...", or "https://..." (fetched later, where that is allowed). `path`
  /// is that of the part, `source` of the text itself.
  Json read_url(const std::string& url, const std::string& path, const std::string& source);
  /// Base64 alone; `media_type` is what the client calls it, or empty.
  Json read_base64(std::string_view text, std::string_view media_type, const std::string& path,
                   const std::string& source);

  /// The one that was read last.
  serving::MediaPart& last() { return parts_.back(); }

  std::vector<serving::MediaPart> take() { return std::move(parts_); }

 private:
  Json add(std::string bytes, std::string_view media_type, const std::string& path,
           const std::string& source);
  Json part(serving::MediaPart part, const std::string& path);

  RequestNotes& notes_;
  const std::size_t most_bytes_;
  std::vector<serving::MediaPart> parts_;
  std::size_t n_bytes_ = 0;
};

/// Whether a text is a URL of the kinds that read_url takes; nothing is said of the rest of it.
bool is_picture_url(std::string_view text);

/// `max_soft_tokens`: one of media::kBudgets, or "auto".
void read_budget(FieldReader& fields, std::optional<int>& budget, bool& automatic);

/// What stands beside a picture for it alone: `max_soft_tokens`, or `mm_processor_kwargs` with it.
void read_part_budget(FieldReader& part, serving::MediaPart& media, RequestNotes& notes);

/// The same for all pictures of a request that have none of their own, as vLLM's clients say it.
void read_request_budget(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes);

}  // namespace pleiad::api
