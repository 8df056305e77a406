#include "apps/run/reply_format.h"

#include <optional>
#include <string>

#include "apps/run/chat_file.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "constrain/grammars/text_grammar.h"

namespace pleiad::apps {
namespace {

using constrain::grammars::text_grammar;

/// Throws Error that names line and column of what is wrong.
Json checked_grammar(Json grammar, const std::string& where) {
  constrain::SchemaBudget budget;
  const auto read = constrain::grammars::read_text_grammar(grammar, budget);
  if (!read) throw Error("{}: {}", where, read.message());
  return grammar;
}

Json read_grammar_file(const char* syntax, const std::filesystem::path& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return checked_grammar(
      text_grammar(syntax, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())),
      path.string());
}

/// Nothing where it is no grammar.
std::optional<Json> read_grammar(std::string_view what, const std::filesystem::path& home) {
  constexpr std::string_view kRegex = "regex:";
  if (what.starts_with(kRegex)) {
    const std::string_view pattern = what.substr(kRegex.size());
    if (pattern.empty()) throw Error("the regular expression is empty");
    return checked_grammar(text_grammar("regex", pattern), "the regular expression");
  }
  for (const char* syntax : {"gbnf", "lark"}) {
    const std::string name = syntax;
    if (what.starts_with(name + ":")) {
      return read_grammar_file(syntax, typed_path(what.substr(name.size() + 1), home));
    }
    if (what.ends_with("." + name)) return read_grammar_file(syntax, typed_path(what, home));
  }
  return std::nullopt;
}

}  // namespace

Json read_reply_format(std::string_view what, const std::filesystem::path& home) {
  if (what == "none") return nullptr;
  if (what == "json") return "json";
  if (what.empty())
    throw Error("format: expected json, none, a JSON schema or its file, or a grammar");
  if (auto grammar = read_grammar(what, home)) return *std::move(grammar);
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
  if (constrain::grammars::is_text_grammar(format)) return "as a grammar says";
  return format.is_object() ? "JSON of a schema" : "JSON";
}

bool is_reply_format(const Json& format) {
  return format.is_null() || format.is_object() || format == Json("json");
}

}  // namespace pleiad::apps
