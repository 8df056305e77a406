#include "media/documents/markup/docx_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/documents/markup/bad_markup.h"
#include "media/documents/markup/docx_numbering.h"
#include "media/documents/markup/zip_parts.h"
#include "media/documents/markup/zip_testing.h"

namespace pleiad::media {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kRelations =
    "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
    "<Relationship Id='r' Target='word/document.xml' Type='http://schemas.openxmlformats.org/"
    "officeDocument/2006/relationships/officeDocument'/></Relationships>";

std::string word_part(std::string_view inside, std::string_view root = "document") {
  return fmt::format(
      "<?xml version='1.0'?><w:{0} "
      "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/"
      "main' xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'>{1}</w:{0}>",
      root, inside);
}

std::string docx(std::string_view body, ZipContents more = {}) {
  more["_rels/.rels"] = kRelations;
  more["word/document.xml"] = word_part(fmt::format("<w:body>{}</w:body>", body));
  return zip_of(more);
}

std::string text_of_docx(std::string_view body, const ZipContents& more = {}) {
  const auto text = docx_to_text(docx(body, more));
  return text ? text.value().text : text.message();
}

std::string run_of(std::string_view text) { return fmt::format("<w:r><w:t>{}</w:t></w:r>", text); }

std::string paragraph_of(std::string_view text, std::string_view properties = {}) {
  return fmt::format("<w:p><w:pPr>{}</w:pPr>{}</w:p>", properties, run_of(text));
}

std::string point_of(std::string_view text, int level, int list = 1) {
  return paragraph_of(
      text,
      fmt::format("<w:numPr><w:ilvl w:val='{}'/><w:numId w:val='{}'/></w:numPr>", level, list));
}

TEST(DocxText, HasParagraphsWithTheirBreaksAndSpecialCharacters) {
  EXPECT_EQ(
      text_of_docx(paragraph_of("one") + "<w:p/>" +
                   "<w:p><w:r><w:t xml:space='preserve'>two </w:t><w:tab/><w:t>three</w:t><w:br/>"
                   "<w:t>four</w:t><w:noBreakHyphen/><w:t>five &lt;&#x20AC;></w:t></w:r></w:p>"),
      "one\n\ntwo \tthree\nfour-five <€>\n");
}

TEST(DocxText, HasHeadingsByTheirLevelsAndStyles) {
  const std::string styles = word_part(
      "<w:style w:styleId='T'><w:name w:val='Title'/></w:style>"
      "<w:style w:styleId='berschrift2'><w:name w:val='heading 2'/></w:style>"
      "<w:style w:styleId='Mine'><w:name w:val='Mine'/><w:basedOn w:val='berschrift2'/></w:style>"
      "<w:style w:styleId='Loop'><w:name w:val='l'/><w:basedOn w:val='Loop'/></w:style>",
      "styles");
  EXPECT_EQ(text_of_docx(paragraph_of("a", "<w:pStyle w:val='T'/>") +
                             paragraph_of("b", "<w:pStyle w:val='Mine'/>") +
                             paragraph_of("c", "<w:outlineLvl w:val='2'/>") +
                             paragraph_of("d", "<w:pStyle w:val='Loop'/>"),
                         {{"word/styles.xml", styles}}),
            "# a\n\n## b\n\n### c\n\nd\n");
}

// ISO/IEC 29500-1, 17.9: numbers go on through a list, and begin anew below a point of a level
// above.
TEST(DocxText, CountsListsAsWordDoes) {
  const std::string numbering = word_part(
      "<w:abstractNum w:abstractNumId='5'>"
      "<w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText "
      "w:val='%1.'/></w:lvl>"
      "<w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:lvlText "
      "w:val='%1.%2)'/>"
      "</w:lvl><w:lvl w:ilvl='2'><w:numFmt w:val='bullet'/><w:lvlText w:val='*'/></w:lvl>"
      "</w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='5'/></w:num>",
      "numbering");
  EXPECT_EQ(text_of_docx(point_of("a", 0) + point_of("b", 1) + point_of("c", 1) + point_of("d", 2) +
                             paragraph_of("between") + point_of("e", 0) + point_of("f", 1) +
                             point_of("g", 0, 77),
                         {{"word/numbering.xml", numbering}}),
            "1. a\n  1.a) b\n  1.b) c\n    - d\n\nbetween\n\n2. e\n  2.a) f\n- g\n");
  EXPECT_EQ(list_number(27, "lowerLetter"), "aa");
  EXPECT_EQ(list_number(1994, "upperRoman"), "MCMXCIV");
  EXPECT_EQ(list_number(4000, "lowerRoman"), "4000");
  EXPECT_EQ(list_number(0, "upperLetter"), "0");
}

TEST(DocxText, HasTablesInTables) {
  const auto cell = [](std::string_view inside) { return fmt::format("<w:tc>{}</w:tc>", inside); };
  const std::string inner = "<w:tbl><w:tr>" + cell(paragraph_of("x")) + cell(paragraph_of("y")) +
                            "</w:tr></w:tbl>" + paragraph_of("z");
  EXPECT_EQ(text_of_docx(paragraph_of("before") + "<w:tbl><w:tr>" + cell(paragraph_of("a")) +
                         cell(inner) + "</w:tr></w:tbl>" + paragraph_of("after")),
            "before\n\na | x | y z\n\nafter\n");
}

TEST(DocxText, HasWhatIsThereInTwoFormsOnce) {
  EXPECT_EQ(text_of_docx("<w:p><mc:AlternateContent><mc:Choice>" + run_of("new") +
                         "</mc:Choice><mc:Fallback>" + run_of("old") +
                         "</mc:Fallback></mc:AlternateContent></w:p>"),
            "new\n");
}

TEST(DocxText, SaysWhatIsLeftOut) {
  const auto text = docx_to_text(
      docx(paragraph_of("x"), {{"word/comments.xml", "<c/>"}, {"word/header1.xml", "<h/>"}}));
  EXPECT_THAT(text.value().warnings,
              ElementsAre("comments are left out", "headers and footers are left out"));
  EXPECT_THAT(docx_to_text(docx(paragraph_of("x"))).value().warnings, IsEmpty());
}

TEST(DocxText, RefusesOtherPackages) {
  EXPECT_THAT(docx_to_text(zip_of({{"a.txt", "x"}})).message(), HasSubstr("no DOCX"));
  EXPECT_THAT(docx_to_text(zip_of({{"mimetype", "x"}})).message(), HasSubstr("OpenDocument"));
  std::string sheet(kRelations);
  sheet.replace(sheet.find("word/document.xml"), 17, "xl/workbook.xml");
  EXPECT_THAT(docx_to_text(zip_of({{"_rels/.rels", sheet}})).message(), HasSubstr("XLSX"));
  EXPECT_THAT(docx_to_text(zip_of({{"_rels/.rels", std::string(kRelations)}})).message(),
              HasSubstr("word/document.xml is not there"));
}

TEST(DocxText, RefusesDefinitionsAndEntities) {
  std::string laughs = "<!DOCTYPE w [<!ENTITY a 'ha'>";
  for (char c = 'b'; c <= 'k'; ++c) {
    laughs += fmt::format("<!ENTITY {0} '&{1};&{1};&{1};&{1};&{1};&{1};&{1};&{1};&{1};&{1};'>", c,
                          static_cast<char>(c - 1));
  }
  laughs += "]><w>&k;</w>";
  const auto refused = docx_to_text(
      zip_of({{"_rels/.rels", std::string(kRelations)}, {"word/document.xml", laughs}}));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.message(), HasSubstr("document type definition"));
  const std::string outside = "<!DOCTYPE w [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><w>&x;</w>";
  EXPECT_FALSE(docx_to_text(zip_of({{"_rels/.rels", std::string(kRelations)},
                                    {"word/document.xml", outside}}))
                   .ok());
  EXPECT_THAT(text_of_docx("<w:p>&nosuch;</w:p>"), HasSubstr("damaged XML"));
}

