#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/testing/test_folder.h"
#include "convert/write_gguf.h"
#include "formats/gguf/reader.h"
#include "model/testing/same_model.h"

// What tests of towers in new files share.

namespace pleiad::testing_support {

/// Models that are written into a folder of their own.
class WriteTower : public ::testing::Test {
 protected:
  static convert::WriteOptions options_of(convert::FileType type) {
    convert::WriteOptions options;
    options.mix.type = type;
    options.rounding = quantize::Rounding::nearest;
    return options;
  }

  convert::WriteReport write(const std::filesystem::path& source,
                             const convert::WriteOptions& options) const {
    return convert::write_gguf(Checkpoint::open(source), model(), options);
  }

  template <typename Work>
  static std::string message_of(Work work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path model() const { return folder_ / "out.gguf"; }
  std::filesystem::path projector() const { return folder_ / "mmproj-out.gguf"; }

  TestFolder folder_;
};

/// Every key of one file that counts stands in the other with its value.
template <typename Counts>
void expect_keys_of(const gguf::File& expected, const gguf::File& written, Counts counts) {
  for (const auto& [key, value] : expected.metadata().values()) {
    if (!counts(key)) continue;
    const gguf::Value* found = written.metadata().find(key);
    ASSERT_NE(found, nullptr) << key;
    EXPECT_EQ(found->type, value.type) << key;
    EXPECT_TRUE(std::ranges::equal(found->payload, value.payload)) << key;
  }
}

/// Every tensor of one file stands in the other with its values, whatever it is stored as.
inline void expect_tensors_of(const gguf::File& expected, const gguf::File& written) {
  for (const gguf::TensorInfo& tensor : expected.tensors()) {
    const gguf::TensorInfo* found = written.find_tensor(tensor.name);
    ASSERT_NE(found, nullptr) << tensor.name;
    EXPECT_EQ(found->shape, tensor.shape) << tensor.name;
    const HostTensor a{"", *tensor.dtype, tensor.shape, tensor.data, {}};
    const HostTensor b{"", *found->dtype, found->shape, found->data, {}};
    EXPECT_EQ(values_of(a), values_of(b)) << tensor.name;
  }
}

}  // namespace pleiad::testing_support
