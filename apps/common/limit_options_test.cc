#include "apps/common/limit_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace pleiad::apps {
namespace {

Environment with_buffer(const std::string& mebibytes) {
  Environment environment;
  environment.variables["PLEIAD_READ_BUFFER_MIB"] = mebibytes;
  return environment;
}

TEST(LimitOptions, AGibibyteIsReadWhereNothingElseIsSaid) {
  EXPECT_EQ(limit_options({}).read_buffer_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(limit_options(with_buffer("")).read_buffer_bytes, std::int64_t{1} << 30);
}

TEST(LimitOptions, AreThoseOfTheVariable) {
  EXPECT_EQ(limit_options(with_buffer("16")).read_buffer_bytes, std::int64_t{16} << 20);
  EXPECT_EQ(limit_options(with_buffer("65536")).read_buffer_bytes, std::int64_t{64} << 30);
}

TEST(LimitOptions, OtherValuesAreErrorsThatNameTheVariable) {
  for (const char* text : {"15", "65537", "-64", "64M", " 64", "9999999999999999999", "much"}) {
    try {
      limit_options(with_buffer(text));
      ADD_FAILURE() << "expected an error for " << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                std::string("PLEIAD_READ_BUFFER_MIB: expected a whole number of MiB from 16 to "
                            "65,536, found \"") +
                    text + "\"");
    }
  }
}

}  // namespace
}  // namespace pleiad::apps