TEST(DocxText, RefusesDepthAndDamage) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<w:p>";
  EXPECT_THAT(text_of_docx(deep), HasSubstr("damaged XML"));
  EXPECT_THAT(text_of_docx("<w:p>"), HasSubstr("damaged XML"));
  EXPECT_THAT(text_of_docx(std::string("a\0b", 3)), HasSubstr("damaged XML"));
}

TEST(ZipParts, RefuseBombs) {
  const std::string zeros(std::size_t{6} << 20, '\0');
  const auto read_all = [](const std::string& file, const ZipLimits& limits) {
    ZipParts parts(file, limits);
    std::size_t n = 0;
    EXPECT_TRUE(parts.read("a", [&n](std::string_view piece) { n += piece.size(); }));
    return n;
  };
  const std::string bomb = zip_of({{"a", zeros}});
  EXPECT_THROW(read_all(bomb, {}), BadMarkup);  // a thousand to one
  ZipLimits limits;
  limits.max_ratio = 10'000;
  EXPECT_EQ(read_all(bomb, limits), zeros.size());
  limits.max_unpacked = zeros.size() - 1;
  EXPECT_THROW(read_all(bomb, limits), BadMarkup);
  ZipContents many;
  for (int i = 0; i < 20; ++i) many[std::to_string(i)] = "";
  limits.max_entries = 19;
  EXPECT_THROW(ZipParts(zip_of(many), limits), BadMarkup);
}

TEST(ZipParts, AreCountedByTheirNames) {
  const std::string file = zip_of({{"word/header1.xml", ""}, {"word/header2.xml", ""}, {"x", ""}});
  const ZipParts parts(file, {});
  EXPECT_TRUE(parts.has("x"));
  EXPECT_FALSE(parts.has("y"));
  EXPECT_EQ(parts.count("word/header", ".xml"), 2);
}

}  // namespace
}  // namespace pleiad::media
