// Sound, videos and documents of requests: what the engine is given, and what an answer tells.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/documents/missing_programs.h"
#include "serving/answers/answer_prompt.h"
#include "serving/testing/media_fixture.h"

namespace pleiad::serving {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

AnswerRequest media_request(MediaKind kind, const std::string& bytes) {
  AnswerRequest request = picture_request("m", {bytes});
  constexpr std::array kTypes = {"image", "audio", "video", "document"};
  request.messages[0]["content"][0]["type"] = kTypes[static_cast<std::size_t>(kind)];
  request.media[0].kind = kind;
  return request;
}

class MediaKindsTest : public MediaFixture {
 protected:
  /// What the engine was given of the last request: soft tokens of each of its media.
  std::vector<std::int64_t> given() {
    const std::lock_guard guard(script_.mutex);
    std::vector<std::int64_t> n;
    for (const PromptMedia& one : script_.media.back()) n.push_back(one.n);
    return n;
  }
  std::string last_prompt() {
    const std::lock_guard guard(script_.mutex);
    return TestRuntime::tokenizer().tokenizer.decode_with_control(script_.prompts.back());
  }
  std::string rendered(const AnswerRequest& request) {
    Awaited<Service::Rendering> rendering;
    const auto ticket = service().render(request, rendering.callback());
    return rendering.value().text;
  }
};

TEST_F(MediaKindsTest, ASoundIsHeardInClipsOfThirtySeconds) {
  const AnswerResult result = ask(media_request(MediaKind::sound, "496000 samples"))->result();
  EXPECT_THAT(given(), ElementsAre(750, 25));
  ASSERT_THAT(result.media, SizeIs(1));
  EXPECT_EQ(result.media[0].kind, MediaKind::sound);
  EXPECT_EQ(result.media[0].clips, 2);
  EXPECT_EQ(result.media[0].tokens, 775);
  EXPECT_EQ(result.media[0].seconds, 31);
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_THAT(last_prompt(), HasSubstr("<|audio|><audio|><|audio><|audio|>"));
}

TEST_F(MediaKindsTest, WhatIsTooShortForATokenIsToldOrRefused) {
  const AnswerResult result = ask(media_request(MediaKind::sound, "480160 samples"))->result();
  EXPECT_EQ(result.media[0].clips, 1);
  EXPECT_THAT(result.warnings,
              Contains("messages[0].content[0]: the last 10.0 ms of its sound are not heard: they "
                       "are too short for a token"));
  EXPECT_EQ(refusal(media_request(MediaKind::sound, "160 samples")).message,
            "messages[0].content[0]: is too short to be heard: it has 160 samples at 16 kHz, and "
            "161 give a token");
}

TEST_F(MediaKindsTest, OneClipOfASoundCanBeHeardAlone) {
  AnswerRequest request = media_request(MediaKind::sound, "496000 samples");
  request.media[0].clip = 1;
  const AnswerResult result = ask(request)->result();
  EXPECT_THAT(given(), ElementsAre(25));
  EXPECT_EQ(result.media[0].clips, 2);
  EXPECT_EQ(result.media[0].clip_seconds, 30);
  request.media[0].clip = 2;
  EXPECT_THAT(refusal(request).message, HasSubstr("has fewer clips"));
}

TEST_F(MediaKindsTest, AClipThatWasHeardIsForgotten) {
  const std::uint64_t clip_bytes = 480'000 * sizeof(float);
  tools_.waiting = std::make_shared<WaitingMemory>(4 * clip_bytes);
  AnswerRequest request = media_request(MediaKind::sound, "960000 samples");
  request.media[0].clip = 0;
  EXPECT_FALSE(request.media[0].prepared->is_finished());
  EXPECT_EQ(ask(request)->result().media[0].clips, 2);
  EXPECT_TRUE(request.media[0].prepared->is_finished());
  // Half of all is one caller's: of nothing more, while both clips are held.
  const std::uint64_t caller = request.caller;
  EXPECT_FALSE(tools_.waiting->take(caller, 1, Stay::lasting));
  script_.media.clear();  // the engine has heard it
  request.media[0].prepared->forget_part(0);
  EXPECT_TRUE(tools_.waiting->take(caller, clip_bytes, Stay::lasting));
  EXPECT_FALSE(tools_.waiting->take(caller, 1, Stay::lasting));
  EXPECT_TRUE(tools_.waiting->take(caller, clip_bytes)) << "pictures have room beside it";
  request.media[0].clip = 1;
  EXPECT_EQ(ask(request)->result().media[0].clips, 2) << "the other one is there";
  EXPECT_THAT(given(), ElementsAre(750));
}

TEST_F(MediaKindsTest, AVideoIsItsFramesWithTheirTimes) {
  AnswerRequest request = media_request(MediaKind::video, "100 frames");
  const AnswerResult result = ask(request)->result();
  EXPECT_THAT(given(), SizeIs(32));
  EXPECT_THAT(given(), Contains(64).Times(32)) << "8 x 8 of a square within 70";
  const MediaUse& use = result.media.at(0);
  EXPECT_EQ(use.kind, MediaKind::video);
  EXPECT_EQ(use.frames, 32);
  EXPECT_EQ(use.total_frames, 100);
  EXPECT_EQ(use.seconds, 200);
  EXPECT_EQ(use.budget, 70);
  EXPECT_EQ(use.tokens, 32 * 64);
  EXPECT_EQ(use.shown, (media::PictureSize{384, 384}));
  EXPECT_THAT(last_prompt(), HasSubstr("user\n00:00 <|image><|video|>"));
  EXPECT_THAT(last_prompt(), HasSubstr("<image|> 00:06 <|image><|video|>"));
  EXPECT_THAT(rendered(request), HasSubstr("user\n<|video|>What is this?"));
}

TEST_F(MediaKindsTest, FramesBudgetAndSoundOfAVideoAreAsAsked) {
  AnswerRequest request = media_request(MediaKind::video, "3 frames, loud");
  request.media[0].frames = 5;
  request.media[0].budget = 140;
  request.media[0].with_sound = true;
  request.media_budget = 560;  // of pictures
  const AnswerResult result = ask(request)->result();
  EXPECT_THAT(given(), ElementsAre(121, 121, 121, 25));
  EXPECT_EQ(result.media[0].frames, 3);
  EXPECT_EQ(result.media[0].clips, 1);
  EXPECT_THAT(result.warnings,
              ElementsAre("messages[0].content[0]: has 3 frames, and all of them are shown"));
  AnswerRequest mute = media_request(MediaKind::video, "3 frames");
  mute.media[0].with_sound = true;
  EXPECT_THAT(ask(mute)->result().warnings,
              ElementsAre("messages[0].content[0]: has no sound to be heard"));
}

TEST_F(MediaKindsTest, ADocumentIsItsTextWithTheNumbersOfPages) {
  AnswerRequest request = media_request(MediaKind::document, "One\n?\nThree");
  request.media[0].name = "a.pdf";
  const AnswerResult result = ask(request)->result();
  EXPECT_THAT(given(), ElementsAre(2));
  EXPECT_EQ(result.media[0].pages, 3);
  EXPECT_EQ(result.media[0].total_pages, 3);
  EXPECT_EQ(result.media[0].picture_pages, 1);
  EXPECT_FALSE(result.media[0].dropped);
  EXPECT_GT(result.media[0].tokens, 2);
  EXPECT_THAT(result.warnings, ElementsAre("messages[0].content[0]: page 1 is guessed"));
  EXPECT_THAT(last_prompt(),
              HasSubstr("user\n<document>\n<title>a.pdf</title>\nPage 1:\nOne\n\nPage 2:\n<|image>"
                        "<|image|><|image|><image|>\n\nPage 3:\nThree\n</document>\n\nWhat is"));
  request.media[0].name = std::string(100, 'n');
  request.media[0].prepared = std::make_shared<PreparedOnce>();
  EXPECT_FALSE(ask(request)->result().media.at(0).dropped);
  EXPECT_THAT(last_prompt(), HasSubstr("<title>" + request.media[0].name + "</title>"));
  request.media[0].name = std::string(1'001, 'n');
  request.media[0].prepared = std::make_shared<PreparedOnce>();
  EXPECT_EQ(refusal(request).message,
            "messages[0].content[0]: has a name of 1,001 bytes; expected at most 1,000");
  request.media[0].name = "a.pdf";
  request.media[0].pages = "9";
  request.media[0].prepared = std::make_shared<PreparedOnce>();
  EXPECT_EQ(refusal(request).message, "messages[0].content[0]: has no page 9");
}

TEST_F(MediaKindsTest, PagesAreAsLargeAsThePartOrTheRequestSays) {
  std::vector<std::optional<int>> asked;
  tools_.read_document = [&](auto bytes, auto name, const media::DocumentOptions& options,
                             const auto& stop) {
    asked.push_back(options.budget);
    return test_document(bytes, name, options, stop);
  };
  const auto ask_with = [&](std::optional<int> part, bool part_by_size, std::optional<int> request,
                            bool request_by_size) {
    AnswerRequest answer = media_request(MediaKind::document, "?");
    answer.media[0].budget = part;
    answer.media[0].automatic = part_by_size;
    answer.media_budget = request;
    answer.media_automatic = request_by_size;
    (void)ask(answer)->result();
    return asked.empty() ? std::optional(-1) : asked.back();
  };
  EXPECT_EQ(ask_with({}, false, {}, false), 1120);
  EXPECT_EQ(ask_with({}, false, 560, false), 560);
  EXPECT_EQ(ask_with({}, false, {}, true), std::nullopt) << "by the size of each page";
  EXPECT_EQ(ask_with(70, false, {}, true), 70) << "its own goes before";
  EXPECT_EQ(ask_with({}, true, 560, false), std::nullopt);
}

TEST_F(MediaKindsTest, TheTextOfADocumentIsToldToWhomItIsToBe) {
  AnswerRequest request = media_request(MediaKind::document, "One\n?\nThree");
  const auto told_of = [&](bool tells) {
    request.media[0].tells_text = tells;
    request.media[0].prepared = std::make_shared<PreparedOnce>();
    const auto observer = ask(request);
    (void)observer->result();
    return observer->documents();
  };
  EXPECT_THAT(told_of(false), IsEmpty());
  const auto told = told_of(true);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].media, 0U);
  EXPECT_TRUE(told[0].has_pages);
  ASSERT_THAT(told[0].pages, SizeIs(2)) << "a page that is a picture has no text";
  EXPECT_EQ(told[0].pages[0].number, 1);
  EXPECT_EQ(told[0].pages[1].number, 3);
  EXPECT_EQ(told[0].pages[1].text, "Three");
}

