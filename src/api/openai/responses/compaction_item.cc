#include "api/openai/responses/compaction_item.h"

#include <fmt/format.h>

#include <utility>

namespace pleiad::api::openai {
namespace {

constexpr std::string_view kOurs = "pleiad-summary-1:";

}  // namespace

Json compaction_item(std::string id, std::string_view summary) {
  return {{"id", std::move(id)},
          {"type", "compaction"},
          {"encrypted_content", fmt::format("{}{}", kOurs, summary)}};
}

std::optional<std::string> summary_of(std::string_view encrypted_content) {
  if (encrypted_content.substr(0, kOurs.size()) != kOurs) return std::nullopt;
  return std::string(encrypted_content.substr(kOurs.size()));
}

std::string shown_summary(std::string_view summary) {
  return fmt::format(
      "The conversation up to here has been shortened. This is a summary of it:\n\n{}", summary);
}

}  // namespace pleiad::api::openai
