#include "digest/sha256.h"

#include <gtest/gtest.h>

namespace pleiad {
namespace {

TEST(Sha256, GivesThePublishedValues) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 sum;
  sum.add("a");
  sum.add("bc");
  EXPECT_EQ(sum.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(DigestHex, TakesOnlySixtyFourHexDigitsAfterSha256) {
  const std::string hex(64, 'a');
  EXPECT_EQ(digest_hex("sha256:" + hex).value(), hex);
  EXPECT_EQ(digest_hex("sha256:" + std::string(64, 'A')).value(), hex);
  for (const std::string& digest :
       {std::string(), hex, "sha256:" + hex + "a", "sha256:" + hex.substr(1), "SHA256:" + hex,
        "sha256-" + hex, "sha256:" + std::string(64, 'g'), "sha256:" + std::string(64, '.'),
        "sha256:" + std::string(64, '\0'), " sha256:" + hex}) {
    EXPECT_FALSE(digest_hex(digest).ok()) << digest;
  }
}

}  // namespace
}  // namespace pleiad
