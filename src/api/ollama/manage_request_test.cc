#include "api/ollama/manage_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/request_error.h"

namespace pleiad::api::ollama {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kDigest = "sha256:" + std::string(64, 'a');

std::string create_problem(const std::string& fields) {
  try {
    (void)parse_create(R"({"model": "m", )" + fields + "}");
  } catch (const RequestError& error) {
    return error.what();
  }
  return "no problem";
}

TEST(CreateRequest, BecomesARecipe) {
  const CreateBody body = parse_create(R"({"model": "m", "from": "base", "system": "s",
      "parameters": {"temperature": 0.5, "stop": ["a", "b"], "num_gpu": 1, "num_ctx": 0},
      "messages": [{"role": "user", "content": "Hi"}], "license": ["l", "k"], "stream": false})");
  EXPECT_EQ(body.model.name, "m");
  EXPECT_EQ(body.model.from, "base");
  EXPECT_FALSE(body.stream);
  EXPECT_EQ(body.model.recipe.system, "s");
  EXPECT_EQ(body.model.recipe.licenses, (std::vector<std::string>{"l", "k"}));
  EXPECT_EQ(to_text(body.model.recipe.messages), R"([{"role":"user","content":"Hi"}])");
  using Parameter = std::pair<std::string, Json>;
  EXPECT_THAT(
      body.model.recipe.parameters,
      ElementsAre(Parameter{"temperature", 0.5}, Parameter{"stop", "a"}, Parameter{"stop", "b"}));
  EXPECT_THAT(body.warnings, ElementsAre(HasSubstr("parameters.num_gpu has no effect")));
}

TEST(CreateRequest, TakesFilesByTheirDigest) {
  const CreateBody body = parse_create(R"({"name": "m", "files": {"x.gguf": ")" + kDigest + "\"}}");
  EXPECT_EQ(body.model.name, "m");
  ASSERT_EQ(body.model.files.size(), 1U);
  EXPECT_EQ(body.model.files[0].second, kDigest);
}

TEST(CreateRequest, DigestsAreCheckedBeforeAnythingElse) {
  for (const std::string& bad :
       {std::string("sha256:../../etc/passwd"), kDigest + "0", "sha256:" + std::string(64, 'A'),
        "sha1:" + std::string(64, 'a'), std::string()}) {
    EXPECT_THAT(create_problem(R"("files": {"x.gguf": ")" + bad + "\"}"),
                HasSubstr("files.x.gguf: expected \"sha256:\""));
  }
}

TEST(CreateRequest, RefusesWhatItCannotMake) {
  for (const std::string key : {"quantize", "template", "modelfile", "renderer", "path"}) {
    EXPECT_THAT(create_problem(R"("from": "b", ")" + key + R"(": "x")"), HasSubstr(key + ": "));
    EXPECT_EQ(create_problem(R"("from": "b", ")" + key + R"(": "")"), "no problem");
  }
  EXPECT_THAT(create_problem(R"("from": "b", "adapters": {"a": "b"})"),
              HasSubstr("adapters: adapters are not supported"));
  EXPECT_THAT(create_problem(R"("from": "b", "messages": [{"role": "assistant", "content": "",
                                "thinking": "hm"}])"),
              HasSubstr("messages[0].thinking: a model cannot keep it"));
  EXPECT_THAT(create_problem(R"("from": "b", "messages": [{"role": "assistant", "content": "",
                                "tool_calls": [{"function": {"name": "f"}}]}])"),
              HasSubstr("messages[0].tool_calls: a model cannot keep it"));
  EXPECT_THAT(create_problem(R"("system": "s")"), HasSubstr("expected either \"from\""));
  EXPECT_THAT(create_problem(R"("from": "b", "files": {"x.gguf": ")" + kDigest + "\"}"),
              HasSubstr("expected either \"from\""));
  EXPECT_THAT(create_problem(R"("from": "b", "parameters": {"top_k": "x"})"),
              HasSubstr("parameters.top_k: expected an integer"));
}

TEST(NameRequest, TakesBothNamesOfTheField) {
  EXPECT_EQ(parse_name(R"({"model": "a"})").model, "a");
  EXPECT_EQ(parse_name(R"({"name": "b", "stream": false})").model, "b");
  EXPECT_THROW((void)parse_name("{}"), RequestError);
  EXPECT_THROW((void)parse_name(R"({"model": ["a"]})"), RequestError);
}

TEST(CopyRequest, NeedsBothNames) {
  EXPECT_EQ(parse_copy(R"({"source": "a", "destination": "b"})").destination, "b");
  EXPECT_THROW((void)parse_copy(R"({"source": "a"})"), RequestError);
  EXPECT_THROW((void)parse_copy(R"({"source": "", "destination": "b"})"), RequestError);
}

}  // namespace
}  // namespace pleiad::api::ollama
