#include "media/documents/document_kind.h"

#include <gtest/gtest.h>

#include <string>

#include "media/helper/helper_testing.h"

namespace pleiad::media {
namespace {

using std::string_literals::operator""s;

std::optional<DocumentKind> kind_of(std::string_view text, std::string_view name = {}) {
  return sniff_document(std::as_bytes(std::span(text)), name);
}

TEST(SniffDocument, GoesByTheContent) {
  EXPECT_EQ(kind_of("%PDF-1.7\n%\xE2\xE3"), DocumentKind::pdf);
  EXPECT_EQ(kind_of("\r\n %PDF-1.4", "notes.txt"), DocumentKind::pdf);
  EXPECT_EQ(kind_of("junk\0before %PDF-1.4"s), DocumentKind::pdf);
  EXPECT_EQ(kind_of("PK\x03\x04..."), DocumentKind::docx);
  EXPECT_EQ(kind_of("Hello", "hello.pdf"), DocumentKind::text);
  EXPECT_EQ(kind_of(""), DocumentKind::text);
}

TEST(SniffDocument, TellsPagesFromTextAboutThem) {
  for (const char* page :
       {"<!DOCTYPE html><p>x", "<html>", "\xEF\xBB\xBF\n<HTML lang=de>", "<head>", "<body class=x>",
        "<?xml version='1.0'?>\n<!-- a <b> -->\n<html xmlns='x'>"}) {
    EXPECT_EQ(kind_of(page), DocumentKind::html) << page;
  }
  for (const char* text : {"about <html>", "<header.h>", "<htmlx>", "# <html>", "<!-- only",
                           "The file begins with %PDF-1.7 and goes on", "<svg/>"}) {
    EXPECT_EQ(kind_of(text), DocumentKind::text) << text;
  }
}

TEST(SniffDocument, TakesTheNameAsAHintForHtmlAlone) {
  EXPECT_EQ(kind_of("<p>part of a page", "part.HTM"), DocumentKind::html);
  EXPECT_EQ(kind_of("<p>part of a page", "part.txt"), DocumentKind::text);
  EXPECT_EQ(kind_of("no page at all", "part.html"), DocumentKind::text);
}

TEST(SniffDocument, KnowsWhatIsNoDocument) {
  EXPECT_EQ(sniff_document(golden_picture("tiny.png")), std::nullopt);
  EXPECT_EQ(sniff_document(golden_picture("wide.png"), "wide.pdf"), std::nullopt);
  EXPECT_EQ(kind_of("\x7f"
                    "ELF\x02\x01\x01\0\0"s,
                    "a.txt"),
            std::nullopt);
  EXPECT_EQ(kind_of("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0"s, "old.doc"), std::nullopt);
}

TEST(TextFormat, IsWhatTheNameSays) {
  EXPECT_EQ(text_format_of_name("notes.md"), "Markdown");
  EXPECT_EQ(text_format_of_name("TABLE.CSV"), "CSV");
  EXPECT_EQ(text_format_of_name("main.cc"), "text");
  EXPECT_EQ(text_format_of_name(""), "text");
}

}  // namespace
}  // namespace pleiad::media
