// Any bytes at all, as the stream that a server under test answers with, in both APIs.
// Whatever is wrong must end in an Error; what is accepted must have figures that are
// numbers and can be written down.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "server_bench/marks.h"
#include "server_bench/report.h"

namespace {

using namespace pleiad::server_bench;

void require(bool holds) {
  if (!holds) std::abort();
}

void judge(const Answer& answer) {
  for (const Figure figure : kFigures) {
    const auto value = value_of(answer, figure);
    require(!value || (std::isfinite(*value) && *value > 0));
  }
  ServerReport report;
  ModelResult& model = report.models.emplace_back();
  Row& row = model.rows.emplace_back();
  Run run;
  run.answer = answer;
  row.runs.assign(3, run);
  row.fresh.assign(2, answer);
  row.repeated.assign(2, answer);
  Expectation expected;
  expected.counted = true;
  mark(row, expected);
  require(!report_as_text(report, false).empty());
  require(!report_as_json(report).empty());
}

void read(Api api, std::string_view text) {
  AnswerReader reader(api);
  double seconds = 0;
  try {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      reader.take(text.substr(0, end), seconds += 0.5);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    judge(reader.finish(seconds + 1));
  } catch (const pleiad::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(Api::ollama, text);
  read(Api::openai, text);
  return 0;
}
