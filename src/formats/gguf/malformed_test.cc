// Files that a hostile or broken program could write. Each must end in a LoadError
// that says what is wrong: no crash, no hang, no allocation of what a file merely
// claims.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_changed_error.h"
#include "formats/gguf/reader.h"

namespace pleiad::gguf {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint32_t kU32 = 4;
constexpr std::uint32_t kString = 8;
constexpr std::uint32_t kArray = 9;
constexpr std::uint32_t kU64 = 10;

/// A GGUF file, written number by number.
class Bytes {
 public:
  template <typename T>
  Bytes& number(T value) {
    data_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Bytes& u32(std::uint32_t value) { return number(value); }
  Bytes& u64(std::uint64_t value) { return number(value); }
  Bytes& text(std::string_view value) {
    u64(value.size());
    data_ += value;
    return *this;
  }
  Bytes& raw(std::string_view value) {
    data_ += value;
    return *this;
  }
  Bytes& header(std::uint64_t n_tensors, std::uint64_t n_keys, std::uint32_t version = 3) {
    return raw("GGUF").u32(version).u64(n_tensors).u64(n_keys);
  }
  /// dims as in the file: innermost first.
  Bytes& tensor(std::string_view name, std::vector<std::uint64_t> dims, std::uint32_t type,
                std::uint64_t offset) {
    text(name).u32(static_cast<std::uint32_t>(dims.size()));
    for (const std::uint64_t dim : dims) u64(dim);
    return u32(type).u64(offset);
  }
  Bytes& data(std::size_t size, std::size_t alignment = 32) {
    while (data_.size() % alignment != 0) data_ += '\0';
    data_.append(size, '\1');
    return *this;
  }
  std::span<const std::byte> span() const { return std::as_bytes(std::span(data_)); }
  std::string_view view() const { return data_; }

 private:
  std::string data_;
};

std::string error_of(std::span<const std::byte> bytes) {
  try {
    (void)File::from_bytes(bytes, "m.gguf");
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}
std::string error_of(const Bytes& bytes) { return error_of(bytes.span()); }

TEST(MalformedGguf, AnEmptyFileIsNamed) {
  EXPECT_EQ(error_of(Bytes()), "m.gguf: the file is empty (0 bytes)");
}

TEST(MalformedGguf, FourBytesAreTooFew) {
  EXPECT_THAT(error_of(Bytes().raw("GGUF")),
              AllOf(HasSubstr("the GGUF version"), HasSubstr("truncated or damaged")));
  EXPECT_THAT(error_of(Bytes().raw("GG")), HasSubstr("the first four bytes"));
}

TEST(MalformedGguf, OtherKindsOfFileAreRecognized) {
  EXPECT_THAT(error_of(Bytes().raw("PK\x03\x04 a zip file")), HasSubstr("not a GGUF file"));
  EXPECT_THAT(error_of(Bytes().raw("version https://git-lfs.github.com/spec/v1\n")),
              HasSubstr("Git LFS pointer"));
  EXPECT_THAT(error_of(Bytes().raw("<!DOCTYPE html><html>")), HasSubstr("web page"));
}

TEST(MalformedGguf, OnlyVersionsTwoAndThreeAreRead) {
  EXPECT_THAT(error_of(Bytes().header(0, 0, 1)), HasSubstr("GGUF version 1; versions 2 and 3"));
  EXPECT_THAT(error_of(Bytes().header(0, 0, 4)), HasSubstr("GGUF version 4"));
  EXPECT_THAT(error_of(Bytes().header(0, 0, 0)), HasSubstr("GGUF version 0"));
  EXPECT_THAT(error_of(Bytes().header(0, 0, 0x03000000)), HasSubstr("big-endian"));
}

TEST(MalformedGguf, CountsBeyondTheFileAreRefusedBeforeAnythingIsReserved) {
  EXPECT_THAT(error_of(Bytes().header(UINT64_C(1) << 60, 0)),
              HasSubstr("claims 1152921504606846976"));
  EXPECT_THAT(error_of(Bytes().header(UINT64_MAX, 0)), HasSubstr("the limit is"));
  EXPECT_THAT(error_of(Bytes().header(1000, 0)), HasSubstr("only 8 bytes follow"));
  EXPECT_THAT(error_of(Bytes().header(0, UINT64_MAX)), HasSubstr("metadata keys; the limit is"));
  EXPECT_THAT(error_of(Bytes().header(0, 1000)), HasSubstr("only 0 bytes follow"));
}

TEST(MalformedGguf, StringsBeyondTheFileAreRefused) {
  for (const std::uint64_t length :
       {UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX - 24, UINT64_C(70000)}) {
    EXPECT_THAT(error_of(Bytes().header(0, 1).u64(length).raw("key and some more bytes")),
                HasSubstr("longer than the limit"))
        << length;
  }
  EXPECT_THAT(error_of(Bytes().header(0, 1).u64(1000).raw("only this much")),
              HasSubstr("the file ends inside the name of metadata key 0"));
  EXPECT_THAT(error_of(Bytes().header(0, 1).text("k").u32(kString).u64(UINT64_MAX).raw("abc")),
              AllOf(HasSubstr("metadata key 'k'"), HasSubstr("longer than the limit")));
}

TEST(MalformedGguf, KeysNeedANameAndAppearOnce) {
  EXPECT_THAT(error_of(Bytes().header(0, 1).text("").u32(kU32).u32(1).u32(0)),
              HasSubstr("metadata key 0 has no name"));
  EXPECT_THAT(error_of(Bytes().header(0, 2).text("a").u32(kU32).u32(1).text("a").u32(kU32).u32(2)),
              HasSubstr("metadata key 'a' appears twice"));
}

TEST(MalformedGguf, UnknownValueTypesAreRefused) {
  EXPECT_THAT(error_of(Bytes().header(0, 1).text("a").u32(13).u64(0)),
              HasSubstr("unknown value type 13"));
}

TEST(MalformedGguf, NamesFromTheFileAreShownWithoutControlCharacters) {
  EXPECT_THAT(error_of(Bytes().header(0, 1).text("a\x1b[31m\n").u32(99).u64(0)),
              HasSubstr("'a\\x1b[31m\\x0a'"));
}

TEST(MalformedGguf, ArraysBeyondTheFileAreRefused) {
  EXPECT_THAT(
      error_of(Bytes().header(0, 1).text("a").u32(kArray).u32(kU64).u64(UINT64_C(1) << 61).u64(0)),
      HasSubstr("does not fit into the 8 bytes"));
  EXPECT_THAT(error_of(Bytes().header(0, 1).text("a").u32(kArray).u32(kString).u64(2).u64(0)),
              HasSubstr("does not fit"));
  EXPECT_THAT(error_of(Bytes().header(0, 1).text("a").u32(kArray).u32(kU32).u64(3).u64(0)),
              HasSubstr("an array of 3 u32 does not fit"));
}

TEST(MalformedGguf, ArraysOfEmptyArraysNeitherHangNorNestForEver) {
  Bytes many;
  many.header(0, 1).text("a").u32(kArray).u32(kArray).u64(UINT64_C(1) << 60);
  for (int i = 0; i < 50; ++i) many.u32(0).u64(0);
  EXPECT_THAT(error_of(many), HasSubstr("does not fit"));

  Bytes deep;
  deep.header(0, 1).text("a").u32(kArray);
  for (int i = 0; i < 1000; ++i) deep.u32(kArray).u64(1);
  EXPECT_THAT(error_of(deep), HasSubstr("nested more than 4 deep"));
}

TEST(MalformedGguf, TheAlignmentMustBeAPowerOfTwo) {
  for (const std::uint32_t alignment : {0U, 3U, 33U, 1U << 21, UINT32_MAX}) {
    EXPECT_THAT(error_of(Bytes().header(0, 1).text("general.alignment").u32(kU32).u32(alignment)),
                HasSubstr("'general.alignment': expected a power of two"))
        << alignment;
  }
  EXPECT_THAT(error_of(Bytes().header(0, 1).text("general.alignment").u32(kString).text("32")),
              HasSubstr("'general.alignment': expected integer, found string"));
  EXPECT_THAT(
      error_of(Bytes().header(0, 1).text("general.alignment").u32(kU64).u64(UINT64_C(1) << 63)),
      HasSubstr("too large"));
}

TEST(MalformedGguf, DimensionsMustBePositiveAndCountable) {
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {4, 0}, 0, 0).data(64)),
              HasSubstr("tensor 't': shape [0, 4] has a dimension below 1"));
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {UINT64_MAX}, 0, 0).data(64)),
              HasSubstr("a dimension is larger than can be counted"));
  EXPECT_THAT(
      error_of(Bytes().header(1, 0).tensor("t", {1U << 31, 1U << 31, 1U << 31}, 0, 0).data(64)),
      HasSubstr("more elements than can be counted"));
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {UINT64_C(1) << 62}, 0, 0).data(64)),
              HasSubstr("more elements than can be counted"))
      << "the elements can be counted, the bytes cannot";
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {1, 1, 1, 1, 1}, 0, 0).data(64)),
              HasSubstr("5 dimensions"));
  EXPECT_THAT(error_of(Bytes().header(1, 0).text("t").u32(UINT32_MAX).u64(1).u64(1).u64(1)),
              HasSubstr("4294967295 dimensions"));
}

