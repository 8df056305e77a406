#include "base/sha256.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace pleiad {
namespace {

std::string digest_in_pieces(std::string_view text, std::size_t piece) {
  Sha256Digest sum;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const auto part = text.substr(at, piece);
    sum.add(std::as_bytes(std::span(part.data(), part.size())));
  }
  std::string hex;
  for (const std::uint8_t byte : sum.finish()) hex += fmt::format("{:02x}", byte);
  return hex;
}

// The examples of NIST for SHA-256.
TEST(Sha256Digest, GivesThePublishedDigests) {
  EXPECT_EQ(digest_in_pieces("", 1),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_in_pieces("abc", 3),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_in_pieces("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest_in_pieces(std::string(1'000'000, 'a'), 1000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Digest, DoesNotDependOnHowTheBytesAreCut) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i * 7);
  const std::string whole = digest_in_pieces(text, text.size());
  for (const std::size_t piece : {1U, 55U, 56U, 63U, 64U, 65U, 119U}) {
    EXPECT_EQ(digest_in_pieces(text, piece), whole) << piece;
  }
}

}  // namespace
}  // namespace pleiad
