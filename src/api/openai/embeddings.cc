#include "api/openai/embeddings.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <variant>

#include "api/common/cancel_link.h"
#include "api/common/field_reader.h"
#include "api/common/keep_alive.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/openai/openai_error.h"
#include "api/openai/shared_fields.h"
#include "api/openai/token_lists.h"
#include "base/base64.h"

namespace pleiad::api::openai {
namespace {

constexpr std::size_t kMaxInputs = 2048;
constexpr int kMaxDimensions = 1'000'000;

void read_inputs(FieldReader& body, serving::EmbedRequest& embed, RequestNotes& notes) {
  if (auto lists = read_token_lists(body, "input", kMaxInputs)) {
    embed.token_inputs = *std::move(lists);
    // LangChain's OpenAIEmbeddings sends those of tiktoken, most of which exist here too.
    notes.warnings().emplace_back(
        "input: lists of tokens are taken as this model's own; those of another tokenizer "
        "(tiktoken) stand for another text: give text");
    return;
  }
  auto texts = body.texts("input", kMaxInputs);
  if (!texts || texts->empty()) {
    body.refuse("input", "a string, a list of strings, or lists of tokens' numbers");
  }
  if (std::find(texts->begin(), texts->end(), "") != texts->end()) {
    throw RequestError("input", "an empty text has no embedding");
  }
  embed.inputs = *std::move(texts);
}

std::string little_endian(const std::vector<float>& values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(float));
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFFU);
  }
  return bytes;
}

Json embeddings_json(const serving::EmbedResult& result, const EmbeddingsRequest& request) {
  Json data = Json::array();
  for (std::size_t i = 0; i < result.embeddings.size(); ++i) {
    const std::vector<float>& values = result.embeddings[i];
    data.push_back({{"object", "embedding"},
                    {"index", i},
                    {"embedding", request.as_base64 ? Json(encode_base64(little_endian(values)))
                                                    : Json(values)}});
  }
  Json body = {
      {"object", "list"},
      {"data", std::move(data)},
      {"model", request.embed.model},
      {"usage", {{"prompt_tokens", result.prompt_tokens}, {"total_tokens", result.prompt_tokens}}}};
  if (result.truncated_inputs > 0) body["truncated_inputs"] = result.truncated_inputs;
  if (!request.warnings.empty()) body["warnings"] = request.warnings;
  return body;
}

}  // namespace

EmbeddingsRequest read_embeddings_request(const Json& json, SpareFields spare) {
  EmbeddingsRequest request;
  RequestNotes notes(spare);
  serving::EmbedRequest& embed = request.embed;
  FieldReader body(json);
  embed.model = body.required_text("model");
  read_inputs(body, embed, notes);
  if (const auto dimensions = body.integer("dimensions", 1, kMaxDimensions)) {
    embed.dimensions = static_cast<int>(*dimensions);
  }
  request.as_base64 =
      body.one_of("encoding_format", {"float", "base64"}).value_or("float") == "base64";
  embed.truncate = body.flag("truncate").value_or(false);
  embed.keep_alive = read_keep_alive(body);
  read_labels(body);
  if (auto options = body.child("options")) {
    const auto length = options->integer("num_ctx", 0, kMaxTokens);
    if (length && *length > 0) embed.context_length = length;
    warn_of_unknown(*options, notes.warnings());
  }
  notes.unknown(body);
  request.warnings = notes.take();
  return request;
}

void answer_embeddings(serving::Service& service, EmbeddingsRequest request,
                       std::shared_ptr<http::Exchange> exchange) {
  serving::EmbedRequest embed = std::move(request.embed);
  request.embed = {};
  request.embed.model = embed.model;  // what the answer repeats; the inputs have gone
  const auto link = CancelLink::on(*exchange);
  link->hold(service.embed(
      std::move(embed), [link, request = std::move(request), exchange](const auto& outcome) {
        link->release();
        if (const auto* error = std::get_if<serving::ServiceError>(&outcome)) {
          return exchange->respond(error_response(*error));
        }
        http::Response response;
        response.body = to_text(embeddings_json(std::get<serving::EmbedResult>(outcome), request));
        exchange->respond(std::move(response));
      }));
}

}  // namespace pleiad::api::openai
