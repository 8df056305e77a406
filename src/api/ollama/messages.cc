#include "api/ollama/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/common/media.h"
#include "api/common/offered_tools.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "base/text_format.h"

namespace pleiad::api::ollama {
namespace {

std::string read_role(FieldReader& message) {
  static constexpr std::array<std::string_view, 5> kRoles = {"system", "developer", "user",
                                                             "assistant", "tool"};
  std::string role = message.required_text("role");
  std::transform(role.begin(), role.end(), role.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (std::find(kRoles.begin(), kRoles.end(), role) == kRoles.end()) {
    message.refuse("role", "\"system\", \"user\", \"assistant\" or \"tool\"");
  }
  return role;
}

Json read_call(const Json& json, const std::string& path, std::vector<std::string>& warnings) {
  FieldReader call(json, path);
  std::optional<FieldReader> function = call.child("function");
  if (!function) call.refuse("function", "an object with \"name\" and \"arguments\"");
  Json converted = {{"type", "function"}};
  if (const auto id = call.text("id")) converted["id"] = *id;
  (void)call.text("type");
  Json& target = converted["function"];
  target["name"] = function->required_text("name");
  const Json* arguments = function->object("arguments");
  target["arguments"] = arguments ? *arguments : Json::object();
  (void)function->integer("index", 0, 1'000'000);
  (void)function->text("description");
  warn_of_unknown(call, warnings);
  warn_of_unknown(*function, warnings);
  return converted;
}

/// Media, then what is said of them.
Json content_with(Json media, const Json* content) {
  if (media.empty()) return content ? *content : Json("");
  if (content && content->is_array()) {
    for (const Json& part : *content) media.push_back(part);
  } else if (content && *content != "") {
    media.push_back({{"type", "text"}, {"text", *content}});
  }
  return media;
}

/// {"data": base64, "name": "a.pdf", "pages": "3-7"}
Json read_document(const Json& json, const std::string& path, MediaReader& media,
                   std::vector<std::string>& warnings) {
  constexpr auto kKind = serving::MediaKind::document;
  FieldReader document(json, path);
  const std::string data = document.required_text("data");
  const std::string source = document.path_of("data");
  Json part = is_media_url(data) ? media.read_url(data, path, source, kKind)
                                 : media.read_base64(data, "", path, source, kKind);
  media.last().name = document.text("name").value_or("");
  read_document_fields(document, media.last());
  warn_of_unknown(document, warnings);
  return part;
}

void add_documents(Json& parts, FieldReader& fields, MediaReader* media,
                   std::vector<std::string>& warnings) {
  const Json* documents = fields.list("documents");
  if (!documents || documents->empty()) return;
  const std::string list = fields.path_of("documents");
  if (!media) refuse_media(list, "files");
  for (std::size_t i = 0; i < documents->size(); ++i) {
    parts.push_back(read_document((*documents)[i], element_path(list, i), *media, warnings));
  }
}

void add_images(Json& parts, FieldReader& fields, MediaReader* media,
                std::vector<std::string>& warnings) {
  const Json* images = fields.list("images");
  if (!images || images->empty()) return;
  const std::string list = fields.path_of("images");
  if (!media) refuse_media(list, "images");
  for (std::size_t i = 0; i < images->size(); ++i) {
    const std::string path = element_path(list, i);
    const Json& image = (*images)[i];
    if (image.is_object()) {
      parts.push_back(read_document(image, path, *media, warnings));
      continue;
    }
    if (!image.is_string()) {
      throw RequestError(path,
                         fmt::format("expected a picture or a sound in base64, or a document, "
                                     "an object with \"data\", found {}",
                                     describe(image)));
    }
    const auto& text = image.get_ref<const std::string&>();
    parts.push_back(is_media_url(text) ? media->read_url(text, path, path, std::nullopt)
                                       : media->read_base64(text, "", path, path, std::nullopt));
  }
}

Json read_message(const Json& json, const std::string& path, MediaReader* media,
                  std::vector<std::string>& warnings) {
  FieldReader message(json, path);
  Json converted = {{"role", read_role(message)}};
  check_content(json, path);
  const Json* content = message.value("content");
  converted["content"] = content_with(read_media(message, media, warnings), content);
  refuse_audio_in(message);
  if (const auto thinking = message.text("thinking"); thinking && !thinking->empty()) {
    converted["reasoning"] = *thinking;
  }
  if (const Json* calls = message.list("tool_calls"); calls && !calls->empty()) {
    Json& target = converted["tool_calls"] = Json::array();
    const std::string list = message.path_of("tool_calls");
    for (std::size_t i = 0; i < calls->size(); ++i) {
      target.push_back(read_call((*calls)[i], element_path(list, i), warnings));
    }
  }
  if (const auto name = message.text("tool_name"); name && !name->empty()) {
    converted["name"] = *name;
  }
  if (const auto id = message.text("tool_call_id"); id && !id->empty()) {
    converted["tool_call_id"] = *id;
  }
  warn_of_unknown(message, warnings);
  return converted;
}

}  // namespace

Json read_media(FieldReader& fields, MediaReader* media, std::vector<std::string>& warnings) {
  Json parts = Json::array();
  add_documents(parts, fields, media, warnings);
  add_images(parts, fields, media, warnings);
  return parts;
}

void add_some(std::vector<std::string>& warnings, std::vector<std::string> found,
              std::string_view place) {
  constexpr std::size_t kMost = 20;
  if (found.size() > kMost) {
    const std::string rest = fmt::format("and {} more in {}", found.size() - kMost, place);
    found.resize(kMost);
    found.push_back(rest);
  }
  warnings.insert(warnings.end(), found.begin(), found.end());
}

void refuse_audio_in(FieldReader& fields) {
  const Json* audio = fields.value("audio");
  if (!audio || (audio->is_structured() && audio->empty())) return;
  throw RequestError(fields.path_of("audio"), "sound is given in \"images\", as pictures are",
                     "unsupported_media");
}

Json read_messages(FieldReader& request, std::string_view key, MediaReader* media,
                   std::vector<std::string>& warnings) {
  Json converted = Json::array();
  const Json* messages = request.list(key, kMaxMessages);
  if (!messages) return converted;
  const std::string path = request.path_of(key);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < messages->size(); ++i) {
    converted.push_back(read_message((*messages)[i], element_path(path, i), media, found));
  }
  add_some(warnings, std::move(found), path);
  return converted;
}

void read_tools(FieldReader& fields, serving::AnswerRequest& request, RequestNotes& notes) {
  const Json* tools = fields.list("tools", kMaxTools);
  for (std::size_t i = 0; tools && i < tools->size(); ++i) {
    FieldReader tool((*tools)[i], element_path(fields.path_of("tools"), i));
    if (const auto type = tool.text("type"); type && *type != "function") {
      tool.refuse("type", "\"function\"");
    }
    std::optional<FieldReader> function = tool.child("function");
    if (!function) tool.refuse("function", "an object with \"name\" and \"parameters\"");
    if (function->required_text("name").empty()) {
      function->refuse("name", "a name that is not empty");
    }
    (void)function->text("description");
    (void)function->object("parameters");
    (void)function->flag("strict");
    notes.unknown(*function);
    notes.unknown(tool);
    Json copy = (*tools)[i];
    copy["type"] = "function";
    offer_tool(request, std::move(copy), {}, function->path_of("name"));
  }
}

}  // namespace pleiad::api::ollama
