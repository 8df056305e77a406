#include "apps/run/media/media_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "media/documents/document_reader.h"
#include "serving/media/show_document.h"

namespace pleiad::apps {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ShownKind = ShownMedia::Kind;

media::PreparedPicture drawn_page() {
  media::PreparedPicture picture;
  picture.original = {96, 48};
  picture.pixels.size = {96, 48};
  picture.pixels.rgb.resize(std::size_t{96} * 48 * 3, 200);
  picture.budget = 70;
  return picture;
}

/// As a reader of documents would have made it.
media::Document two_pages(bool is_scan) {
  media::Document document;
  document.format = "PDF";
  document.has_pages = true;
  document.n_pages = 9;
  document.pages.push_back({3, "Three.", std::nullopt});
  document.pages.push_back({4, is_scan ? "" : "Four.", std::nullopt});
  if (is_scan) document.pages.back().picture = drawn_page();
  document.warnings = {"page 5 has nothing on it"};
  return document;
}

MediaWishes at_most(int tokens) {
  MediaWishes wishes;
  wishes.picture_budget.tokens = tokens;
  return wishes;
}

class MediaDeskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_desk_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    seeing_.vision.problem.clear();
    seeing_.vision.longest_side = 4096;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// What it gives of every document, and how often it was asked.
  MediaDesk desk(const media::Document& document) {
    return MediaDesk(
        {.picture = {},
         .sound = {},
         .video = {},
         .document = [this, document](std::span<const std::byte>, std::string_view name,
                                      const media::DocumentOptions& options,
                                      const std::function<bool()>&) -> Result<media::Document> {
           names_.emplace_back(name);
           asked_.push_back(options);
           return document;
         }});
  }
  AttachedMedia file(const std::string& name, const std::string& text = "%PDF-1.7") {
    std::ofstream(folder_ / name) << text;
    return MediaDesk::open(folder_ / name, ShownKind::document);
  }
  template <typename Work>
  std::string problem(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
  PromptTowers blind_;
  PromptTowers seeing_;
  std::vector<std::string> names_;
  std::vector<media::DocumentOptions> asked_;
};

TEST_F(MediaDeskTest, ADocumentIsShownAsAServerShowsIt) {
  AttachedMedia document = file("a.pdf");
  document.pages = {"3-4", PageWishes::PagesAs::text};
  EXPECT_EQ(desk(two_pages(false)).read(document, {}, blind_), "a.pdf: page 5 has nothing on it");
  const ShownMedia same =
      serving::show_document(two_pages(false), "a.pdf", blind_.vision, serving::plain_hold());
  ASSERT_EQ(document.shown.parts.size(), 1U);
  EXPECT_EQ(document.shown.parts[0].before, same.parts[0].before);
  EXPECT_EQ(document.shown.parts[0].before,
            "<document>\n<title>a.pdf</title>\nPage 3:\nThree.\n\nPage 4:\nFour.\n</document>");
  EXPECT_EQ(document.shown.kind, ShownKind::document);
  EXPECT_EQ(document.use.pages, 2);
  EXPECT_EQ(document.use.total_pages, 9);
  EXPECT_EQ(asked_.at(0).pages, "3-4");
  EXPECT_EQ(asked_.at(0).pages_as, PageWishes::PagesAs::text);
  EXPECT_EQ(names_.at(0), "a.pdf");
}

TEST_F(MediaDeskTest, WhatThisMachineLacksIsToldOfTheFile) {
  const MediaDesk lacking(
      {.picture = {},
       .sound = {},
       .video = {},
       .document = [](auto, auto, const auto&, const auto&) -> Result<media::Document> {
         throw media::MissingPrograms("cannot be read: pdftoppm is not installed here");
       }});
  AttachedMedia document = file("a.pdf");
  EXPECT_EQ(problem([&] { lacking.read(document, {}, blind_); }),
            "a.pdf cannot be read: pdftoppm is not installed here");
  const MediaDesk broken(
      {.picture = {},
       .sound = {},
       .video = {},
       .document = [](auto, auto, const auto&, const auto&) -> Result<media::Document> {
         throw Error("no document can be read here: no memory");
       }});
  EXPECT_EQ(problem([&] { broken.read(document, {}, blind_); }),
            "a.pdf: no document can be read here: no memory");
}

TEST_F(MediaDeskTest, ADocumentIsReadOnceUnlessItsPicturesChange) {
  AttachedMedia text = file("a.pdf");
  const MediaDesk plain = desk(two_pages(false));
  plain.read(text, {}, blind_);
  EXPECT_EQ(plain.read(text, at_most(560), blind_), "") << "nothing is told twice";
  EXPECT_EQ(asked_.size(), 1U);
  AttachedMedia scan = file("b.pdf");
  const MediaDesk drawing = desk(two_pages(true));
  drawing.read(scan, {}, seeing_);
  EXPECT_EQ(asked_.back().budget, 1120) << "as a server draws pages unless told otherwise";
  EXPECT_EQ(scan.use.picture_pages, 1);
  EXPECT_EQ(scan.use.tokens, 2);
  drawing.read(scan, {}, seeing_);
  EXPECT_EQ(asked_.size(), 2U);
  drawing.read(scan, at_most(560), seeing_);
  EXPECT_EQ(asked_.back().budget, 560);
  MediaWishes by_size;
  by_size.picture_budget.automatic = true;
  drawing.read(scan, by_size, seeing_);
  EXPECT_EQ(asked_.back().budget, std::nullopt) << "by the size of each page";
  drawing.read(scan, by_size, seeing_);
  EXPECT_EQ(asked_.size(), 4U);
  scan.pages.budget.tokens = 70;
  drawing.read(scan, by_size, seeing_);
  EXPECT_EQ(asked_.back().budget, 70) << "its own goes before";
  scan.pages.budget = {.tokens = std::nullopt, .automatic = true};
  drawing.read(scan, at_most(560), seeing_);
  EXPECT_EQ(asked_.back().budget, std::nullopt);
}

TEST_F(MediaDeskTest, APageThatTheModelCannotSeeIsNamed) {
  AttachedMedia scan = file("b.pdf");
  const MediaDesk drawing = desk(two_pages(true));
  EXPECT_EQ(problem([&] { drawing.read(scan, {}, blind_); }),
            "b.pdf: page 4 would be shown as a picture, and the model sees none: it has no vision "
            "tower");
  drawing.read(scan, {}, seeing_);
  EXPECT_THAT(problem([&] { drawing.read(scan, {}, blind_); }),
              HasSubstr("b.pdf: has pages that are shown as pictures, and the model sees none"))
      << "another model, say";
  seeing_.vision.longest_side = 48;
  AttachedMedia wide = file("c.pdf");
  EXPECT_THAT(problem([&] { drawing.read(wide, {}, seeing_); }),
              HasSubstr("c.pdf: page 4 is shown as 96 x 48 pixels"));
}

TEST_F(MediaDeskTest, WhatAReaderSaysNamesTheFile) {
  media::DocumentReader reader({"/nowhere/program", {}}, {}, {});
  const MediaDesk real({.picture = {}, .sound = {}, .video = {}, .document = [&](auto&&... all) {
                          return reader.read(all...);
                        }});
  const auto said = [&](AttachedMedia document) {
    return problem([&] { real.read(document, {}, blind_); });
  };
  AttachedMedia text = file("notes.txt", "one\r\ntwo");
  EXPECT_EQ(real.read(text, {}, blind_), "");
  EXPECT_EQ(text.shown.parts.at(0).before,
            "<document>\n<title>notes.txt</title>\none\ntwo\n</document>");
  EXPECT_EQ(text.use.total_pages, 0) << "has no pages to be told of";
  AttachedMedia paged = file("notes.txt", "one");
  paged.pages.pages = "2";
  EXPECT_EQ(said(paged), "notes.txt is no PDF, so that it has no pages to choose from");
  EXPECT_EQ(said(file("empty.txt", "")), "empty.txt is empty");
  EXPECT_THAT(said(file("program", std::string("\x7f"
                                               "ELF\0\1",
                                               6))),
              HasSubstr("program is not a document: expected PDF, DOCX, HTML or text"));
  EXPECT_THAT(said(file("a.pdf")),
              AllOf(HasSubstr("pdftotext"), HasSubstr("package poppler-utils")));
  EXPECT_THAT(problem([&] { static_cast<void>(MediaDesk::open(folder_, ShownKind::document)); }),
              HasSubstr("is a folder; expected the file of a document"));
}

TEST_F(MediaDeskTest, ANameIsShownAsItCanBeSent) {
  EXPECT_EQ(file("a\x1b\xff.pdf").name, "a\\x1b\\xff.pdf");
}

}  // namespace
}  // namespace pleiad::apps