TEST_F(MediaKindsTest, ThatThePromptFitsIsToldBetweenDocumentsAndTheAnswer) {
  AnswerRequest request = media_request(MediaKind::document, "One\nTwo");
  request.media[0].tells_text = true;
  const auto observer = ask(request);
  (void)observer->result();
  EXPECT_FALSE(observer->deltas().empty());
  EXPECT_THAT(observer->prompted_after(), ElementsAre(CollectingObserver::Before{1, 0}));
  request.context_length = 8;
  request.media[0].prepared = std::make_shared<PreparedOnce>();
  const auto refused = ask(request);
  EXPECT_EQ(refused->error().code, ServiceError::Code::context_exceeded)
      << refused->error().message;
  EXPECT_THAT(refused->prompted_after(), IsEmpty());
}

TEST_F(MediaKindsTest, WhatIsFetchedIsAskedForByItsKind) {
  tools_.fetcher = &fetcher_;
  AnswerRequest request = media_request(MediaKind::document, "");
  request.media[0].bytes.reset();
  request.media[0].url = "https://a.test/d";  // of a document to the test's fetcher
  EXPECT_EQ(ask(request)->result().media[0].pages, 1);
  AnswerRequest heard = media_request(MediaKind::sound, "");
  heard.media[0].bytes.reset();
  heard.media[0].url = "https://a.test/d";
  EXPECT_THAT(refusal(heard).message, HasSubstr("the host is not among"));
}

