// Pictures of requests: read, put into prompts, told of.

#include "serving/media/media.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>

#include "serving/media/prepare_media.h"
#include "serving/testing/media_fixture.h"

namespace pleiad::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class MediaTest : public MediaFixture {};

TEST_F(MediaTest, ReachTheEngineWhereTheyStand) {
  script_.result.media = {{.cached = true}, {.cached = false, .encode_seconds = 1}};
  const auto answer = ask(picture_request("m", {"480x480", "960x480"}));
  const AnswerResult& result = answer->result();
  // 280 soft tokens of 48 pixels: 16 x 16, and 23 x 11.
  ASSERT_THAT(result.media, SizeIs(2));
  EXPECT_EQ(result.media[0].original, (media::PictureSize{480, 480}));
  EXPECT_EQ(result.media[0].shown, (media::PictureSize{768, 768}));
  EXPECT_EQ(result.media[0].tokens, 256);
  EXPECT_EQ(result.media[0].budget, 280);
  EXPECT_TRUE(result.media[0].cached);
  EXPECT_EQ(result.media[1].tokens, 253);
  EXPECT_FALSE(result.media[1].cached);
  const std::lock_guard guard(script_.mutex);
  ASSERT_THAT(script_.media, SizeIs(1));
  const std::vector<PromptMedia>& shown = script_.media[0];
  ASSERT_THAT(shown, SizeIs(2));
  const std::vector<text::TokenId>& prompt = script_.prompts[0];
  for (const PromptMedia& picture : shown) {
    const auto at = [&](std::int64_t i) { return prompt[static_cast<std::size_t>(i)]; };
    EXPECT_EQ(at(picture.first - 1), script_.towers.vision.tokens.begin);
    for (std::int64_t i = picture.first; i < picture.end(); ++i) {
      ASSERT_EQ(at(i), script_.towers.vision.tokens.soft);
    }
    EXPECT_EQ(at(picture.end()), script_.towers.vision.tokens.end);
    EXPECT_EQ(picture.n * 48 * 48, picture.picture->width * picture.picture->height);
  }
  EXPECT_EQ(shown[1].first, shown[0].end() + 2);
}

TEST_F(MediaTest, OfOneRequestAreReadOnceForAllItsAnswers) {
  const AnswerRequest request = picture_request("m", {"480x480"});
  const auto first = ask(request);
  const auto second = ask(request);
  EXPECT_EQ(first->result().media[0].tokens, 256);
  EXPECT_EQ(second->result().media[0].tokens, 256);
  EXPECT_THAT(pictures_.read, ElementsAre("480x480"));
}

TEST_F(MediaTest, OfOneRequestAreNotTriedAgainForItsOtherAnswers) {
  const AnswerRequest request = picture_request("m", {"RIFF"});
  EXPECT_THAT(refusal(request).message, HasSubstr("is no picture"));
  EXPECT_THAT(refusal(request).message, HasSubstr("is no picture"));
  EXPECT_THAT(pictures_.read, ElementsAre("RIFF"));
}

TEST_F(MediaTest, OfOneRequestHoldOneWorkerWhateverItsAnswers) {
  std::promise<void> go_on;
  const std::shared_future<void> held = go_on.get_future().share();
  std::promise<void> reads;
  std::atomic<int> n_read = 0;
  pictures_.while_reading = [&] {
    if (n_read++ > 0) return;
    reads.set_value();
    held.wait();
  };
  const AnswerRequest request = picture_request("m", {"480x480"});
  std::vector<std::shared_ptr<CollectingObserver>> answers = {ask(request)};
  const auto first = ticket_;
  reads.get_future().wait();
  for (int i = 0; i < 8; ++i) answers.push_back(ask(request));
  EXPECT_EQ(ask(picture_request("m", {"48x48"}))->result().media.size(), 1U);
  EXPECT_FALSE(answers.back()->ended());
  first->cancel();
  go_on.set_value();
  EXPECT_EQ(answers[0]->result().reason, FinishReason::cancelled);
  answers.erase(answers.begin());
  for (const auto& answer : answers) EXPECT_EQ(answer->result().media[0].tokens, 256);
  EXPECT_THAT(pictures_.read, ElementsAre("480x480", "48x48", "480x480"));
}

