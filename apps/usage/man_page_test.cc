#include "apps/usage/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/usage/roff.h"

namespace pleiad::apps {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Roff, EscapesWhatTheLanguageReadsOtherwise) {
  EXPECT_EQ(roff_escaped("--top-k"), "\\-\\-top\\-k");
  EXPECT_EQ(roff_escaped("a\\nb"), "a\\enb");
  EXPECT_EQ(roff_escaped("it's `x` ~ ^ \"y\""), "it\\(aqs \\(gax\\(ga \\(ti \\(ha \\(dqy\\(dq");
  EXPECT_EQ(roff_bold("-n"), "\\fB\\-n\\fR");
}

TEST(Roff, ALineOfTextIsNoRequest) {
  RoffPage page("x", "1", "2026-01-02", "x 1");
  page.block(".SH Trap\n'tis\n");
  EXPECT_THAT(page.text(), HasSubstr("\n\\&.SH Trap\n"));
  EXPECT_THAT(page.text(), HasSubstr("\n\\(aqtis\n"));
}

TEST(Roff, ParagraphsHaveALineForEachSentenceAndBoldCode) {
  RoffPage page("x", "1", "2026-01-02", "x 1");
  page.heading("Description");
  page.paragraph("One. Two is `pleiad list --all` here.\nThree");
  EXPECT_THAT(page.text(), HasSubstr(".SH DESCRIPTION\nOne.\nTwo is \\fBpleiad list \\-\\-all\\fR "
                                     "here.\nThree\n"));
}

ProgramText program_with_a_page() {
  CommandText run;
  run.name = "run";
  run.about = "Chat with a model";
  run.footer = "Prose here. Examples:\n  pleiad run demo -n 5\nMore prose.";
  OptionText number = {{"--num-predict", "-n"}, {}, false, "Longest reply", "Sampling"};
  number.value.kind = ValueText::Kind::text;
  number.value.name = "X";
  run.options = {{{"--help", "-h"}, {}, false, "Print this", "Options"}, number};
  run.positionals = {{"MODEL", {}, true, 1, "A model"},
                     {"PROMPT", {}, false, PositionalText::kAnyNumber, "Words"}};
  CommandText hidden;
  hidden.name = "secret";
  hidden.hidden = true;
  ProgramText program;
  program.name = "pleiad";
  program.about = "Runs models.\n\n  pleiad run demo\n";
  program.commands = {run, hidden};
  return program;
}

TEST(ManPages, AreOneForTheProgramAndOneForEachCommandThatIsForPeople) {
  const auto pages = man_pages(program_with_a_page(), {"1.2", "2026-01-02"}, {});
  ASSERT_EQ(pages.size(), 2);
  EXPECT_EQ(pages[0].file, "pleiad.1");
  EXPECT_EQ(pages[1].file, "pleiad-run.1");
  EXPECT_THAT(pages[0].text, Not(HasSubstr("secret")));
  EXPECT_THAT(pages[0].text, HasSubstr("\\fBpleiad\\-run\\fR(1)"));
}

TEST(ManPages, HaveFlagsExamplesAndTheExitStatus) {
  const auto pages = man_pages(program_with_a_page(), {"1.2", "2026-01-02"}, {});
  const std::string& text = pages[1].text;
  EXPECT_THAT(text, HasSubstr(".TH PLEIAD\\-RUN 1 \"2026-01-02\" \"pleiad 1.2\""));
  EXPECT_THAT(text, HasSubstr(".SH NAME\npleiad\\-run \\- chat with a model\n"));
  EXPECT_THAT(text, HasSubstr("[\\fIOPTION\\fR]... \\fIMODEL\\fR [\\fIPROMPT\\fR...]\n"));
  EXPECT_THAT(text, HasSubstr(".SS Sampling\n.TP\n\\fB\\-\\-num\\-predict\\fR, \\fB\\-n\\fR "
                              "\\fIX\\fR\nLongest reply.\n"));
  EXPECT_THAT(text, HasSubstr("Prose here.\nMore prose.\n"));
  EXPECT_THAT(text, HasSubstr(".nf\npleiad run demo \\-n 5\n.fi\n"));
  EXPECT_THAT(text, HasSubstr(".SH EXIT STATUS\n"));
}

}  // namespace
}  // namespace pleiad::apps