TEST_F(MediaKindsTest, ADocumentWithPagesThatAreNoTextNeedsATower) {
  script_.towers.vision = VisionPrompt();
  const MediaUse use = ask(media_request(MediaKind::document, "One\nTwo"))->result().media[0];
  EXPECT_EQ(use.pages, 2);
  EXPECT_GT(use.tokens, 0);
  EXPECT_FALSE(use.dropped);
  EXPECT_FALSE(use.cached);
  const ServiceError error = refusal(media_request(MediaKind::document, "One\n?"));
  EXPECT_EQ(error.code, ServiceError::Code::unsupported);
  EXPECT_THAT(error.message, HasSubstr("page 2 has no text: it would be shown as a picture"));
}

TEST_F(MediaKindsTest, ARenderingTellsWhatEachTakesAsTheAnswerDoes) {
  for (const auto& [kind, content] :
       {std::pair{MediaKind::sound, "480160 samples"}, std::pair{MediaKind::video, "40 frames"},
        std::pair{MediaKind::document, "One\nTwo"}}) {
    Awaited<Service::Rendering> rendering;
    const auto ticket = service().render(media_request(kind, content), rendering.callback());
    const Service::Rendering shown = rendering.value();
    const AnswerResult answered = ask(media_request(kind, content))->result();
    ASSERT_THAT(shown.media, SizeIs(1));
    EXPECT_GT(shown.media[0].tokens, 0);
    EXPECT_EQ(shown.media[0].kind, kind);
    EXPECT_EQ(shown.media[0].tokens, answered.media.at(0).tokens);
    EXPECT_EQ(shown.media[0].pages, answered.media[0].pages);
    EXPECT_FALSE(shown.media[0].dropped);
    EXPECT_EQ(shown.warnings, answered.warnings) << content;
    EXPECT_EQ(kind == MediaKind::video, shown.warnings.empty()) << content;
  }
}

