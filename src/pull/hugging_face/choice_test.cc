#include "pull/hugging_face/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

namespace pleiad::pull::hugging_face {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<HubFile> repository(std::initializer_list<const char*> paths) {
  std::vector<HubFile> files;
  for (const char* path : paths) files.push_back({path, 1'000'000, std::string(40, 'a'), ""});
  std::ranges::sort(files, {}, &HubFile::path);
  return files;
}

Result<Choice> choose(std::initializer_list<const char*> paths, const std::string& wanted,
                      const std::string& index = "") {
  return choose_files(repository(paths), wanted,
                      [&](const HubFile&) -> Result<std::string> { return index; });
}

std::vector<std::string> paths_of(const Result<Choice>& choice) {
  if (!choice) return {choice.message()};
  std::vector<std::string> paths;
  for (const HubFile& file : choice.value().files) paths.push_back(file.path);
  return paths;
}

std::string why_not(const Result<Choice>& choice) {
  return choice ? "chose " + choice.value().model : choice.message();
}

TEST(GgufChoice, TakesTheUsualTypesInTheirOrder) {
  EXPECT_THAT(paths_of(choose({"a-BF16.gguf", "a-Q4_K_M.gguf", "a-Q8_0.gguf"}, "")),
              ElementsAre("a-Q4_K_M.gguf"));
  EXPECT_THAT(paths_of(choose({"a-BF16.gguf", "a-Q4_0.gguf", "a-Q8_0.gguf"}, "latest")),
              ElementsAre("a-Q8_0.gguf"));
  EXPECT_THAT(paths_of(choose({"a-IQ2_M.gguf", "a-Q5_K_M.gguf", "a-Q4_0.gguf"}, "")),
              ElementsAre("a-Q4_0.gguf"));
  const auto one = choose({"a-q4_0.gguf", "README.md"}, "");
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one.value().why, "");
  EXPECT_EQ(one.value().type, "Q4_0");
  EXPECT_EQ(one.value().selector, "Q4_0");
  EXPECT_THAT(one.value().left_out, IsEmpty());
}

TEST(GgufChoice, SaysWhatItChoseAndWhatElseIsThere) {
  const auto choice = choose({"a-BF16.gguf", "a-Q4_K_M.gguf", "a-IQ1_S.gguf", "a-Q3_K_S.gguf"}, "");
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice.value().why, "Q4_K_M, since no type was named; others are there: BF16");
  EXPECT_THAT(choice.value().left_out,
              ElementsAre("IQ1_S, Q3_K_S: types that Pleiad does not read"));
  EXPECT_EQ(choose({"a-BF16.gguf", "a-Q4_K_M.gguf"}, "bf16").value().why, "");
}

TEST(GgufChoice, GoesByTypeOrFileInAnyCase) {
  for (const char* wanted : {"Q5_K_M", "q5_k_m", "b-Q5_K_M.gguf", "B-Q5_K_M", "x/b-Q5_K_M.gguf"}) {
    EXPECT_THAT(paths_of(choose({"a-Q4_K_M.gguf", "x/b-Q5_K_M.gguf"}, wanted)),
                ElementsAre("x/b-Q5_K_M.gguf"))
        << wanted;
  }
  EXPECT_THAT(paths_of(choose({"a-Q4_K_M.gguf", "a-UD-Q4_K_XL.gguf"}, "Q4_K_XL")),
              ElementsAre("a-UD-Q4_K_XL.gguf"));
  EXPECT_THAT(paths_of(choose({"a-Q8_0.gguf", "a-UD-Q8_0.gguf"}, "Q8_0")),
              ElementsAre("a-Q8_0.gguf"));
}

