#include "apps/usage/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;
using Paths = Completion::Paths;

ValueText value_of(ValueText::Kind kind, Words choices = {}) {
  ValueText text;
  text.kind = kind;
  text.name = "X";
  text.choices = std::move(choices);
  return text;
}

ProgramText program_to_complete() {
  using Takes = ValueText::Kind;
  OptionText types = {{"--types"}, value_of(Takes::choice, {"bf16", "f16", "q8_0"}), false, "", ""};
  types.value.is_list = true;
  OptionText think = {{"--think"}, value_of(Takes::choice, {"high", "low"}), false, "Think", ""};
  think.value.is_optional = true;
  CommandText run;
  run.name = "run";
  run.about = "Chat";
  run.options = {{{"--help", "-h"}, {}, false, "Help", ""},
                 {{"--temperature", "--temp"}, value_of(Takes::text), false, "Heat", ""},
                 {{"--chat"}, value_of(Takes::file, {"json"}), false, "", ""},
                 {{"--out"}, value_of(Takes::folder), false, "", ""},
                 types,
                 think};
  run.positionals = {{"MODEL", value_of(Takes::model), true, 1, ""},
                     {"PROMPT", value_of(Takes::text), false, PositionalText::kAnyNumber, ""}};
  CommandText stop;
  stop.name = "stop";
  stop.positionals = {{"MODEL", value_of(Takes::loaded_model), true, 1, ""}};
  CommandText help;
  help.name = "help";
  help.positionals = {{"COMMAND", value_of(Takes::command), false, 1, ""}};
  CommandText secret;
  secret.name = "secret";
  secret.hidden = true;
  ProgramText program;
  program.name = "pleiad";
  program.options = {{{"--version", "-v"}, {}, false, "", ""}};
  program.commands = {run, stop, help, secret};
  return program;
}

Completion completed(const Words& words) {
  static const ProgramText program = program_to_complete();
  const NameSources names = {[] {
                               return Words{"demo", "gemma4:e2b", "two\nlines"};
                             },
                             [] { return Words{"gemma4:e2b"}; }};
  return complete_words(program, words, names);
}

Words words_of(const Words& words) {
  Words found;
  for (const Candidate& candidate : completed(words).candidates) found.push_back(candidate.word);
  return found;
}

TEST(CompleteWords, OffersCommandsThatAreForPeople) {
  EXPECT_THAT(completed({""}).candidates,
              ElementsAre(Candidate{"run", "Chat"}, Candidate{"stop", ""}, Candidate{"help", ""}));
  EXPECT_THAT(words_of({"s"}), ElementsAre("stop"));
  EXPECT_THAT(words_of({"help", "r"}), ElementsAre("run"));
  EXPECT_THAT(words_of({"--"}), ElementsAre("--version"));
  EXPECT_THAT(words_of({"nonsense", ""}), IsEmpty());
}

TEST(CompleteWords, OffersOneNameOfEachOption) {
  EXPECT_THAT(words_of({"run", "--"}),
              ElementsAre("--help", "--temperature", "--chat", "--out", "--types", "--think"));
  EXPECT_THAT(words_of({"run", "demo", "--te"}), ElementsAre("--temperature"));
  EXPECT_THAT(words_of({"run", "demo", "-h"}), ElementsAre("-h"));
  EXPECT_THAT(words_of({"run", "demo", "--", "--te"}), IsEmpty());
}

TEST(CompleteWords, OffersModelsWhereOneIsExpected) {
  EXPECT_THAT(words_of({"run", ""}), ElementsAre("demo", "gemma4:e2b"));
  EXPECT_EQ(completed({"run", ""}).paths, Paths::files);
  EXPECT_THAT(words_of({"run", "gemma4:"}), ElementsAre("gemma4:e2b"));
  EXPECT_THAT(words_of({"run", "--temp", "0", "d"}), ElementsAre("demo"));
  EXPECT_THAT(words_of({"run", "./"}), IsEmpty());
  EXPECT_THAT(words_of({"stop", ""}), ElementsAre("gemma4:e2b"));
  EXPECT_EQ(completed({"stop", ""}).paths, Paths::none);
  EXPECT_THAT(words_of({"run", "demo", ""}), IsEmpty());
  EXPECT_EQ(completed({"run", "demo", ""}).paths, Paths::none);
}

TEST(CompleteWords, OffersTheValuesOfAnOption) {
  EXPECT_THAT(words_of({"run", "--think=h"}), ElementsAre("--think=high"));
  EXPECT_THAT(words_of({"run", "--think", "d"}), ElementsAre("demo"));
  EXPECT_THAT(words_of({"run", "--types", ""}), ElementsAre("bf16", "f16", "q8_0"));
  EXPECT_THAT(words_of({"run", "--types", "bf16,q"}), ElementsAre("bf16,q8_0"));
  EXPECT_THAT(words_of({"run", "--types=bf16,"}),
              ElementsAre("--types=bf16,bf16", "--types=bf16,f16", "--types=bf16,q8_0"));
  EXPECT_THAT(words_of({"run", "--temp", ""}), IsEmpty());
  EXPECT_EQ(completed({"run", "--chat", ""}).paths, Paths::files);
  EXPECT_THAT(words_of({"run", "--chat", "j"}), ElementsAre("json"));
  EXPECT_EQ(completed({"run", "--chat=x"}).paths, Paths::files);
  EXPECT_EQ(completed({"run", "--out", ""}).paths, Paths::folders);
}

TEST(CompleteWords, CompletesBehindAMistake) {
  EXPECT_THAT(words_of({"run", "--nonsense", "d"}), ElementsAre("demo"));
}

TEST(ToLines, SaysWhetherPathsFitAndThenTheCandidates) {
  EXPECT_EQ(to_lines(completed({"r"})), "none\nrun\tChat\n");
  EXPECT_EQ(to_lines(completed({"run", "d"})), "files\ndemo\n");
  EXPECT_EQ(to_lines({}), "none\n");
}

}  // namespace
}  // namespace pleiad::apps
