#include "apps/run/slash_commands.h"
#include "apps/run/settings_command.h"
#include "base/testing/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace pleiad::apps {
namespace {

using ::testing::HasSubstr;

class SlashCommandsTest : public ::testing::Test {
 protected:
  CommandOutcome run(std::string_view line) { return run_command(line, state_, facts_); }
  ChatState state_;
  ModelFacts facts_{"Gemma 4 E2B, q4_0", "cpu (scalar, 1 thread)", 4096, 100, 1 << 20, "/home/me"};
};

TEST_F(SlashCommandsTest, OnlyASingleSlashMakesACommand) {
  EXPECT_TRUE(is_command("/help"));
  EXPECT_TRUE(is_command("/"));
  EXPECT_FALSE(is_command("//etc is a folder"));
  EXPECT_FALSE(is_command("hello /help"));
  EXPECT_FALSE(is_command(""));
}

TEST_F(SlashCommandsTest, SetChangesTheConversation) {
  EXPECT_FALSE(run("/set think").failed);
  EXPECT_TRUE(state_.think);
  run("/set nothink");
  EXPECT_FALSE(state_.think);
  run("/set hide");
  EXPECT_FALSE(state_.show_thinking);
  run("/set verbose");
  EXPECT_TRUE(state_.verbose);
  run("/set system  Answer in upper case. ");
  EXPECT_EQ(state_.system, "Answer in upper case.");
  run("/set system");
  EXPECT_TRUE(state_.system.empty());
  EXPECT_THAT(run("/set parameter top_k 5").output, HasSubstr("top_k = 5"));
  EXPECT_EQ(state_.generation.sampling.top_k, 5);
}

TEST_F(SlashCommandsTest, SetFormatHoldsRepliesToIt) {
  run("/set format json");
  EXPECT_EQ(state_.format, Json("json"));
  EXPECT_EQ(state_.request().format, Json("json"));
  EXPECT_THAT(run("/show info").output, HasSubstr("replies     JSON"));
  run("/set format {\"type\": \"object\"}");
  EXPECT_EQ(state_.format, Json({{"type", "object"}}));
  EXPECT_TRUE(run("/set format /nowhere/schema.json").failed);
  EXPECT_EQ(state_.format, Json({{"type", "object"}}));
  run("/set format none");
  EXPECT_TRUE(state_.format.is_null());
}

TEST_F(SlashCommandsTest, SetChangesHowRepliesAreShown) {
  run("/set nomarkdown");
  run("/set nowordwrap");
  EXPECT_FALSE(state_.markdown);
  EXPECT_FALSE(state_.wrap);
  run("/set markdown");
  run("/set wordwrap");
  EXPECT_TRUE(state_.markdown && state_.wrap);
  run("/set markdown off");
  EXPECT_FALSE(state_.markdown);
}

TEST_F(SlashCommandsTest, WhatTheConversationCannotDoItselfIsHandedOn) {
  EXPECT_TRUE(run("/retry").retry);
  EXPECT_TRUE(run("/regenerate").retry);
  EXPECT_EQ(run("/model gemma4:e2b").model, "gemma4:e2b");
  EXPECT_EQ(run("/model").model, "");
  EXPECT_EQ(run("/set parameter num_ctx 8192").context_length, 8192);
  EXPECT_FALSE(run("/set parameter top_k 5").context_length);
  EXPECT_THAT(run("/set parameter num_ctx much").output, HasSubstr("num_ctx: expected"));
}

TEST_F(SlashCommandsTest, WhoTakesAFileForAModelIsHelped) {
  EXPECT_THAT(run("/load gemma4:e2b").output, HasSubstr("/model gemma4:e2b"));
  EXPECT_THAT(run("/load /nowhere/chat.json").output, ::testing::Not(HasSubstr("/model")));
}

TEST_F(SlashCommandsTest, APathThatIsNoFileIsSaidToBeNone) {
  EXPECT_THAT(run("/nowhere/cat.png").output,
              HasSubstr("/nowhere/cat.png is no file that can be shown, and no command"));
  EXPECT_THAT(run("/nowhere").output, HasSubstr("there is no command /nowhere"));
}

TEST_F(SlashCommandsTest, EveryWordThatIsCompletedIsOne) {
  for (const std::string_view word : command_words()) {
    EXPECT_THAT(run("/" + std::string(word)).output, ::testing::Not(HasSubstr("no command")));
  }
  for (const std::string_view word : setting_words()) {
    EXPECT_THAT(run("/set " + std::string(word)).output,
                ::testing::Not(HasSubstr("there is no '")));
  }
  for (const std::string_view word : show_words()) {
    EXPECT_FALSE(run("/show " + std::string(word)).failed) << word;
  }
}

TEST_F(SlashCommandsTest, DroppingAReplyLeavesTheMessageThatItAnswers) {
  EXPECT_FALSE(state_.drop_reply());
  state_.messages = json_from(R"([
      {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
      {"role": "user", "content": "c"}, {"role": "assistant", "tool_calls": []},
      {"role": "tool", "content": "d"}, {"role": "assistant", "content": "e"}])");
  EXPECT_TRUE(state_.drop_reply());
  EXPECT_EQ(state_.messages.size(), 3U);
  EXPECT_EQ(state_.messages[2]["content"], "c");
  EXPECT_TRUE(state_.drop_reply());
  EXPECT_EQ(state_.messages.size(), 3U);
  state_.messages = json_from(R"([{"role": "assistant", "content": "b"}])");
  EXPECT_FALSE(state_.drop_reply());
  EXPECT_EQ(state_.messages.size(), 1U);
}

TEST_F(SlashCommandsTest, WhatIsWrongIsSaid) {
  for (const char* line :
       {"/nonsense", "/", "/set", "/set colour", "/set parameter", "/show that",
        "/set parameter top_k many", "/save", "/load", "/set tools", "/load /nowhere/chat.json",
        "/set tools /nowhere/tools.json", "/save /nowhere/chat.json"}) {
    const CommandOutcome outcome = run(line);
    EXPECT_TRUE(outcome.failed) << line;
    EXPECT_GT(outcome.output.size(), 10U) << line;
    EXPECT_FALSE(outcome.leave);
  }
}

TEST_F(SlashCommandsTest, SaveAndLoadBringTheConversationBack) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("pleiad_slash_" + std::to_string(::getpid()) + ".json");
  state_.messages = {{{"role", "user"}, {"content", "Hi"}}};
  EXPECT_FALSE(run("/save " + path.string()).failed);
  EXPECT_TRUE(run("/clear").forget_cache);
  EXPECT_TRUE(state_.messages.empty());
  EXPECT_TRUE(run("/load " + path.string()).forget_cache);
  EXPECT_EQ(state_.messages.size(), 1U);
  std::filesystem::remove(path);
}

