#include "api/ollama/embed_request.h"

#include <fmt/format.h>

#include "api/common/field_reader.h"
#include "api/common/keep_alive.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"

namespace pleiad::api::ollama {
namespace {

constexpr std::size_t kMaxInputs = 10'000;
constexpr std::int64_t kMaxDimensions = 1'000'000;

/// Of the options num_ctx alone has an effect.
void read_embed_options(FieldReader& options, EmbedBody& body) {
  serving::AnswerRequest unused;
  std::vector<std::string> unused_warnings;
  read_options(options, unused, unused_warnings);
  body.request.context_length = unused.context_length;
}

void read_embed_shared(FieldReader& fields, EmbedBody& body) {
  body.request.model = fields.required_text("model");
  if (body.request.model.empty()) throw RequestError("model", "is empty; expected a model's name");
  body.request.keep_alive = read_keep_alive(fields);
  body.request.truncate = fields.flag("truncate").value_or(false);
  const Json* options = fields.object("options");
  if (!options) return;
  FieldReader reader(*options, "options");
  read_embed_options(reader, body);
  for (const auto& [key, value] : options->items()) {
    if (key == "num_ctx" || value.is_null()) continue;
    if (body.warnings.size() == 20) break;
    body.warnings.push_back(reader.path_of(key) + " has no effect on embeddings");
  }
}

}  // namespace

EmbedBody parse_embed(std::string_view text) {
  const Json json = parse_request(text);
  FieldReader fields(json);
  EmbedBody body;
  read_embed_shared(fields, body);
  body.request.inputs = fields.texts("input", kMaxInputs).value_or(std::vector<std::string>{});
  // One empty text is how clients load a model.
  if (body.request.inputs.size() == 1 && body.request.inputs[0].empty()) body.request.inputs = {};
  if (const auto dimensions = fields.integer("dimensions", 0, kMaxDimensions);
      dimensions && *dimensions > 0) {
    body.request.dimensions = static_cast<int>(*dimensions);
  }
  warn_of_unknown(fields, body.warnings);
  return body;
}

EmbedBody parse_embeddings(std::string_view text) {
  const Json json = parse_request(text);
  FieldReader fields(json);
  EmbedBody body;
  read_embed_shared(fields, body);
  if (std::string prompt = fields.text("prompt").value_or(""); !prompt.empty()) {
    body.request.inputs.push_back(std::move(prompt));
  }
  warn_of_unknown(fields, body.warnings);
  return body;
}

}  // namespace pleiad::api::ollama
