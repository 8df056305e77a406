// HTML and DOCX, through the process that reads them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/documents/documents_testing.h"

namespace pleiad::media {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MarkupDocuments : public ::testing::Test {
 protected:
  std::string outcome(std::string_view bytes, const std::string& name = {}) {
    const auto document = reader_.read(document_bytes(bytes), name, {});
    return document ? document.value().pages.at(0).text : document.message();
  }

  std::string refusal_of_pages(const std::string& name) {
    DocumentOptions options;
    options.pages = "1";
    const auto document = reader_.read(golden_document(name), name, options);
    return document ? "it was read" : document.message();
  }

  DocumentReader reader_{test_converter(), {}};
};

TEST_F(MarkupDocuments, OfWordThatAreNoneAreRefused) {
  EXPECT_THAT(outcome("PK\x03\x04 nothing more"), HasSubstr("is a damaged ZIP file"));
  std::vector<std::byte> cut = golden_document("report.docx");
  cut.resize(cut.size() - 400);
  EXPECT_THAT(reader_.read(cut, "", {}).message(), HasSubstr("is a damaged ZIP file"));
}

TEST_F(MarkupDocuments, WithAnyNamesAreReadAlike) {
  for (const char* name : {"-", "--help", "-f.pdf", "/etc/passwd", "../../x", "a\nb", "\x1b[31m"}) {
    EXPECT_EQ(outcome("hello", name), "hello") << name;
  }
}

TEST_F(MarkupDocuments, ThatNestDeeplyAreRead) {
  std::string deep = "<html>";
  for (int i = 0; i < 5000; ++i) deep += "<div><table><tr><td><ul><li>";
  EXPECT_THAT(outcome(deep + "bottom"), HasSubstr("bottom"));
}

TEST_F(MarkupDocuments, OfWordAreTextInReadingOrder) {
  const auto document = reader_.read(golden_document("report.docx"), "report.docx", {});
  ASSERT_TRUE(document.ok()) << document.message();
  EXPECT_EQ(document.value().format, "DOCX");
  EXPECT_FALSE(document.value().has_pages);
  EXPECT_EQ(document.value().pages[0].text,
            "# Report\n\n# What was found\n\nEverything is proved.[^1]\n\n"
            "[^1]: By a note at the foot.\n\nKept words and inserted\n\n## Lists\n\n"
            "- one\n- two\n  - deeper\n1. first\n2. second\n\nLine one\nline two\twith a tab\n\n"
            "Name | Sum | Unit\nGrüße | 42 | €\n\nThe end & <more>.\n");
  EXPECT_THAT(document.value().warnings,
              ElementsAre("1 picture is left out: a document of Word is read as text"));
  EXPECT_EQ(refusal_of_pages("report.docx"), "is no PDF, so that it has no pages to choose from");
}

TEST_F(MarkupDocuments, OfTheWebAreTextToo) {
  const auto page = document_bytes("<!doctype html><h1>Caf\xE9</h1><script>no()</script><p>x");
  const auto document = reader_.read(page, "", {});
  ASSERT_TRUE(document.ok()) << document.message();
  EXPECT_EQ(document.value().format, "HTML");
  EXPECT_EQ(document.value().pages[0].text, "# Café\n\nx\n");
  EXPECT_THAT(document.value().warnings, ElementsAre(HasSubstr("read as Windows-1252")));
}

}  // namespace
}  // namespace pleiad::media