TEST_F(MediaTest, ThePartsOwnBudgetGoesBeforeTheRequests) {
  AnswerRequest request = picture_request("m", {"48x48", "48x48", "48x48"});
  request.media[0].budget = 70;
  request.media[1].automatic = true;
  EXPECT_EQ(ask(request)->result().media[0].budget, 70);
  EXPECT_THAT(pictures_.budgets, ElementsAre(70, std::nullopt, 280));
  pictures_.budgets.clear();
  AnswerRequest with_budget = picture_request("m", {"48x48", "48x48", "48x48"});
  with_budget.media_budget = 560;
  with_budget.media[0].budget = 70;
  with_budget.media[1].automatic = true;
  (void)ask(with_budget)->result();
  EXPECT_THAT(pictures_.budgets, ElementsAre(70, std::nullopt, 560));
  pictures_.budgets.clear();
  AnswerRequest automatic = picture_request("m", {"48x48"});
  automatic.media_automatic = true;
  EXPECT_EQ(ask(automatic)->result().media[0].budget, 70);
  EXPECT_THAT(pictures_.budgets, ElementsAre(std::nullopt));
}

TEST_F(MediaTest, AreRefusedByAModelWithoutATower) {
  script_.towers = PromptTowers();
  script_.towers.vision.problem =
      "has no vision tower that can be used: /srv/mmproj-x.gguf: is cut off";
  const ServiceError error = refusal(picture_request("m", {"480x480"}));
  EXPECT_EQ(error.code, ServiceError::Code::unsupported);
  EXPECT_EQ(error.message, "messages[0].content[0]: m has no vision tower that can be used");
  EXPECT_EQ(error.field, "messages[0].content[0]");
  EXPECT_TRUE(pictures_.read.empty());
  EXPECT_THAT(logged_.errors(), ElementsAre("m " + script_.towers.vision.problem))
      << "files, in the log";
}

TEST_F(MediaTest, NoModelIsLoadedToSayThatItSeesNothing) {
  script_.towers = PromptTowers();
  details_ = store::ModelDetails{};
  EXPECT_EQ(refusal(picture_request("m", {"480x480"})).code, ServiceError::Code::unsupported);
  EXPECT_TRUE(script_.get(&TestScript::loads).empty());
  details_->vision = store::VisionDetails{};
  EXPECT_EQ(refusal(picture_request("m", {"480x480"})).code, ServiceError::Code::unsupported);
  EXPECT_TRUE(script_.get(&TestScript::loads).empty());
}

TEST_F(MediaTest, WhatIsNoPictureIsRefusedByItsPart) {
  const ServiceError error = refusal(picture_request("m", {"480x480", "RIFF"}));
  EXPECT_EQ(error.code, ServiceError::Code::bad_request);
  EXPECT_EQ(error.message, "messages[0].content[1]: is no picture of a format that is read");
  EXPECT_EQ(error.field, "messages[0].content[1]");
}

TEST_F(MediaTest, WithoutAReaderNoneAreRead) {
  tools_.prepare_picture = nullptr;
  EXPECT_THAT(refusal(picture_request("m", {"480x480"})).message, HasSubstr("reads no pictures"));
}

TEST_F(MediaTest, WhereNoneCanBeReadTheClientIsToldThatAndTheLogWhy) {
  tools_.prepare_picture = [](auto&&...) -> Result<media::PreparedPicture> {
    throw Error("the process cannot be confined: /proc is gone");
  };
  const ServiceError error = refusal(picture_request("m", {"480x480"}));
  EXPECT_EQ(error.code, ServiceError::Code::internal);
  EXPECT_EQ(error.message, "messages[0].content[0]: this server cannot read pictures now");
  EXPECT_EQ(error.detail, "");
  EXPECT_THAT(logged_.errors(), ElementsAre("the process cannot be confined: /proc is gone"));
  Awaited<Service::TokenCount> count;
  ticket_ = service().count_tokens(picture_request("m", {"480x480"}), count.callback());
  EXPECT_THAT(count.error().message, HasSubstr("cannot read pictures now"));
}

