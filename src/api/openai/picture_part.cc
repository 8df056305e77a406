#include "api/openai/picture_part.h"

#include <optional>
#include <utility>

#include "api/common/request_error.h"
#include "media/budget.h"

namespace pleiad::api::openai {
namespace {

struct PictureFields {
  std::string url;
  std::string url_path;
  std::optional<std::string> detail;
};

PictureFields read_fields(FieldReader& part, RequestNotes& notes) {
  if (part.has("file_id")) {
    throw RequestError(part.path_of("file_id"),
                       "no files are kept here: send the picture itself, as image_url",
                       "unsupported_media");
  }
  for (const std::string_view key : {"cache_control", "prompt_cache_breakpoint"}) {
    (void)part.value(key);  // marks where to cache, which happens anyhow
  }
  const auto detail_of = [](FieldReader& fields) {
    return fields.one_of("detail", {"low", "high", "auto", "original"});
  };
  PictureFields read;
  read.detail = detail_of(part);
  const Json* url = part.value("image_url");
  if (!url) part.refuse("image_url", "a URL, or an object with \"url\"");
  if (url->is_string()) {
    read.url = url->get<std::string>();
    read.url_path = part.path_of("image_url");
    return read;
  }
  if (!url->is_object()) part.refuse("image_url", "a URL, or an object with \"url\"");
  FieldReader image(*url, part.path_of("image_url"));
  read.url = image.required_text("url");
  read.url_path = image.path_of("url");
  if (auto detail = detail_of(image)) read.detail = std::move(detail);
  notes.unknown(image);
  return read;
}

/// "auto" is what OpenAI takes where nothing is said, and what many clients send then: no wish.
void apply_detail(std::string_view detail, serving::MediaPart& media) {
  if (detail == "auto") return;
  media.budget = detail == "low" ? media::kBudgets.front() : media::kBudgets.back();
}

}  // namespace

bool is_picture_part(std::string_view type) { return type == "image_url" || type == "input_image"; }

Json read_picture(FieldReader& part, const std::string& path, MediaReader& media,
                  RequestNotes& notes) {
  const PictureFields fields = read_fields(part, notes);
  Json read = media.read_url(fields.url, path, fields.url_path);
  if (fields.detail) apply_detail(*fields.detail, media.last());
  read_part_budget(part, media.last(), notes);
  notes.unknown(part);
  return read;
}

Json keep_picture(FieldReader& part, RequestNotes& notes) {
  PictureFields fields = read_fields(part, notes);
  Json kept = {{"type", "input_image"}, {"image_url", std::move(fields.url)}};
  if (fields.detail) kept["detail"] = *fields.detail;
  serving::MediaPart budget;
  read_part_budget(part, budget, notes);
  if (budget.budget) kept["max_soft_tokens"] = *budget.budget;
  if (budget.automatic) kept["max_soft_tokens"] = "auto";
  notes.unknown(part);
  return kept;
}

}  // namespace pleiad::api::openai
