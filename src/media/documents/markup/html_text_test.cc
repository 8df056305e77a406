#include "media/documents/markup/html_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::media {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of_page(std::string_view page) { return html_to_text(page).value().text; }

TEST(HtmlText, HasHeadingsAndParagraphsInBlocks) {
  EXPECT_EQ(text_of_page("<html><head><title>A page</title></head><body><h1>First</h1><p>One\n  two"
                         "<p>three<br>four</p><h3>Deep</h3>end</body></html>"),
            "# A page\n\n# First\n\nOne two\n\nthree\nfour\n\n### Deep\n\nend\n");
}

TEST(HtmlText, HasListsWithTheirNumbersAndDepths) {
  EXPECT_EQ(text_of_page("<p>List:<ul><li>one<li>two<ol start=3><li>deep</li><li>er</li></ol></li>"
                         "<li>three</li></ul>after"),
            "List:\n\n- one\n- two\n  3. deep\n  4. er\n- three\n\nafter\n");
}

TEST(HtmlText, HasTablesInRows) {
  EXPECT_EQ(text_of_page("<table><caption>Sums</caption><tr><th>Name</th><th>Sum</th></tr>"
                         "<tr><td><p>Ann</p></td><td>1<br>2</td></tr><tr><td></td><td>7</td></tr>"
                         "<tr><td></td></tr></table>x"),
            "Sums\n\nName | Sum\nAnn | 1 2\n | 7\n\nx\n");
}

TEST(HtmlText, HasTheBlocksOfATableThatLaysOutAPage) {
  const std::string words = std::string(600, 'w');
  EXPECT_EQ(text_of_page("<table><tr><td>menu<td><h2>Title</h2><p>" + words + "</table>"),
            "menu\n\n## Title\n\n" + words + "\n");
}

TEST(HtmlText, KeepsThePrewrittenAsItIs) {
  EXPECT_EQ(text_of_page("a<pre>if x:\n    y  =  1\n\n\n    z</pre>b"),
            "a\n\nif x:\n    y  =  1\n\n\n    z\n\nb\n");
}

TEST(HtmlText, HasTheCharactersThatEntitiesName) {
  EXPECT_EQ(
      text_of_page("<p>&lt;b&gt; &amp;amp; &eacute;&#233;&#xe9; &euro;&hellip; &nosuch; &#128512;"),
      "<b> &amp; ééé €… &nosuch; 😀\n");
}

TEST(HtmlText, LeavesOutWhatNobodySees) {
  EXPECT_EQ(text_of_page("<style>p{}</style><script>alert('<p>x')</script><p>seen</p><!-- no -->"
                         "<div hidden>no<p>no</div><p style='color:red; DISPLAY : none'>no</p>"
                         "<template>no</template><svg><text>no</text></svg>"
                         "<img src='http://a/b.png' alt='a cat'><a href='http://a'>link</a>"),
            "seen\n\n[image: a cat]link\n");
}

TEST(HtmlText, IsUtf8WhateverThePageSays) {
  EXPECT_EQ(text_of_page("<meta charset=iso-8859-1><p>Grüße 世界"), "Grüße 世界\n");
  EXPECT_EQ(text_of_page("<meta http-equiv=Content-Type content='text/html; charset=shift_jis'>ä"),
            "ä\n");
}

TEST(HtmlText, SurvivesDamageAndDepth) {
  EXPECT_EQ(text_of_page(""), "");
  EXPECT_EQ(text_of_page("<p>a</div></b><td>b</tr><li>c<"), "a\n\nb\n- c<\n");
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "<table><tr><td><ul><li><b>";
  EXPECT_THAT(text_of_page(deep + "bottom"), HasSubstr("bottom"));
  EXPECT_THAT(text_of_page("<script>" + std::string(100, '<') + "seen?"), Not(HasSubstr("seen")));
}

TEST(ConvertedText, ComesBackFromTheWire) {
  const ConvertedText sent = {"warning: none\ntext\nx", {"one\ntwo", "3"}};
  const auto received = from_wire(to_wire(sent));
  ASSERT_TRUE(received.ok());
  EXPECT_EQ(received.value().text, sent.text);
  EXPECT_EQ(received.value().warnings, (std::vector<std::string>{"one\\x0atwo", "3"}));
  for (const char* wrong : {"", "text", "warning: x", "warning: x\n", "hello"}) {
    EXPECT_FALSE(from_wire(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace pleiad::media
