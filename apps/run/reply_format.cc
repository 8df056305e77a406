#include "apps/run/reply_format.h"

#include "apps/run/chat_file.h"
#include "base/error.h"

namespace pleiad::apps {

Json read_reply_format(std::string_view what, const std::filesystem::path& home) {
  if (what == "none") return nullptr;
  if (what == "json") return "json";
  if (what.empty()) throw Error("format: expected json, none, or a JSON schema or its file");
  const std::filesystem::path path = typed_path(what, home);
  Json schema = what.starts_with('{') ? parse_json(what, "format") : read_json_file(path);
  if (!schema.is_object()) {
    throw Error("{}: expected a JSON schema, which is an object, found {}", path.string(),
                schema.type_name());
  }
  return schema;
}

std::string reply_format_text(const Json& format) {
  if (format.is_null()) return "any text";
  return format.is_object() ? "JSON of a schema" : "JSON";
}

bool is_reply_format(const Json& format) {
  return format.is_null() || format.is_object() || format == Json("json");
}

}  // namespace pleiad::apps
