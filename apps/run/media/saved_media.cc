#include "apps/run/media/saved_media.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "apps/run/media/media_desk.h"
#include "apps/run/media/saved_data.h"
#include "apps/run/media/saved_documents.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/text_format.h"
#include "media/media_kind.h"
#include "media/picture_format.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

namespace {

using ShownKind = ShownMedia::Kind;

constexpr std::array kKindsOfParts = {ShownKind::picture, ShownKind::sound, ShownKind::video,
                                      ShownKind::document};

/// Nothing outside of the folder: any text is a document, so that a stranger's conversation could
/// name one that is not his.
bool is_below_folder(const std::string& path) {
  const fs::path plain = fs::path(path).lexically_normal();
  return !plain.is_absolute() && *plain.begin() != "..";
}

/// {"type": "image", "image": PATH or data:...}
AttachedMedia from_path(const Json& part, ShownKind kind, const fs::path& folder,
                        const std::string& where) {
  const std::string type(part_type(kind));
  const std::string path = member_text(part, type.c_str());
  const std::string field = fmt::format("{}.{}", where, type);
  if (path.empty()) {
    throw Error("{}: expected a path, or {} itself as data:...", field, singular(kind));
  }
  const std::string name = member_text(part, "name");
  if (path.starts_with(kDataScheme) && kind == ShownKind::document) {
    return from_document_keys(part, {"document", "name"}, where, part, where);
  }
  if (path.starts_with(kDataScheme)) return from_address(path, kind, name, field);
  if (kind == ShownKind::document && !is_below_folder(path)) {
    throw Error("{}: expected a path below the folder of this file, found '{}'", field,
                printable(path));
  }
  const PageWishes pages = kind == ShownKind::document ? page_wishes(part, where) : PageWishes();
  try {
    AttachedMedia media = MediaDesk::open(folder / path, kind);
    media.pages = pages;
    return media;
  } catch (const Error& error) {
    throw Error("{}: {}", field, error.what());
  }
}

/// {"type": "image_url", "image_url": {"url": "data:..."}}
AttachedMedia from_url(const Json& part, ShownKind kind, const std::string& type,
                       const std::string& where) {
  const Json* url = find_member(part, type);
  const std::string field =
      fmt::format("{}.{}{}", where, type, url && url->is_object() ? ".url" : "");
  const std::string address = !url               ? ""
                              : url->is_string() ? url->get<std::string>()
                              : url->is_object() ? member_text(*url, "url")
                                                 : "";
  if (!address.starts_with(kDataScheme)) {
    throw Error("{}: expected data:...;base64,...; what lies elsewhere is not fetched", field);
  }
  return from_address(address, kind, member_text(part, "name"), field);
}

/// What a part brings; nullopt where it is another kind of part.
std::optional<AttachedMedia> media_of(const Json& part, const fs::path& folder,
                                      const std::string& where) {
  if (!part.is_object()) return std::nullopt;
  const std::string type = member_text(part, "type");
  for (const ShownKind kind : kKindsOfParts) {
    if (type == part_type(kind)) return from_path(part, kind, folder, where);
    if (type == fmt::format("{}_url", part_type(kind))) return from_url(part, kind, type, where);
  }
  if (type == "file" || type == "input_file") return from_file_part(part, type, where);
  if (type != "input_audio") return std::nullopt;
  const Json* audio = find_member(part, type);
  const std::string data = audio && audio->is_object() ? member_text(*audio, "data") : "";
  return from_base64(data, ShownKind::sound, member_text(part, "name"),
                     where + ".input_audio.data");
}

/// Where any kind may stand its content tells it, as a server goes by it.
AttachedMedia of_its_kind(AttachedMedia media) {
  const auto kind = media::sniff_media(std::as_bytes(std::span(*media.bytes)));
  if (kind == media::MediaKind::sound) media.kind = ShownKind::sound;
  if (kind == media::MediaKind::video) media.kind = ShownKind::video;
  if (kind == media::MediaKind::document) media.kind = ShownKind::document;
  return media;
}

/// Ollama's list, with the names that the page's exports have beside it.
std::vector<AttachedMedia> listed(const Json& message, const std::string& where) {
  std::vector<AttachedMedia> found;
  const Json* images = find_member(message, "images");
  const Json* shown = find_member(message, "pictures");
  const bool has_images = images && !images->is_null();
  if (!has_images && shown && shown->is_array() && !shown->empty()) {
    throw Error("{}.pictures: the file says that there were some and does not hold them", where);
  }
  if (!has_images) return found;
  if (!images->is_array()) throw Error("{}.images: expected a list", where);
  for (std::size_t i = 0; i < images->size(); ++i) {
    const std::string field = fmt::format("{}.images[{}]", where, i);
    if ((*images)[i].is_object()) {
      found.push_back(from_document_keys((*images)[i], kListedKeys, field, (*images)[i], field));
      continue;
    }
    if (!(*images)[i].is_string()) throw Error("{}: expected base64", field);
    const auto text = (*images)[i].get_ref<const std::string&>();
    std::string name = shown && shown->is_array() && i < shown->size() && (*shown)[i].is_object()
                           ? member_text((*shown)[i], "name")
                           : "";
    found.push_back(of_its_kind(text.starts_with(kDataScheme)
                                    ? from_address(text, ShownKind::picture, name, field)
                                    : from_base64(text, ShownKind::picture, name, field)));
    if (found.back().kind == ShownKind::document) found.back().name = std::move(name);
  }
  return found;
}

Json number_part(std::vector<AttachedMedia>& media, AttachedMedia one, const std::string& where) {
  if (media.size() == kMostMedia) {
    throw Error("{}: more than {} pictures, sounds, videos and documents in a conversation", where,
                kMostMedia);
  }
  media.push_back(std::move(one));
  return {{"type", part_type(media.back().kind)}, {"media", media.size() - 1}};
}

bool is_numbered(const Json& part) {
  if (!part.is_object() || !part.contains("media")) return false;
  const std::string type = member_text(part, "type");
  return std::ranges::any_of(kKindsOfParts,
                             [&](ShownKind kind) { return type == part_type(kind); });
}

}  // namespace

