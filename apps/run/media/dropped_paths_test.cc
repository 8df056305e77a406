#include "apps/run/media/dropped_paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace pleiad::apps {
namespace {

namespace fs = std::filesystem;
using DroppedFiles = std::vector<DroppedFile>;

constexpr std::string_view kPngHead("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);

class DroppedPathsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_dropped_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "in here");
    for (const char* name :
         {"a.png", "my photo.png", "it's.png", "in here/ü (1).png", "q\"b\\s.png"}) {
      std::ofstream(folder_ / name, std::ios::binary) << kPngHead;
    }
    std::ofstream(folder_ / "other.png", std::ios::binary) << std::string(
        "\x7f"
        "ELF\0\1",
        6);
    std::ofstream(folder_ / "notes.txt") << "no picture at all";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  DroppedFile dropped_picture(const std::string& name) const { return {at(name)}; }
  std::optional<DroppedFiles> dropped(const std::string& text) const {
    return dropped_media(text, folder_);
  }

  fs::path folder_;
};

TEST_F(DroppedPathsTest, ALineThatIsOneBarePathIsAPicture) {
  EXPECT_EQ(dropped(at("a.png")), DroppedFiles{dropped_picture("a.png")});
  EXPECT_EQ(dropped("  " + at("a.png") + " \n"), DroppedFiles{dropped_picture("a.png")});
  EXPECT_EQ(dropped(at("my photo.png")), DroppedFiles{dropped_picture("my photo.png")})
      << "not escaped by every terminal";
  EXPECT_EQ(dropped("~/a.png"), DroppedFiles{dropped_picture("a.png")});
}

TEST_F(DroppedPathsTest, PathsAreQuotedAndEscapedAsTerminalsDo) {
  const std::string folder = folder_.string();
  EXPECT_EQ(dropped("'" + at("my photo.png") + "'"), DroppedFiles{dropped_picture("my photo.png")});
  EXPECT_EQ(dropped("\"" + at("my photo.png") + "\""),
            DroppedFiles{dropped_picture("my photo.png")});
  EXPECT_EQ(dropped(folder + "/my\\ photo.png"), DroppedFiles{dropped_picture("my photo.png")});
  EXPECT_EQ(dropped("'" + folder + "/it'\\''s.png' "), DroppedFiles{dropped_picture("it's.png")});
  EXPECT_EQ(dropped("\"" + folder + "/q\\\"b\\\\s.png\""),
            DroppedFiles{dropped_picture("q\"b\\s.png")});
  EXPECT_EQ(dropped("file://" + folder + "/in%20here/%c3%BC%20(1).png"),
            DroppedFiles{dropped_picture("in here/ü (1).png")});
  EXPECT_EQ(dropped("file://localhost" + at("a.png")), DroppedFiles{dropped_picture("a.png")});
}

TEST_F(DroppedPathsTest, SeveralAreAllPicturesOrTheLineIsAMessage) {
  EXPECT_EQ(dropped(at("a.png") + " '" + at("my photo.png") + "'"),
            (DroppedFiles{dropped_picture("a.png"), dropped_picture("my photo.png")}));
  EXPECT_EQ(
      dropped("file://" + at("a.png") + "\r\nfile://" + folder_.string() + "/my%20photo.png\r\n"),
      (DroppedFiles{dropped_picture("a.png"), dropped_picture("my photo.png")}));
  EXPECT_EQ(dropped(at("a.png") + " " + at("other.png")), std::nullopt);
  EXPECT_EQ(dropped(at("a.png") + " what is this?"), std::nullopt);
  EXPECT_EQ(dropped("Look at " + at("a.png")), std::nullopt);
}

TEST_F(DroppedPathsTest, SoundIsToldByItsContent) {
  const std::string wav = std::string("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0", 24) +
                          std::string("\x80\x3e\0\0\0\x7d\0\0\2\0\x10\0data\0\0\0\0", 20);
  std::ofstream(folder_ / "memo.png", std::ios::binary) << wav;
  EXPECT_EQ(dropped(at("memo.png") + " " + at("a.png")),
            (DroppedFiles{{at("memo.png"), ShownMedia::Kind::sound}, dropped_picture("a.png")}));
}

