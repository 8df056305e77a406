#include <random>

#include "base/testing/json.h"
#include "store/test_stores.h"

namespace pleiad::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

NewModel parse(const std::string& text) { return parse_modelfile(text, "/nowhere").value(); }
std::string failure(const std::string& text) {
  const auto model = parse_modelfile(text, "/nowhere");
  return model ? "no failure" : model.message();
}

TEST(ParseModelfile, TakesEveryInstruction) {
  const NewModel model = parse(
      "# a comment\r\n"
      "from gemma4:e2b\r\n"
      "\n"
      "  PARAMETER temperature 0.5\n"
      "PARAMETER stop \"<a b>\"\n"
      "PARAMETER stop <c>  \n"
      "PARAMETER temperature 1\n"
      "SYSTEM \"\"\"You are\n# no comment\n  a cat.\"\"\"  \n"
      "MESSAGE user Hi there\n"
      "MESSAGE assistant \"Meow.\"\n"
      "LICENSE \"\"\"\nFree\n\"\"\"\n"
      "license Also free");
  EXPECT_EQ(model.from, "gemma4:e2b");
  EXPECT_EQ(model.recipe.system, "You are\n# no comment\n  a cat.");
  const std::vector<std::pair<std::string, Json>> parameters = {
      {"stop", "<a b>"}, {"stop", "<c>"}, {"temperature", 1}};
  EXPECT_EQ(model.recipe.parameters, parameters);
  EXPECT_EQ(model.recipe.messages, json_from(R"([{"role":"user","content":"Hi there"},)"
                                             R"({"role":"assistant","content":"Meow."}])"));
  EXPECT_THAT(model.recipe.licenses, ElementsAre("\nFree\n", "Also free"));
}

TEST(ParseModelfile, SaysTheLineOfWhatIsWrong) {
  EXPECT_THAT(failure("FROM a\nTEMPLATE \"\"\"{{ .Prompt }}\"\"\""), HasSubstr("line 2: TEMPLATE"));
  EXPECT_THAT(failure("FROM a\n\nADAPTER x.gguf"), HasSubstr("line 3: ADAPTER"));
  EXPECT_THAT(failure("FROM a\nFORM b"), HasSubstr("line 2: 'FORM' is not known"));
  EXPECT_THAT(failure("FROM a\nPARAMETER top_p 2"), HasSubstr("line 2: PARAMETER top_p: expected"));
  EXPECT_THAT(failure("FROM a\nPARAMETER mirostat 2"), HasSubstr("line 2: PARAMETER"));
  EXPECT_THAT(failure("FROM a\nPARAMETER"), HasSubstr("line 2: PARAMETER"));
  EXPECT_THAT(failure("FROM a\nMESSAGE robot Hi"), HasSubstr("line 2: MESSAGE"));
  EXPECT_THAT(failure("FROM a\nSYSTEM \"\"\"open\nstill"), HasSubstr("line 2: the text"));
  EXPECT_THAT(failure("FROM a\nSYSTEM \"open"), HasSubstr("line 2: a value"));
  EXPECT_THAT(failure("FROM a\nFROM b\nFROM c"), HasSubstr("line 3: there are more than two FROM"));
  EXPECT_THAT(failure("FROM a\nSYSTEM \xff"), HasSubstr("line 2: is not valid UTF-8"));
  EXPECT_THAT(failure("SYSTEM x"), HasSubstr("no FROM"));
  EXPECT_THAT(failure(""), HasSubstr("no FROM"));
  EXPECT_THAT(failure(std::string(9 << 20, '#')), HasSubstr("at most"));
}

TEST(ParseModelfile, RelativePathsCountFromItsFolder) {
  EXPECT_EQ(parse("FROM ./x.gguf").from, "/nowhere/x.gguf");
  EXPECT_EQ(parse("FROM ../x").from, "/x");
  EXPECT_EQ(parse("FROM x.gguf").from, "/nowhere/x.gguf");
  EXPECT_EQ(parse("FROM \"./my models/x.gguf\"").from, "/nowhere/my models/x.gguf");
  EXPECT_EQ(parse("FROM /models/x").from, "/models/x");
  EXPECT_EQ(parse("FROM ~/x.gguf").from, "~/x.gguf");
  EXPECT_EQ(parse("FROM hf.co/org/x:Q4_0").from, "hf.co/org/x:Q4_0");
}

ModelEntry with_system(const std::string& system) {
  ModelEntry entry;
  entry.name = "x:latest";
  entry.path = "/models/x.gguf";
  entry.recipe.system = system;
  return entry;
}

TEST(ToModelfile, IsReadAgainAsTheSame) {
  ModelEntry entry = with_system("You are \"a\"\n\tcat.\n");
  entry.recipe.parameters = {{"temperature", 0.1}, {"top_k", 3}, {"stop", " a\n"}, {"stop", "\""}};
  entry.recipe.messages = Json::array(
      {{{"role", "user"}, {"content", ""}}, {{"role", "assistant"}, {"content", "#x"}}});
  entry.recipe.licenses = {"one", "two\nlines\n"};
  const NewModel model = parse(to_modelfile(entry));
  EXPECT_EQ(model.from, entry.path);
  EXPECT_EQ(model.recipe.system, entry.recipe.system);
  EXPECT_EQ(model.recipe.parameters, entry.recipe.parameters);
  EXPECT_EQ(model.recipe.messages, entry.recipe.messages);
  EXPECT_EQ(model.recipe.licenses, entry.recipe.licenses);
}

TEST(ToModelfile, AnyTextSurvives) {
  constexpr std::string_view alphabet = "\"\"\"\\\\\n\r ax\t";
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    const std::size_t length = 1 + random() % 12;
    for (std::size_t j = 0; j < length; ++j) text += alphabet[random() % alphabet.size()];
    const std::string modelfile = to_modelfile(with_system(text));
    const auto model = parse_modelfile(modelfile, "/nowhere");
    ASSERT_TRUE(model.ok()) << model.message() << "\n" << modelfile;
    ASSERT_EQ(model.value().recipe.system, text) << modelfile;
  }
}

}  // namespace
}  // namespace pleiad::store
