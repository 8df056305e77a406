#include "base/json.h"
#include "base/measurement_text.h"
#include "server_bench/report.h"

namespace pleiad::server_bench {
namespace {

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json seconds(std::optional<double> value) {
  return value ? Json(rounded_measurement(*value)) : Json();
}

Json spread_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"median", rounded_measurement(spread->median)},
          {"min", rounded_measurement(spread->min)},
          {"max", rounded_measurement(spread->max)}};
}

Json summary_json(const Row& row, Figure figure) {
  const Summary summary = summarize(row, figure);
  Json json = spread_json(summary.spread);
  if (!json.is_null()) json["n"] = summary.n_used;
  return json;
}

Json marks_json(const std::vector<Mark>& marks) {
  Json list = Json::array();
  for (const Mark& mark : marks) {
    Json spoils = Json::array();
    for (const Figure figure : mark.spoils) spoils.push_back(name(figure));
    list.push_back({{"code", mark.code}, {"text", mark.text}, {"spoils", std::move(spoils)}});
  }
  return list;
}

Json answer_json(const Answer& answer) {
  return {{"first_token_s", seconds(answer.first_token_seconds)},
          {"last_token_s", seconds(answer.last_token_seconds)},
          {"total_s", seconds(answer.total_seconds)},
          {"pieces", answer.n_pieces},
          {"text_bytes", answer.text_bytes},
          {"thinking_bytes", answer.thinking_bytes},
          {"finish_reason", answer.finish_reason},
          {"recounted_tokens", or_null(answer.recounted_tokens)},
          {"server",
           {{"models", answer.models},
            {"prompt_tokens", or_null(answer.prompt_tokens)},
            {"cached_tokens", or_null(answer.cached_tokens)},
            {"generated_tokens", or_null(answer.generated_tokens)},
            {"thinking_tokens", or_null(answer.thinking_tokens)},
            {"prompt_s", seconds(answer.prompt_seconds)},
            {"generation_s", seconds(answer.generation_seconds)},
            {"load_s", seconds(answer.load_seconds)}}}};
}

Json run_json(const Run& run) {
  if (!run.failure.empty()) return {{"failure", run.failure}};
  Json json = answer_json(run.answer);
  if (run.context_length) json["context_length"] = *run.context_length;
  if (run.machine.megahertz) json["mhz"] = rounded_measurement(*run.machine.megahertz);
  json["marks"] = marks_json(run.marks);
  return json;
}

Json answers_json(const std::vector<Answer>& answers) {
  Json list = Json::array();
  for (const Answer& answer : answers) list.push_back(answer_json(answer));
  return list;
}

/// Why a figure is null, where it is so for a mark.
Json spoiled_json(const Row& row) {
  Json json = Json::object();
  const auto add = [&](Figure figure) {
    const Summary summary = summarize(row, figure);
    if (summary.spoiled) json[name(figure)] = summary.reasons;
  };
  for (const Figure figure : kFigures) add(figure);
  add(Figure::total);
  return json;
}

Json row_json(const Row& row) {
  Json json = {{"prompt_tokens", row.shape.prompt_tokens},
               {"generated_tokens", row.shape.generated_tokens},
               {"parallel", row.n_parallel},
               {"marks", codes(row)}};
  for (const Figure figure : kFigures) {
    const char* unit = figure == Figure::first_token ? "_s" : "_tok_s";
    json[name(figure) + unit] = summary_json(row, figure);
  }
  if (row.n_parallel > 1) json["total_tok_s"] = summary_json(row, Figure::total);
  json["spoiled"] = spoiled_json(row);
  json["row_marks"] = marks_json(row.marks);
  Json& runs = json["runs"] = Json::array();
  for (const Run& run : row.runs) runs.push_back(run_json(run));
  json["new_prompts"] = answers_json(row.fresh);
  json["repeated_prompts"] = answers_json(row.repeated);
  json["recounts"] = answers_json(row.recounts);
  return json;
}

Json model_json(const ModelResult& model) {
  Json json = {{"model", model.model},
               {"unloaded_before", model.unloaded},
               {"load_s", seconds(model.load_seconds)},
               {"first_answer_s", seconds(model.first_answer_seconds)},
               {"context_length", or_null(model.context_length)},
               {"length", name(model.length)},
               {"template_tokens", model.counted ? Json(model.overhead) : Json()},
               {"rows", Json::array()}};
  for (const Row& row : model.rows) json["rows"].push_back(row_json(row));
  if (!model.failure.empty()) json["failure"] = model.failure;
  return json;
}

}  // namespace

std::string report_as_json(const ServerReport& report) {
  Json json = {
      {"program", report.program}, {"server", report.server.name},
      {"address", report.address}, {"api", report.server.api == Api::ollama ? "ollama" : "openai"},
      {"local", report.local},     {"seed", report.seed},
      {"models", Json::array()},   {"interrupted", report.interrupted}};
  for (const ModelResult& model : report.models) json["models"].push_back(model_json(model));
  return to_text(json, 2) + "\n";
}

}  // namespace pleiad::server_bench
