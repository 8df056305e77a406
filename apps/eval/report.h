#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eval/battery_run.h"
#include "eval/text_evaluation.h"

namespace pleiad::apps {

/// One of the models that were evaluated.
struct EvalModel {
  std::string name;  // as it was asked for
  std::string kind;  // "Gemma 4 E2B, q4_0, 1.4 GB"
  std::string path;
};

struct EvalReport {
  std::string program;  // with version and commit
  std::vector<EvalModel> models;
  bool interrupted = false;

  struct Text {
    std::string source;  // the file's name
    eval::WindowOptions windows;
    std::string kv_type;
    eval::TextReport result;
  };
  std::optional<Text> text;

  struct Battery {
    int n_samples = 1;
    bool greedy = true;
    bool think = false;
    std::vector<eval::BatteryReport> results;  // one a model, as far as it came
  };
  std::optional<Battery> battery;
};

/// Tables for people; `with_failures` lists every case that was not right.
std::string eval_report_as_text(const EvalReport& report, bool with_failures);
std::string eval_report_as_json(const EvalReport& report);

}  // namespace pleiad::apps
