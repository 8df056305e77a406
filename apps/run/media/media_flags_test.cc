#include "apps/run/media/media_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "apps/common/usage_error.h"

namespace pleiad::apps {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ShownKind = ShownMedia::Kind;
using PagesAs = PageWishes::PagesAs;

template <typename Work>
std::string usage_problem(const Work& work) {
  try {
    work();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error of usage";
}

TEST(MediaFlags, PagesAreOfTheFileBeforeThem) {
  MediaFlags flags;
  flags.add(ShownKind::document, "a.pdf");
  EXPECT_TRUE(flags.set_pages("3-7,9"));
  flags.add(ShownKind::document, "b.pdf");
  flags.add(ShownKind::picture, "c.png");
  EXPECT_TRUE(flags.set_pages_as("image"));
  EXPECT_TRUE(flags.set_pages("12-"));
  const std::vector<MediaFlag> all = flags.all();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].pages, (PageWishes{"3-7,9", PagesAs::automatic}));
  EXPECT_EQ(all[1].pages, (PageWishes{"12-", PagesAs::image}));
  EXPECT_EQ(all[2].path, "c.png");
}

TEST(MediaFlags, PagesBeforeAllAreOfTheOnlyFile) {
  MediaFlags flags;
  EXPECT_TRUE(flags.set_pages("2"));
  EXPECT_TRUE(flags.set_pages_as("text"));
  EXPECT_EQ(usage_problem([&] { static_cast<void>(flags.all()); }),
            "--pages: expected --file FILE beside it, found none");
  flags.add(ShownKind::picture, "c.png");
  flags.add(ShownKind::document, "a.pdf");
  EXPECT_EQ(flags.all()[1].pages, (PageWishes{"2", PagesAs::text}));
  flags.add(ShownKind::document, "b.pdf");
  EXPECT_EQ(usage_problem([&] { static_cast<void>(flags.all()); }),
            "--pages: expected behind the --file that it is of, found before all");
}

TEST(MediaFlags, WhatIsGivenTwiceIsRefused) {
  MediaFlags flags;
  flags.add(ShownKind::document, "a.pdf");
  EXPECT_TRUE(flags.set_pages("2"));
  EXPECT_EQ(flags.set_pages("3").message(), "was given before for the same file");
  EXPECT_TRUE(flags.set_pages_as("auto"));
  EXPECT_FALSE(flags.set_pages_as("auto"));
  MediaFlags early;
  EXPECT_TRUE(early.set_pages("2"));
  early.add(ShownKind::document, "a.pdf");
  EXPECT_TRUE(early.set_pages("3"));
  EXPECT_EQ(usage_problem([&] { static_cast<void>(early.all()); }),
            "--pages: was given twice for the same file");
}

TEST(MediaFlags, SayWhatWasExpected) {
  MediaFlags flags;
  EXPECT_EQ(flags.set_pages("7-3").message(), "expected pages such as 3-7,9 or 12-, found '7-3'");
  EXPECT_EQ(flags.set_pages(" ").message(), "expected pages such as 3-7,9 or 12-, found nothing");
  EXPECT_EQ(flags.set_pages_as("pictures").message(), "expected auto|text|image, found 'pictures'");
  EXPECT_TRUE(flags.all().empty()) << "nothing of it was taken";
}

class OpenMediaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_open_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<AttachedMedia> open(const std::string& text, const PageWishes& pages = {}) {
    std::ofstream(folder_ / "x") << text;
    return open_media({{ShownKind::document, (folder_ / "x").string(), pages}}, "");
  }
  std::string refused(const std::string& text) {
    try {
      open(text);
    } catch (const UsageError&) {
      return "an error of usage";
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(OpenMediaTest, ADocumentIsOneByItsContent) {
  const std::string path = (folder_ / "x").string();
  EXPECT_EQ(open("text").at(0).kind, ShownKind::document);
  EXPECT_EQ(open("%PDF-1.7", {"3"}).at(0).pages.pages, "3");
  EXPECT_EQ(refused(""), "--file: " + path + " is empty");
  EXPECT_EQ(refused(std::string("a\0b", 3)),
            "--file: " + path +
                " is not a document: expected PDF, DOCX, HTML or text, found 3 bytes that begin 61 "
                "00 62");
  EXPECT_EQ(refused(std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16)),
            "--file: " + path + " is a picture, which --image takes");
  EXPECT_THAT(refused("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), HasSubstr("save it as DOCX or PDF"));
}

TEST_F(OpenMediaTest, AFileThatNoFlagNamesIsNoWordOfThePrompt) {
  const std::string path = (folder_ / "b.png").string();
  std::ofstream(path) << std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  std::ofstream(folder_ / "notes.txt") << "text";
  const std::vector<MediaFlag> media = {{ShownKind::picture, "a.png"}};
  const auto check = [&](const std::vector<std::string>& words) {
    return usage_problem([&] { check_prompt_words(words, media, folder_); });
  };
  EXPECT_EQ(check({"What", path}),
            path +
                " is a picture, and would be a word of the prompt: each file "
                "needs its flag before it (--image " +
                path + ")");
  EXPECT_EQ(check({"What is " + path + "?", "a.png", "notes.txt"}), "no error of usage");
  EXPECT_EQ(usage_problem([&] {
              check_prompt_words({path}, {{ShownKind::picture, path}}, folder_);
            }),
            "no error of usage")
      << "it is named, and asked about by its name";
  EXPECT_EQ(usage_problem([&] { check_prompt_words({path}, {}, folder_); }), "no error of usage");
}

TEST_F(OpenMediaTest, PagesAreOfPdfAlone) {
  EXPECT_THAT(usage_problem([&] { open("text", {"3"}); }),
              HasSubstr("x is no PDF, so that it has no pages to choose from"));
  EXPECT_THAT(usage_problem([&] {
                open("text", {"", PagesAs::image});
              }),
              HasSubstr("--pages-as: "));
  EXPECT_EQ(open("text", {"", PagesAs::text}).size(), 1U) << "as a server takes it";
}

}  // namespace
}  // namespace pleiad::apps