TEST(GgufChoice, OfSeveralModelsTakesNoneUnnamed) {
  const auto choice = choose({"a-Q4_K_M.gguf", "b-Q4_K_M.gguf"}, "");
  EXPECT_THAT(why_not(choice),
              HasSubstr("has 2 models of the type Q4_K_M: name a file after the colon: "
                        "a-Q4_K_M.gguf (1.0 MB), b-Q4_K_M.gguf (1.0 MB)"));
  EXPECT_THAT(why_not(choose({"a-Q4_K_M.gguf", "b-Q4_K_M.gguf"}, "q4_k_m")), HasSubstr("2 models"));
  const auto named = choose({"a-Q4_K_M.gguf", "b-Q4_K_M.gguf"}, "b-q4_k_m.gguf");
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named.value().selector, "b-Q4_K_M.gguf");
  EXPECT_THAT(why_not(choose({"first.gguf", "second.gguf"}, "")), HasSubstr("of no usual type"));
}

TEST(GgufChoice, AWholePathTellsFilesOfOneNameApart) {
  EXPECT_THAT(paths_of(choose({"a.gguf", "x/a.gguf", "x/A.gguf"}, "a.gguf")),
              ElementsAre("a.gguf"));
  EXPECT_THAT(paths_of(choose({"a.gguf", "x/a.gguf", "x/A.gguf"}, "x/A.gguf")),
              ElementsAre("x/A.gguf"));
  EXPECT_THAT(why_not(choose({"x/a.gguf", "y/a.gguf"}, "a")), HasSubstr("called 'a'"));
}

TEST(GgufChoice, TakesAllPartsTheFirstLast) {
  EXPECT_THAT(paths_of(choose({"Q8_0/a-Q8_0-00001-of-00003.gguf", "Q8_0/a-Q8_0-00002-of-00003.gguf",
                               "Q8_0/a-Q8_0-00003-of-00003.gguf"},
                              "")),
              ElementsAre("Q8_0/a-Q8_0-00003-of-00003.gguf", "Q8_0/a-Q8_0-00002-of-00003.gguf",
                          "Q8_0/a-Q8_0-00001-of-00003.gguf"));
  EXPECT_THAT(why_not(choose({"a-Q8_0-00001-of-00002.gguf"}, "")),
              HasSubstr("lacks a-Q8_0-00002-of-00002.gguf"));
  EXPECT_THAT(why_not(choose({"a-Q8_0-00001-of-99999.gguf"}, "")), HasSubstr("not whole"));
  EXPECT_THAT(paths_of(choose({"a-Q8_0-00001-of-00002.gguf", "a-Q8_0-00002-of-00002.gguf"},
                              "a-Q8_0-00002-of-00002.gguf")),
              ElementsAre("a-Q8_0-00002-of-00002.gguf", "a-Q8_0-00001-of-00002.gguf"));
}

TEST(GgufChoice, TakesTheProjectorThatIsOpenedFirst) {
  const auto choice = choose({"a-Q4_0.gguf", "mmproj-BF16.gguf", "mmproj-F16.gguf"}, "");
  EXPECT_THAT(paths_of(choice), ElementsAre("mmproj-BF16.gguf", "a-Q4_0.gguf"));
  EXPECT_THAT(choice.value().left_out[0], HasSubstr("mmproj-F16.gguf: "));
  EXPECT_THAT(paths_of(choose({"Q4_0/a-Q4_0.gguf", "Q4_0/mmproj-a.gguf", "mmproj-F16.gguf"}, "")),
              ElementsAre("Q4_0/mmproj-a.gguf", "Q4_0/a-Q4_0.gguf"));
  EXPECT_THAT(paths_of(choose({"Q4_0/a-Q4_0.gguf", "mmproj-F16.gguf"}, "")),
              ElementsAre("mmproj-F16.gguf", "Q4_0/a-Q4_0.gguf"));
  const auto unclear = choose({"a-Q4_0.gguf", "mmproj-x.gguf", "mmproj-y.gguf"}, "");
  EXPECT_THAT(paths_of(unclear), ElementsAre("a-Q4_0.gguf"));
  EXPECT_THAT(unclear.value().left_out[0], HasSubstr("sees and hears nothing"));
}

