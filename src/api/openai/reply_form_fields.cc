#include "api/openai/reply_form_fields.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/common/choice_texts.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/openai/shared_fields.h"
#include "constrain/grammars/text_grammar.h"

namespace pleiad::api::openai {
namespace {

/// Reads the fields of one object that each say what a reply must be.
class FormFields {
 public:
  FormFields(FieldReader& fields, serving::AnswerRequest& request)
      : fields_(fields), request_(request) {}

  /// A schema, or its JSON as a text.
  void schema(std::string_view key) {
    if (auto schema = object_or_text(key, "a JSON schema")) set(key, *std::move(schema));
  }

  void any_json(std::string_view key) {
    if (fields_.flag(key).value_or(false)) set(key, Json("json"));
  }

  void regex(std::string_view key) {
    auto text = fields_.text(key);
    if (!text) return;
    if (text->empty()) fields_.refuse(key, "a regular expression that is not empty");
    set_grammar(key, "regex", *std::move(text));
  }

  void choice(std::string_view key) {
    const Json* texts = fields_.value(key);
    if (!texts) return;
    check_choice_texts(*texts, fields_.path_of(key));
    set_grammar(key, "choice", *texts);
  }

  void gbnf(std::string_view key) {
    auto text = fields_.text(key);
    if (text && !text->empty()) set_grammar(key, "gbnf", *std::move(text));
  }

  /// An object, or its JSON as a text.
  void structural_tag(std::string_view key) {
    if (auto tag = object_or_text(key, "a structural tag")) {
      set_grammar(key, "structural_tag", *std::move(tag));
    }
  }

  /// Of either language, told apart by how rules are written.
  void grammar(std::string_view key) {
    if (auto text = fields_.text(key)) {
      const char* syntax = constrain::grammars::is_likely_lark(*text) ? "lark" : "gbnf";
      set_grammar(key, syntax, *std::move(text));
    }
  }

 private:
  std::optional<Json> object_or_text(std::string_view key, const char* what) {
    const Json* given = fields_.value(key);
    if (!given) return std::nullopt;
    Json read = *given;
    if (given->is_string()) {
      const std::string path = fields_.path_of(key);
      try {
        read = parse_json(given->get_ref<const std::string&>(), path);
      } catch (const Error&) {
        throw RequestError(path, fmt::format("expected {}, or its JSON as a string", what));
      }
    }
    if (!read.is_object()) fields_.refuse(key, fmt::format("{}, which is an object", what));
    return read;
  }

  void set(std::string_view key, Json format) {
    if (request_.format && !request_.format->is_null()) {
      throw RequestError(fields_.path_of(key),
                         "another field says already what the reply has to be; give one of them");
    }
    request_.format = std::move(format);
    request_.format_path = fields_.path_of(key);
  }

  void set_grammar(std::string_view key, const char* syntax, Json definition) {
    set(key, constrain::grammars::text_grammar(syntax, std::move(definition)));
  }

  FieldReader& fields_;
  serving::AnswerRequest& request_;
};

void read_response_format(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes) {
  auto format = body.child("response_format");
  if (!format) return;
  const auto type =
      format->one_of("type", {"text", "json_object", "json_schema", "structural_tag"});
  if (!type) {
    format->refuse("type", "\"text\", \"json_object\", \"json_schema\" or \"structural_tag\"");
  }
  if (*type == "structural_tag") {
    request.format =
        constrain::grammars::text_grammar("structural_tag", *body.object("response_format"));
    request.format_path = "response_format";
    return;
  }
  if (*type == "json_object") {
    const Json* schema = format->object("schema");  // as llama.cpp's server takes it
    request.format = schema ? *schema : Json("json");
    request.format_path = schema ? format->path_of("schema") : "response_format";
  }
  if (*type == "json_schema") {
    auto schema = format->child("json_schema");
    if (!schema) format->refuse("json_schema", "an object");
    read_schema(*schema, request);
    if (!request.format) {
      request.format = Json("json");
      notes.told(request.format_path, "missing; the answer may be any JSON object");
    }
    notes.unknown(*schema);
  }
  notes.unknown(*format);
}

constexpr std::string_view kOwnWhiteSpace =
    "white space between parts of JSON is one space, or a line break and an indent";

/// How vLLM writes JSON can be set there; what is off says nothing.
void note_writing_hints(FieldReader& fields, RequestNotes& notes) {
  if (fields.flag("disable_any_whitespace").value_or(false)) {
    notes.without_effect(fields, "disable_any_whitespace", kOwnWhiteSpace);
  }
  notes.without_effect(fields, "whitespace_pattern", kOwnWhiteSpace);
  if (fields.flag("disable_additional_properties").value_or(false)) {
    notes.without_effect(fields, "disable_additional_properties",
                         "objects have the properties that a schema lists, unless it says more");
  }
}

void read_structured_outputs(FieldReader& body, serving::AnswerRequest& request,
                             RequestNotes& notes) {
  auto outputs = body.child("structured_outputs");
  if (!outputs) return;
  FormFields form(*outputs, request);
  const bool had_one = request.format && !request.format->is_null();
  form.schema("json");
  form.any_json("json_object");
  form.regex("regex");
  form.choice("choice");
  form.grammar("grammar");
  form.structural_tag("structural_tag");
  if (!had_one && !request.format) {
    throw RequestError(body.path_of("structured_outputs"),
                       "says nothing of what the reply is; give one of \"json\", \"json_object\": "
                       "true, \"regex\", \"choice\", \"grammar\" and \"structural_tag\"");
  }
  note_writing_hints(*outputs, notes);
  notes.unknown(*outputs);
}

}  // namespace

void read_reply_form(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes) {
  read_response_format(body, request, notes);
  read_local_reply_form(body, request, notes);
}

void read_local_reply_form(FieldReader& body, serving::AnswerRequest& request,
                           RequestNotes& notes) {
  read_structured_outputs(body, request, notes);
  FormFields form(body, request);
  form.schema("guided_json");
  form.regex("guided_regex");
  form.choice("guided_choice");
  form.grammar("guided_grammar");
  notes.without_effect(body, "guided_decoding_backend", "there is one way to hold replies");
  notes.without_effect(body, "guided_whitespace_pattern", kOwnWhiteSpace);
  note_writing_hints(body, notes);
  form.gbnf("grammar");
  form.schema("json_schema");
  form.regex("regex");
  form.gbnf("ebnf");
}

}  // namespace pleiad::api::openai
