#include "apps/run/pictures/saved_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "apps/run/pictures/picture_desk.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/error.h"
#include "media/picture_format.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDataScheme = "data:";

AttachedPicture decoded(std::string_view base64, std::string name, const std::string& where) {
  auto bytes = decode_base64(base64);
  if (!bytes) throw Error("{}: {}", where, bytes.message());
  if (bytes.value().size() > kLargestPicture) {
    throw Error("{}: more than {} MiB, which is the most that a picture may have", where,
                kLargestPicture >> 20);
  }
  AttachedPicture picture;
  picture.name = name.empty() ? "a picture" : std::move(name);
  picture.bytes = std::make_shared<const std::string>(std::move(bytes).value());
  return picture;
}

/// What "data:image/png;base64,..." holds.
AttachedPicture from_address(std::string_view address, std::string name, const std::string& where) {
  const std::size_t comma = address.find(',');
  const std::string head = ascii_lower(address.substr(0, std::min(comma, address.size())));
  if (comma == std::string_view::npos || !head.ends_with(";base64")) {
    throw Error("{}: expected data:...;base64,...", where);
  }
  return decoded(address.substr(comma + 1), std::move(name), where);
}

std::string text_of(const Json& object, const char* key) {
  const Json* found = find_member(object, key);
  return found && found->is_string() ? found->get<std::string>() : "";
}

/// The picture of a part; nullopt where it is another kind of part.
std::optional<AttachedPicture> picture_of(const Json& part, const fs::path& folder,
                                          const std::string& where) {
  if (!part.is_object()) return std::nullopt;
  const std::string type = text_of(part, "type");
  const std::string name = text_of(part, "name");
  if (type == "image") {
    const std::string image = text_of(part, "image");
    if (image.empty()) {
      throw Error("{}.image: expected a path, or the picture itself as data:...", where);
    }
    if (image.starts_with(kDataScheme)) return from_address(image, name, where + ".image");
    try {
      return PictureDesk::open(folder / image);
    } catch (const Error& error) {
      throw Error("{}.image: {}", where, error.what());
    }
  }
  if (type != "image_url") return std::nullopt;
  const Json* url = find_member(part, "image_url");
  const std::string field = where + (url && url->is_object() ? ".image_url.url" : ".image_url");
  const std::string address = !url               ? ""
                              : url->is_string() ? url->get<std::string>()
                              : url->is_object() ? text_of(*url, "url")
                                                 : "";
  if (!address.starts_with(kDataScheme)) {
    throw Error("{}: expected data:...;base64,...; what lies elsewhere is not fetched", field);
  }
  return from_address(address, name, field);
}

/// Ollama's list, with the names that the page's exports have beside it.
std::vector<AttachedPicture> listed(const Json& message, const std::string& where) {
  std::vector<AttachedPicture> found;
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
    if (!(*images)[i].is_string()) throw Error("{}: expected base64", field);
    const auto text = (*images)[i].get_ref<const std::string&>();
    std::string name = shown && shown->is_array() && i < shown->size() && (*shown)[i].is_object()
                           ? text_of((*shown)[i], "name")
                           : "";
    found.push_back(text.starts_with(kDataScheme) ? from_address(text, std::move(name), field)
                                                  : decoded(text, std::move(name), field));
  }
  return found;
}

Json number_part(std::vector<AttachedPicture>& pictures, AttachedPicture picture,
                 const std::string& where) {
  if (pictures.size() == kMostPictures) {
    throw Error("{}: more than {} pictures in a conversation", where, kMostPictures);
  }
  pictures.push_back(std::move(picture));
  return {{"type", "image"}, {"media", pictures.size() - 1}};
}

}  // namespace

std::string media_type(const std::string& bytes) {
  const auto format = media::sniff_picture(std::as_bytes(std::span(bytes)));
  if (!format) return "application/octet-stream";
  return "image/" + ascii_lower(media::format_name(*format));
}

Json with_pictures(const Json& messages, const std::vector<AttachedPicture>& pictures) {
  Json out = messages;
  for (Json& message : out) {
    const auto content = message.find("content");
    if (content == message.end() || !content->is_array()) continue;
    for (Json& part : *content) {
      if (!part.is_object() || text_of(part, "type") != "image" || !part.contains("media"))
        continue;
      const AttachedPicture& picture = pictures.at(part["media"].get<std::size_t>());
      const std::string address = fmt::format("data:{};base64,{}", media_type(*picture.bytes),
                                              encode_base64(*picture.bytes));
      part = {{"type", "image_url"}, {"image_url", {{"url", address}}}, {"name", picture.name}};
    }
  }
  return out;
}

Json take_pictures(const Json& messages, std::vector<AttachedPicture>& pictures,
                   const fs::path& folder) {
  Json out = messages;
  if (!out.is_array()) return out;  // whoever checks the conversation says so
  for (std::size_t m = 0; m < out.size(); ++m) {
    Json& message = out[m];
    if (!message.is_object()) continue;
    const std::string where = fmt::format("messages[{}]", m);
    Json parts = Json::array();
    for (AttachedPicture& picture : listed(message, where)) {
      parts.push_back(number_part(pictures, std::move(picture), where + ".images"));
    }
    const auto content = message.find("content");
    if (content != message.end() && content->is_array()) {
      for (std::size_t p = 0; p < content->size(); ++p) {
        const std::string part = fmt::format("{}.content[{}]", where, p);
        std::optional<AttachedPicture> picture = picture_of((*content)[p], folder, part);
        parts.push_back(picture ? number_part(pictures, std::move(*picture), part) : (*content)[p]);
      }
      message["content"] = std::move(parts);
    } else if (!parts.empty()) {
      if (content != message.end() && content->is_string() &&
          !content->get_ref<const std::string&>().empty()) {
        parts.push_back({{"type", "text"}, {"text", *content}});
      }
      message["content"] = std::move(parts);
    }
    message.erase("images");
    message.erase("pictures");
  }
  return out;
}

}  // namespace pleiad::apps
