#include "apps/run/media/media_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "apps/common/terminal.h"
#include "apps/common/usage_error.h"
#include "apps/run/chat_file.h"
#include "apps/run/media/dropped_paths.h"
#include "apps/run/media/media_desk.h"
#include "base/text_format.h"
#include "media/documents/document_kind.h"
#include "media/documents/page_ranges.h"
#include "media/media_kind.h"
#include "media/picture_format.h"

namespace pleiad::apps {
namespace {

using ShownKind = ShownMedia::Kind;

constexpr const char* kPictureKinds = "JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC or AVIF";
constexpr const char* kSoundKinds = "WAV, FLAC, MP3, M4A, AAC, OGG, Opus or WebM, or a video";
constexpr const char* kVideoKinds = "MP4, MOV, MKV, WebM, AVI or another container of video";

std::span<const std::byte> content_of(const AttachedMedia& media) {
  return std::as_bytes(std::span(*media.bytes));
}

/// By its first bytes; whoever decodes it says what else is wrong.
bool is_of_kind(const AttachedMedia& media) {
  const auto bytes = content_of(media);
  if (media.kind == ShownKind::picture) return media::sniff_picture(bytes).has_value();
  const auto kind = media::sniff_media(bytes);
  return kind == media::MediaKind::video ||
         (kind == media::MediaKind::sound && media.kind == ShownKind::sound);
}

const char* kinds_of(ShownKind kind) {
  if (kind == ShownKind::picture) return kPictureKinds;
  return kind == ShownKind::sound ? kSoundKinds : kVideoKinds;
}

/// What else it is, and the flag that takes it; empty where it is none of these.
std::string other_kind(const AttachedMedia& document) {
  const auto told = [](ShownKind kind) {
    return fmt::format("is {}, which {} takes", singular(kind), media_flag(kind));
  };
  const auto kind = media::sniff_media(content_of(document));
  if (kind == media::MediaKind::picture) return told(ShownKind::picture);
  if (kind == media::MediaKind::sound) return told(ShownKind::sound);
  return kind == media::MediaKind::video ? told(ShownKind::video) : "";
}

/// `path`: as it was typed.
void check_document(const AttachedMedia& document, const std::string& path) {
  const std::string name = path == "-" ? "the standard input" : printable(path, std::string::npos);
  if (document.bytes->empty()) throw Error("--file: {} is empty", name);
  const auto bytes = content_of(document);
  const auto kind = media::sniff_document(bytes, document.name);
  if (!kind) {
    const std::string other = other_kind(document);
    throw Error("--file: {} {}", name, other.empty() ? media::not_a_document(bytes) : other);
  }
  if (*kind == media::DocumentKind::pdf) return;
  if (!document.pages.pages.empty()) {
    throw UsageError("--pages: {} is no PDF, so that it has no pages to choose from", name);
  }
  if (document.pages.as == PageWishes::PagesAs::image) {
    throw UsageError("--pages-as: {} is no PDF, so that it has no pages to be shown as pictures",
                     name);
  }
}

AttachedMedia open_one(const MediaFlag& flag, const std::filesystem::path& home) {
  try {
    return flag.path == "-" ? MediaDesk::open_input(flag.kind)
                            : MediaDesk::open(typed_path(flag.path, home), flag.kind);
  } catch (const Error& error) {
    throw Error("{}: {}", media_flag(flag.kind), error.what());
  }
}

}  // namespace

std::string_view media_flag(ShownKind kind) {
  constexpr std::array<std::string_view, 4> kFlags = {"--image", "--audio", "--video", "--file"};
  return kFlags[static_cast<std::size_t>(kind)];
}

void MediaFlags::add(ShownKind kind, const std::string& path) {
  media_.push_back({kind, path});
  given_.emplace_back();
}

MediaFlags::Given& MediaFlags::last() {
  for (std::size_t i = media_.size(); i > 0; --i) {
    if (media_[i - 1].kind == ShownKind::document) return given_[i - 1];
  }
  return early_;
}

Result<bool> MediaFlags::set_pages(const std::string& pages) {
  if (pages.find_first_not_of(' ') == std::string::npos) {
    return Failure{"expected pages such as 3-7,9 or 12-, found nothing"};
  }
  const auto ranges = media::parse_page_ranges(pages);
  if (!ranges) return Failure{ranges.message()};
  if (last().pages) return Failure{"was given before for the same file"};
  last().pages = pages;
  return true;
}

Result<bool> MediaFlags::set_pages_as(const std::string& word) {
  const auto as = read_pages_as(word);
  if (!as) return Failure{as.message()};
  if (last().as) return Failure{"was given before for the same file"};
  last().as = as.value();
  return true;
}

std::vector<MediaFlag> MediaFlags::all() const {
  std::vector<MediaFlag> media = media_;
  for (std::size_t i = 0; i < media.size(); ++i) {
    media[i].pages = {given_[i].pages.value_or(""),
                      given_[i].as.value_or(PageWishes::PagesAs::automatic)};
  }
  if (!early_.pages && !early_.as) return media;
  const std::string_view flag = early_.pages ? "--pages" : "--pages-as";
  const auto is_document = [](const MediaFlag& one) { return one.kind == ShownKind::document; };
  const auto n = std::ranges::count_if(media, is_document);
  if (n == 0) throw UsageError("{}: expected --file FILE beside it, found none", flag);
  if (n > 1) {
    throw UsageError("{}: expected behind the --file that it is of, found before all", flag);
  }
  const auto only = std::ranges::find_if(media, is_document);
  const Given& given = given_[static_cast<std::size_t>(only - media.begin())];
  const auto check_once = [](const char* name, bool early, bool late) {
    if (early && late) throw UsageError("{}: was given twice for the same file", name);
  };
  check_once("--pages", early_.pages.has_value(), given.pages.has_value());
  check_once("--pages-as", early_.as.has_value(), given.as.has_value());
  if (early_.pages) only->pages.pages = *early_.pages;
  if (early_.as) only->pages.as = *early_.as;
  return media;
}

void check_media(const std::vector<MediaFlag>& media, bool has_prompt) {
  if (media.size() > kMostMedia) {
    throw UsageError("{}: {} pictures, sounds, videos and documents; a conversation has at most {}",
                     media_flag(media.back().kind), media.size(), kMostMedia);
  }
  const auto is_input = [](const MediaFlag& flag) { return flag.path == "-"; };
  const auto from_input = std::ranges::count_if(media, is_input);
  if (from_input == 0) return;
  const ShownKind kind = std::ranges::find_if(media, is_input)->kind;
  const std::string_view flag = media_flag(kind);
  if (from_input > 1) {
    throw UsageError("{} -: the standard input can be one file alone", flag);
  }
  if (!has_prompt) {
    throw UsageError(
        "{} -: it comes from the standard input; expected PROMPT among the arguments, found none",
        flag);
  }
  if (is_terminal(stdin)) {
    throw UsageError("{} -: expected {} on the standard input, found a terminal", flag,
                     singular(kind));
  }
}

void check_prompt_words(const std::vector<std::string>& words, const std::vector<MediaFlag>& media,
                        const std::filesystem::path& home) {
  if (media.empty()) return;
  for (const std::string& word : words) {
    const std::filesystem::path path = typed_path(word, home).lexically_normal();
    const auto kind = kind_of_file(path);
    const auto is_it = [&](const MediaFlag& flag) {
      return typed_path(flag.path, home).lexically_normal() == path;
    };
    if (!kind || std::ranges::any_of(media, is_it)) continue;
    const std::string name = printable(word, std::string::npos);
    throw UsageError(
        "{} is {}, and would be a word of the prompt: each file needs its flag before it ({} {})",
        name, singular(*kind), media_flag(*kind), name);
  }
}

std::vector<AttachedMedia> open_media(const std::vector<MediaFlag>& media,
                                      const std::filesystem::path& home) {
  std::vector<AttachedMedia> opened;
  for (const MediaFlag& flag : media) {
    opened.push_back(open_one(flag, home));
    if (flag.kind == ShownKind::document) {
      opened.back().pages = flag.pages;
      check_document(opened.back(), flag.path);
    } else if (!is_of_kind(opened.back())) {
      throw Error("{}: {}: not {}; expected {}", media_flag(flag.kind),
                  printable(flag.path, std::string::npos), singular(flag.kind),
                  kinds_of(flag.kind));
    }
  }
  return opened;
}

}  // namespace pleiad::apps
