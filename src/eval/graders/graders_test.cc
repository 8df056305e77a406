// Every grader on good and on bad replies.

#include "eval/graders/graders.h"
#include "base/testing/json.h"

#include <gtest/gtest.h>

#include "eval/eval_testing.h"
#include "eval/graders/json_pattern.h"
#include "eval/graders/language.h"
#include "eval/graders/prose.h"
#include "eval/graders/repetition.h"
#include "eval/graders/reply_text.h"

namespace pleiad::eval {
namespace {

void expect_right(const Grader& grader, std::initializer_list<std::string> replies) {
  for (const std::string& text : replies) {
    const Verdict verdict = grader(saying(text));
    EXPECT_TRUE(verdict.right) << text << ": " << verdict.why;
    EXPECT_EQ(verdict.why, "") << text;
  }
}

void expect_wrong(const Grader& grader, std::initializer_list<std::string> replies) {
  for (const std::string& text : replies) {
    const Verdict verdict = grader(saying(text));
    EXPECT_FALSE(verdict.right) << text;
    EXPECT_NE(verdict.why, "") << text;
  }
}

TEST(Graders, CountsFindsEverySlip) {
  const Grader grader = graders::counts(3, 7);
  expect_right(grader,
               {"3, 4, 5, 6, 7", "3\n4\n5\n6\n7\n", "Here are the numbers from 3 to 7:\n3 4 5 6 7.",
                "**3**, **4**, **5**, **6**, **7**"});
  expect_wrong(grader,
               {"", "three", "3, 4, 6, 7", "3, 4, 4, 5, 6, 7", "3, 4, 5, 6", "3, 4, 5, 6, 7, 8",
                "7, 6, 5, 4, 3", "3, 4, 5, 7, 6", "1, 2, 3, 3, 4, 5, 6, 7"});
  expect_right(graders::counts(5, 3, -1), {"5, 4, 3"});
  expect_wrong(graders::counts(5, 3, -1), {"3, 4, 5"});
  expect_right(graders::counts(2, 8, 2), {"2, 4, 6, 8"});
  expect_right(graders::counts(95, 104), {"95,96,97,98,99,100,101,102,103,104"});
  expect_right(graders::counts(98, 102), {"98,99,100,101,102"});
}

TEST(Graders, TheLastNumberIsTheAnswer) {
  const Grader grader = graders::ends_with_number(1145);
  expect_right(grader, {"1145", "487 + 658 = 1,145.", "The answer is **1145**.", "It is 1145.0"});
  expect_wrong(grader, {"", "no idea", "1144", "1145 is not 1146", "11 45", "-1145",
                        "1145? No, 1146.", "1144 or 1145"});
  expect_right(graders::ends_with_number(8.55), {"3.75 + 4.8 = 8.55"});
  expect_right(graders::ends_with_number(-3), {"that makes -3",
                                               "\xE2\x88\x92"
                                               "3"});
  expect_right(graders::ends_with_number(5), {"10 - 5 = 5", "5 = 10 - 5"});
  expect_wrong(graders::ends_with_number(5), {"10 - 5", "10-5", "10 minus 5"});
  // The numbers of the question are no answer, but where the answer is one of them.
  expect_right(graders::ends_with_number(47, "12 + 35?"), {"47. I added 12 and 35."});
  expect_right(graders::ends_with_number(45, "90 minus 45?"), {"45"});
  expect_wrong(graders::ends_with_number(47, "12 + 35?"), {"35", "12 and 35"});
}

TEST(Graders, NamesAllowsNoOtherAnswerBesideIt) {
  const Grader grader = graders::names("Tuesday", {"Monday", "Tuesday", "Friday"}, {"Monday"});
  expect_right(grader, {"Tuesday", "The day after Monday is Tuesday.",
                        "It is \xE2\x80\x9Ctuesday\xE2\x80\x9D!"});
  expect_wrong(grader, {"Monday", "Tuesday or Friday", "Tuesdays", ""});
  expect_right(graders::has_word("sunny"), {"sunny", "It's 'Sunny', not rainy."});
  expect_wrong(graders::has_word("sunny"), {"It is not sunny.", "sunnyside", "Is it sunny?"});
  expect_right(graders::reverses("lemon"), {"nomel", "'lemon' backwards is 'nomel'.", "n-o-m-e-l"});
  expect_wrong(graders::reverses("lemon"), {"nomels", "lemon", "nomel? No, nomle."});
}

TEST(Graders, SpellingIsLetterByLetter) {
  const Grader grader = graders::spells("cherry");
  expect_right(grader, {"c-h-e-r-r-y", "C, H, E, R, R, Y", "I spell it C H E R R Y."});
  expect_wrong(grader,
               {"cherry", "c-h-e-r-y", "c-h-e-r-r-i", "", "x-c-h-e-r-r-y", "c-h-e-r-r-y-s"});
  expect_right(graders::spells("apple"),
               {"An apple: a-p-p-l-e", "A P P L E", "1. A\n2. P\n3. P\n4. L\n5. E"});
  expect_right(graders::spells("lemon"),
               {"It's spelled L-E-M-O-N.", "L-E-M-O-N is how I spell it",
                "I'd say: L, E, M, O, and N.", "**L** - **E** - **M** - **O** - **N**"});
  expect_wrong(graders::spells("lemon"),
               {"i-l-e-m-o-n", "L-E-M, O-N", "L E M is how I begin, O N"});
}

TEST(Graders, CapitalsAreCapitalsAllOver) {
  const Grader grader = graders::in_capitals(graders::has_word("tuesday"));
  expect_right(grader, {"TUESDAY", "THE DAY AFTER MONDAY IS TUESDAY."});
  expect_wrong(grader, {"Tuesday", "MONDAY", "TUESDAy"});
}

TEST(Graders, JsonIsNothingButJson) {
  const Grader grader = graders::answers_in_json(reads_number(1), "How many?", "1");
  expect_right(grader, {"{\"a\": 1}", "```json\n{\"a\": 1}\n```", "  {\"a\": 1}\n"});
  expect_wrong(grader, {"Here it is: {\"a\": 1}", "{\"a\": 1", "[1]", "{'a': 1}", "", "{}"});
  expect_wrong(grader, {"Here it is:\n```json\n{\"a\": 1}\n```", "```json\n{\"a\": 1}\n```\nDone.",
                        "```", "``````", "```\n{\"a\": 1}\n```\n```\n{\"a\": 1}\n```"});
  // Keys that name the answer decide; without them no value may say something else.
  expect_right(grader, {"{\"answer\": 1, \"other\": 2}", "{\"x\": {\"answer\": [1]}, \"y\": 2}"});
  expect_wrong(grader, {"{\"answer\": 2, \"other\": 1}", "{\"x\": 1, \"y\": 2}"});
}

TEST(JsonPattern, SaysWhatMayBeOtherwise) {
  const Json days = json_from(R"({"$any_order": ["Sat", "Sun"]})");
  EXPECT_TRUE(matches_pattern(json_from(R"(["sun", " Sat "])"), days));
  EXPECT_FALSE(matches_pattern(json_from(R"(["Sat", "Sat"])"), days));
  EXPECT_FALSE(matches_pattern(json_from(R"(["Sat"])"), days));
  EXPECT_FALSE(matches_pattern(json_from(R"("Sat")"), days));
  const Json tea = json_from(R"({"product": {"$stem": "tea"}, "n": 3})");
  EXPECT_TRUE(matches_pattern(json_from(R"({"n": 3.0, "product": "green teas"})"), tea));
  EXPECT_FALSE(matches_pattern(json_from(R"({"n": 3, "product": "steak"})"), tea));
  EXPECT_FALSE(matches_pattern(json_from(R"({"product": "tea"})"), tea));
  const Json choice = json_from(R"({"$one_of": ["a", {"$some": 1}]})");
  EXPECT_TRUE(matches_pattern(json_from("[2, 1]"), choice));
  EXPECT_TRUE(matches_pattern(json_from("\"A\""), choice));
  EXPECT_FALSE(matches_pattern(json_from("[2]"), choice));
  EXPECT_FALSE(matches_pattern(json_from("1"), choice));
}

TEST(Graders, ASchemaAndItsValuesHold) {
  const Json schema = json_from(
      R"({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
          "additionalProperties": false})");
  const Grader grader = graders::matches_schema(schema, {{"/n", 3}});
  expect_right(grader, {"{\"n\": 3}"});
  expect_wrong(grader,
               {"{\"n\": 4}", "{\"n\": \"3\"}", "{\"n\": 3, \"m\": 1}", "{}", "3", "three"});
  const Grader list = graders::matches_schema(Json::object(), {{"/tags", {"red", "round"}}});
  expect_right(list, {"{\"tags\": [\"Red\", \"round\"]}"});
  expect_wrong(list, {"{\"tags\": [\"round\", \"red\"]}", "{\"tags\": []}"});
}

TEST(Graders, CallsAreOfTheToolWithTheArguments) {
  const Grader grader = graders::calls("weather", {{"city", "Paris"}}, {"unit"});
  EXPECT_TRUE(grader(calling("weather", {{"city", "paris"}})).right);
  EXPECT_TRUE(grader(calling("weather", {{"city", "Paris"}, {"unit", "C"}})).right);
  EXPECT_FALSE(grader(calling("time", {{"city", "Paris"}})).right);
  EXPECT_FALSE(grader(calling("weather", {{"city", "Rome"}})).right);
  EXPECT_FALSE(grader(calling("weather", Json::object())).right);
  EXPECT_FALSE(grader(calling("weather", {{"city", "Paris"}, {"days", 3}})).right);
  EXPECT_FALSE(grader(saying("It is sunny in Paris.")).right);
  EXPECT_TRUE(graders::calls("t", {{"minutes", 15}})(calling("t", {{"minutes", 15.0}})).right);
  EXPECT_FALSE(graders::calls("t", {{"minutes", 15}})(calling("t", {{"minutes", "15"}})).right);
  ChatReply twice = calling("weather", {{"city", "Paris"}});
  twice.reply.tool_calls.push_back(twice.reply.tool_calls.front());
  EXPECT_FALSE(grader(twice).right);
  ChatReply broken = calling("weather", {{"city", "Paris"}});
  broken.reply.tool_calls.front().kind = text::ReplyEvent::Kind::broken_tool_call;
  EXPECT_FALSE(grader(broken).right);
  const Grader title = graders::argument_has_word("title", "plants");
  EXPECT_TRUE(title(calling("task", {{"title", "Water the Plants."}})).right);
  EXPECT_FALSE(title(calling("task", {{"title", "plantsman"}})).right);
  EXPECT_FALSE(title(calling("task", {{"title", 3}})).right);
  EXPECT_FALSE(title(calling("task", Json::object())).right);
  EXPECT_FALSE(title(saying("plants")).right);
  EXPECT_TRUE(graders::calls_nothing()(saying("Hello")).right);
  EXPECT_FALSE(graders::calls_nothing()(calling("weather", Json::object())).right);
  EXPECT_FALSE(graders::calls_nothing()(saying("")).right);
}

/// A word that no other number has.
std::string word(int n) {
  std::string letters = "w";
  for (; n > 0; n /= 20) letters += static_cast<char>('a' + n % 20);
  return letters;
}

/// Sentences that are all different.
std::string prose(int n_sentences) {
  std::string text;
  for (int i = 0; i < n_sentences; ++i) {
    text += fmt::format("{} went to {} and the {} was {} for {}. ", word(i), word(i + 7),
                        word(i * i + 1000), word(i + 2000), word(3 * i + 3000));
  }
  return text;
}

TEST(Graders, LongAnswersMustNotRunInCircles) {
  const Grader grader = graders::runs_long(350);
  EXPECT_TRUE(grader(saying(prose(60))).right);
  EXPECT_FALSE(grader(saying(prose(30), 800)).right) << "too short";
  ChatReply thoughts = saying("Done.", 900);
  thoughts.reply.thinking = prose(90);
  EXPECT_FALSE(grader(thoughts).right);
  for (const char* piece : {"!", "a", "\n", "\xE5\xA4\xA9", "<br>", "- "}) {
    std::string again;
    for (int i = 0; i < 1000; ++i) again += piece;
    EXPECT_FALSE(grader(saying(again, 1000)).right) << piece;
    EXPECT_FALSE(grader(saying(prose(60) + again, 1000)).right) << piece;
  }
  std::string same;  // but for a number
  for (int i = 0; i < 60; ++i)
    same += fmt::format("On day {} we went to the hill and saw {}. ", i, i);
  EXPECT_FALSE(grader(saying(same)).right);
  EXPECT_FALSE(graders::runs_long(350, {"sea"})(saying(prose(60))).right) << "another matter";
  EXPECT_TRUE(graders::runs_long(350, {"sea"})(saying(prose(60) + "sea seas Sea")).right);
  std::string circles = prose(60);
  for (int i = 0; i < 5; ++i) circles += "and then the keeper went to sleep ";
  EXPECT_FALSE(grader(saying(circles)).right);
  std::string very = prose(60);
  for (int i = 0; i < 20; ++i) very += "very ";
  EXPECT_FALSE(grader(saying(very)).right);
}

TEST(Repetition, TellsProseFromCircles) {
  EXPECT_FALSE(measure_repetition(prose(100)).is_degenerate());
  EXPECT_FALSE(measure_repetition("").is_degenerate());
  EXPECT_FALSE(measure_repetition("no no no, not now").is_degenerate());
  const Repetition loop = measure_repetition("a b c a b c a b c a b c a b c");
  EXPECT_EQ(loop.longest_loop, 15U);
  EXPECT_EQ(loop.loop, "a b c");
  // The same sentences in another order: no loop, but nothing new either.
  std::string shuffled;
  for (int i = 0; i < 60; ++i) {
    shuffled +=
        (i * i + i / 7) % 3 == 0 ? "the sea was calm that day. " : "a gull sat on the roof. ";
  }
  EXPECT_TRUE(measure_repetition(shuffled).is_degenerate());
}

TEST(Language, ScriptsAndCommonWordsTellLanguagesApart) {
  struct Row {
    Language language;
    std::string_view text;
  };
  const Row rows[] = {
      {Language::english,
       "The sky is blue because the air scatters short waves of light more than long ones."},
      {Language::german,
       "Der Himmel ist blau, weil die Luft kurze Wellen des Lichts stärker streut als lange."},
      {Language::french,
       "Le ciel est bleu parce que l'air diffuse la lumière bleue plus que la lumière rouge."},
      {Language::spanish,
       "El cielo es azul porque el aire dispersa la luz azul más que la luz roja."},
      {Language::italian,
       "Il cielo è blu perché l'aria diffonde la luce blu più della luce rossa."},
      {Language::portuguese,
       "O céu é azul porque o ar espalha mais a luz azul do que a luz vermelha, e isso não muda."},
      {Language::russian, "Небо голубое, потому что воздух рассеивает короткие волны света."},
      {Language::greek, "Ο ουρανός είναι μπλε επειδή ο αέρας σκεδάζει το φως."},
      {Language::arabic, "السماء زرقاء لأن الهواء يشتت الضوء الأزرق."},
      {Language::hebrew, "השמיים כחולים כי האוויר מפזר את האור."},
      {Language::hindi, "आकाश नीला है क्योंकि हवा प्रकाश को बिखेरती है।"},
      {Language::thai, "ท้องฟ้าเป็นสีฟ้าเพราะอากาศกระเจิงแสง"},
      {Language::korean, "하늘이 파란 이유는 공기가 빛을 산란시키기 때문입니다."},
      {Language::japanese, "空が青いのは、空気が光を散乱させるからです。"},
      {Language::chinese, "天空是蓝色的，因为空气散射阳光。"},
  };
  for (const Row& row : rows) {
    for (const Row& other : rows) {
      EXPECT_EQ(is_in_language(row.text, other.language), row.language == other.language)
          << name(row.language) << " as " << name(other.language);
    }
  }
  EXPECT_FALSE(is_in_language("", Language::english));
  EXPECT_FALSE(is_in_language("123 456", Language::russian));
}

TEST(Prose, MeasuresWordsAndTheirOrder) {
  const Prose good =
      measure_prose("The keeper of the lamp went to the sea, and it was a cold day.");
  EXPECT_EQ(good.n_words, 15U);
  EXPECT_EQ(good.stray_articles, 0);
  EXPECT_EQ(good.wrong(), "");
  EXPECT_NE(measure_prose("the of sea the and keeper a was to it lamp the is").wrong(), "");
  EXPECT_NE(measure_prose("glass orange window silver engine pebble violin garden").wrong(), "");
  EXPECT_EQ(measure_prose("1 2 3").n_words, 0U);
  EXPECT_EQ(measure_prose("").wrong(), "");
}

TEST(ReplyText, ReadsNumbersAsPeopleWriteThem) {
  const std::vector<double> expected = {1234, 5, -3.5, 10, 20, 1, 2, 1234567, 12, 3456};
  EXPECT_EQ(numbers_in("1,234 and 5; -3.5, 10-20. 1,2 1,234,567 12,3456"), expected);
  EXPECT_EQ(numbers_in("12 345'678 1'234 5_678"), (std::vector<double>{12345, 678, 1234, 5678}));
  EXPECT_EQ(numbers_in("15\u202F343 1\u00A0000"), (std::vector<double>{15343, 1000}));
  EXPECT_EQ(numbers_in("1234,567"), (std::vector<double>{1234, 567}));
  EXPECT_EQ(numbers_in("99,100", Commas::separate), (std::vector<double>{99, 100}));
  EXPECT_EQ(fenced_or_whole("text\n```python\nx = 1\n```\nmore"), "x = 1\n");
  EXPECT_EQ(fenced_or_whole("x = 1"), "x = 1");
}

}  // namespace
}  // namespace pleiad::eval
