#include "api/ollama/model_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/common/request_json.h"

namespace pleiad::api::ollama {
namespace {

Json details_json(const store::ModelEntry& entry) {
  const store::ModelDetails details = entry.details.value_or(store::ModelDetails{});
  Json json = {{"parent_model", entry.parent},
               {"format", details.format},
               {"family", entry.details ? details.family : ""},
               {"families", Json::array()},
               {"parameter_size", details.parameter_size},
               {"quantization_level", details.quantization_level}};
  if (!entry.details) return json;
  json["families"].push_back(details.family);
  json["context_length"] = details.context_length;
  json["embedding_length"] = details.embedding_length;
  return json;
}

Json capabilities_json(const store::ModelEntry& entry) {
  if (!entry.problem.empty()) return Json::array();
  Json capabilities = {"completion", "tools", "thinking"};
  if (entry.details && entry.details->vision) capabilities.push_back("vision");
  if (entry.details && entry.details->audio) capabilities.push_back("audio");
  return capabilities;
}

/// How its pictures are shown where nobody says otherwise; null where it sees nothing.
Json vision_json(const store::ModelEntry& entry) {
  if (!entry.details || !entry.details->vision) return nullptr;
  return {{"max_soft_tokens", entry.details->vision->default_budget}};
}

/// What every list begins with.
Json head_json(const store::ModelEntry& entry) {
  return {{"name", entry.name}, {"model", entry.name}};
}

/// A line for each, as `ollama show --parameters` prints them.
std::string parameters_text(const store::Recipe& recipe) {
  std::string text;
  for (const auto& [key, value] : recipe.parameters) {
    if (!text.empty()) text += '\n';
    text += fmt::format("{:<30} {}", key, to_text(value));
  }
  return text;
}

/// Clients look for these names to learn what a model can do.
constexpr std::string_view kTemplateNote =
    "{{- /* Gemma 4's own template is built in. It takes .System, .Messages, .Tools and "
    ".Thinking. */ -}}";

std::string expiry(double seconds, WallTime now) {
  constexpr double kForEver = 200.0 * 365 * 86400;  // such a time can still be written
  const double left = std::clamp(seconds, 0.0, kForEver);
  const auto rest = std::chrono::duration<double>(left);
  return rfc3339(now + std::chrono::duration_cast<WallTime::duration>(rest));
}

std::string_view state_name(serving::LoadedInfo::State state) {
  using State = serving::LoadedInfo::State;
  return state == State::loading ? "loading" : state == State::ready ? "ready" : "unloading";
}

Json loaded_json(const serving::LoadedInfo& info, WallTime now) {
  Json json = head_json(info.entry);
  json["size"] = info.memory_bytes;
  json["digest"] = info.entry.digest;
  json["details"] = details_json(info.entry);
  json["expires_at"] = expiry(info.expires_in_seconds, now);
  json["size_vram"] = 0;
  json["context_length"] = info.context_length;
  json["state"] = state_name(info.state);
  if (info.state == serving::LoadedInfo::State::loading) {
    json["loaded_bytes"] = info.loaded_bytes;
    json["total_bytes"] = info.total_bytes;
  }
  return json;
}

}  // namespace

Json tag_json(const store::ModelEntry& entry) {
  Json json = head_json(entry);
  json["modified_at"] = rfc3339(entry.modified);
  json["size"] = entry.size_bytes;
  json["digest"] = entry.digest;
  json["details"] = details_json(entry);
  json["capabilities"] = capabilities_json(entry);
  json["source"] = std::string(store::name(entry.source));
  if (!entry.problem.empty()) json["problem"] = entry.problem;
  return json;
}

Json show_json(const store::ModelEntry& entry, const std::string& modelfile, store::FileFacts facts,
               std::vector<std::string> warnings) {
  Json json = Json::object();
  if (!entry.recipe.licenses.empty()) {
    json["license"] = fmt::format("{}", fmt::join(entry.recipe.licenses, "\n"));
  }
  json["modelfile"] = modelfile;
  if (!entry.recipe.parameters.empty()) json["parameters"] = parameters_text(entry.recipe);
  json["template"] = kTemplateNote;
  if (!entry.recipe.system.empty()) json["system"] = entry.recipe.system;
  json["details"] = details_json(entry);
  if (!entry.recipe.messages.empty()) json["messages"] = entry.recipe.messages;
  json["model_info"] = std::move(facts.metadata);  // an object always: clients look into it
  if (!facts.projector.empty()) json["projector_info"] = std::move(facts.projector);
  if (!facts.tensors.empty()) json["tensors"] = std::move(facts.tensors);
  json["capabilities"] = capabilities_json(entry);
  if (Json vision = vision_json(entry); !vision.is_null()) json["vision"] = std::move(vision);
  json["modified_at"] = rfc3339(entry.modified);
  if (!entry.problem.empty()) json["problem"] = entry.problem;
  warnings.insert(warnings.end(), facts.left_out.begin(), facts.left_out.end());
  warnings.insert(warnings.end(), entry.warnings.begin(), entry.warnings.end());
  if (!warnings.empty()) json["warnings"] = warnings;
  return json;
}

Json loaded_json(std::vector<serving::LoadedInfo> loaded, WallTime now) {
  std::stable_sort(loaded.begin(), loaded.end(), [](const auto& left, const auto& right) {
    return left.expires_in_seconds > right.expires_in_seconds;
  });
  Json models = Json::array();
  for (const serving::LoadedInfo& info : loaded) models.push_back(loaded_json(info, now));
  return {{"models", std::move(models)}};
}

}  // namespace pleiad::api::ollama
