#include "apps/usage/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

ValueText value(ValueText::Kind kind, std::string name) {
  ValueText text;
  text.kind = kind;
  text.name = std::move(name);
  return text;
}

/// A program with a command of each kind.
ProgramText small_program() {
  OptionText help = {{"--help", "-h"}, {}, false, "Print this", "Options"};
  OptionText ctx = {{"--ctx-size", "-c"}, value(ValueText::Kind::text, "N"), false, "", "Options"};
  OptionText verbose = {{"--verbose", "-v"}, {}, false, "", "Options"};
  OptionText think = {{"--think"}, value(ValueText::Kind::choice, "[=high|low]"), false, "", ""};
  think.value.choices = {"high", "low"};
  think.value.is_optional = true;
  CommandText run;
  run.name = "run";
  run.options = {help, ctx, verbose, think};
  run.positionals = {{"MODEL", value(ValueText::Kind::model, "MODEL"), true, 1, "A model"},
                     {"PROMPT", value(ValueText::Kind::text, "PROMPT"), false,
                      PositionalText::kAnyNumber, "What to say"}};
  CommandText show;
  show.name = "show";
  show.aliases = {"look"};
  show.options = {help};
  show.positionals = {{"MODEL", value(ValueText::Kind::model, "MODEL"), true, 1, "A model"}};
  CommandText ps;
  ps.name = "ps";
  ps.options = {help};
  ProgramText program;
  program.name = "pleiad";
  program.options = {help, {{"--version"}, {}, false, "", "Options"}};
  program.commands = {run, show, ps};
  program.left_out = {"the small program", {"serve", "list"}};
  return program;
}

const ProgramText kProgram = small_program();

SortedWords sorted(const Words& words) { return sort_words(kProgram, words); }

std::string problem(const Words& words) {
  const SortedWords found = sorted(words);
  return found.problem.empty() ? count_problem(found) : found.problem;
}

TEST(SortWords, AnOptionTakesOneWord) {
  for (const Words& words :
       {Words{"run", "m", "--ctx-size", "5", "Hi"}, Words{"run", "m", "--ctx-size=5", "Hi"},
        Words{"run", "--ctx_size", "5", "m", "Hi"}, Words{"run", "m", "-c", "5", "Hi"},
        Words{"run", "m", "Hi", "-c5"}}) {
    const SortedWords found = sorted(words);
    EXPECT_EQ(found.problem, "");
    EXPECT_EQ(found.options.size(), 2);
    EXPECT_EQ(found.options.back(), "5");
    EXPECT_THAT(found.positionals, ElementsAre("m", "Hi"));
  }
}

TEST(SortWords, AnOptionWhoseValueIsOptionalTakesNone) {
  EXPECT_THAT(sorted({"run", "m", "--think", "Hi"}).positionals, ElementsAre("m", "Hi"));
  EXPECT_THAT(sorted({"run", "m", "--think=low", "Hi"}).options, ElementsAre("--think=low"));
}

TEST(SortWords, AValueMayBeEmptyOrBeginWithADash) {
  EXPECT_THAT(sorted({"run", "m", "--ctx-size=", "Hi"}).options, ElementsAre("--ctx-size", ""));
  EXPECT_THAT(sorted({"run", "m", "--ctx-size=", "Hi"}).positionals, ElementsAre("m", "Hi"));
  EXPECT_THAT(sorted({"run", "m", "-c", "--verbose"}).options, ElementsAre("-c", "--verbose"));
  EXPECT_THAT(sorted({"run", "m", "-c", "--"}).options, ElementsAre("-c", "--"));
}

TEST(SortWords, WordsBehindTwoDashesAreNoOptions) {
  const SortedWords found = sorted({"run", "m", "-v", "--", "--ctx-size", "--", "-v"});
  EXPECT_THAT(found.options, ElementsAre("-v"));
  EXPECT_THAT(found.positionals, ElementsAre("m", "--ctx-size", "--", "-v"));
  EXPECT_THAT(sorted({"run", "m", "Hi", "--", "--you"}).positionals,
              ElementsAre("m", "Hi", "--you"));
}

TEST(SortWords, WhatIsNoOptionIsAPrompt) {
  const Words odd = {"run", "m",        "-5",     "+", "-.5", "++",
                     "-",   "- a list", "[a, b]", "",  "ps",  "run"};
  const SortedWords found = sorted(odd);
  EXPECT_EQ(found.problem, "");
  EXPECT_THAT(found.options, IsEmpty());
  EXPECT_EQ(found.positionals, Words(odd.begin() + 1, odd.end()));
}

TEST(SortWords, ShortOptionsMayStandTogether) {
  EXPECT_THAT(sorted({"run", "-vc5", "m"}).options, ElementsAre("-v", "-c", "5"));
  EXPECT_THAT(sorted({"run", "-vc", "5", "m"}).options, ElementsAre("-v", "-c", "5"));
}

TEST(SortWords, KnowsCommandsByTheirAliases) {
  ASSERT_NE(sorted({"look", "m"}).command, nullptr);
  EXPECT_EQ(sorted({"look", "m"}).command->name, "show");
  EXPECT_EQ(sorted({"--version"}).command, nullptr);
  EXPECT_THAT(sorted({"--version"}).program_options, ElementsAre("--version"));
}

TEST(SortWords, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(problem({"runn", "m"}), "there is no command 'runn'; did you mean 'run'?");
  EXPECT_EQ(problem({"delete", "m"}), "there is no command 'delete'; did you mean 'rm'?");
  EXPECT_THAT(problem({"./m.gguf"}), HasSubstr("pleiad run ./m.gguf"));
  EXPECT_EQ(problem({"run", "m", "--verbos"}),
            "run has no option '--verbos'; did you mean '--verbose'?");
  EXPECT_EQ(problem({"run", "m", "-x"}), "run has no option '-x'");
  EXPECT_THAT(problem({"run", "m", "-write a poem"}), HasSubstr("comes after --"));
  EXPECT_EQ(problem({"--versio"}),
            "there is no option '--versio' before a command; did you mean '--version'?");
  EXPECT_THAT(problem({"\x1b[2Jrun"}), HasSubstr("\\x1b"));
}

TEST(SortWords, ACommandOfOtherBuildsIsNoMistakeOfSpelling) {
  EXPECT_EQ(problem({"serve"}), "the small program has no command 'serve'; it has run, show, ps");
  // "list" is what other programs call "models".
  EXPECT_EQ(problem({"models"}), "there is no command 'models'");
}

TEST(SortWords, NobodyIsSentToACommandThatIsNotThere) {
  ProgramText without_run = kProgram;
  without_run.left_out.commands = {"run"};
  EXPECT_EQ(unknown_command(without_run, "chat"), "there is no command 'chat'");
  EXPECT_EQ(unknown_command(without_run, "m.gguf"), "there is no command 'm.gguf'");
}

TEST(CountProblem, SaysWhatIsMissingOrTooMuch) {
  EXPECT_EQ(problem({"run"}), "run: expected MODEL, found nothing: A model");
  EXPECT_EQ(problem({"run", "m", "-c"}), "--ctx-size: expected N after it, found nothing");
  EXPECT_EQ(problem({"show", "m", "n"}), "show takes MODEL, and 'n' is too much");
  EXPECT_EQ(problem({"ps", "m"}), "ps takes no arguments, and 'm' is too much");
  EXPECT_EQ(problem({"run", "m", "a", "b"}), "");
  EXPECT_EQ(problem({}), "");
}

}  // namespace
}  // namespace pleiad::apps
