#include "apps/models/remote_list.h"

#include <fmt/format.h>

#include "apps/pull/fit_verdict.h"
#include "base/json.h"
#include "base/text_format.h"
#include "pull/known_models.h"

namespace pleiad::apps {
namespace {

std::string_view verdict_of(const KnownSize& size, std::uint64_t memory) {
  return fit::name(judge_memory(size.memory_bytes, memory).verdict);
}

}  // namespace

std::string remote_text(std::uint64_t memory_bytes) {
  constexpr std::string_view kRow = "{:<26}{:<9}{:>9}{:>12}    {:<15}{}";
  const auto row = [&](auto&&... cells) {
    std::string line = fmt::format(kRow, cells...);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  };
  std::string text = row("NAME", "TYPE", "SIZE", "MEMORY", "HERE", "");
  for (const pull::KnownModel& model : pull::known_models()) {
    const KnownSize size = size_of(model);
    text += row(model.name, model.type, format_bytes(size.file_bytes),
                format_bytes(size.memory_bytes), verdict_of(size, memory_bytes), model.about);
  }
  return text + fmt::format(
                    "\nSizes and memory are predicted, of the text model with a conversation of "
                    "8,192 tokens;\n{} are free here. `pleiad pull NAME` asks the registry and "
                    "says what is really there.\nOther models are pulled by their names: "
                    "USER/MODEL:TAG, hf.co/USER/REPOSITORY:TYPE,\nHOST/USER/MODEL:TAG.\n",
                    format_bytes(memory_bytes));
}

std::string remote_names() {
  std::string text;
  for (const pull::KnownModel& model : pull::known_models()) {
    text += fmt::format("{}\n", model.name);
  }
  return text;
}

std::string remote_json(std::uint64_t memory_bytes) {
  Json models = Json::array();
  for (const pull::KnownModel& model : pull::known_models()) {
    const KnownSize size = size_of(model);
    models.push_back({{"name", model.name},
                      {"member", model.member},
                      {"type", model.type},
                      {"size", size.file_bytes},
                      {"memory", size.memory_bytes},
                      {"fit", verdict_of(size, memory_bytes)},
                      {"about", model.about}});
  }
  return to_text({{"models", std::move(models)}}, 2) + "\n";
}

}  // namespace pleiad::apps
