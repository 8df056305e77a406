#include "media/documents/document_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "media/budget.h"
#include "media/documents/documents_testing.h"

namespace pleiad::media {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using PagesAs = DocumentOptions::PagesAs;

DocumentOptions with_pages(std::string pages, PagesAs pages_as = PagesAs::automatic) {
  DocumentOptions options;
  options.pages = std::move(pages);
  options.pages_as = pages_as;
  return options;
}

class DocumentReading : public ::testing::Test {
 protected:
  Result<Document> read(const std::string& name, const DocumentOptions& options = {}) {
    return reader_.read(golden_document(name), name, options);
  }
  std::string refusal(const std::string& name, const DocumentOptions& options = {}) {
    const auto document = read(name, options);
    return document ? "it was read" : document.message();
  }

  DocumentReader reader_{test_converter(), {}};
};

std::vector<int> numbers_of(const Document& document) {
  std::vector<int> numbers;
  for (const DocumentPage& page : document.pages) numbers.push_back(page.number);
  return numbers;
}

/// Red, green and blue in the middle of a quarter of the picture.
std::vector<int> colour_at(const Pixels& pixels, int column, int row) {
  const int x = pixels.size.width * (2 * column + 1) / 4;
  const int y = pixels.size.height * (2 * row + 1) / 4;
  const auto at = static_cast<std::size_t>(y * pixels.size.width + x) * 3;
  return {pixels.rgb[at], pixels.rgb[at + 1], pixels.rgb[at + 2]};
}

TEST_F(DocumentReading, HasThePagesOfAPdfAsTextInReadingOrder) {
  const auto document = read("columns.pdf");
  ASSERT_TRUE(document.ok()) << document.message();
  EXPECT_EQ(document.value().format, "PDF");
  EXPECT_TRUE(document.value().has_pages);
  EXPECT_EQ(document.value().n_pages, 2);
  EXPECT_THAT(document.value().warnings, IsEmpty());
  ASSERT_EQ(document.value().pages.size(), 2U);
  std::string left = "A report on two columns\n";
  std::string right = "\n";
  for (int line = 1; line <= 6; ++line) {
    left += fmt::format("The left column, line {}.\n", line);
    right += fmt::format("The right column, line {}.{}", line, line < 6 ? "\n" : "");
  }
  EXPECT_EQ(document.value().pages[0].text, left + right);
  EXPECT_EQ(document.value().pages[1].text, "The second page has Grüße and 42 €.");
  EXPECT_FALSE(document.value().pages[0].picture);
}

TEST_F(DocumentReading, KeepsTheNumbersOfThePagesThatWereAskedFor) {
  const auto some = read("numbered.pdf", with_pages("3-4,9"));
  ASSERT_TRUE(some.ok()) << some.message();
  EXPECT_EQ(some.value().n_pages, 12);
  EXPECT_THAT(numbers_of(some.value()), ElementsAre(3, 4, 9));
  for (const DocumentPage& page : some.value().pages) {
    EXPECT_EQ(page.text, fmt::format("Page {0}, line 1: nothing is lost here.\n"
                                     "Page {0}, line 2: nothing is lost here.",
                                     page.number));
  }
  EXPECT_EQ(read("numbered.pdf").value().pages.size(), 12U);
  EXPECT_EQ(refusal("numbered.pdf", with_pages("3,13")),
            "is a PDF that has 12 pages, so that there is no page 13");
  EXPECT_EQ(refusal("numbered.pdf", with_pages("4-x")),
            "expected pages such as 3-7,9 or 12-, found '4-x'");
}

TEST_F(DocumentReading, ShowsPagesWithoutTextAsPictures) {
  const auto document = read("scans.pdf");
  ASSERT_TRUE(document.ok()) << document.message();
  const std::vector<DocumentPage>& pages = document.value().pages;
  ASSERT_EQ(pages.size(), 4U);
  EXPECT_EQ(pages[0].text, "The first page has words enough to be read.");
  EXPECT_FALSE(pages[0].picture);
  // A scan, upright, though its text is a stamp; and one that is turned.
  ASSERT_TRUE(pages[1].picture);
  EXPECT_EQ(pages[1].text, "");
  const PreparedPicture& scan = *pages[1].picture;
  EXPECT_EQ(scan.budget, 1120);
  EXPECT_EQ(scan.pixels.size, target_size(scan.original, 1120));
  EXPECT_EQ(scan.n_soft_tokens, soft_tokens(scan.pixels.size));
  EXPECT_GE(scan.original.width, scan.pixels.size.width);
  EXPECT_GE(scan.original.height, scan.pixels.size.height);
  EXPECT_NEAR(scan.original.width * 842.0 / 595.0, scan.original.height, 5);
  EXPECT_THAT(colour_at(scan.pixels, 0, 0), ElementsAre(255, 0, 0));
  EXPECT_THAT(colour_at(scan.pixels, 1, 0), ElementsAre(0, 255, 0));
  EXPECT_THAT(colour_at(scan.pixels, 0, 1), ElementsAre(0, 0, 255));
  EXPECT_THAT(colour_at(scan.pixels, 1, 1), ElementsAre(255, 255, 255));
  ASSERT_TRUE(pages[3].picture);
  EXPECT_LT(pages[3].picture->pixels.size.width, pages[3].picture->pixels.size.height);
  EXPECT_THAT(colour_at(pages[3].picture->pixels, 0, 0), ElementsAre(0, 0, 255));
  EXPECT_THAT(colour_at(pages[3].picture->pixels, 1, 0), ElementsAre(255, 0, 0));
  // Nothing is on the third.
  EXPECT_FALSE(pages[2].picture);
  EXPECT_EQ(pages[2].text, "");
  EXPECT_THAT(document.value().warnings, ElementsAre("page 3 is blank"));
}

TEST_F(DocumentReading, ShowsPagesAsTheyAreAskedFor) {
  const auto text = read("scans.pdf", with_pages("1-2", PagesAs::text));
  ASSERT_TRUE(text.ok()) << text.message();
  EXPECT_EQ(text.value().pages[1].text, "Seite 2");
  EXPECT_FALSE(text.value().pages[1].picture);
  EXPECT_THAT(text.value().warnings,
              ElementsAre(StartsWith("page 2 has hardly any text, as scans have")));
  DocumentOptions small = with_pages("1", PagesAs::image);
  small.budget = 70;
  const auto image = read("scans.pdf", small);
  ASSERT_TRUE(image.ok()) << image.message();
  EXPECT_EQ(image.value().pages[0].text, "");
  ASSERT_TRUE(image.value().pages[0].picture);
  EXPECT_LE(image.value().pages[0].picture->n_soft_tokens, 70);
  small.budget = std::nullopt;
  const auto by_size = read("scans.pdf", small);
  ASSERT_TRUE(by_size.ok()) << by_size.message();
  EXPECT_EQ(by_size.value().pages.at(0).picture->budget, 1120);
  EXPECT_GT(by_size.value().pages[0].picture->n_soft_tokens, 560);
  small.budget = 71;
  EXPECT_THAT(refusal("scans.pdf", small), HasSubstr("cannot take 71 soft tokens"));
}

TEST_F(DocumentReading, DrawsTextWithTheFontsOfTheMachine) {
  const auto drawn = read("columns.pdf", with_pages("2", PagesAs::image));
  ASSERT_TRUE(drawn.ok()) << drawn.message();
  EXPECT_THAT(drawn.value().warnings, IsEmpty());
  ASSERT_TRUE(drawn.value().pages[0].picture);
}

TEST_F(DocumentReading, SaysWhatIsWrongWithAPdf) {
  EXPECT_EQ(refusal("locked.pdf"), "is a PDF that needs a password");
  EXPECT_THAT(refusal("pageless.pdf"), StartsWith("is a PDF without pages"));
  // A page that is there and 999,999 that are not.
  EXPECT_THAT(refusal("claiming.pdf"), StartsWith("is a PDF"));
  std::vector<std::byte> cut = golden_document("columns.pdf");
  cut.resize(cut.size() / 2);
  EXPECT_THAT(reader_.read(cut, "cut.pdf", {}).message(), StartsWith("is a PDF"));
  const auto damaged = reader_.read(document_bytes("%PDF-1.7\nnothing"), "x.pdf", {});
  ASSERT_FALSE(damaged.ok());
  EXPECT_THAT(damaged.message(), StartsWith("is a PDF that cannot be read: Syntax"));
}

TEST_F(DocumentReading, ReadsAPdfThatOnlyForbidsToCopy) {
  EXPECT_EQ(read("restricted.pdf").value().pages[0].text, "Whoever has no password may read this.");
}

TEST_F(DocumentReading, TellsPagesApartThatAreMissingOrHaveBreaksOfTheirOwn) {
  const auto missing = read("missing.pdf");
  ASSERT_TRUE(missing.ok()) << missing.message();
  EXPECT_THAT(numbers_of(missing.value()), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(missing.value().pages[0].text, "There is one page and no other one.");
  EXPECT_THAT(missing.value().warnings,
              ElementsAre("pages 2 to 4 are damaged and could not be drawn"));
  const auto breaks = read("page_breaks.pdf");
  ASSERT_TRUE(breaks.ok()) << breaks.message();
  EXPECT_EQ(breaks.value().pages[0].text, "Page 1 has a break A\nB within its own words.");
  EXPECT_EQ(breaks.value().pages[1].text, "Page 2 has a break A\nB within its own words.");
}

TEST_F(DocumentReading, HasOfAPdfThatWouldActNothingButItsPage) {
  const auto document = read("acting.pdf");
  ASSERT_TRUE(document.ok()) << document.message();
  EXPECT_EQ(document.value().pages[0].text, "What is seen does nothing at all.");
  const auto drawn = read("acting.pdf", with_pages("", PagesAs::image));
  EXPECT_TRUE(drawn.ok()) << drawn.message();
}

TEST_F(DocumentReading, RefusesMorePagesThanAreRead) {
  DocumentLimits limits;
  limits.max_pages = 5;
  limits.max_pictures = 2;
  DocumentReader few(test_converter(), limits);
  const auto numbered = golden_document("numbered.pdf");
  EXPECT_EQ(few.read(numbered, "", {}).message(),
            "is a PDF of which 12 pages are asked for; at most 5 are read: choose some of them");
  EXPECT_TRUE(few.read(numbered, "", with_pages("8-12")).ok());
  EXPECT_THAT(few.read(numbered, "", with_pages("1-3", PagesAs::image)).message(),
              StartsWith("is a PDF of which 3 pages would be shown as pictures; at most 2 are"));
  limits.max_pictures = 5;
  limits.max_picture_tokens = 2 * 1120;
  DocumentReader small(test_converter(), limits);
  EXPECT_EQ(small.read(numbered, "", with_pages("1-3", PagesAs::image)).message(),
            "is a PDF of which 3 pages would be shown as pictures of 1,120 soft tokens; at most "
            "2,240 together are: choose some of them, or a smaller max_soft_tokens");
  DocumentOptions smaller = with_pages("1-3", PagesAs::image);
  smaller.budget = std::nullopt;
  EXPECT_THAT(small.read(numbered, "", smaller).message(),
              HasSubstr("as pictures of up to 1,120 soft tokens; at most 2,240 together"));
  smaller.budget = 560;
  EXPECT_TRUE(small.read(numbered, "", smaller).ok());
}

TEST_F(DocumentReading, ReadsTheFirstOfThePagesThatAreAskedFor) {
  DocumentOptions options = with_pages("3-", PagesAs::text);
  options.most_pages = 2;
  const auto document = read("numbered.pdf", options);
  ASSERT_TRUE(document.ok()) << document.message();
  EXPECT_THAT(numbers_of(document.value()), ElementsAre(3, 4));
  EXPECT_EQ(document.value().n_pages, 12);
  options.pages = "12-";
  EXPECT_THAT(numbers_of(read("numbered.pdf", options).value()), ElementsAre(12));
}

TEST_F(DocumentReading, GivesUpWhatNobodyWants) {
  const auto given_up = reader_.read(golden_document("columns.pdf"), "", {}, [] { return true; });
  EXPECT_EQ(given_up.message(), "was given up");
  EXPECT_THAT(children(), IsEmpty());
}

TEST(DocumentsWithoutPoppler, AreToldWhichProgramsAndWhichPackageAreMissing) {
  const auto missing = [](std::vector<std::filesystem::path> folders) -> std::string {
    DocumentReader reader(test_converter(), {}, std::move(folders));
    try {
      static_cast<void>(reader.read(golden_document("columns.pdf"), "", {}));
    } catch (const MissingPrograms& error) {
      return error.what();
    }
    return "it was read";
  };
  constexpr const char* kInstall =
      " not installed here. For PDF install the package poppler-utils (on Arch Linux poppler)";
  EXPECT_EQ(missing({"/nowhere"}),
            std::string("cannot be read: pdfinfo, pdftotext, pdftoppm are") + kInstall);
  FakePoppler poppler;
  std::filesystem::remove(poppler.folder() / "pdftoppm");
  EXPECT_EQ(missing({"/nowhere", poppler.folder()}),
            std::string("cannot be read: pdftoppm is") + kInstall);
}

TEST(TextDocuments, AreReadInThisProcess) {
  DocumentReader reader({"/there/is/no/helper", {}}, {});
  const auto text = reader.read(document_bytes("name;sum\nAnn;3\n"), "-sums.csv", {});
  ASSERT_TRUE(text.ok()) << text.message();
  EXPECT_EQ(text.value().format, "CSV");
  EXPECT_EQ(text.value().pages[0].text, "name;sum\nAnn;3\n");
  EXPECT_FALSE(text.value().has_pages);
  EXPECT_EQ(reader.read({}, "a.txt", {}).message(), "is empty");
  EXPECT_EQ(reader.read(golden_picture("tiny.png"), "a.txt", {}).message().substr(0, 21),
            "is not a document: ex");
  EXPECT_THAT(
      reader.read(document_bytes("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), "a.doc", {}).message(),
      HasSubstr("save it as DOCX or PDF"));
  EXPECT_THAT(reader.read(document_bytes("x"), "", with_pages("1")).message(),
              HasSubstr("no pages to choose from"));
  EXPECT_THAT(reader.read(document_bytes("x"), "", with_pages("", PagesAs::image)).message(),
              HasSubstr("no pages to be shown"));
}

TEST(TextDocuments, AreBounded) {
  DocumentLimits limits;
  limits.max_bytes = 100;
  limits.max_text_bytes = 10;
  DocumentReader reader({"/there/is/no/helper", {}}, limits);
  EXPECT_THAT(reader.read(document_bytes(std::string(101, 'x')), "", {}).message(),
              HasSubstr("at most 100 bytes are read"));
  EXPECT_THAT(reader.read(document_bytes(std::string(11, 'x')), "", {}).message(),
              HasSubstr("more than 10 bytes of text"));
}

}  // namespace
}  // namespace pleiad::media
