#include "apps/pull/offer_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

pull::Offer offer() {
  pull::Offer offer;
  offer.name = "gemma4:e2b";
  offer.host = "registry.ollama.ai";
  offer.license = "Apache License";
  offer.type = "Q4_K_M";
  offer.destination = "/data/models";
  offer.files = {{"model", "sha256:a", 7'000'000'000, 1'000'000'000},
                 {"params", "sha256:b", 80, 80}};
  return offer;
}

FitVerdict verdict() {
  FitVerdict verdict;
  verdict.needed_bytes = 3'300'000'000;
  verdict.memory_bytes = 14'200'000'000;
  verdict.by_shape = true;
  verdict.judgement.verdict = fit::Verdict::comfortable;
  return verdict;
}

TEST(OfferText, SaysWhatItIsBeforeTheFirstByte) {
  EXPECT_EQ(offer_text(offer(), verdict()),
            "gemma4:e2b from registry.ollama.ai\n"
            "  type      Q4_K_M\n"
            "  size      7.0 GB: model 7.0 GB, params 80 bytes; 1.0 GB of it are here already\n"
            "  license   Apache License\n"
            "  goes to   /data/models\n"
            "  memory    needs about 3.3 GB with a conversation of 8,192 tokens, 14.2 GB are free: "
            "comfortable\n");
}

TEST(OfferText, SaysWhatWasChosenAndWhatIsLeftOut) {
  pull::Offer chosen = offer();
  chosen.chosen = "Q4_K_M, the first that is there";
  chosen.left_out = {"adapter: not supported"};
  chosen.license = "";
  for (pull::OfferedFile& file : chosen.files) file.at_hand = file.bytes;
  const std::string text = offer_text(chosen, verdict());
  EXPECT_THAT(text, HasSubstr("  chosen    Q4_K_M, the first that is there\n"));
  EXPECT_THAT(text, HasSubstr("  left out  adapter: not supported\n"));
  EXPECT_THAT(text, HasSubstr("  license   not said\n"));
  EXPECT_THAT(text, HasSubstr("all of it is here already"));
}

TEST(OfferText, WhatAHostSaysCannotWriteLinesOfItsOwn) {
  pull::Offer hostile = offer();
  hostile.license = "MIT\n  memory    comfortable\x1b[2J";
  hostile.files[0].what = "a\nb";
  const std::string text = offer_text(hostile, verdict());
  EXPECT_EQ(std::ranges::count(text, '\n'), 6);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(OfferText, WhatTurnedOutToBeOfNoUseIsSaidAtTheEnd) {
  pull::Offer partial = offer();
  partial.left_out = {"a draft model"};
  EXPECT_EQ(left_out_text({"gemma4:e2b", {"a draft model"}}, partial), "");
  EXPECT_EQ(
      left_out_text({"gemma4:e2b", {"a draft model", "its projector: another's\x1b"}}, partial),
      "  left out  its projector: another's\\x1b\n");
}

TEST(OfferText, JsonHasTheSame) {
  const Json json = offer_json(offer(), verdict());
  EXPECT_EQ(json["status"], "pulling manifest");
  EXPECT_EQ(json["destination"], offer().destination.string());
  EXPECT_EQ(json["size"], 7'000'000'080);
  EXPECT_EQ(json["files"][1]["what"], "params");
  EXPECT_EQ(json["memory"]["verdict"], "comfortable");
}

}  // namespace
}  // namespace pleiad::apps
