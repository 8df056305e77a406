#include "engine/reply_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/testing/demo_tokenizer.h"

namespace pleiad {
namespace {

using testing_support::demo_tokenizer;

class ReplyReaderTest : public ::testing::Test {
 protected:
  ReplyReader reader(bool thinks, std::vector<std::string> stops = {}) {
    text::ReplyOptions options;
    options.thinking_enabled = thinks;
    options.spelled_tags = false;
    ReplyReader reader(demo_tokenizer().vocabulary(), options,
                       sampling::StopMatcher::create(std::move(stops)).value());
    reader.watch_repetition(demo_tokenizer().vocabulary());
    return reader;
  }
  /// As an engine does it: until the reader has enough.
  void read(ReplyReader& reader, const std::string& text, int times = 1) {
    const auto tokens = demo_tokenizer().encode_with_control(text);
    for (int i = 0; i < times; ++i) {
      for (const text::TokenId token : tokens) {
        if (reader.ended()) return;
        add(reader.push(token));
      }
    }
  }
  void finish(ReplyReader& reader, FinishReason reason) { add(reader.finish(reason)); }

  text::Reply reply_;

 private:
  void add(std::vector<text::ReplyEvent> events) {
    for (text::ReplyEvent& event : events) reply_.add(std::move(event));
  }
};

TEST_F(ReplyReaderTest, EndsAReplyThatRepeatsItself) {
  ReplyReader reader = this->reader(false);
  read(reader, "The answer is this. ");
  read(reader, "And so on. ", 1000);
  ASSERT_TRUE(reader.ended());
  finish(reader, FinishReason::cancelled);
  EXPECT_EQ(reader.reason(), FinishReason::repetition);
  ASSERT_TRUE(reader.repetition());
  EXPECT_GE(reader.repetition()->length, sampling::RepetitionGuard::kLeast);
  EXPECT_TRUE(reply_.content.starts_with("The answer is this. And so on. And so on. "));
}

TEST_F(ReplyReaderTest, LeavesThoughtsThatAreShownAlone) {
  ReplyReader reader = this->reader(true);
  read(reader, "<|channel>thought\n");
  read(reader, "Hm. ", 2000);
  EXPECT_FALSE(reader.ended());
  read(reader, "<channel|>");
  read(reader, "No. ", 2000);
  EXPECT_TRUE(reader.ended());
  finish(reader, FinishReason::cancelled);
  EXPECT_EQ(reader.reason(), FinishReason::repetition);
}

TEST_F(ReplyReaderTest, EndsAReplyThatRepeatsItsThoughts) {
  for (const std::string between : {"", "Well. "}) {
    ReplyReader reader = this->reader(true);
    read(reader, "<|channel>thought\nHm, so it is.<channel|>" + between, 1000);
    ASSERT_TRUE(reader.ended()) << between;
    finish(reader, FinishReason::cancelled);
    EXPECT_EQ(reader.reason(), FinishReason::repetition);
    EXPECT_TRUE(reader.repetition());
  }
}

TEST_F(ReplyReaderTest, EndsAThoughtThatIsNotShown) {
  ReplyReader reader = this->reader(false);
  read(reader, "<|channel>thought\n");
  read(reader, "Hm. ", 2000);
  EXPECT_TRUE(reader.ended());
}

TEST_F(ReplyReaderTest, TakesMoreOfWhatHasAForm) {
  for (const bool has_form : {true, false}) {
    ReplyReader reader = this->reader(false);
    reader.watch_repetition(demo_tokenizer().vocabulary(), has_form);
    read(reader, "[");
    read(reader, " the,", 1000);
    EXPECT_NE(reader.ended(), has_form);
    read(reader, " the,", 3000);
    EXPECT_TRUE(reader.ended());
  }
}

TEST_F(ReplyReaderTest, SaysWhatElseEndedTheReply) {
  ReplyReader stopped = this->reader(false, {"STOP"});
  read(stopped, "Go on. STOP", 2000);
  finish(stopped, FinishReason::cancelled);
  EXPECT_EQ(stopped.reason(), FinishReason::stop_string);
  ReplyReader ended = this->reader(false);
  read(ended, "Bye.<turn|>");
  finish(ended, FinishReason::cancelled);
  EXPECT_EQ(ended.reason(), FinishReason::stop_token);
  ReplyReader left = this->reader(false);
  read(left, "Bye.");
  finish(left, FinishReason::cancelled);
  EXPECT_EQ(left.reason(), FinishReason::cancelled);
}

TEST_F(ReplyReaderTest, WatchesNothingUnlessItIsTold) {
  ReplyReader reader(demo_tokenizer().vocabulary(), sampling::StopMatcher::create({}).value());
  read(reader, "And so on. ", 3000);
  EXPECT_FALSE(reader.ended());
  finish(reader, FinishReason::length);
  EXPECT_FALSE(reader.repetition());
}

}  // namespace
}  // namespace pleiad
