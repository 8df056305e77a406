// Embeddings, through the service.

#include "serving/embed_job.h"

#include "serving/testing/model_service_fixture.h"

namespace pleiad::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class EmbeddingsTest : public ModelServiceTest {};

TEST_F(EmbeddingsTest, EmbeddingsHaveLengthOneAndTheOrderOfTheInputs) {
  EmbedRequest request;
  request.model = "m";
  for (int i = 0; i < 30; ++i)
    request.inputs.push_back(std::string(static_cast<std::size_t>(i), 'a'));
  Awaited<EmbedResult> all;
  service().embed(request, all.callback());
  const EmbedResult result = all.value();
  ASSERT_THAT(result.embeddings, SizeIs(30));
  for (const auto& values : result.embeddings) EXPECT_FLOAT_EQ(values[0], 0.6F);
  request.dimensions = 1;
  Awaited<EmbedResult> cut;
  service().embed(request, cut.callback());
  EXPECT_THAT(cut.value().embeddings[3], ElementsAre(1.0F));
  request.dimensions = 5;
  Awaited<EmbedResult> wrong;
  service().embed(request, wrong.callback());
  EXPECT_EQ(wrong.error().field, "dimensions");
}

TEST_F(EmbeddingsTest, TokensAreEmbeddedAsTheyAre) {
  EmbedRequest request;
  request.model = "m";
  request.token_inputs = {{7, 8}, {9}};
  Awaited<EmbedResult> taken;
  service().embed(request, taken.callback());
  ASSERT_THAT(taken.value().embeddings, SizeIs(2));
  request.token_inputs = {{7}, {8, 5'000'000}};
  Awaited<EmbedResult> unknown;
  service().embed(request, unknown.callback());
  EXPECT_EQ(unknown.error().code, ServiceError::Code::bad_request);
  EXPECT_THAT(unknown.error().message, HasSubstr("input[1]: there is no token 5000000"));
  request.token_inputs = {std::vector<std::int32_t>(10, 7)};
  request.context_length = 4;
  Awaited<EmbedResult> refused;
  service().embed(request, refused.callback());
  EXPECT_EQ(refused.error().code, ServiceError::Code::context_exceeded);
  request.truncate = true;
  Awaited<EmbedResult> cut;
  service().embed(request, cut.callback());
  EXPECT_EQ(cut.value().truncated_inputs, 1);
}

TEST_F(EmbeddingsTest, AnInputThatIsTooLongIsRefusedOrCut) {
  EmbedRequest request;
  request.model = "m";
  request.inputs = {"a", "one two three four five six seven eight nine ten"};
  request.context_length = 4;
  Awaited<EmbedResult> refused;
  service().embed(request, refused.callback());
  EXPECT_EQ(refused.error().code, ServiceError::Code::context_exceeded);
  EXPECT_THAT(refused.error().message, HasSubstr("input[1]"));
  request.truncate = true;
  Awaited<EmbedResult> cut;
  service().embed(request, cut.callback());
  EXPECT_EQ(cut.value().truncated_inputs, 1);
}

TEST_F(EmbeddingsTest, AVeryLongInputIsRefusedOrCutWithoutBeingReadToItsEnd) {
  EmbedRequest request;
  request.model = "m";
  request.inputs = {""};
  while (request.inputs[0].size() < 2'000'000) request.inputs[0] += "one two three 45, ";
  request.context_length = 50;
  Awaited<EmbedResult> refused;
  service().embed(request, refused.callback());
  EXPECT_THAT(refused.error().message, HasSubstr("input[0] has at least "));
  EXPECT_EQ(refused.error().limit_tokens, 50);
  request.truncate = true;
  Awaited<EmbedResult> cut;
  service().embed(request, cut.callback());
  EXPECT_EQ(cut.value().truncated_inputs, 1);
  auto expected = TestRuntime::tokenizer().tokenizer.encode_text(request.inputs[0]);
  expected.insert(expected.begin(), *TestRuntime::tokenizer().tokenizer.vocabulary().bos());
  expected.resize(50);
  EXPECT_EQ(script_.prompts.back(), expected);
}

TEST_F(EmbeddingsTest, CancelledEmbeddingsEndAtOnceAndReachTheEngine) {
  script_.hold_replies = true;
  EmbedRequest request;
  request.model = "m";
  request.inputs = std::vector<std::string>(30, "a");
  Awaited<EmbedResult> cancelled;
  const auto ticket = service().embed(request, cancelled.callback());
  ASSERT_TRUE(eventually([&] { return script_.get(&TestScript::prompts).size() == 8; }));
  ticket->cancel();
  EXPECT_EQ(cancelled.error().code, ServiceError::Code::shutting_down);
  EXPECT_TRUE(eventually([&] { return script_.get(&TestScript::cancelled) == 8; }));
  EXPECT_EQ(script_.get(&TestScript::prompts).size(), 8U);
}

TEST_F(EmbeddingsTest, EmbeddingsThatWaitForTheModelCanBeCancelled) {
  script_.hold_loads = true;
  EmbedRequest request;
  request.model = "m";
  request.inputs = {"a"};
  Awaited<EmbedResult> cancelled;
  const auto ticket = service().embed(request, cancelled.callback());
  ASSERT_TRUE(eventually([&] { return script_.get(&TestScript::loads).size() == 1; }));
  ticket->cancel();
  EXPECT_EQ(cancelled.error().code, ServiceError::Code::shutting_down);
}

TEST_F(EmbeddingsTest, EmbeddingsOfNothingAreNone) {
  EmbedRequest request;
  request.model = "m";
  Awaited<EmbedResult> none;
  service().embed(request, none.callback());
  EXPECT_THAT(none.value().embeddings, SizeIs(0));
}

TEST(UnitLength, CutsFirstAndLeavesZerosAlone) {
  EXPECT_THAT(unit_length({3, 4, 12}, 2), ElementsAre(0.6F, 0.8F));
  EXPECT_THAT(unit_length({0, 0}, 0), ElementsAre(0, 0));
}

}  // namespace
}  // namespace pleiad::serving
