#include "apps/run/chat_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"

namespace pleiad::apps {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ChatFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_chat_file_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string load_error(const std::string& text) {
    std::ofstream(folder_ / "chat.json") << text;
    ChatState state;
    state.system = "kept";
    try {
      load_chat(state, folder_ / "chat.json");
    } catch (const Error& error) {
      EXPECT_EQ(state.system, "kept");
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(ChatFileTest, ComesBackAsItWasSaved) {
  ChatState state;
  state.system = "Be brief.";
  state.think = true;
  state.messages = {{{"role", "user"}, {"content", "Hi\n\"there\" ✓"}},
                    {{"role", "assistant"}, {"content", "Hello"}}};
  state.tools = {{{"type", "function"}, {"function", {{"name", "f"}, {"description", "d"}}}}};
  save_chat(state, folder_ / "chat.json");
  ChatState loaded;
  load_chat(loaded, folder_ / "chat.json");
  EXPECT_EQ(loaded.system, state.system);
  EXPECT_EQ(loaded.messages, state.messages);
  EXPECT_EQ(loaded.tools, state.tools);
  EXPECT_TRUE(loaded.think);
}

TEST_F(ChatFileTest, TakesTheSystemTurnFromTheFirstMessage) {
  std::ofstream(folder_ / "chat.json")
      << R"({"messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}]})";
  ChatState state;
  load_chat(state, folder_ / "chat.json");
  EXPECT_EQ(state.system, "S");
  EXPECT_EQ(state.messages.size(), 1U);
}

TEST_F(ChatFileTest, ABadFileIsNamedAndChangesNothing) {
  EXPECT_THAT(load_error("{"), HasSubstr("not JSON"));
  EXPECT_THAT(load_error(std::string(100000, '[')), HasSubstr("nested"));
  EXPECT_THAT(load_error("[]"), HasSubstr("messages"));
  EXPECT_THAT(load_error(R"({"messages":[{"role":"user","content":7}]})"), HasSubstr("content"));
  EXPECT_THAT(load_error(R"({"messages":[],"system":[]})"), HasSubstr("system"));
  EXPECT_THAT(load_error(""), HasSubstr("chat.json"));
}

TEST_F(ChatFileTest, AFullDiskLeavesTheOldFile) {
  ChatState state;
  EXPECT_THROW(save_chat(state, "/dev/full"), Error);
  EXPECT_THROW(save_chat(state, folder_ / "missing" / "chat.json"), Error);
  fs::create_directories(folder_ / "taken" / "x");
  EXPECT_THROW(save_chat(state, folder_ / "taken"), Error);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) files += entry.is_regular_file();
  EXPECT_EQ(files, 0U) << "nothing half-written is left";
}

TEST_F(ChatFileTest, ToolsAreCheckedWhenTheyAreRead) {
  std::ofstream(folder_ / "tools.json")
      << R"({"tools":[{"type":"function","function":{"name":"f"}}]})";
  EXPECT_EQ(load_tools(folder_ / "tools.json").size(), 1U);
  std::ofstream(folder_ / "tools.json") << R"({"name":"f"})";
  EXPECT_THROW((void)load_tools(folder_ / "tools.json"), Error);
}

}  // namespace
}  // namespace pleiad::apps
