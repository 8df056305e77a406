#include "server_bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/testing/json.h"

namespace pleiad::server_bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using OneRun = Run;  // in a test, Run is a word of GoogleTest

Run run_of(double generation_seconds, double prompt_seconds) {
  Run run;
  run.answer.n_pieces = 256;
  run.answer.generated_tokens = 256;
  run.answer.prompt_tokens = 26;
  run.answer.generation_seconds = generation_seconds;
  run.answer.prompt_seconds = prompt_seconds;
  run.answer.first_token_seconds = prompt_seconds;
  run.answer.last_token_seconds = prompt_seconds + generation_seconds;
  return run;
}

/// Model "a" in order, the prefill of model "b" spoiled.
ServerReport example() {
  ServerReport report;
  report.program = "pleiad 1.2";
  report.address = "http://127.0.0.1:1";
  report.server = {Api::ollama, Product::ollama, "Ollama 9"};
  report.seed = 7;
  for (const char* name : {"a", "b"}) {
    ModelResult& model = report.models.emplace_back();
    model.model = name;
    model.load_seconds = 1.5;
    Row& row = model.rows.emplace_back();
    row.shape = {26, 256};
    for (const double seconds : {2.0, 2.56, 4.0}) row.runs.push_back(run_of(seconds, 0.1));
  }
  for (OneRun& run : report.models[1].rows[0].runs) {
    run.marks.push_back(
        {"cache_hit", "20 of 26", {Figure::prefill, Figure::client_prefill, Figure::first_token}});
  }
  return report;
}

TEST(ServerReport, TextHasARowForEachModelAndNoFigureThatIsSpoiled) {
  const std::string text = report_as_text(example(), false);
  EXPECT_THAT(text, HasSubstr("Ollama 9 at http://127.0.0.1:1; measured by pleiad 1.2; seed 7"));
  EXPECT_THAT(text, HasSubstr("a      26 -> 256   100 (64.0..128)"));
  EXPECT_THAT(text, HasSubstr("260 (260..260)"));
  const std::string of_b = text.substr(text.find("\nb "));
  EXPECT_THAT(of_b, HasSubstr("- (cache_hit)   - (cache_hit)   - (cache_hit)  cache_hit"));
  EXPECT_THAT(of_b, HasSubstr("cache_hit: b, 26 -> 256, run 1, 2, 3: 20 of 26"));
  EXPECT_THAT(of_b, Not(HasSubstr("260")));
}

TEST(ServerReport, MarkdownIsATable) {
  const std::string text = report_as_text(example(), true);
  EXPECT_THAT(text, HasSubstr("| model | tokens |"));
  EXPECT_THAT(text, HasSubstr("| a | 26 -> 256 |"));
}

TEST(ServerReport, JsonHasNullForWhatIsSpoiledAndKeepsEveryAnswer) {
  const Json json = json_from(report_as_json(example()));
  const Json& a = json["models"][0]["rows"][0];
  const Json& b = json["models"][1]["rows"][0];
  EXPECT_EQ(a["generation_tok_s"]["median"], 100);
  EXPECT_EQ(a["prefill_tok_s"]["n"], 3);
  EXPECT_TRUE(b["prefill_tok_s"].is_null());
  EXPECT_TRUE(b["first_token_s"].is_null());
  EXPECT_EQ(b["marks"], Json::array({"cache_hit"}));
  EXPECT_TRUE(a["spoiled"].empty());
  EXPECT_EQ(b["spoiled"]["prefill"], Json::array({"cache_hit"}));
  EXPECT_EQ(b["runs"].size(), 3U);
  EXPECT_EQ(b["runs"][0]["server"]["prompt_s"], 0.1);
  EXPECT_EQ(b["runs"][0]["marks"][0]["spoils"],
            Json::array({"prefill", "client_prefill", "first_token"}));
}

TEST(ServerReport, CsvHasALineForEachRowWithNothingForWhatIsSpoiled) {
  const std::string text = report_as_csv(example());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text,
              HasSubstr("pleiad 1.2,Ollama 9,http://127.0.0.1:1,7,a,1.5,,26,256,1,3,100,64,128"));
  EXPECT_THAT(text.substr(text.find(",b,")),
              HasSubstr(",,,,,,,,,,,cache_hit,prefill:cache_hit "
                        "client_prefill:cache_hit first_token:cache_hit\n"));
}

TEST(ServerReport, TheChartShowsBothModelsAndLeavesOutWhatIsSpoiled) {
  const std::string svg = report_as_chart(example());
  EXPECT_THAT(svg, HasSubstr("<svg"));
  EXPECT_THAT(svg, HasSubstr("Speed of Ollama 9"));
  EXPECT_THAT(svg, HasSubstr("Prompt, tokens/s"));
  ServerReport honest = example();
  for (OneRun& run : honest.models[1].rows[0].runs) run.marks.clear();
  const auto bars = [](const std::string& text) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find("<title>", at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(bars(report_as_chart(honest)) - bars(svg), 2U);
}

TEST(ServerReport, TheSumOfParallelRequestsIsByRounds) {
  Row row;
  row.n_parallel = 2;
  row.round_seconds = {2, 4};
  row.round_tokens = {512, 512};
  EXPECT_EQ(summarize(row, Figure::total).spread->median, 192);
  EXPECT_EQ(summarize(row, Figure::total).spread->max, 256);
  row.runs.push_back(run_of(2, 0.1));
  row.runs.back().marks.push_back({"hidden_tokens", "20 of 256", {Figure::total}});
  EXPECT_FALSE(summarize(row, Figure::total).spread);
  EXPECT_TRUE(summarize(row, Figure::total).spoiled);
  ServerReport report = example();
  report.models[0].rows.push_back(row);
  EXPECT_THAT(report_as_text(report, false), Not(HasSubstr("192")));
  EXPECT_TRUE(json_from(report_as_json(report))["models"][0]["rows"][1]["total_tok_s"].is_null());
  EXPECT_THAT(report_as_csv(report), HasSubstr(",,hidden_tokens,total:hidden_tokens\n"));
}

}  // namespace
}  // namespace pleiad::server_bench