std::string media_type(const AttachedMedia& media) {
  const auto bytes = std::as_bytes(std::span(*media.bytes));
  if (media.kind == ShownKind::document) return document_type(bytes, media.name);
  if (media.kind != ShownKind::picture) return fmt::format("{}/*", part_type(media.kind));
  const auto format = media::sniff_picture(bytes);
  if (!format) return "application/octet-stream";
  return "image/" + ascii_lower(media::format_name(*format));
}

Json with_media(const Json& messages, const std::vector<AttachedMedia>& media) {
  Json out = messages;
  for (Json& message : out) {
    const auto content = message.find("content");
    if (content == message.end() || !content->is_array()) continue;
    for (Json& part : *content) {
      if (!is_numbered(part)) continue;
      const AttachedMedia& one = media.at(part["media"].get<std::size_t>());
      const std::string address =
          fmt::format("data:{};base64,{}", media_type(one), encode_base64(*one.bytes));
      if (one.kind == ShownKind::document) {
        part = file_part(one, address);
        continue;
      }
      const std::string type = fmt::format("{}_url", part_type(one.kind));
      part = {{"type", type}, {type, {{"url", address}}}, {"name", one.name}};
    }
  }
  return out;
}

Json take_media(const Json& messages, std::vector<AttachedMedia>& media, const fs::path& folder) {
  Json out = messages;
  if (!out.is_array()) return out;  // whoever checks the conversation says so
  for (std::size_t m = 0; m < out.size(); ++m) {
    Json& message = out[m];
    if (!message.is_object()) continue;
    const std::string where = fmt::format("messages[{}]", m);
    Json parts = Json::array();
    for (AttachedMedia& one : listed_documents(message, where)) {
      parts.push_back(number_part(media, std::move(one), where + ".documents"));
    }
    for (AttachedMedia& one : listed(message, where)) {
      parts.push_back(number_part(media, std::move(one), where + ".images"));
    }
    const auto content = message.find("content");
    if (content != message.end() && content->is_array()) {
      for (std::size_t p = 0; p < content->size(); ++p) {
        const std::string part = fmt::format("{}.content[{}]", where, p);
        std::optional<AttachedMedia> one = media_of((*content)[p], folder, part);
        parts.push_back(one ? number_part(media, std::move(*one), part) : (*content)[p]);
      }
      message["content"] = std::move(parts);
    } else if (!parts.empty()) {
      if (content != message.end() && content->is_string() &&
          !content->get_ref<const std::string&>().empty()) {
        parts.push_back({{"type", "text"}, {"text", *content}});
      }
      message["content"] = std::move(parts);
    }
    message.erase("documents");
    message.erase("images");
    message.erase("pictures");
  }
  return out;
}

}  // namespace pleiad::apps
