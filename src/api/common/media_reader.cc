#include "api/common/media_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "api/common/data_uri.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/text_format.h"
#include "media/budget.h"
#include "media/media_kind.h"
#include "media/picture_format.h"

namespace pleiad::api {
namespace {

constexpr std::string_view kMaxSoftTokens = "max_soft_tokens";
constexpr std::string_view kNumFrames = "num_frames";
constexpr std::string_view kWithSound = "use_audio_in_video";
constexpr std::int64_t kMostFrames = 10'000;
constexpr std::size_t kLongestUrl = 8'192;

bool is_http_url(std::string_view text) {
  const std::string begin = ascii_lower(text.substr(0, 8));
  return begin.starts_with("http://") || begin.starts_with("https://");
}

/// The types that pictures of a format go by.
bool is_called(media::PictureFormat format, std::string_view media_type) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, media_type) != names.end();
  };
  switch (format) {
    case media::PictureFormat::jpeg:
      return is_one_of({"image/jpeg", "image/jpg", "image/pjpeg"});
    case media::PictureFormat::png:
      return is_one_of({"image/png", "image/apng", "image/x-png"});
    case media::PictureFormat::webp:
      return is_one_of({"image/webp"});
    case media::PictureFormat::gif:
      return is_one_of({"image/gif"});
    case media::PictureFormat::bmp:
      return is_one_of({"image/bmp", "image/x-bmp", "image/x-ms-bmp"});
    case media::PictureFormat::tiff:
      return is_one_of({"image/tiff", "image/tiff-fx"});
    case media::PictureFormat::heic:
      return is_one_of({"image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"});
    case media::PictureFormat::avif:
      return is_one_of({"image/avif", "image/avif-sequence"});
  }
  return true;
}

/// Names that say nothing of the content.
bool is_vague(std::string_view media_type) {
  return media_type.empty() || media_type == "image/*" || media_type == "application/octet-stream";
}

/// What else than a picture can be told by its bytes, and may stand where any kind does.
serving::MediaKind kind_of_bytes(std::span<const std::byte> bytes) {
  const auto kind = media::sniff_media(bytes);
  if (kind == media::MediaKind::sound) return serving::MediaKind::sound;
  if (kind == media::MediaKind::video) return serving::MediaKind::video;
  if (kind == media::MediaKind::document) return serving::MediaKind::document;
  return serving::MediaKind::picture;
}

/// "image", as types of parts and of bytes are called.
std::string_view type_word(serving::MediaKind kind) {
  constexpr std::array<std::string_view, 4> kWords = {"image", "audio", "video", "document"};
  return kWords[static_cast<std::size_t>(kind)];
}

/// "image/...", as data: URIs of it begin.
std::string uri_type(serving::MediaKind kind) {
  if (kind == serving::MediaKind::document) return "application/pdf";
  return std::string(type_word(kind)) + "/...";
}

void read_frames(FieldReader& fields, std::optional<int>& frames) {
  if (const auto n = fields.integer(kNumFrames, 1, kMostFrames)) frames = static_cast<int>(*n);
}

}  // namespace

bool is_media_url(std::string_view text) { return is_data_uri(text) || is_http_url(text); }

Json MediaReader::read_url(const std::string& url, const std::string& path,
                           const std::string& source, std::optional<Kind> kind) {
  if (is_http_url(url)) {
    if (url.size() > kLongestUrl) {
      throw RequestError(source, fmt::format("expected a URL of at most {} bytes, found {}",
                                             kLongestUrl, url.size()));
    }
    serving::MediaPart media;
    media.url = url;
    media.kind = kind.value_or(Kind::picture);
    return part(std::move(media), path);
  }
  if (!is_data_uri(url)) {
    throw RequestError(source,
                       fmt::format("expected \"data:{};base64,...\" or an http(s) URL, found {}",
                                   uri_type(kind.value_or(Kind::picture)), describe(Json(url))));
  }
  Result<DataUri> read = read_data_uri(url);
  if (!read) throw RequestError(source, read.message());
  return read_bytes(std::move(read.value().bytes), read.value().media_type, path, source, kind);
}

Json MediaReader::read_base64(std::string_view text, std::string_view media_type,
                              const std::string& path, const std::string& source,
                              std::optional<Kind> kind) {
  Result<std::string> bytes = decode_base64(text);
  if (!bytes) throw RequestError(source, bytes.message());
  return read_bytes(std::move(bytes).value(), ascii_lower(media_type), path, source, kind);
}

