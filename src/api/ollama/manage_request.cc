#include "api/ollama/manage_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/common/field_reader.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/ollama/messages.h"

namespace pleiad::api::ollama {
namespace {

constexpr std::size_t kMaxFiles = 10'000;
constexpr std::size_t kMaxLicenses = 100;

/// Parameters that a model can keep; others are named in warnings by read_options().
constexpr std::string_view kKept[] = {"temperature",
                                      "top_k",
                                      "typical_p",
                                      "top_p",
                                      "min_p",
                                      "repeat_penalty",
                                      "repeat_last_n",
                                      "presence_penalty",
                                      "frequency_penalty",
                                      "seed",
                                      "num_predict",
                                      "num_ctx",
                                      "stop"};

/// "model", or "name" as older clients call it.
std::string read_name(FieldReader& fields) {
  std::string model = fields.text("model").value_or("");
  const std::string name = fields.text("name").value_or("");
  if (model.empty()) model = name;
  if (model.empty()) throw RequestError("model", "missing; expected a model's name");
  return model;
}

bool is_digest(std::string_view text) {
  if (!text.starts_with("sha256:")) return false;
  text.remove_prefix(7);
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool is_wish(const Json* value) {
  return value && *value != Json("") && !(value->is_structured() && value->empty());
}

/// What models cannot be made with here; empty values are no wish.
void refuse_in_create(FieldReader& fields) {
  struct Refused {
    std::string_view key;
    std::string_view why;
  };
  static constexpr Refused kRefused[] = {
      {"quantize", "models are not quantized by the server; use `pleiad quantize`"},
      {"quantization", "models are not quantized by the server; use `pleiad quantize`"},
      {"draft_quantize", "draft models are not used"},
      {"draft_files", "draft models are not used"},
      {"adapters", "adapters are not supported"},
      {"template", "a model's own template is used"},
      {"renderer", "a model's own template is used"},
      {"parser", "a model's own format is read"},
      {"remote_host", "models of other machines are not used"},
      {"modelfile", "send from, system, parameters and messages, or use `pleiad create`"},
      {"path", "send from, system, parameters and messages, or use `pleiad create`"},
  };
  for (const auto& [key, why] : kRefused) {
    if (is_wish(fields.value(key))) {
      throw RequestError(std::string(key), fmt::format("{}; leave this field out", why));
    }
  }
}

std::vector<std::pair<std::string, std::string>> read_files(FieldReader& fields) {
  std::vector<std::pair<std::string, std::string>> files;
  const Json* given = fields.object("files");
  if (!given) return files;
  if (given->size() > kMaxFiles) fields.refuse("files", fmt::format("at most {} files", kMaxFiles));
  FieldReader reader(*given, "files");
  for (const auto& [name, digest] : given->items()) {
    if (!digest.is_string() || !is_digest(digest.get_ref<const std::string&>())) {
      reader.refuse(name, "\"sha256:\" and 64 hexadecimal digits, of a blob sent before");
    }
    files.emplace_back(name, digest.get<std::string>());
  }
  return files;
}

void read_recipe(FieldReader& fields, CreateBody& body) {
  store::Recipe& recipe = body.model.recipe;
  recipe.system = fields.text("system").value_or("");
  recipe.messages = read_messages(fields, "messages", nullptr, body.warnings);
  for (std::size_t i = 0; i < recipe.messages.size(); ++i) {
    for (const char* key : {"tool_calls", "reasoning"}) {
      if (!recipe.messages[i].contains(key)) continue;
      throw RequestError(element_path("messages", i) +
                             (key == std::string_view("reasoning") ? ".thinking" : ".tool_calls"),
                         "a model cannot keep it");
    }
  }
  recipe.licenses = fields.texts("license", kMaxLicenses).value_or(std::vector<std::string>{});
  const Json* parameters = fields.object("parameters");
  if (!parameters) return;
  FieldReader reader(*parameters, "parameters");
  serving::AnswerRequest unused;
  read_options(reader, unused, body.warnings);  // their types and ranges
  for (const auto& [key, value] : parameters->items()) {
    if (value.is_null() || std::ranges::find(kKept, key) == std::end(kKept)) continue;
    if (key == "num_ctx" && value == 0) continue;  // 0: as long as the model allows
    if (key != "stop" || !value.is_array()) {
      recipe.parameters.emplace_back(key, value);
      continue;
    }
    for (const Json& stop : value) recipe.parameters.emplace_back(key, stop);
  }
}

}  // namespace

NameBody parse_name(std::string_view text) {
  const Json json = parse_request(text);
  FieldReader fields(json);
  NameBody body;
  body.model = read_name(fields);
  body.stream = fields.flag("stream").value_or(true);
  body.verbose = fields.flag("verbose").value_or(false);
  body.insecure = fields.flag("insecure").value_or(false);
  warn_of_unknown(fields, body.warnings);
  return body;
}

CopyBody parse_copy(std::string_view text) {
  const Json json = parse_request(text);
  FieldReader fields(json);
  CopyBody body{fields.required_text("source"), fields.required_text("destination"), {}};
  if (body.source.empty()) throw RequestError("source", "is empty; expected a model's name");
  if (body.destination.empty()) {
    throw RequestError("destination", "is empty; expected a model's name");
  }
  warn_of_unknown(fields, body.warnings);
  return body;
}

CreateBody parse_create(std::string_view text) {
  const Json json = parse_request(text);
  FieldReader fields(json);
  CreateBody body;
  body.model.name = read_name(fields);
  body.stream = fields.flag("stream").value_or(true);
  refuse_in_create(fields);
  body.model.from = fields.text("from").value_or("");
  body.model.files = read_files(fields);
  if (body.model.from.empty() == body.model.files.empty()) {
    throw RequestError("", "expected either \"from\" (a model's name) or \"files\"");
  }
  read_recipe(fields, body);
  (void)fields.value("info");      // what the sender read in the files; we read them
  (void)fields.value("requires");  // a version of Ollama
  warn_of_unknown(fields, body.warnings);
  return body;
}

}  // namespace pleiad::api::ollama
