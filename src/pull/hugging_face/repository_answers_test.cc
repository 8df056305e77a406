#include "pull/hugging_face/repository_answers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::pull::hugging_face {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kId(40, 'a');
const std::string kDigest(64, 'b');

std::string license(const std::string& members) {
  const auto info = parse_repository_info(fmt::format(R"({{"sha":"{}",{}}})", kId, members));
  return info ? info.value().license : info.message();
}

TEST(RepositoryAnswers, TellTheCommitAndTheLicence) {
  const auto info = parse_repository_info(fmt::format(R"({{"sha":"{}","x":[1]}})", kId));
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info.value().commit, kId);
  EXPECT_EQ(info.value().license, "");
  EXPECT_EQ(license(R"("cardData":{"license":"apache-2.0"})"), "apache-2.0");
  EXPECT_EQ(license(R"("cardData":{"license":["mit","gpl"]})"), "mit, gpl");
  EXPECT_EQ(license(R"("cardData":{"license":"other","license_name":"gemma"})"), "gemma");
  EXPECT_EQ(license(R"("cardData":null,"tags":["gguf",3,"license:gemma"])"), "gemma");
  EXPECT_EQ(license(R"("cardData":{"license":{}},"tags":{})"), "");
  EXPECT_EQ(license(R"("cardData":{"license":"\u001b[2Jmit\n"})"), "\\x1b[2Jmit\\x0a");
  EXPECT_LT(license(R"("tags":["license:)" + std::string(10'000, 'x') + "\"]").size(), 110);
}

TEST(RepositoryAnswers, WithoutACommitAreRefused) {
  for (const char* json : {"[]", "{}", "null", R"({"sha":"main"})", R"({"sha":7})",
                           R"({"sha":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})"}) {
    EXPECT_FALSE(parse_repository_info(json).ok()) << json;
  }
  EXPECT_THAT(parse_repository_info("<html>").message(), HasSubstr("not JSON"));
}

TEST(TreePage, ListsFilesByTheirBytes) {
  const auto page = parse_tree_page(fmt::format(
      R"([{{"type":"directory","path":"d","oid":"{0}","size":0}},
          {{"type":"file","path":"d/a.json","oid":"{0}","size":3,"lfs":null}},
          {{"type":"file","path":"b.gguf","oid":"{0}","size":130,
            "lfs":{{"oid":"{1}","size":9000000000,"pointerSize":130}},"xetHash":"c"}},
          {{"type":"file","path":"c.gguf","oid":"{0}","size":1,"lfs":{{"oid":"sha256:{1}","size":1}}}}])",
      kId, kDigest));
  ASSERT_TRUE(page.ok()) << page.message();
  const auto& files = page.value().files;
  ASSERT_EQ(files.size(), 3);
  EXPECT_EQ(files[0].path, "d/a.json");
  EXPECT_EQ(files[0].etag(), kId);
  EXPECT_EQ(files[0].size, 3);
  EXPECT_EQ(files[1].etag(), kDigest);
  EXPECT_EQ(files[1].size, 9'000'000'000);
  EXPECT_EQ(files[2].etag(), kDigest);
  EXPECT_THAT(page.value().refused, IsEmpty());
}

TEST(TreePage, LeavesNamesOutThatAreNoPaths) {
  const auto page =
      parse_tree_page(fmt::format(R"([{{"type":"file","path":"../x","oid":"{}","size":3}}])", kId));
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page.value().files, IsEmpty());
  EXPECT_THAT(page.value().refused, ElementsAre("'../x' has the part '..'"));
}

TEST(TreePage, WithWrongFieldsIsRefusedByName) {
  const auto why = [](const std::string& members) {
    const auto page = parse_tree_page(fmt::format(R"([{{"type":"file","path":"f",{}}}])", members));
    return page ? std::string("taken") : page.message();
  };
  const std::string id = fmt::format(R"("oid":"{}")", kId);
  EXPECT_THAT(why(R"("size":1)"), HasSubstr("'f': 'oid'"));
  EXPECT_THAT(why(R"("oid":"../../etc","size":1)"), HasSubstr("'oid'"));
  for (const char* size :
       {"-1", "1.5", "\"1\"", "null", "18446744073709551615", "1e30", "1125899906842625"}) {
    EXPECT_THAT(why(id + R"(,"size":)" + size), HasSubstr("'size'")) << size;
  }
  EXPECT_THAT(why(id + R"(,"size":1,"lfs":{"oid":"abc","size":1})"), HasSubstr("'lfs.oid'"));
  EXPECT_THAT(why(id + R"(,"size":1,"lfs":[])"), HasSubstr("'lfs'"));
  EXPECT_THAT(why(fmt::format(R"({},"size":1,"lfs":{{"oid":"{}"}})", id, kDigest)),
              HasSubstr("'lfs.size'"));
  // Nothing would come that could be checked, and others would take an empty file for the real one.
  EXPECT_THAT(why(fmt::format(R"({},"size":1,"lfs":{{"oid":"{}","size":0}})", id, kDigest)),
              HasSubstr("not the SHA-256 of nothing"));
  for (const char* json :
       {"{}", "[1]", "[[]]", R"([{"path":"a"}])", R"([{"type":3,"path":"a"}])"}) {
    EXPECT_FALSE(parse_tree_page(json).ok()) << json;
  }
}

}  // namespace
}  // namespace pleiad::pull::hugging_face
