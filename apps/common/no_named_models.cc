#include <fmt/format.h>

#include "apps/common/named_model.h"
#include "base/text_format.h"

namespace pleiad::apps {

const char* model_help() { return "A GGUF file, a Hugging Face folder, or \"demo\""; }

Result<store::ModelEntry> find_named_model(const std::string& name, const Environment&) {
  return Failure{
      fmt::format("there is no file or folder '{}'; this build of Pleiad knows models by "
                  "their paths, and \"demo\"",
                  printable(name))};
}

}  // namespace pleiad::apps
