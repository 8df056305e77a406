#pragma once

#include <filesystem>
#include <string>

#include "convert/report.h"

namespace pleiad::apps {

/// What writing a model has come to, for the reports of `quantize` and `convert`.
struct WrittenModel {
  std::string model_name;
  std::filesystem::path source;
  std::filesystem::path target;
  convert::WriteOptions options;
  convert::WriteReport report;
  bool calibrated = false;
  double seconds = 0;
};

std::string format_text(const WrittenModel& written);
std::string format_json(const WrittenModel& written);

/// Sentences for the user on what is not in the file, and what is stored otherwise
/// than asked for; each a line.
std::string format_notes(const WrittenModel& written);

}  // namespace pleiad::apps