TEST(GgufChoice, TellsWhyThereIsNone) {
  EXPECT_THAT(
      why_not(choose({"a-IQ4_XS.gguf", "a-Q4_0.gguf"}, "IQ4_XS")),
      HasSubstr("a type that Pleiad does not read; it reads these of the repository: Q4_0"));
  EXPECT_THAT(why_not(choose({"a-IQ4_XS.gguf"}, "")), HasSubstr("IQ4_XS"));
  EXPECT_THAT(why_not(choose({"a-Q4_0.gguf"}, "Q9")), HasSubstr("has no 'Q9'; there are: Q4_0"));
  EXPECT_THAT(why_not(choose({"a-Q4_0.gguf", "mmproj-F16.gguf"}, "mmproj-F16.gguf")),
              HasSubstr("is no model"));
  EXPECT_THAT(why_not(choose({"a-Q4_0.gguf", "imatrix.gguf"}, "imatrix.gguf")),
              HasSubstr("is no model"));
  EXPECT_THAT(why_not(choose({"config.json", "a-Q4_0.gguf"}, "config.json")),
              HasSubstr(":safetensors"));
  EXPECT_THAT(why_not(choose({"README.md"}, "Q4_0")), HasSubstr("has no GGUF files"));
}

constexpr const char* kShards =
    R"({"weight_map":{"t":"model-2.safetensors","u":"model-1.safetensors"}})";

TEST(FolderChoice, TakesWhatAModelIsReadFrom) {
  const auto choice =
      choose({"config.json", "tokenizer.json", "model.safetensors.index.json",
              "model-1.safetensors", "model-2.safetensors", "chat_template.jinja", "LICENSE",
              ".gitattributes", "README.md", "pytorch_model.bin", "original/x.safetensors",
              "tf.index.json", "additional_chat_templates/t.jinja"},
             "", kShards);
  EXPECT_THAT(paths_of(choice),
              ElementsAre("LICENSE", "additional_chat_templates/t.jinja", "chat_template.jinja",
                          "tokenizer.json", "model.safetensors.index.json", "model-1.safetensors",
                          "model-2.safetensors", "config.json"));
  EXPECT_THAT(choice.value().left_out,
              ElementsAre(HasSubstr("pytorch_model.bin, tf.index.json: weights"),
                          HasSubstr("original/: folders")));
  EXPECT_EQ(choice.value().selector, "safetensors");
}

TEST(FolderChoice, GivesWayToGgufUnlessItIsNamed) {
  const auto gguf = choose({"config.json", "model.safetensors", "a-Q4_0.gguf"}, "");
  EXPECT_THAT(paths_of(gguf), ElementsAre("a-Q4_0.gguf"));
  EXPECT_THAT(gguf.value().left_out[0], HasSubstr(":safetensors"));
  EXPECT_THAT(paths_of(choose({"config.json", "model.safetensors", "a-Q4_0.gguf"}, "Safetensors")),
              ElementsAre("model.safetensors", "config.json"));
}

TEST(FolderChoice, IsWhole) {
  EXPECT_THAT(why_not(choose({"config.json", "model.safetensors.index.json", "model-1.safetensors"},
                             "", kShards)),
              HasSubstr("lacks model-2.safetensors, which its model.safetensors.index.json names"));
  EXPECT_THAT(why_not(choose({"config.json", "model.safetensors.index.json"}, "", "[]")),
              HasSubstr("has an index that cannot be used"));
  EXPECT_THAT(why_not(choose({"config.json", "model.safetensors.index.json"}, "",
                             R"({"weight_map":{"t":"../../x"}})")),
              HasSubstr("not a file inside the folder"));
  EXPECT_THAT(why_not(choose({"config.json", "pytorch_model.bin"}, "")),
              HasSubstr("its weights are pytorch_model.bin"));
  EXPECT_THAT(why_not(choose({}, "")), HasSubstr("it has no weights"));
}

}  // namespace
}  // namespace pleiad::pull::hugging_face
