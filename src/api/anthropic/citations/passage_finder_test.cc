// What an answer says word for word as a text does, found while it comes.

#include "api/anthropic/citations/passage_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::api::anthropic {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Stretch = PassageFinder::Stretch;

const char* const kMeadow = "The grass is green. The sky is blue, as far\nas one can see.";

class Passages : public ::testing::Test {
 protected:
  void have(std::vector<std::string> texts) {
    index_ = std::make_shared<const PassageIndex>(std::move(texts));
  }
  /// The stretches of an answer that comes in pieces of so many bytes; those beside each other
  /// without a passage are one.
  std::vector<Stretch> said(const std::string& answer, std::size_t piece) const {
    PassageFinder finder(index_);
    std::vector<Stretch> all;
    const auto add = [&](std::vector<Stretch> some) {
      for (Stretch& one : some) {
        if (!one.passage && !all.empty() && !all.back().passage) {
          all.back().text += one.text;
        } else {
          all.push_back(std::move(one));
        }
      }
    };
    for (std::size_t at = 0; at < answer.size(); at += piece) {
      add(finder.push(answer.substr(at, piece)));
    }
    add(finder.finish());
    return all;
  }
  /// "plain|[cited]|plain", the same however it comes.
  std::string marked(const std::string& answer) const {
    std::string first;
    for (const std::size_t piece :
         {std::size_t{1}, std::size_t{3}, std::size_t{7}, answer.size()}) {
      std::string text;
      std::string whole;
      for (const Stretch& one : said(answer, piece)) {
        whole += one.text;
        if (!text.empty()) text += '|';
        text += one.passage ? "[" + one.text + "]" : one.text;
      }
      EXPECT_EQ(whole, answer);
      if (first.empty()) first = text;
      EXPECT_EQ(text, first) << "in pieces of " << piece;
    }
    return first;
  }
  std::string source(const Passage& passage) const {
    return index_->texts()[passage.text].substr(passage.begin, passage.end - passage.begin);
  }

  std::shared_ptr<const PassageIndex> index_;
};

TEST_F(Passages, AreFourWordsOrMoreThatStandInTheText) {
  have({kMeadow});
  EXPECT_EQ(marked("It says that the grass is green. Nice!"),
            "It says that |[the grass is green.]| Nice!");
  EXPECT_EQ(marked("The grass is tall, the sky is blue"), "The grass is tall, |[the sky is blue]");
  EXPECT_EQ(marked("grass is green"), "grass is green") << "three words are said by chance";
  EXPECT_EQ(marked("The sky is not blue."), "The sky is not blue.");
  EXPECT_EQ(marked("The sky is blue; as far as one can"),
            "[The sky is blue]|; |[as far as one can]");
  EXPECT_EQ(marked(""), "");
}

TEST_F(Passages, AreFoundWhateverBlanksPartTheWords) {
  have({kMeadow});
  const auto all = said("blue, as  far as\none can see", 4);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(source(*all[0].passage), "blue, as far\nas one can see");
}

TEST_F(Passages, EndWithTheirText) {
  have({"one two three four", "five six seven eight nine"});
  EXPECT_EQ(marked("one two three four five six seven eight"),
            "[one two three four]| |[five six seven eight]");
  EXPECT_EQ(marked("three four five six"), "three four five six");
}

TEST_F(Passages, AreTheFirstPlaceOfTheLongestStretch) {
  have({"a b c d e. a b c d f.", "a b c d f g"});
  const auto all = said("a b c d f g", 5);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(*all[0].passage, (Passage{1, 0, 11}));
  const auto shorter = said("a b c d", 5);
  EXPECT_EQ(*shorter.at(0).passage, (Passage{0, 0, 7}));
}

TEST_F(Passages, KnowLettersOfOtherLanguagesAndSignsBeyondAscii) {
  have({"Die Wiese ist grün – und größer als je."});
  EXPECT_EQ(marked("„Die Wiese ist grün“, heißt es."), "„|[Die Wiese ist grün]|“, heißt es.");
  EXPECT_EQ(marked("ist grün – und größer!"), "[ist grün – und größer]|!");
  EXPECT_EQ(marked("ist grün - und größer"), "ist grün - und größer");
}

TEST_F(Passages, OfALongQuotationAreSeveral) {
  std::string text;
  for (int i = 0; i < 250; ++i) text += "word" + std::to_string(i) + " ";
  text.pop_back();
  have({text});
  std::string whole;
  int n = 0;
  for (const Stretch& one : said(text, 11)) {
    whole += one.text;
    n += one.passage ? 1 : 0;
  }
  EXPECT_EQ(whole, text);
  EXPECT_EQ(n, 3);
}

TEST_F(Passages, AreFoundInATextThatRepeatsItself) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "la ";
  have({text});
  EXPECT_EQ(marked("la la la la la"), "[la la la la la]");
  EXPECT_EQ(marked("la la la lo la"), "la la la lo la");
}

TEST_F(Passages, OfNothingAreNone) {
  have({"", " ", "one two"});
  EXPECT_EQ(marked("one two three four five"), "one two three four five");
  EXPECT_THAT(PassageFinder(index_).finish(), IsEmpty());
}

TEST_F(Passages, KeepBackNoMoreThanTheyMust) {
  have({kMeadow});
  PassageFinder finder(index_);
  const auto texts = [&](const char* piece) {
    std::string text;
    for (const Stretch& one : finder.push(piece)) text += one.text;
    return text;
  };
  EXPECT_EQ(texts("Well, this is an answer of nobody's and "),
            "Well, this is an answer of nobody'");
  EXPECT_EQ(texts("the sky is blue"), "s and ");
  EXPECT_EQ(texts(" today"), "");
  EXPECT_EQ(texts(" and"), "the sky is blue ");
}

TEST_F(Passages, AWordWithoutAnEndIsNotWaitedFor) {
  have({"Nothing of it."});
  PassageFinder finder(index_);
  std::size_t n_given = 0;
  for (int i = 0; i < 1000; ++i) {
    for (const Stretch& stretch : finder.push("aaaaaaaa")) n_given += stretch.text.size();
    ASSERT_GE(n_given + PassageIndex::kSeed * kLongestWord, std::size_t(8 * (i + 1)));
  }
  for (const Stretch& stretch : finder.finish()) n_given += stretch.text.size();
  EXPECT_EQ(n_given, 8000U);
}

TEST_F(Passages, LongWordsAreTheSameWordsOnBothSides) {
  const std::string words = std::string(700, 'a') + " two three " + std::string(300, 'b') + "ü";
  have({"Before " + words + " behind."});
  for (const std::size_t piece : {1, 7, 256, 2000}) {
    const std::vector<Stretch> all = said("Says: " + words + "!", piece);
    ASSERT_EQ(all.size(), 3U) << piece;
    EXPECT_EQ(all[1].text, words);
    EXPECT_TRUE(all[1].passage);
  }
}

}  // namespace
}  // namespace pleiad::api::anthropic