Json MediaReader::read_bytes(std::string bytes, std::string_view media_type,
                             const std::string& path, const std::string& source,
                             std::optional<Kind> kind) {
  if (bytes.empty()) {
    throw RequestError(
        source, fmt::format("expected {}, found no bytes", singular(kind.value_or(Kind::picture))));
  }
  n_bytes_ += bytes.size();
  if (n_bytes_ > most_bytes_) {
    throw RequestError(path, fmt::format("the files of one request have {} together at most",
                                         format_bytes(most_bytes_)));
  }
  serving::MediaPart media;
  media.kind = kind ? *kind : kind_of_bytes(std::as_bytes(std::span(bytes)));
  const auto format = media.kind == Kind::picture
                          ? media::sniff_picture(std::as_bytes(std::span(bytes)))
                          : std::nullopt;
  if (format && !is_vague(media_type) && !is_called(*format, media_type)) {
    notes_.told(path, fmt::format("is called {}, and is taken as the {} that it is",
                                  printable(media_type), media::format_name(*format)));
  }
  media.bytes = std::make_shared<const std::string>(std::move(bytes));
  return part(std::move(media), path);
}

Json MediaReader::part(serving::MediaPart media, const std::string& path) {
  if (parts_.size() == serving::kMostMedia) {
    throw RequestError(
        path, fmt::format("one request may have {} pictures, sounds, videos and documents at most",
                          serving::kMostMedia));
  }
  media.field = path;
  Json part = {{"type", type_word(media.kind)}, {"media", parts_.size()}};
  parts_.push_back(std::move(media));
  return part;
}

void read_budget(FieldReader& fields, std::optional<int>& budget, bool& automatic) {
  const Json* value = fields.value(kMaxSoftTokens);
  if (!value) return;
  if (value->is_string() && value->get_ref<const std::string&>() == "auto") {
    budget.reset();
    automatic = true;
    return;
  }
  const auto n = value->is_number_integer() ? value->get<std::int64_t>() : 0;
  if (std::ranges::find(media::kBudgets, n) == media::kBudgets.end()) {
    fields.refuse(kMaxSoftTokens, fmt::format("{} or \"auto\"", fmt::join(media::kBudgets, ", ")));
  }
  budget = static_cast<int>(n);
  automatic = false;
}

void read_part_budget(FieldReader& part, serving::MediaPart& media, RequestNotes& notes) {
  if (auto arguments = part.child("mm_processor_kwargs")) {
    read_budget(*arguments, media.budget, media.automatic);
    notes.unknown(*arguments);
  }
  read_budget(part, media.budget, media.automatic);
}

void read_video_fields(FieldReader& part, serving::MediaPart& media, RequestNotes& notes) {
  const auto read = [&](FieldReader& fields) {
    read_budget(fields, media.budget, media.automatic);
    if (media.automatic) {
      fields.refuse(kMaxSoftTokens, fmt::format("{}", fmt::join(media::kBudgets, ", ")));
    }
    read_frames(fields, media.frames);
    if (const auto hears = fields.flag(kWithSound)) media.with_sound = *hears;
  };
  if (auto arguments = part.child("mm_processor_kwargs")) {
    read(*arguments);
    notes.unknown(*arguments);
  }
  read(part);
}

void read_document_fields(FieldReader& part, serving::MediaPart& media) {
  using PagesAs = media::DocumentOptions::PagesAs;
  media.pages = part.text("pages").value_or("");
  if (const auto as = part.one_of("pages_as", {"auto", "text", "image"})) {
    media.pages_as = *as == "auto"   ? PagesAs::automatic
                     : *as == "text" ? PagesAs::text
                                     : PagesAs::image;
  }
  read_budget(part, media.budget, media.automatic);
}

void read_request_videos(FieldReader& fields, serving::AnswerRequest& request) {
  read_frames(fields, request.media_frames);
  if (const auto hears = fields.flag(kWithSound)) request.videos_with_sound = *hears;
}

void read_request_budget(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes) {
  if (auto arguments = body.child("mm_processor_kwargs")) {
    read_budget(*arguments, request.media_budget, request.media_automatic);
    read_request_videos(*arguments, request);
    notes.unknown(*arguments);
  }
  read_budget(body, request.media_budget, request.media_automatic);
  read_request_videos(body, request);
}

}  // namespace pleiad::api
