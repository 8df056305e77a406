#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/catalog.h"

namespace pleiad::api::ollama {

/// Bodies of the endpoints that manage models; all parsers throw RequestError.

/// /api/show, /api/delete, /api/pull, /api/push: one model ("name" is its old field).
struct NameBody {
  std::string model;
  bool stream = true;
  bool verbose = false;
  bool insecure = false;              // pull, push: of the model's host
  std::vector<std::string> warnings;  // fields that nobody knows
};
NameBody parse_name(std::string_view body);

struct CopyBody {
  std::string source, destination;
  std::vector<std::string> warnings;
};
CopyBody parse_copy(std::string_view body);

struct CreateBody {
  store::NewModel model;
  bool stream = true;
  std::vector<std::string> warnings;
};
CreateBody parse_create(std::string_view body);

}  // namespace pleiad::api::ollama
