#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/common/request_notes.h"
#include "base/json.h"
#include "http/exchange.h"
#include "serving/service.h"

namespace pleiad::api::openai {

/// The body of POST /v1/embeddings.
struct EmbeddingsRequest {
  serving::EmbedRequest embed;
  bool as_base64 = false;  // 32-bit floats, little-endian; else numbers
  std::vector<std::string> warnings;
};

/// Throws RequestError.
EmbeddingsRequest read_embeddings_request(const Json& body, SpareFields spare = SpareFields::tell);

/// Computes them and answers.
void answer_embeddings(serving::Service& service, EmbeddingsRequest request,
                       std::shared_ptr<http::Exchange> exchange);

}  // namespace pleiad::api::openai