TEST_F(MediaTest, UrlsAreFetchedWhereThatIsAllowed) {
  AnswerRequest request = picture_request("m", {"480x480"});
  request.media[0].bytes.reset();
  request.media[0].url = "https://a.test/p.png";
  EXPECT_EQ(refusal(request).message,
            "messages[0].content[0]: pictures are not fetched from other servers, unless this one "
            "is started with --media-hosts; send the picture itself, in base64");
  service_.reset();
  tools_.fetcher = &fetcher_;
  request.media[0].prepared = std::make_shared<PreparedOnce>();
  EXPECT_EQ(ask(request)->result().media[0].tokens, 256);
  AnswerRequest other = picture_request("m", {"480x480"});
  other.media[0].bytes.reset();
  other.media[0].url = "https://b.test/";
  EXPECT_EQ(refusal(other).message,
            "messages[0].content[0]: the host is not among those that are allowed");
}

TEST_F(MediaTest, AreNoLongerThanTheTowerHasPlacesFor) {
  EXPECT_THAT(refusal(picture_request("m", {"96000x48"})).message,
              HasSubstr("is shown as 13440 x 48 pixels, and the model sees 4096 on a side"));
}

TEST_F(MediaTest, ADefaultThatIsNoBudgetIsTheNextBelow) {
  script_.towers.vision.default_budget = 300;
  EXPECT_EQ(ask(picture_request("m", {"480x480"}))->result().media[0].budget, 280);
  script_.towers.vision.default_budget = 3;
  EXPECT_EQ(ask(picture_request("m", {"480x480"}))->result().media[0].budget, 70);
}

TEST_F(MediaTest, AreReadBeforeTheModelIsHeld) {
  std::size_t n_loads = 1;
  pictures_.while_reading = [&] { n_loads = script_.get(&TestScript::loads).size(); };
  EXPECT_EQ(ask(picture_request("m", {"480x480"}))->result().media.size(), 1U);
  EXPECT_EQ(n_loads, 0U);
  EXPECT_THAT(script_.get(&TestScript::loads), SizeIs(1));
}

TEST_F(MediaTest, AreCountedWithoutTheModel) {
  AnswerRequest request = picture_request("m", {"480x480"});
  Awaited<Service::TokenCount> count;
  ticket_ = service().count_tokens(request, count.callback());
  AnswerRequest text = chat_request("m", "What is this?");
  Awaited<Service::TokenCount> without;
  const auto other = service().count_tokens(text, without.callback());
  EXPECT_EQ(count.value().tokens, without.value().tokens + 258);
  EXPECT_TRUE(script_.get(&TestScript::loads).empty());
  Awaited<Service::Rendering> rendering;
  const auto third = service().render(request, rendering.callback());
  EXPECT_THAT(rendering.value().text, HasSubstr("user\n<|image|>What is this?"));
}

TEST_F(MediaTest, GoWithTheMessagesThatAreDropped) {
  script_.context_length = 500;
  AnswerRequest request = picture_request("m", {"480x480"});
  request.messages.push_back({{"role", "assistant"}, {"content", "A cat."}});
  request.messages.push_back(
      {{"role", "user"},
       {"content",
        {{{"type", "image"}, {"media", 1}}, {{"type", "text"}, {"text", "And this?"}}}}});
  request.media.push_back(test_part("480x480", "messages[2].content[0]"));
  request.truncate = true;
  const AnswerResult result = ask(request)->result();
  EXPECT_EQ(result.dropped_messages, 1);
  EXPECT_TRUE(result.media[0].dropped);
  EXPECT_FALSE(result.media[1].dropped);
  const std::lock_guard guard(script_.mutex);
  EXPECT_THAT(script_.media[0], SizeIs(1));
}

TEST_F(MediaTest, CountAsTheRoomThatTheyTake) {
  script_.context_length = 200;
  const ServiceError error = refusal(picture_request("m", {"480x480"}));
  EXPECT_EQ(error.code, ServiceError::Code::context_exceeded);
  EXPECT_GT(error.prompt_tokens, 258);
  EXPECT_EQ(error.limit_tokens, 200);
}

}  // namespace
}  // namespace pleiad::serving
