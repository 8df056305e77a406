#include "api/openai/models.h"

namespace pleiad::api::openai {

Json model_json(const store::ModelEntry& entry) {
  return {{"id", entry.name},
          {"object", "model"},
          {"created", static_cast<std::int64_t>(entry.modified)},
          {"owned_by", store::name(entry.source)}};
}

Json model_list(const std::vector<store::ModelEntry>& entries) {
  Json data = Json::array();
  for (const store::ModelEntry& entry : entries) {
    if (entry.problem.empty()) data.push_back(model_json(entry));
  }
  return {{"object", "list"}, {"data", std::move(data)}};
}

}  // namespace pleiad::api::openai
