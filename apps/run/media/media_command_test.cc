#include "apps/run/media/media_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run/chat_state.h"
#include "base/testing/json.h"

namespace pleiad::apps {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

AttachedMedia attached(const std::string& name, bool read = true) {
  AttachedMedia made;
  made.name = name;
  made.bytes = std::make_shared<const std::string>(1500, 'x');
  if (!read) return made;
  made.use.original = {4032, 3024};
  made.use.budget = 280;
  made.use.tokens = 266;
  made.shown.parts.push_back({.before = {}, .n = 266});
  return made;
}

class MediaCommandTest : public ::testing::Test {
 protected:
  MediaCommandTest() { facts_.picture_budget = 280; }
  CommandOutcome run(std::string_view line) { return run_command(line, state_, facts_); }
  ChatState state_;
  ModelFacts facts_;
};

TEST_F(MediaCommandTest, APathAndAQuestionAreHandedOnAsTyped) {
  EXPECT_EQ(run("/image my photo.jpg What is it?").attach->typed, "my photo.jpg What is it?");
  EXPECT_EQ(run("/audio memo.mp3").attach->kind, ShownMedia::Kind::sound);
  EXPECT_EQ(run("/video walk.mp4").attach->kind, ShownMedia::Kind::video);
  EXPECT_EQ(run("/file a.pdf 3-7 Who?").attach->kind, ShownMedia::Kind::document);
  EXPECT_EQ(run("/file a.pdf 3-7 Who?").attach->typed, "a.pdf 3-7 Who?");
  EXPECT_FALSE(run("/image").attach);
}

TEST_F(MediaCommandTest, PicturesAreListedWithTheirSizesAndTokens) {
  EXPECT_THAT(
      run("/show images").output,
      AllOf(HasSubstr("no pictures, sounds, videos or documents"), HasSubstr("at most 280")));
  state_.waiting = {attached("a.jpg")};
  state_.ask("What is it?");
  state_.waiting = {attached("b\x1b[31m.jpg", false)};
  const std::string text = run("/image").output;
  EXPECT_THAT(text, HasSubstr("in the conversation:\n    a.jpg, 4,032 x 3,024, 266 tokens\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("with the next message:\n    b"), Not(HasSubstr("\x1b"))));
  EXPECT_EQ(run("/show images").output, text);
}

TEST_F(MediaCommandTest, DocumentsAreListedWithTheirPagesAndTokens) {
  AttachedMedia pdf = attached("a.pdf");
  pdf.kind = ShownMedia::Kind::document;
  pdf.use.pages = 5;
  pdf.use.total_pages = 1200;
  pdf.use.picture_pages = 1;
  EXPECT_EQ(media_text(pdf), "a.pdf, 5 of 1,200 pages, 1 of them as a picture") << "not counted";
  pdf.use.tokens = 2840;
  pdf.is_counted = true;
  EXPECT_EQ(media_text(pdf), "a.pdf, 5 of 1,200 pages, 1 of them as a picture, 2,840 tokens");
  pdf.use.picture_pages = 2;
  EXPECT_THAT(media_text(pdf), HasSubstr(", 2 of them as pictures, "));
  pdf.use = serving::MediaUse();
  pdf.use.pages = pdf.use.total_pages = 12;
  EXPECT_EQ(media_text(pdf), "a.pdf, 12 pages, 0 tokens");
  pdf.use.pages = pdf.use.total_pages = pdf.use.picture_pages = 1;
  EXPECT_EQ(media_text(pdf), "a.pdf, 1 page as a picture, 0 tokens");
  pdf.use = serving::MediaUse();
  pdf.name = "";
  EXPECT_EQ(media_text(pdf), "a document, 0 tokens") << "without pages and a name";
  state_.waiting = {pdf};
  EXPECT_THAT(run("/file").output, HasSubstr("with the next message:\n    a document, 0 tokens"));
  EXPECT_THAT(run("/file undo").output, HasSubstr("taken back: a document"));
  state_.waiting = {pdf};
  state_.ask("?");
  EXPECT_THAT(run("/show messages").output, HasSubstr("user: [document a document] ?"));
}

TEST_F(MediaCommandTest, WhatWaitsCanBeTakenBack) {
  EXPECT_TRUE(run("/image undo").failed);
  EXPECT_THAT(run("/file undo").output, HasSubstr("/file: nothing waits"));
  state_.waiting = {attached("a.jpg"), attached("b.jpg"), attached("c.jpg")};
  EXPECT_THAT(run("/image undo").output, HasSubstr("taken back: c.jpg"));
  EXPECT_EQ(state_.waiting.size(), 2U);
  EXPECT_THAT(run("/image none").output, HasSubstr("taken back: a.jpg, b.jpg"));
  EXPECT_TRUE(state_.waiting.empty());
}

TEST_F(MediaCommandTest, AMessageTakesWhatWaitedBeforeItsText) {
  state_.waiting = {attached("a.jpg"), attached("b.jpg")};
  state_.ask("Which is red?");
  state_.ask("And now?");
  EXPECT_EQ(state_.messages, Json({{{"role", "user"},
                                    {"content",
                                     {{{"type", "image"}, {"media", 0}},
                                      {{"type", "image"}, {"media", 1}},
                                      {{"type", "text"}, {"text", "Which is red?"}}}}},
                                   {{"role", "user"}, {"content", "And now?"}}}));
  EXPECT_EQ(state_.request().media.size(), 2U);
  EXPECT_TRUE(state_.waiting.empty());
  EXPECT_THAT(run("/show messages").output,
              HasSubstr("user: [image a.jpg] [image b.jpg] Which is red?"));
  run("/clear");
  EXPECT_TRUE(state_.media.empty());
}

TEST_F(MediaCommandTest, TheBudgetIsOneOfThoseThatThereAre) {
  EXPECT_THAT(run("/set image-tokens 1120").output, HasSubstr("at most 1,120 tokens"));
  EXPECT_EQ(state_.wishes.picture_budget, (PictureBudget{1120}));
  EXPECT_THAT(run("/set image-tokens 100").output,
              HasSubstr("expected 70|140|280|560|1120|auto, found '100', or default"));
  EXPECT_EQ(state_.wishes.picture_budget, (PictureBudget{1120})) << "as it was";
  run("/set image-tokens auto");
  EXPECT_TRUE(state_.wishes.picture_budget.automatic);
  EXPECT_THAT(run("/set image-tokens default").output,
              HasSubstr("at most 280 tokens, the model's own"));
  EXPECT_EQ(state_.wishes.picture_budget, PictureBudget());
}

TEST_F(MediaCommandTest, PagesAreShownAsTheUserSays) {
  EXPECT_THAT(run("/set pages-as image").output, HasSubstr("are shown as pictures"));
  EXPECT_EQ(state_.pages_as, PageWishes::PagesAs::image);
  EXPECT_THAT(run("/set pages-as pictures").output,
              HasSubstr("/set pages-as: expected auto|text|image, found 'pictures'"));
  EXPECT_EQ(state_.pages_as, PageWishes::PagesAs::image) << "as it was";
  EXPECT_THAT(run("/set pages-as auto").output, HasSubstr("as text where they have some"));
}

TEST_F(MediaCommandTest, AModelThatSeesNothingIsSaidToBeOne) {
  facts_.picture_budget.reset();
  facts_.blind = "has no vision tower";
  EXPECT_THAT(run("/show images").output,
              HasSubstr("the model sees no pictures: it has no vision tower"));
}

}  // namespace
}  // namespace pleiad::apps
