#include "api/ollama/steps.h"

#include "api/common/stream_text.h"
#include "api/ollama/errors.h"

namespace pleiad::api::ollama {

Json success_json(const std::vector<std::string>& warnings) {
  Json last = {{"status", "success"}};
  if (!warnings.empty()) last["warnings"] = warnings;
  return last;
}

void respond_with_steps(const Exchange& exchange, bool stream,
                        std::initializer_list<const char*> steps,
                        const std::vector<std::string>& warnings) {
  const Json last = success_json(warnings);
  if (!stream) return exchange->respond(json_response(last));
  exchange->begin(200, std::string(kNdjson));
  for (const char* step : steps) exchange->write(ndjson_line({{"status", step}}));
  exchange->write(ndjson_line(last));
  exchange->end();
}

}  // namespace pleiad::api::ollama