TEST_F(SlashCommandsTest, ATildeIsTheHomeFolder) {
  EXPECT_THAT(run("/load ~/chat.json").output, HasSubstr("/home/me/chat.json"));
}

TEST_F(SlashCommandsTest, ShowsMessagesOfAnyValidForm) {
  state_.messages = json_from(R"([
      {"role": "user", "content": [{"type": "text", "text": "Look: "}, {"type": "image"}]},
      {"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}])");
  EXPECT_EQ(run("/show messages").output, "  user: Look: [image]\n  assistant: [f({})]\n");
}

TEST_F(SlashCommandsTest, ShowInfoTellsOfTheCacheWhatIsKnown) {
  facts_.context_length = 4096;
  facts_.cache_bytes = 2'000'000;
  EXPECT_THAT(run("/show info").output,
              HasSubstr("4,096 tokens (2.0 MB of cache when it is full)"));
  facts_.cache_bytes = 0;  // a server's
  EXPECT_THAT(run("/show info").output, HasSubstr("4,096 tokens\n"));
}

TEST_F(SlashCommandsTest, ShowAndHelpAndBye) {
  EXPECT_THAT(run("/show info").output, HasSubstr("E2B"));
  EXPECT_THAT(run("/show parameters").output, HasSubstr("top_p"));
  EXPECT_THAT(run("/show messages").output, HasSubstr("no messages"));
  for (const char* command : {"/set", "/show", "/clear", "/save", "/load", "/bye"}) {
    EXPECT_THAT(run("/help").output, HasSubstr(command));
  }
  EXPECT_TRUE(run("/bye").leave);
}

}  // namespace
}  // namespace pleiad::apps
