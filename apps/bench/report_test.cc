#include "apps/bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/json.h"

namespace pleiad::apps {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

cpu::MachineLimits limits() {
  cpu::MachineLimits limits;
  limits.read_bytes_per_second = 25.3e9;
  limits.huge_page_bytes_per_second = 25.3e9;
  limits.small_page_bytes_per_second = 22.6e9;
  limits.huge_pages = true;
  limits.float_operations_per_second = 5.4e12;
  limits.float_instructions = "amx_bf16";
  limits.int8_operations_per_second = 9.4e12;
  limits.int8_instructions = "amx_int8";
  return limits;
}

BenchReport bench_report() {
  BenchReport report;
  report.program = "pleiad 0.1.0 (commit 1a2b3c4)";
  report.processor = "Some \"Processor\", 2 GHz";
  report.isa = "avx512";
  report.model_name = "Gemma 4 E2B";
  report.model_type = "q4_0";
  report.model_bytes = 3'900'000'000;
  report.bytes_per_token = 1'406'900'000;
  TestResult prompt;
  prompt.test = {bench::TestKind::prompt, 512, 0, 1, KvType::bf16};
  prompt.tokens_per_second = {1500, 1400, 1600};
  prompt.n_repetitions = 5;
  prompt.operations_per_second = 1.6e12;
  prompt.bytes_per_second = 4e9;
  prompt.bound = Bound::matrix;
  prompt.share_of_limit = 0.3;
  TestResult decode;
  decode.test = {bench::TestKind::generation, 64, 4096, 8, KvType::f16};
  decode.tokens_per_second = {16.25, 16, 16.5};
  decode.n_repetitions = 5;
  decode.bytes_per_second = 23e9;
  decode.share_of_limit = 0.909;
  report.runs = {{2,
                  limits(),
                  false,
                  0.75,
                  1'600'000'000,
                  {1'400'000'000, 1'000'000'000, "madvise"},
                  {prompt, decode}}};
  return report;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(MakeResult, ComparesTheTimeWithTheLongerOfTheTwoLimits) {
  gemma4::Config config;
  config.n_heads = 1;
  config.layers = {{gemma4::AttentionKind::full, 1, 1, 1, 0, false}};
  const std::vector<bench::TensorSize> tensors = {{"embedding", {1000, 1000}, 1'000'000}};
  const bench::WorkCounter work(config, tensors);
  cpu::MachineLimits limits;
  limits.read_bytes_per_second = 1e9;         // a step: 1 ms and 28 bytes of keys and values
  limits.float_operations_per_second = 4e12;  // a step: 0.5 us
  const bench::Case test = {bench::TestKind::generation, 10, 0, 1, KvType::bf16};
  const TestResult read = make_result({test, {400, 500, 600}}, work, limits, false);
  EXPECT_EQ(read.bound, Bound::read);
  EXPECT_EQ(read.tokens_per_second.median, 500);
  EXPECT_EQ(read.n_repetitions, 3);
  EXPECT_NEAR(read.share_of_limit, 0.5, 1e-4);
  EXPECT_NEAR(read.bytes_per_second, 500e6, 1e5);
  EXPECT_NEAR(read.operations_per_second, 1e9, 1e6);
  limits.float_operations_per_second = 1e9;  // a step: 2 ms
  const TestResult matrix = make_result({test, {500}}, work, limits, false);
  EXPECT_EQ(matrix.bound, Bound::matrix);
  EXPECT_NEAR(matrix.share_of_limit, 1, 1e-3);
  const TestResult unmeasured = make_result({test, {500}}, work, limits, true);
  EXPECT_NEAR(unmeasured.share_of_limit, 1, 1e-3);
  limits.int8_operations_per_second = 1.25e9;
  const TestResult bytes = make_result({test, {500}}, work, limits, true);
  EXPECT_EQ(bytes.bound, Bound::matrix);
  EXPECT_NEAR(bytes.share_of_limit, 0.8, 1e-3);
}

TEST(ReportAsJson, HasTheFieldsThatOthersReadAndParses) {
  const Json json = parse_json(report_as_json(bench_report()), "report");
  EXPECT_EQ(json["machine"]["read_gb_s"], 25.3);
  EXPECT_EQ(json["machine"]["matrix_tflop_s"], 5.4);
  EXPECT_EQ(json["machine"]["isa"], "avx512");
  EXPECT_EQ(json["machine"]["threads"], 2);
  EXPECT_EQ(json["machine"]["huge_pages"], true);
  EXPECT_EQ(json["model"]["bytes_per_token"], 1'406'900'000);
  EXPECT_EQ(json["model"]["load_seconds"], 0.75);
  EXPECT_EQ(json["model"]["peak_resident_bytes"], 1'600'000'000);
  EXPECT_EQ(json["model"]["packed_bytes"], 1'400'000'000);
  EXPECT_EQ(json["model"]["packed_bytes_in_huge_pages"], 1'000'000'000);
  ASSERT_EQ(json["tests"].size(), 2U);
  EXPECT_EQ(json["tests"][0]["name"], "pp512");
  EXPECT_EQ(json["tests"][0]["share_of_limit"], 0.3);
  EXPECT_EQ(json["tests"][1]["name"], "tg64@d4096 x8");
  EXPECT_EQ(json["tests"][1]["tok_s"], (Json{{"median", 16.25}, {"min", 16}, {"max", 16.5}}));
  EXPECT_EQ(json["tests"][1]["limit"], "read");
  EXPECT_FALSE(json.contains("runs"));
  EXPECT_EQ(json["interrupted"], false);
}

TEST(ReportAsJson, SaysWhatOperationsAreHeldAgainst) {
  BenchReport of_bytes = bench_report();
  EXPECT_EQ(parse_json(report_as_json(of_bytes), "report")["machine"]["float_tflop_s"], 5.4);
  of_bytes.runs[0].of_bytes = true;
  const Json machine = parse_json(report_as_json(of_bytes), "report")["machine"];
  EXPECT_EQ(machine["matrix_tflop_s"], 9.4);
  EXPECT_EQ(machine["matrix_instructions"], "amx_int8");
  EXPECT_EQ(machine["float_tflop_s"], 5.4);
  EXPECT_EQ(machine["float_instructions"], "amx_bf16");
  EXPECT_THAT(report_as_csv(of_bytes), HasSubstr(",9.4,amx_int8,"));
  EXPECT_THAT(report_as_text(of_bytes, false), HasSubstr("of which amx_int8 is the limit here"));
  EXPECT_THAT(report_as_text(bench_report(), false), Not(HasSubstr("of which")));
}

TEST(ReportAsText, HoldsBytesAgainstFloatsWhereOnlyTheseWereMeasured) {
  BenchReport report = bench_report();
  report.runs[0].of_bytes = true;
  report.runs[0].limits.int8_operations_per_second = 0;
  report.runs[0].limits.int8_instructions = "";
  EXPECT_THAT(report_as_text(report, false),
              AllOf(HasSubstr("5.40 TFLOP/s (amx_bf16); loaded"), Not(HasSubstr("of which"))));
  const Json machine = parse_json(report_as_json(report), "report")["machine"];
  EXPECT_EQ(machine["matrix_instructions"], "amx_bf16");
}

TEST(ReportAsJson, ListsTheMachineByThreadsWhereThereAreSeveral) {
  BenchReport several = bench_report();
  several.runs.push_back(several.runs.front());
  several.runs.back().threads = 1;
  several.runs.back().peak_resident_bytes.reset();
  const Json json = parse_json(report_as_json(several), "report");
  ASSERT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][1]["machine"]["threads"], 1);
  EXPECT_TRUE(json["runs"][1]["peak_resident_bytes"].is_null());
  EXPECT_EQ(json["tests"].size(), 4U);
  EXPECT_EQ(json["tests"][3]["threads"], 1);
}

TEST(ReportAsCsv, HasALineForEveryTestAndAsManyFieldsAsColumns) {
  BenchReport plain = bench_report();
  plain.processor = "Some Processor";
  const auto lines = lines_of(report_as_csv(plain));
  ASSERT_EQ(lines.size(), 3U);
  for (const std::string& line : lines) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 27) << line;
  }
  EXPECT_THAT(lines[0], HasSubstr(",test,kind,n_tokens,depth,batch,kv_type,"));
  EXPECT_THAT(lines[2], HasSubstr(",tg64@d4096 x8,generation,64,4096,8,f16,5,16.25,16,16.5,"));
  EXPECT_THAT(report_as_csv(bench_report()), HasSubstr(R"("Some ""Processor"", 2 GHz")"));
}

TEST(ReportAsText, SaysOnWhatItWasMeasured) {
  const std::string text = report_as_text(bench_report(), false);
  for (const char* words :
       {"1406.9 MB", "25.3 GB/s", "22.6 GB/s", "5.40 TFLOP/s (amx_bf16)", "9.40 TOP/s (amx_int8)",
        "1.6 GB resident", "weights: 1.0 GB of 1.4 GB in huge pages", "750.0 ms", "1a2b3c4",
        "30.0% of matrix", "90.9% of read", "1.60 TFLOP/s", "1400..1600"}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
  EXPECT_THAT(text, Not(HasSubstr("Interrupted")));
  BenchReport cut = bench_report();
  cut.interrupted = true;
  EXPECT_THAT(report_as_text(cut, false), HasSubstr("Interrupted"));
}

TEST(ReportAsText, MarkdownIsATable) {
  const auto lines = lines_of(report_as_text(bench_report(), true));
  ASSERT_EQ(lines.size(), 3U + 1 + 4);
  EXPECT_EQ(lines[5], "|---|---|---:|---:|---:|---|---|");
  EXPECT_THAT(lines[6], HasSubstr("| pp512 | bf16 | 2 | 1500 | 1400..1600 |"));
}

}  // namespace
}  // namespace pleiad::apps
