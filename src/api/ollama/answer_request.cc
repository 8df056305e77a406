#include "api/ollama/answer_request.h"

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <utility>

#include "api/common/choice_texts.h"
#include "api/common/field_reader.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/common/request_notes.h"
#include "api/common/thinking_fields.h"
#include "api/common/tool_messages.h"
#include "api/ollama/messages.h"
#include "api/ollama/tool_choice.h"
#include "constrain/grammars/text_grammar.h"

namespace pleiad::api::ollama {
namespace {

using serving::AnswerRequest;

std::string read_model(FieldReader& fields) {
  std::string model = fields.required_text("model");
  if (model.empty()) throw RequestError("model", "is empty; expected a model's name");
  return model;
}

/// Off unless asked for.
void read_think(FieldReader& fields, AnswerBody& body) {
  const Json* think = fields.value("think");
  if (!think) return;
  if (think->is_boolean()) {
    body.request.think = think->get<bool>();
    return;
  }
  const auto level = fields.one_of("think", {"low", "medium", "high", "max"});
  set_thinking_level(body.request, "think", *level);
}

/// Whether it is one: what it says is seen when it is compiled.
void read_grammar(const Json& format, std::vector<std::string>& warnings) {
  FieldReader grammar(format, "format");
  (void)grammar.value("type");
  const std::initializer_list<std::string_view> syntaxes = {"gbnf", "lark", "regex", "choice",
                                                            "structural_tag"};
  const auto syntax = grammar.one_of("syntax", syntaxes);
  if (!syntax) {
    grammar.refuse("syntax", fmt::format("one of \"{}\"", fmt::join(syntaxes, "\", \"")));
  }
  if (!grammar.has("definition")) grammar.refuse("definition", "the grammar");
  if (*syntax == "choice") {
    check_choice_texts(*grammar.value("definition"), grammar.path_of("definition"));
  }
  warn_of_unknown(grammar, warnings);
}

/// What OpenAI's and Anthropic's routes take around a schema, or in place of one.
void refuse_wrapped_schema(const Json& format) {
  FieldReader fields(format, "format");
  const Json* type = fields.value("type");
  if (!type) return;
  if (*type == "json_schema") {
    const bool is_in_holder = fields.has("json_schema");
    throw RequestError("format", fmt::format("expected the schema itself, found one that is "
                                             "wrapped as in \"response_format\" of OpenAI's "
                                             "routes: give what stands in \"{}\" of it",
                                             is_in_holder ? "json_schema.schema" : "schema"));
  }
  if (*type == "json_object") {
    throw RequestError("format",
                       "expected \"json\" for any JSON, found {\"type\": \"json_object\"}, which "
                       "is \"response_format\" of OpenAI's routes");
  }
}

void read_format(FieldReader& fields, AnswerRequest& request, std::vector<std::string>& warnings) {
  const Json* format = fields.value("format");
  if (!format) return;
  if (format->is_string()) {
    const auto& text = format->get_ref<const std::string&>();
    if (text.empty()) return;
    if (text == "json") {
      request.format = *format;
      return;
    }
  } else if (format->is_object()) {
    request.format = *format;
    const bool is_grammar = constrain::grammars::is_text_grammar(*format);
    if (!is_grammar) return refuse_wrapped_schema(*format);
    read_grammar(*format, warnings);
    request.format_path = "format.definition";
    return;
  }
  fields.refuse_structure("format", "\"json\", a JSON schema or a grammar");
}

void read_logprobs(FieldReader& fields, AnswerRequest& request) {
  const bool wanted = fields.flag("logprobs").value_or(false);
  const auto top = fields.integer("top_logprobs", 0, 20);
  if (wanted) request.sampling.n_logprobs = static_cast<int>(top.value_or(0));
  if (!wanted && top.value_or(0) > 0) {
    throw RequestError("top_logprobs", "needs \"logprobs\": true");
  }
}

/// What both endpoints have.
void read_shared(FieldReader& fields, AnswerBody& body) {
  AnswerRequest& request = body.request;
  request.model = read_model(fields);
  body.stream = fields.flag("stream").value_or(true);
  read_think(fields, body);
  read_format(fields, request, body.warnings);
  read_logprobs(fields, request);
  read_extensions(fields, request, body.warnings);
  request.truncate = fields.flag("truncate").value_or(false);
  body.reports_drops = request.truncate;
  if (fields.flag("shift").value_or(false)) {
    throw RequestError("shift",
                       "a full context is not shifted: the answer ends with done_reason "
                       "\"length\"; leave this field out");
  }
  if (fields.flag("_debug_render_only").value_or(false)) body.kind = AnswerBody::Kind::render;
}

void make_load(AnswerBody& body) {
  const auto& keep_alive = body.request.keep_alive;
  body.kind =
      keep_alive && keep_alive->seconds == 0 ? AnswerBody::Kind::unload : AnswerBody::Kind::load;
}

/// Fields of /api/generate that cannot be honoured; empty values are no wish.
void refuse_in_generate(FieldReader& fields) {
  const auto given = [&](std::string_view key) {
    const auto text = fields.text(key);
    return text && !text->empty();
  };
  if (given("suffix")) {
    throw RequestError("suffix", "the model cannot fill in the middle; leave this field out");
  }
  if (given("template")) {
    throw RequestError("template",
                       "a model's own template is used; send \"raw\": true with a prompt that is "
                       "already formatted");
  }
  if (const Json* context = fields.list("context"); context && !context->empty()) {
    throw RequestError("context",
                       "tokens of earlier answers are not taken; send the conversation to "
                       "/api/chat, where what was computed before is found in the cache");
  }
  refuse_audio_in(fields);
}

void add_notes(RequestNotes& notes, AnswerBody& body) {
  for (std::string& warning : notes.take()) body.warnings.push_back(std::move(warning));
}

/// Media, then what is said of them; of a raw prompt they stand where it spells <|image|>.
void add_user_message(AnswerRequest& request, Json media, std::string prompt) {
  if (media.empty()) {
    request.messages.push_back({{"role", "user"}, {"content", std::move(prompt)}});
    return;
  }
  if (!prompt.empty()) media.push_back({{"type", "text"}, {"text", std::move(prompt)}});
  request.messages.push_back({{"role", "user"}, {"content", std::move(media)}});
}

void read_prompt(FieldReader& fields, AnswerBody& body) {
  AnswerRequest& request = body.request;
  std::string prompt = fields.text("prompt").value_or("");
  const std::string system = fields.text("system").value_or("");
  const bool raw = fields.flag("raw").value_or(false);
  if (raw && !system.empty()) throw RequestError("system", "has no meaning with \"raw\": true");
  if (raw && request.think.value_or(false)) {
    throw RequestError("think", "has no meaning with \"raw\": true");
  }
  RequestNotes notes;
  MediaReader media(notes);
  std::vector<std::string> found;
  Json shown = read_media(fields, &media, found);
  add_some(body.warnings, std::move(found), "documents and images");
  request.media = media.take();
  add_notes(notes, body);
  if (prompt.empty() && shown.empty()) {
    if (body.kind == AnswerBody::Kind::answer) make_load(body);
    if (body.kind != AnswerBody::Kind::render) return;
  }
  if (raw) {
    request.form = AnswerRequest::Form::text;
    request.text = std::move(prompt);
    return;
  }
  if (!system.empty()) request.messages.push_back({{"role", "system"}, {"content", system}});
  add_user_message(request, std::move(shown), std::move(prompt));
}

/// Ollama's results need no ids: they come in the order of the calls, or with the tool's name.
void settle_results(AnswerBody& body, RequestNotes& notes) {
  settle_tool_messages(
      body.request.messages, CallIds::optional,
      [](std::size_t i) { return element_path("messages", i); }, notes);
}

}  // namespace

AnswerBody parse_generate(std::string_view text) {
  const Json json = parse_request(text);
  FieldReader fields(json);
  AnswerBody body;
  read_shared(fields, body);
  refuse_in_generate(fields);
  read_prompt(fields, body);
  warn_of_unknown(fields, body.warnings);
  return body;
}

AnswerBody parse_chat(std::string_view text) {
  const Json json = parse_request(text);
  FieldReader fields(json);
  AnswerBody body;
  read_shared(fields, body);
  RequestNotes notes;
  MediaReader media(notes);
  body.request.messages = read_messages(fields, "messages", &media, body.warnings);
  body.request.media = media.take();
  settle_results(body, notes);
  read_tools(fields, body.request, notes);
  add_notes(notes, body);
  read_tool_choice(fields, body.request, body.warnings);
  warn_of_unknown(fields, body.warnings);
  if (body.request.messages.empty() && body.kind == AnswerBody::Kind::answer) make_load(body);
  return body;
}

}  // namespace pleiad::api::ollama
