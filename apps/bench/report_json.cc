#include <cmath>

#include "apps/bench/report.h"
#include "base/json.h"
#include "base/measurement_text.h"

namespace pleiad::apps {
namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;

Json machine(const BenchReport& report, const ThreadRun& run) {
  const cpu::MachineLimits& limits = run.limits;
  const cpu::MatrixRate matrix = cpu::matrix_rate(limits, run.of_bytes);
  Json json = {
      {"read_gb_s", rounded_measurement(limits.read_bytes_per_second / kGiga)},
      {"matrix_tflop_s", rounded_measurement(matrix.per_second / kTera)},
      {"isa", report.isa},
      {"threads", run.threads},
      {"processor", report.processor},
      {"matrix_instructions", matrix.instructions},
      {"float_tflop_s", rounded_measurement(limits.float_operations_per_second / kTera)},
      {"float_instructions", limits.float_instructions},
      {"read_huge_pages_gb_s", rounded_measurement(limits.huge_page_bytes_per_second / kGiga)},
      {"read_small_pages_gb_s", rounded_measurement(limits.small_page_bytes_per_second / kGiga)},
      {"huge_pages", limits.huge_pages},
      {"read_buffer_bytes", limits.read_buffer_bytes}};
  if (!limits.int8_instructions.empty()) {
    json["int8_instructions"] = limits.int8_instructions;
    json["int8_top_s"] = rounded_measurement(limits.int8_operations_per_second / kTera);
  }
  return json;
}

Json usage(const ThreadRun& run) {
  Json json = {{"load_seconds", rounded_measurement(run.load_seconds)},
               {"peak_resident_bytes", nullptr},
               {"packed_bytes", run.weights.bytes},
               {"packed_bytes_in_huge_pages", nullptr}};
  if (run.peak_resident_bytes) json["peak_resident_bytes"] = *run.peak_resident_bytes;
  if (run.weights.huge_bytes) json["packed_bytes_in_huge_pages"] = *run.weights.huge_bytes;
  return json;
}

Json test(const ThreadRun& run, const TestResult& result) {
  const Spread& rate = result.tokens_per_second;
  return {{"name", result.test.name()},
          {"tok_s",
           {{"median", rounded_measurement(rate.median)},
            {"min", rounded_measurement(rate.min)},
            {"max", rounded_measurement(rate.max)}}},
          {"share_of_limit", rounded_measurement(result.share_of_limit)},
          {"limit", name(result.bound)},
          {"read_gb_s", rounded_measurement(result.bytes_per_second / kGiga)},
          {"tflop_s", rounded_measurement(result.operations_per_second / kTera)},
          {"kind", result.test.kind == bench::TestKind::prompt ? "prompt" : "generation"},
          {"n_tokens", result.test.n_tokens},
          {"depth", result.test.depth},
          {"batch", result.test.n_sequences},
          {"kv_type", name(result.test.kv_type)},
          {"threads", run.threads},
          {"repetitions", result.n_repetitions}};
}

}  // namespace

std::string report_as_json(const BenchReport& report) {
  const ThreadRun& first = report.runs.front();
  Json json;
  json["program"] = report.program;
  json["machine"] = machine(report, first);
  json["model"] = {{"name", report.model_name},
                   {"type", report.model_type},
                   {"path", report.model_path},
                   {"bytes", report.model_bytes},
                   {"bytes_per_token", std::llround(report.bytes_per_token)}};
  json["model"].update(usage(first));
  json["tests"] = Json::array();
  for (const ThreadRun& run : report.runs) {
    for (const TestResult& result : run.results) json["tests"].push_back(test(run, result));
  }
  if (report.runs.size() > 1) {
    json["runs"] = Json::array();
    for (const ThreadRun& run : report.runs) {
      Json entry = {{"machine", machine(report, run)}};
      entry.update(usage(run));
      json["runs"].push_back(entry);
    }
  }
  json["interrupted"] = report.interrupted;
  return to_text(json, 2) + "\n";
}

}  // namespace pleiad::apps
