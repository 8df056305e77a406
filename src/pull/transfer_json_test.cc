#include "pull/transfer_json.h"

#include <gtest/gtest.h>

#include "base/testing/json.h"

namespace pleiad::pull {
namespace {

TEST(TransferJson, TellsAllOfAnOfferButWhereItGoes) {
  Offer offer;
  offer.name = "gemma4:e2b";
  offer.host = "registry.ollama.ai";
  offer.revision = "sha256:1";
  offer.license = "apache-2.0";
  offer.type = "Q4_K_M";
  offer.files = {{"model", "sha256:2", 1000, 100}, {"projector", "sha256:3", 50, 50}};
  offer.destination = "/home/ann/models";
  offer.left_out = {"a draft model"};
  EXPECT_EQ(offer_json(offer), json_from(R"({
    "status": "pulling manifest", "name": "gemma4:e2b", "host": "registry.ollama.ai",
    "revision": "sha256:1", "chosen": "", "type": "Q4_K_M", "license": "apache-2.0",
    "size": 1050, "at_hand": 150,
    "files": [{"what": "model", "digest": "sha256:2", "size": 1000, "at_hand": 100},
              {"what": "projector", "digest": "sha256:3", "size": 50, "at_hand": 50}],
    "left_out": ["a draft model"]})"));
}

TEST(TransferJson, NumbersAreOfFilesAlone) {
  EXPECT_EQ(
      progress_json({"pulling 0123", "sha256:0123", 10, 5}),
      json_from(
          R"({"status": "pulling 0123", "digest": "sha256:0123", "total": 10, "completed": 5})"));
  EXPECT_EQ(progress_json({.status = "writing manifest"}),
            json_from(R"({"status": "writing manifest"})"));
}

}  // namespace
}  // namespace pleiad::pull
