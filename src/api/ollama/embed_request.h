#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serving/service.h"

namespace pleiad::api::ollama {

/// A body of /api/embed or of its forerunner /api/embeddings.
struct EmbedBody {
  serving::EmbedRequest request;  // without inputs: the model is loaded
  std::vector<std::string> warnings;
};

/// Both throw RequestError.
EmbedBody parse_embed(std::string_view body);
EmbedBody parse_embeddings(std::string_view body);

}  // namespace pleiad::api::ollama
