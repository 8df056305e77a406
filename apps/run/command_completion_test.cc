#include "apps/run/command_completion.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace pleiad::apps {
namespace {

using CompletedTexts = std::vector<std::string>;

TEST(CommandCompletion, KnowsCommandsAndWhatMayFollowThem) {
  const auto complete = command_completer(
      [] {
        return CompletedTexts{"demo:latest", "gemma4:e2b"};
      },
      "");
  EXPECT_EQ(complete("/s").texts, (CompletedTexts{"/save", "/set", "/show"}));
  EXPECT_EQ(complete("/set n").texts, (CompletedTexts{"nomarkdown", "nothink", "nowordwrap"}));
  EXPECT_EQ(complete("/set n").begin, 5U);
  EXPECT_EQ(complete("/set parameter num").texts, (CompletedTexts{"num_ctx", "num_predict"}));
  EXPECT_EQ(complete("/show i").texts, (CompletedTexts{"images", "info"}));
  EXPECT_EQ(complete("/model g").texts, (CompletedTexts{"gemma4:e2b"}));
  EXPECT_TRUE(complete("/set parameter top_k 4").texts.empty());
  EXPECT_TRUE(complete("hello").texts.empty());
  EXPECT_TRUE(complete("/etc\n/s").texts.empty());
}

TEST(CommandCompletion, KnowsFiles) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("pleiad_completion_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "chats");
  std::ofstream(folder / "chat one.json") << "{}";
  std::ofstream(folder / ".hidden") << "";
  const auto complete = command_completer([] { return CompletedTexts{}; }, folder);
  const std::string typed = "/load " + folder.string() + "/ch";
  EXPECT_EQ(complete(typed).texts,
            (CompletedTexts{folder.string() + "/chat one.json", folder.string() + "/chats/"}));
  EXPECT_EQ(complete("/save ~/chats").texts, (CompletedTexts{"~/chats/"}));
  EXPECT_TRUE(complete("/load /nowhere/x").texts.empty());
  std::filesystem::remove_all(folder);
}

TEST(CommandCompletion, KnowsPicturesAndWhatABlankInTheirNamesNeeds) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("pleiad_pictures_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "my photos");
  for (const char* name : {"my note.JPG", "my notes.txt", "my photos/a'b.webp"}) {
    std::ofstream(folder / name) << "x";
  }
  const auto complete = command_completer([] { return CompletedTexts{}; }, folder);
  const std::string begun = "/image " + folder.string() + "/my";
  EXPECT_EQ(complete(begun).texts, (CompletedTexts{folder.string() + "/my\\ note.JPG",
                                                   folder.string() + "/my\\ photos/"}));
  EXPECT_EQ(complete(begun).begin, 7U);
  EXPECT_EQ(complete("/image ~/my\\ photos/").texts, (CompletedTexts{"~/my\\ photos/a\\'b.webp"}));
  const std::string file = "/file " + folder.string() + "/my";
  EXPECT_EQ(complete(file).texts,
            (CompletedTexts{folder.string() + "/my\\ note.JPG", folder.string() + "/my\\ notes.txt",
                            folder.string() + "/my\\ photos/"}));
  EXPECT_EQ(complete(file).begin, 6U);
  for (const char* name : {"a.MP3", "b.mkv"}) std::ofstream(folder / "my photos" / name) << "x";
  EXPECT_EQ(complete("/audio ~/my\\ photos/").texts,
            (CompletedTexts{"~/my\\ photos/a.MP3", "~/my\\ photos/b.mkv"}));
  EXPECT_EQ(complete("/video ~/my\\ photos/").texts, (CompletedTexts{"~/my\\ photos/b.mkv"}));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pleiad::apps
