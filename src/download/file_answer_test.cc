#include "download/file_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::download {
namespace {

using ::testing::HasSubstr;

const Asked kAsked = {.first = 100, .last = 199};

TEST(FileAnswer, IsAPart) {
  const auto answer = judge({.status = 206,
                             .content_range = "bytes 100-199/1000",
                             .content_length = "100",
                             .etag = "W/\"a\""},
                            kAsked);
  ASSERT_TRUE(answer) << answer.message();
  EXPECT_EQ(answer.value().kind, FileAnswer::Kind::part);
  EXPECT_EQ(answer.value().last, 199u);
  EXPECT_EQ(answer.value().size, 1000u);
  EXPECT_EQ(answer.value().tag->opaque, "a");
  EXPECT_EQ(judge({.status = 206, .content_range = "bytes 100-149/1000"}, kAsked).value().last,
            149u)
      << "less than was asked for";
  Asked known = kAsked;
  known.size = 1000;
  EXPECT_EQ(judge({.status = 206, .content_range = "bytes 100-199/*"}, known).value().size, 1000u);
}

TEST(FileAnswer, IsTheWholeFile) {
  const auto answer = judge({.status = 200, .content_length = "1000"}, kAsked);
  ASSERT_TRUE(answer) << answer.message();
  EXPECT_EQ(answer.value().kind, FileAnswer::Kind::whole);
  EXPECT_EQ(answer.value().last, 999u);
  const auto empty = judge({.status = 200, .content_length = "0"}, {.last = 5});
  EXPECT_EQ(empty.value().size, 0u);
  EXPECT_EQ(judge({.status = 200}, kAsked).trouble(), Trouble::refused) << "of unknown length";
  EXPECT_EQ(judge({.status = 200, .content_length = "50"}, kAsked).trouble(), Trouble::changed)
      << "shorter than what is here";
}

TEST(FileAnswer, IsPastTheEnd) {
  const auto end = judge({.status = 416, .content_range = "bytes */100"}, kAsked);
  ASSERT_TRUE(end) << end.message();
  EXPECT_EQ(end.value().kind, FileAnswer::Kind::past_end);
  EXPECT_EQ(judge({.status = 416, .content_range = "bytes */99"}, kAsked).trouble(),
            Trouble::changed);
  EXPECT_EQ(judge({.status = 416, .content_range = "bytes */101"}, kAsked).trouble(),
            Trouble::refused);
  EXPECT_EQ(judge({.status = 416}, kAsked).trouble(), Trouble::refused);
  Asked promised = kAsked;
  promised.size = 1000;
  promised.size_is_promised = true;
  EXPECT_EQ(judge({.status = 416, .content_range = "bytes */50"}, promised).trouble(),
            Trouble::wrong_bytes);
}

TEST(FileAnswer, OfAnotherSizeIsAnotherFile) {
  Asked asked = kAsked;
  asked.host = "models.example";
  asked.size = 1000;
  const FileHead head = {.status = 206, .content_range = "bytes 100-199/2000"};
  EXPECT_EQ(judge(head, asked).trouble(), Trouble::changed);
  asked.size_is_promised = true;
  const auto wrong = judge(head, asked);
  EXPECT_EQ(wrong.trouble(), Trouble::wrong_bytes);
  EXPECT_EQ(wrong.message(), "models.example: has 2000 bytes; expected 1000");
}

TEST(FileAnswer, WithAnotherETagIsAnotherFile) {
  Asked asked = kAsked;
  asked.tag = EntityTag{false, "a"};
  FileHead head = {.status = 206, .content_range = "bytes 100-199/2000", .etag = "\"b\""};
  const auto changed = judge(head, asked);
  EXPECT_EQ(changed.trouble(), Trouble::changed);
  EXPECT_THAT(changed.message(), HasSubstr("its ETag was \"a\", and is \"b\""));
  head.etag = "W/\"a\"";
  EXPECT_TRUE(judge(head, asked)) << "the same, weakly";
  head.etag = "";
  EXPECT_TRUE(judge(head, asked)) << "says nothing";
}

TEST(FileAnswer, ThatContradictsItselfIsRefused) {
  for (const FileHead& head : {
           FileHead{.status = 206},
           FileHead{.status = 206, .content_range = "bytes */1000"},
           FileHead{.status = 206, .content_range = "bytes 99-199/1000"},
           FileHead{.status = 206, .content_range = "bytes 100-200/1000"},
           FileHead{.status = 206, .content_range = "bytes 100-199/*"},
           FileHead{.status = 206, .content_range = "bytes 100-199/1000", .content_length = "99"},
           FileHead{.status = 206, .content_range = "bytes 100-199/1000", .content_length = "x"},
           FileHead{
               .status = 206, .content_range = "bytes 100-199/1000", .content_encoding = "GZIP"},
           FileHead{.status = 200, .content_length = "-1"},
           FileHead{.status = 200, .content_length = "1000", .content_encoding = "br"},
       }) {
    EXPECT_EQ(judge(head, kAsked).trouble(), Trouble::refused)
        << head.status << head.content_range << head.content_length;
  }
}

}  // namespace
}  // namespace pleiad::download
