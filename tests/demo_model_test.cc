// The demo model does what its README says, and its arithmetic is the
// reference's: greedy continuations token for token, and its skills on prompts
// that it was not trained on.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

#include "backend/cpu/cpu_backend.h"
#include "base/json.h"
#include "engine/chat.h"

namespace pleiad {
namespace {

const std::string kFolder = PLEIAD_SOURCE_DIR "/models/demo/";

class DemoModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    backend_ = new cpu::CpuBackend({});
    model_ = new LoadedModel(kFolder + "pleiad-demo.gguf", *backend_, {});
  }
  static void TearDownTestSuite() {
    delete model_;
    delete backend_;
  }
  static inline cpu::CpuBackend* backend_ = nullptr;
  static inline LoadedModel* model_ = nullptr;
};

TEST_F(DemoModel, IsSmall) {
  EXPECT_LE(std::filesystem::file_size(kFolder + "pleiad-demo.gguf"), 12'000'000U);
  EXPECT_LE(model_->tokenizer().vocabulary().size(), 4096U);
}

TEST_F(DemoModel, ContinuesAsTheReferenceDoes) {
  std::ifstream file(kFolder + "golden.json");
  const Json golden = Json::parse(file);
  const Json& cases = golden.is_array() ? golden : golden.at("cases");
  ASSERT_GE(cases.size(), 4U);
  for (const Json& item : cases) {
    const auto prompt = item.at("prompt").get<std::vector<std::int32_t>>();
    const auto expected = item.at("continuation").get<std::vector<std::int32_t>>();
    Session session(*model_, {.kv_type = KvType::f32});
    GenerationOptions options;
    options.sampling.temperature = 0;
    options.max_tokens = static_cast<std::int64_t>(expected.size());
    options.stop_tokens = sampling::StopTokens(std::vector<std::int32_t>{});
    std::vector<std::int32_t> found;
    session.generate(prompt, options, [&](text::TokenId token) {
      found.push_back(token);
      return true;
    });
    EXPECT_EQ(found, expected);
  }
}

/// The reply in the form of "expected": its content, or its first call.
Json graded(const ChatReply& reply) {
  if (reply.reply.tool_calls.empty()) return reply.reply.content;
  const text::ReplyEvent& call = reply.reply.tool_calls.front();
  return {{"tool_call", {{"name", call.name}, {"arguments", call.arguments}}}};
}

// The table in the demo's README is made from a hundred cases a skill; here is a
// sample of them, with a margin for its size.
TEST_F(DemoModel, HasItsSkills) {
  std::ifstream file(kFolder + "eval_prompts.jsonl");
  std::map<std::string, std::pair<int, int>> right_of;  // skill -> right, all
  int right_in_all = 0;
  int all_cases = 0;
  std::string line;
  while (std::getline(file, line)) {
    const Json item = Json::parse(line);
    const Json& input = item.at("input");
    ChatRequest request;
    request.messages = input.at("messages");
    if (input.contains("tools") && !input.at("tools").is_null()) request.tools = input.at("tools");
    request.think = input.value("enable_thinking", false);
    request.generation.sampling.temperature = 0;
    request.generation.max_tokens = 400;
    request.generation.stop_tokens = model_->stop_tokens();
    Session session(*model_, {});
    auto reply = answer_chat(session, *model_, request, {});
    ASSERT_TRUE(reply.ok()) << line;
    const bool thought_as_asked = !request.think || !reply.value().reply.thinking.empty();
    const bool is_right = graded(reply.value()) == item.at("expected") && thought_as_asked;
    auto& [right, all] = right_of[item.at("skill").get<std::string>()];
    right += is_right;
    ++all;
    right_in_all += is_right;
    ++all_cases;
  }
  EXPECT_GE(right_of.size(), 8U);
  EXPECT_GE(right_in_all * 100, all_cases * 88) << right_in_all << " of " << all_cases;
  for (const auto& [skill, counts] : right_of) {
    const auto [right, all] = counts;
    EXPECT_GE(right * 100, all * 75) << skill << ": " << right << " of " << all;
  }
}

}  // namespace
}  // namespace pleiad