TEST_F(DroppedPathsTest, DocumentsAreToldByTheirContent) {
  std::ofstream(folder_ / "scan.png") << "%PDF-1.7\n";
  std::ofstream(folder_ / "report.docx", std::ios::binary) << "PK\3\4 and so on";
  std::ofstream(folder_ / "empty.txt");
  const auto document = [&](const std::string& name) {
    return DroppedFile{at(name), ShownMedia::Kind::document};
  };
  EXPECT_EQ(dropped(at("scan.png")), DroppedFiles{document("scan.png")});
  EXPECT_EQ(dropped(at("notes.txt") + " file://" + at("report.docx")),
            (DroppedFiles{document("notes.txt"), document("report.docx")}));
  EXPECT_EQ(dropped("~/notes.txt " + at("a.png")),
            (DroppedFiles{document("notes.txt"), dropped_picture("a.png")}));
  EXPECT_EQ(dropped(at("empty.txt")), std::nullopt);
}

TEST_F(DroppedPathsTest, AWordIsAMessageThoughAFileOfTextIsCalledSo) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  std::ofstream("summary") << "text";
  std::ofstream("scan.pdf") << "%PDF-1.7\n";
  EXPECT_EQ(dropped("summary"), std::nullopt);
  EXPECT_EQ(dropped("notes.txt"), std::nullopt);
  EXPECT_EQ(dropped("scan.pdf"), (DroppedFiles{{"scan.pdf", ShownMedia::Kind::document}}));
  fs::current_path(before);
}

TEST_F(DroppedPathsTest, AllElseIsAMessage) {
  for (const std::string text : {"", "   ", "hello", "/help", "it's fine", "'", "\\", "file://",
                                 "file:///%", "file:///%zz"}) {
    EXPECT_EQ(dropped(text), std::nullopt) << text;
  }
  EXPECT_EQ(dropped(at("other.png")), std::nullopt) << "by its content, not by its name";
  EXPECT_EQ(dropped(at("in here")), std::nullopt) << "a folder";
  EXPECT_EQ(dropped(at("missing.png")), std::nullopt);
  EXPECT_EQ(dropped("\"\"\"" + at("a.png") + "\"\"\""), std::nullopt)
      << "how the path itself is sent";
  EXPECT_EQ(dropped(std::string(100'000, 'x')), std::nullopt);
  EXPECT_EQ(dropped("file://elsewhere" + at("a.png")), std::nullopt) << "another machine's";
}

TEST_F(DroppedPathsTest, APathIsTakenFromTheFrontOfWhatWasTyped) {
  const auto taken = [&](const std::string& text) { return take_path(text, folder_); };
  using TakenPath = std::pair<fs::path, std::string>;
  EXPECT_EQ(taken("~/a.png What is it?"), (TakenPath{at("a.png"), "What is it?"}));
  EXPECT_EQ(taken("'" + at("my photo.png") + "'  Who?"), (TakenPath{at("my photo.png"), "Who?"}));
  EXPECT_EQ(taken(at("my photo.png") + " Who is that?"),
            (TakenPath{at("my photo.png"), "Who is that?"}));
  EXPECT_EQ(taken(at("my photo.png")), (TakenPath{at("my photo.png"), ""}));
  EXPECT_EQ(taken("missing.png what?"), (TakenPath{"missing.png", "what?"}))
      << "whoever opens it says so";
  EXPECT_EQ(taken("it's"), (TakenPath{"it's", ""}));
}

TEST(TakePages, TakesNumbersFromTheFrontOfWhatWasTyped) {
  using Taken = std::pair<std::string, std::string>;
  EXPECT_EQ(take_pages("3-7,9 What is agreed?"), (Taken{"3-7,9", "What is agreed?"}));
  EXPECT_EQ(take_pages("12-"), (Taken{"12-", ""}));
  EXPECT_EQ(take_pages(" 4  Who?"), (Taken{"4", "Who?"}));
  EXPECT_EQ(take_pages("7-3"), (Taken{"7-3", ""})) << "whoever reads them says so";
  EXPECT_EQ(take_pages("What is on 3-7?"), (Taken{"", "What is on 3-7?"}));
  EXPECT_EQ(take_pages("3rd page?"), (Taken{"", "3rd page?"}));
  EXPECT_EQ(take_pages("- nothing"), (Taken{"", "- nothing"}));
  EXPECT_EQ(take_pages(""), (Taken{"", ""}));
}

TEST_F(DroppedPathsTest, AnEscapedPathComesBackWhole) {
  for (const std::string path : {"/a b/c'd\"e\\f", "/x;y&(z)", "/ü"}) {
    const std::string escaped = escaped_path(path);
    EXPECT_EQ(take_path(escaped + " rest", folder_).first, fs::path(path)) << escaped;
  }
}

}  // namespace
}  // namespace pleiad::apps
