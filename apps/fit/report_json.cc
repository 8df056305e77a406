#include <algorithm>

#include "apps/fit/report.h"
#include "base/json.h"
#include "fit/published.h"

namespace pleiad::apps {
namespace {

Json rate_json(const std::optional<fit::Rate>& rate) {
  if (!rate) return nullptr;
  return {{"tok_s", rate->value}, {"low", rate->low}, {"high", rate->high}};
}

Json number_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json answer_json(const fit::Answer& answer) {
  return {{"model", answer.member->key},
          {"name", answer.member->name},
          {"type", convert::name(answer.type)},
          {"file_bytes", answer.file_bytes},
          {"memory_bytes", answer.memory_bytes},
          {"weight_bytes_per_token", answer.bytes_per_token},
          {"prefill", rate_json(answer.prefill)},
          {"decode", rate_json(answer.decode)},
          {"decode_at_context", rate_json(answer.decode_at_context)},
          {"verdict", fit::name(answer.judgement.verdict)},
          {"reason", answer.judgement.reason}};
}

Json seconds_json(const std::optional<fit::Rate>& seconds) {
  if (!seconds) return nullptr;
  return {{"value", seconds->value}, {"low", seconds->low}, {"high", seconds->high}};
}

Json vision_json(const fit::VisionAnswer& answer) {
  return {{"model", answer.member->key},
          {"parameters", answer.n_parameters},
          {"file_bytes", answer.file_bytes},
          {"memory_bytes", answer.memory_bytes},
          {"default_budget", answer.budget},
          {"tflop", answer.operations / 1e12},
          {"seconds", seconds_json(answer.seconds)}};
}

/// Of 30 s of sound.
Json audio_json(const fit::AudioAnswer& answer) {
  return {{"model", answer.member->key},
          {"parameters", answer.n_parameters},
          {"file_bytes", answer.file_bytes},
          {"memory_bytes", answer.memory_bytes},
          {"tokens", answer.tokens},
          {"tflop", answer.operations / 1e12},
          {"seconds", seconds_json(answer.seconds)}};
}

}  // namespace

std::string fit_as_json(const FitReport& report) {
  const fit::Machine& machine = report.machine;
  Json json;
  json["machine"] = {
      {"name", machine.name},
      {"measured", report.threads > 0},
      {"threads", report.threads > 0 ? Json(report.threads) : Json(nullptr)},
      {"memory_bytes", machine.memory_bytes},
      {"read_gb_s", machine.read_bytes_per_second / 1e9},
      {"matrix_tflop_s",
       machine.operations_per_second ? Json(*machine.operations_per_second / 1e12) : Json(nullptr)},
      {"matrix_instructions", report.instructions}};
  json["context"] = report.question.context;
  json["kv_type"] = name(report.question.kv_type);
  json["prompt_tokens"] = fit::prompt_tokens(report.question);
  json["models"] = Json::array();
  for (const fit::Answer& answer : report.answers) json["models"].push_back(answer_json(answer));
  json["vision"] = Json::array();
  for (const fit::VisionAnswer& answer : report.vision) {
    json["vision"].push_back(vision_json(answer));
  }
  json["audio"] = Json::array();
  for (const fit::AudioAnswer& answer : report.audio) json["audio"].push_back(audio_json(answer));
  json["recommended"] = nullptr;
  if (report.recommended) {
    const fit::Answer& answer = report.answers[*report.recommended];
    json["recommended"] = {{"model", answer.member->key}, {"type", convert::name(answer.type)}};
  }
  return to_text(json, 2) + "\n";
}

std::string published_as_json(const fit::Question& question) {
  Json list = Json::array();
  for (const fit::PublishedRate& rate : fit::published_rates()) {
    const auto* member = gemma4::find_member(rate.member);
    if (std::ranges::find(question.members, member) == question.members.end()) continue;
    list.push_back({{"model", rate.member},
                    {"stored_as", rate.stored},
                    {"type", convert::name(rate.type)},
                    {"engine", rate.engine},
                    {"hardware", rate.hardware},
                    {"read_gb_s", number_json(rate.bandwidth_gb_s)},
                    {"prefill_tok_s", number_json(rate.prefill)},
                    {"decode_tok_s", number_json(rate.decode)},
                    {"predicted_decode", rate_json(fit::predict_published(rate))},
                    {"source", rate.source},
                    {"note", rate.note}});
  }
  return to_text(Json{{"published", list}}, 2) + "\n";
}

}  // namespace pleiad::apps