TEST_F(MediaKindsTest, WhatAModelHasNoTowerForIsRefusedByName) {
  script_.towers = PromptTowers();
  for (const MediaKind kind : {MediaKind::sound, MediaKind::video}) {
    const ServiceError error = refusal(media_request(kind, "1 frames"));
    EXPECT_EQ(error.code, ServiceError::Code::unsupported);
    EXPECT_EQ(error.message,
              kind == MediaKind::sound
                  ? "messages[0].content[0]: m has no audio tower that can be used"
                  : "messages[0].content[0]: m has no vision tower that can be used");
  }
}

TEST_F(MediaKindsTest, AVideoIsWatchedByAModelThatHearsNothing) {
  script_.towers.audio = AudioPrompt();
  AnswerRequest heard = media_request(MediaKind::video, "3 frames, loud");
  EXPECT_EQ(ask(heard)->result().media[0].clips, 0);
  heard.media[0].with_sound = true;
  EXPECT_THAT(refusal(heard).message, HasSubstr("m has no audio tower"));
  heard.media[0].with_sound = false;
  heard.videos_with_sound = true;
  EXPECT_EQ(ask(heard)->result().media[0].clips, 0) << "what stands beside a video goes before";
}

TEST_F(MediaKindsTest, WhatThisMachineLacksToReadADocumentIsToldOfTheFile) {
  tools_.read_document = [](auto, auto, const auto&, const auto&) -> Result<media::Document> {
    throw media::MissingPrograms("cannot be read: pdftoppm is not installed here");
  };
  AnswerRequest request = media_request(MediaKind::document, "x");
  request.media[0].name = "a.pdf";
  const ServiceError error = refusal(request);
  EXPECT_EQ(error.code, ServiceError::Code::internal);
  EXPECT_EQ(error.message,
            "messages[0].content[0]: a.pdf cannot be read: pdftoppm is not installed here");
}

TEST_F(MediaKindsTest, WhereNoneIsReadTheKindIsNamed) {
  tools_.prepare_sound = nullptr;
  tools_.prepare_video = nullptr;
  tools_.read_document = nullptr;
  EXPECT_THAT(refusal(media_request(MediaKind::sound, "x")).message,
              HasSubstr("this server reads no sounds"));
  EXPECT_THAT(refusal(media_request(MediaKind::video, "x")).message,
              HasSubstr("this server reads no videos"));
  EXPECT_THAT(refusal(media_request(MediaKind::document, "x")).message,
              HasSubstr("this server reads no documents"));
}

TEST_F(MediaKindsTest, SamplesCountAsPixelsDo) {
  tools_.waiting = std::make_shared<WaitingMemory>(2 * 16'000 * sizeof(float));
  EXPECT_EQ(ask(media_request(MediaKind::sound, "16000 samples"))->result().media.size(), 1U);
  EXPECT_EQ(refusal(media_request(MediaKind::sound, "16001 samples")).code,
            ServiceError::Code::busy);
  service_.reset();
  tools_.waiting = std::make_shared<WaitingMemory>(1'000'000);
  tools_.most_bytes = 16'000 * sizeof(float);
  EXPECT_THAT(refusal(media_request(MediaKind::sound, "16001 samples")).message,
              HasSubstr("of pixels, samples and text that one request may have"));
}

TEST_F(MediaKindsTest, TextOfDocumentsCountsToo) {
  tools_.waiting = std::make_shared<WaitingMemory>(100);
  const std::string text(50, 'a');
  EXPECT_EQ(ask(media_request(MediaKind::document, text))->result().media.size(), 1U);
  EXPECT_EQ(refusal(media_request(MediaKind::document, text + "a")).code, ServiceError::Code::busy);
  service_.reset();
  tools_.waiting = std::make_shared<WaitingMemory>(1'000'000);
  tools_.most_bytes = 50;
  EXPECT_THAT(refusal(media_request(MediaKind::document, text)).message,
              HasSubstr("with this document the media of the request have more than the 50"));
}

TEST_F(MediaKindsTest, WhatDoesNotFitIsRefusedWithItsCount) {
  script_.context_length = 500;
  const ServiceError error = refusal(media_request(MediaKind::sound, "480000 samples"));
  EXPECT_EQ(error.code, ServiceError::Code::context_exceeded);
  EXPECT_GT(error.prompt_tokens, 752);
}

TEST_F(MediaKindsTest, ARawTextHasNoPlaceForDocuments) {
  AnswerRequest request = media_request(MediaKind::document, "One");
  request.form = AnswerRequest::Form::text;
  request.text = "Read";
  EXPECT_EQ(refusal(request).message,
            "prompt: has no place for documents where it is taken as it is");
  AnswerRequest heard = media_request(MediaKind::sound, "16000 samples");
  heard.form = AnswerRequest::Form::text;
  heard.text = "Hear <|audio|>";
  EXPECT_EQ(ask(heard)->result().media[0].tokens, 25);
}

}  // namespace
}  // namespace pleiad::serving