TEST(MalformedGguf, RowsMustFillBlocks) {
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {33, 1}, 2, 0).data(64)),
              HasSubstr("rows of 33 elements do not fill blocks of 32 (q4_0)"));
}

TEST(MalformedGguf, TensorsMustLieInsideTheFile) {
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {16}, 0, 0).data(60)),
              HasSubstr("4 bytes are missing, the download is incomplete"));
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {16}, 0, 32).data(64)),
              HasSubstr("32 bytes are missing"));
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {16}, 0, UINT64_C(1) << 40).data(64)),
              HasSubstr("are missing"));
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {16}, 0, UINT64_MAX - 31).data(64)),
              HasSubstr("larger than can be counted"))
      << "offset + size wraps around";
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {16}, 0, 0)), HasSubstr("are missing"))
      << "no data section at all";
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {16}, 77, 1 << 20).data(64)),
              HasSubstr("are missing"))
      << "a type of unknown size";
}

TEST(MalformedGguf, OffsetsMustBeAligned) {
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("t", {1}, 0, 4).data(64)),
              HasSubstr("offset 4 is not a multiple of the alignment 32"));
}

TEST(MalformedGguf, TensorsMustNotOverlapNorRepeat) {
  EXPECT_THAT(
      error_of(Bytes().header(2, 0).tensor("a", {16}, 0, 0).tensor("b", {16}, 0, 32).data(96)),
      HasSubstr("tensors 'a' and 'b' overlap"));
  EXPECT_THAT(
      error_of(Bytes().header(2, 0).tensor("b", {16}, 0, 0).tensor("a", {16}, 0, 0).data(96)),
      HasSubstr("overlap"));
  EXPECT_THAT(
      error_of(Bytes().header(2, 0).tensor("a", {8}, 0, 0).tensor("a", {8}, 0, 32).data(64)),
      HasSubstr("tensor 'a' is listed twice"));
}

