// What poppler's programs write, as it is read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/budget.h"
#include "media/documents/pdf/page_picture.h"
#include "media/documents/pdf/pdf_info.h"
#include "media/documents/pdf/pdf_text.h"
#include "media/resize.h"

namespace pleiad::media {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using std::string_literals::operator""s;

TEST(PdfInfo, CountsPagesWhateverATitleSays) {
  EXPECT_EQ(pages_of_info("Title: a\nPages:           12\nEncrypted: no\n"), 12);
  EXPECT_EQ(pages_of_info("Title: x\nPages: 9\nPages:   3\n"), 3);
  EXPECT_EQ(pages_of_info("Title: Pages: 9\n"), std::nullopt);
  EXPECT_EQ(pages_of_info("Pages: -1\n"), std::nullopt);
  EXPECT_EQ(pages_of_info("Pages: 99999999999999\n"), std::nullopt);
  EXPECT_EQ(pages_of_info(""), std::nullopt);
}

TEST(PdfInfo, HasTheSizesOfPages) {
  const auto sizes = page_sizes_of_info(
      "Page    3 size:  595.276 x 841.89 pts (A4)\nPage    3 rot:   0\n"
      "Page    8 size:  20 x 10 pts\nPage    8 rot:   270\nPage    9 rot:   90\n"
      "Page 4 size: 0 x 0 pts\nPage 5 size: 1e9 x 5 pts\nPage 6 size: nan x 5 pts\n"
      "Page size: 3 x 3\nPage 12 size: 10 x 20.5 pts\n");
  ASSERT_EQ(sizes.size(), 3U);
  EXPECT_EQ(sizes[0].number, 3);
  EXPECT_DOUBLE_EQ(sizes[0].width, 595.276);
  EXPECT_DOUBLE_EQ(sizes[0].height, 841.89);
  // Turned to be read.
  EXPECT_EQ(sizes[1].number, 8);
  EXPECT_EQ(sizes[1].width, 10);
  EXPECT_EQ(sizes[1].height, 20);
  EXPECT_EQ(sizes[2].number, 12);
}

TEST(PdfText, IsSplitWhereEachPageEnds) {
  EXPECT_THAT(*split_pages("a\n\f\fb\f", 3), ElementsAre("a\n", "", "b"));
  EXPECT_THAT(*split_pages("", 0), IsEmpty());
  EXPECT_FALSE(split_pages("a\fb", 2));
  EXPECT_FALSE(split_pages("a\fb\f", 1));
  EXPECT_FALSE(split_pages("a\f", 2));
}

TEST(PdfText, IsCleanedOfWhatNobodySees) {
  EXPECT_EQ(clean_page("\n\n  a  b \t\n\n\n\nc\x01\x1b[0m\n\n"), "  a  b\n\nc[0m");
  EXPECT_EQ(clean_page(" \n\t\n"), "");
  EXPECT_EQ(clean_page("a\fb"), "a\nb");
}

TEST(PdfText, OfAScanOrOfFontsWithoutUnicodeIsNotReadable) {
  EXPECT_TRUE(has_readable_text("Twelve letters."));
  EXPECT_TRUE(has_readable_text("第一章 世界の歴史とその周辺の話"));
  EXPECT_FALSE(has_readable_text(""));
  EXPECT_FALSE(has_readable_text("- 12 of 345 -"));
  EXPECT_FALSE(has_readable_text("....................................."));
  EXPECT_FALSE(
      has_readable_text("abcdefghijkl \uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"
                        "\uE000\uE001\uE002\uE003\uE004"));
}

std::string ppm_of(PictureSize size, int seed) {
  std::string ppm = fmt::format("P6\n{} {}\n255\n", size.width, size.height);
  for (int i = 0; i < size.width * size.height * 3; ++i) {
    ppm += static_cast<char>((i * 7919 + seed) % 251);
  }
  return ppm;
}

// The same as of any other picture.
TEST(PagePicture, IsTheDrawnPageResizedAsPicturesAre) {
  for (const PictureSize size : {PictureSize{100, 141}, {333, 50}, {7, 300}}) {
    const std::string ppm = ppm_of(size, 3);
    Pixels drawn = {size, {}};
    drawn.rgb.assign(ppm.end() - size.width * size.height * 3, ppm.end());
    for (const int budget : {70, 280}) {
      const auto picture = picture_of_ppm(ppm, budget, 60'000);
      ASSERT_TRUE(picture.ok()) << picture.message();
      const PictureSize target = target_size(size, budget);
      EXPECT_EQ(picture.value().original, size);
      EXPECT_EQ(picture.value().pixels.size, target);
      EXPECT_EQ(picture.value().pixels.rgb, resize_bicubic(drawn, target).rgb);
      EXPECT_EQ(picture.value().n_soft_tokens, soft_tokens(target));
    }
  }
}

TEST(PagePicture, IsNoneWhereThePageHasOneColour) {
  const auto blank = picture_of_ppm("P6\n2 2\n255\n" + std::string(12, '\xFF'), 70, 100);
  ASSERT_TRUE(blank.ok());
  EXPECT_THAT(blank.value().pixels.rgb, IsEmpty());
  EXPECT_FALSE(picture_of_ppm("P6\n2 1\n255\n\1\2\3\1\2\4", 70, 100).value().pixels.rgb.empty());
}

TEST(PagePicture, RefusesWhatIsNoPpm) {
  const std::string pixels(12, 'x');
  for (const std::string& wrong :
       {""s, "P6"s, "P5\n2 2\n255\n" + pixels, "P6\n2 2\n65535\n" + pixels, "P6\n2 2\n255\n"s,
        "P6\n2 2\n255\n" + pixels + "x", "P6\n0 2\n255\n"s, "P6\n-2 2\n255\n" + pixels,
        "P6\n101 1\n255\n" + std::string(303, 'x'), "P6\n99999999999 2\n255\n" + pixels,
        "P6\n# no\n2 2\n255\n" + pixels}) {
    EXPECT_FALSE(picture_of_ppm(wrong, 70, 100).ok()) << wrong;
  }
}

TEST(PagePicture, HasByThePagesSizeTheLeastBudgetThatShowsPrint) {
  EXPECT_EQ(automatic_page_budget({1, 595.276, 841.89}), 1120);  // A4
  EXPECT_EQ(automatic_page_budget({1, 792, 612}), 1120);         // a letter that lies
  EXPECT_EQ(automatic_page_budget({1, 419.5, 595.3}), 560);      // A5
  EXPECT_EQ(automatic_page_budget({1, 298, 420}), 280);          // A6
  EXPECT_EQ(automatic_page_budget({1, 241, 156}), 140);          // a business card
  EXPECT_EQ(automatic_page_budget({1, 20, 10}), 70);
  EXPECT_EQ(automatic_page_budget({1, 14400, 14400}), 1120);
  EXPECT_EQ(automatic_page_budget({1, 3, 14400}), 1120);
}

TEST(PagePicture, IsDrawnNoSmallerThanItIsShown) {
  for (const PdfPageSize page : {PdfPageSize{1, 595.276, 841.89},
                                 {1, 841.89, 595.276},
                                 {1, 72, 72},
                                 {1, 14400, 14400},
                                 {1, 3, 14400},
                                 {1, 14400, 20}}) {
    for (const int budget : kBudgets) {
      const double longer = pixels_of_longer_side(page, budget);
      const double scale = longer / std::max(page.width, page.height);
      const PictureSize drawn = {static_cast<int>(std::ceil(page.width * scale)),
                                 static_cast<int>(std::ceil(page.height * scale))};
      const PictureSize shown = target_size(drawn, budget);
      EXPECT_LE(longer, 60'000);
      EXPECT_LE(static_cast<std::size_t>(drawn.width) * static_cast<std::size_t>(drawn.height) * 3,
                most_ppm_bytes(page, budget));
      if (longer == 60'000) continue;  // so thin that no more is drawn
      EXPECT_GE(drawn.width + 1, shown.width) << page.width << " " << page.height << " " << budget;
      EXPECT_GE(drawn.height + 1, shown.height)
          << page.width << " " << page.height << " " << budget;
    }
  }
}

}  // namespace
}  // namespace pleiad::media