TEST(MalformedGguf, TensorsNeedAName) {
  EXPECT_THAT(error_of(Bytes().header(1, 0).tensor("", {1}, 0, 0).data(32)),
              HasSubstr("tensor 0 has no name"));
}

TEST(MalformedGguf, AllThatIsWrongIsToldAtOnce) {
  const std::string error = error_of(Bytes()
                                         .header(3, 0)
                                         .tensor("a", {0}, 0, 0)
                                         .tensor("b", {33}, 8, 32)
                                         .tensor("c", {64}, 0, 64)
                                         .data(64));
  EXPECT_THAT(error, AllOf(HasSubstr("m.gguf: 3 problems:"), HasSubstr("'a'"), HasSubstr("'b'"),
                           HasSubstr("bytes are missing")));
}

TEST(MalformedGguf, EveryTruncationOfAGoodFileIsAnError) {
  Bytes good;
  good.header(2, 3)
      .text("general.alignment")
      .u32(kU32)
      .u32(16)
      .text("name")
      .u32(kString)
      .text("some text")
      .text("list")
      .u32(kArray)
      .u32(kString)
      .u64(2)
      .text("x")
      .text("")
      .tensor("a", {4, 2}, 0, 0)
      .tensor("b", {32}, 8, 32)
      .data(66, 16);
  ASSERT_EQ(error_of(good), "no error");
  for (std::size_t size = 0; size < good.span().size(); ++size) {
    // A copy of its own, so that a sanitizer sees every byte read too far.
    const std::vector<std::byte> cut(good.span().begin(),
                                     good.span().begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(error_of(cut), "no error") << size;
  }
}

TEST(MalformedGguf, NoSingleChangedByteDoesHarm) {
  Bytes good;
  good.header(2, 2)
      .text("name")
      .u32(kString)
      .text("some text")
      .text("list")
      .u32(kArray)
      .u32(kString)
      .u64(2)
      .text("x")
      .text("")
      .tensor("a", {4, 2}, 0, 0)
      .tensor("b", {32}, 8, 32)
      .data(66);
  for (std::size_t place = 0; place < good.span().size(); ++place) {
    for (const int value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      std::vector<std::byte> changed(good.span().begin(), good.span().end());
      changed[place] = static_cast<std::byte>(value);
      try {
        const File file = File::from_bytes(changed, "m");
        for (const TensorInfo& tensor : file.tensors()) {
          EXPECT_LE(tensor.data.size(), changed.size());
        }
      } catch (const LoadError&) {  // the other good end
      }
    }
  }
}

// Others may write to a file that is mapped: lengths that were checked once are others then.
TEST(MalformedGguf, StringsWhoseLengthsChangeAfterTheyWereCheckedStayInTheirArray) {
  Bytes file;
  file.header(0, 1).text("words").u32(kArray).u32(kString).u64(2);
  const std::size_t first = file.view().size();
  file.text("ab").text("cd");
  std::string bytes(file.view());
  const File opened = File::from_bytes(std::as_bytes(std::span(bytes)), "m.gguf");
  EXPECT_EQ(opened.metadata().find_strings("words").value().size(), 2U);
  for (const std::uint64_t length : {std::uint64_t{9}, std::uint64_t{13}, UINT64_MAX}) {
    std::memcpy(bytes.data() + first, &length, sizeof length);
    EXPECT_THROW((void)opened.metadata().find_strings("words"), FileChangedError) << length;
  }
}

}  // namespace
}  // namespace pleiad::gguf
