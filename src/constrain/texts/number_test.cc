#include "constrain/texts/number.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "base/testing/json.h"
#include "constrain/texts/dfa_test_data.h"

namespace pleiad::constrain {
namespace {

std::optional<Bound> bound(const char* number, bool exclusive = false) {
  return Bound::from(json_from(number), exclusive);
}

TEST(Number, WholeNumbersBetweenBoundsAreExactlyThose) {
  const int ends[] = {-1203, -100, -99, -12, -1, 0, 1, 9, 10, 11, 99, 100, 1203};
  for (const int low : ends) {
    for (const int high : ends) {
      for (const bool exclusive : {false, true}) {
        NumberForm form;
        form.is_integer = true;
        form.minimum = bound(std::to_string(low).c_str(), exclusive);
        form.maximum = bound(std::to_string(high).c_str(), exclusive);
        const Result<Dfa> dfa = number_dfa(form);
        const int edge = exclusive ? 1 : 0;
        ASSERT_TRUE(dfa.ok());
        ASSERT_EQ(is_empty(dfa.value()), low + edge > high - edge) << low << " " << high;
        if (is_empty(dfa.value())) continue;
        for (int value = -1300; value <= 1300; ++value) {
          ASSERT_EQ(accepts(dfa.value(), std::to_string(value)),
                    value >= low + edge && value <= high - edge)
              << value << " in " << low << " " << high;
        }
      }
    }
  }
}

TEST(Number, MultiplesAreExactlyThose) {
  for (const std::uint32_t step : {2U, 7U, 10U, 365U}) {
    NumberForm form;
    form.step = Step{.units = step};
    form.minimum = bound("-800");
    const Result<Dfa> dfa = number_dfa(form);
    ASSERT_TRUE(dfa.ok());
    for (int value = -1000; value <= 2000; ++value) {
      ASSERT_EQ(accepts(dfa.value(), std::to_string(value)),
                value % static_cast<int>(step) == 0 && value >= -800)
          << value;
    }
    EXPECT_TRUE(accepts(dfa.value(), fmt::format("{}.0", step)));
    EXPECT_FALSE(accepts(dfa.value(), fmt::format("{}.5", step)));
    form.is_integer = true;
    EXPECT_FALSE(accepts(number_dfa(form).value(), fmt::format("{}.0", step)));
  }
}

TEST(Number, MultiplesOfDecimalsAreExactlyThose) {
  for (const char* text : {"1", "0.01", "0.3", "2.5", "0.125", "1.1", "100", "0.07", "1e-3"}) {
    const Json number = json_from(text);
    NumberForm form;
    form.step = Step::from(number);
    ASSERT_TRUE(form.step.has_value()) << text;
    const Dfa dfa = number_dfa(form).value();
    const auto step = std::llround(number.get<double>() * 10000);
    for (int value = -30000; value <= 30000; value += 3) {
      const bool is_multiple = value % step == 0;
      const std::string written = fmt::format("{:.4f}", value / 10000.0);
      if (value == 0) continue;
      ASSERT_EQ(accepts(dfa, written), is_multiple) << written << " of " << text;
    }
    EXPECT_FALSE(accepts(dfa, "1e2")) << "exponents are not followed";
  }
  for (const char* text : {"0", "-1", "1e-12", "12345678901"}) {
    EXPECT_FALSE(Step::from(json_from(text)).has_value()) << text;
  }
}

TEST(Number, MultiplesAreThatAsDoublesToo) {
  NumberForm form;
  form.step = Step::from(json_from("1.5"));
  const Dfa dfa = number_dfa(form).value();
  for (const char* text : {"10000000000000.5", "-10000000000000.5", "3.0", "3.000000000000000",
                           "699392622807808392"}) {
    EXPECT_TRUE(accepts(dfa, text)) << text;
  }
  // A multiple as it is written, and none as the double that it is read into.
  EXPECT_FALSE(accepts(dfa, "699392622807808393.5"));
  EXPECT_FALSE(accepts(dfa, "100000000000000.5"));
}

TEST(Number, ExactOnesHaveNoMoreDigitsThanADouble) {
  const Dfa exact = exact_numbers();
  for (const char* text : {"0", "-12.50", "123456789012345678", "123456789012.345", "0.0"}) {
    EXPECT_TRUE(accepts(exact, text)) << text;
  }
  for (const char* text : {"1234567890123456.5", "1234567890123.4560", "1e5", "1.", ""}) {
    EXPECT_FALSE(accepts(exact, text)) << text;
  }
}

TEST(Number, WhatIsAMultipleOfTwoIsOneOfTheirLeastCommon) {
  EXPECT_EQ(common_multiple({.units = 4}, {.units = 6}), (Step{.units = 12}));
  EXPECT_EQ(common_multiple({.units = 5, .digits = 1}, {.units = 2}),
            (Step{.units = 20, .digits = 1}));
  EXPECT_FALSE(common_multiple({.units = 9'999'991}, {.units = 9'999'973}).has_value());
}

TEST(Number, DecimalsAreComparedWithEveryDigit) {
  const char* ends[] = {"-10.05", "-1", "-0.25", "0", "0.001", "0.25", "1", "9.99", "1e2"};
  for (const char* low : ends) {
    for (const char* high : ends) {
      NumberForm form;
      form.minimum = bound(low, true);
      form.maximum = bound(high);
      const double least = std::stod(low), most = std::stod(high);
      const Result<Dfa> dfa = number_dfa(form);
      ASSERT_TRUE(dfa.ok());
      ASSERT_EQ(is_empty(dfa.value()), least >= most);
      if (is_empty(dfa.value())) continue;
      for (int thousandths = -11000; thousandths <= 11000; thousandths += 5) {
        if (thousandths == 0) continue;  // below
        const std::string text = fmt::format("{:.3f}", thousandths / 1000.0);
        const double value = std::stod(text);
        ASSERT_EQ(accepts(dfa.value(), text), value > least && value <= most)
            << text << " in " << low << " " << high;
      }
      EXPECT_EQ(accepts(dfa.value(), "0"), least < 0 && most >= 0);
      EXPECT_EQ(accepts(dfa.value(), "0.000"), least < 0 && most >= 0);
      EXPECT_FALSE(accepts(dfa.value(), "-0.000"));
    }
  }
}

TEST(Number, WithoutBoundsItIsWhatJsonSays) {
  const Dfa number = number_dfa({}).value();
  for (const char* text :
       {"0", "-1", "12.50", "1e5", "0.5E-12", "-3.25e+07", "123456789012345678"}) {
    EXPECT_TRUE(accepts(number, text)) << text;
  }
  for (const char* text : {"", "-", "01", ".5", "1.", "1e", "1e+", "+1", "-0", "0x1", "1e100",
                           "1234567890123456789"}) {
    EXPECT_FALSE(accepts(number, text)) << text;
  }
}

TEST(Number, WhatIsBelowALargeBoundHasTheUsualDigits) {
  NumberForm form;
  form.is_integer = true;
  form.maximum = bound("1e300");
  form.minimum = bound("-1e300");
  const Dfa dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "-999999999999999999"));
  EXPECT_FALSE(accepts(dfa, "1000000000000000000"));
}

TEST(Number, WhatIsBeyondALargeBoundHasTheDigitsThatItTakes) {
  NumberForm form;
  form.is_integer = true;
  form.minimum = bound("1e30");  // 1000000000000000019884624838656 as the double that it is
  Dfa dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "1000000000000010000000000000000"));
  EXPECT_FALSE(accepts(dfa, "1000000000000000000000000000000"));
  EXPECT_FALSE(accepts(dfa, "1000000000000000020000000000000")) << "more than a double keeps";
  EXPECT_FALSE(accepts(dfa, "999999999999999999"));
  form.minimum = bound("999999999999999999", true);
  dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "1000000000000000000"));
  EXPECT_FALSE(accepts(dfa, "999999999999999999"));
  form.minimum.reset();
  form.maximum = bound("-1e308");
  EXPECT_FALSE(is_empty(number_dfa(form).value()));

  form.minimum = bound("9223372036854775802");
  form.maximum = bound("9223372036854775807");
  dfa = number_dfa(form).value();
  for (int last = 0; last < 10; ++last) {
    EXPECT_EQ(accepts(dfa, fmt::format("922337203685477580{}", last)), last >= 2 && last <= 7);
  }
}

TEST(Number, BetweenSmallBoundsItHasTheDigitsThatItTakes) {
  NumberForm form;
  form.minimum = bound("1e-16");
  form.maximum = bound("9e-16");
  Dfa dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "0.0000000000000005"));
  EXPECT_FALSE(accepts(dfa, "0.0000000000000010"));
  EXPECT_FALSE(accepts(dfa, "0"));
  form.minimum = bound("1e-16", true);
  form.maximum = bound("2e-16", true);
  dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "0.00000000000000015"));
  EXPECT_FALSE(accepts(dfa, "0.0000000000000002"));
  form.minimum.reset();
  form.maximum = bound("-5e-324");
  dfa = number_dfa(form).value();
  EXPECT_TRUE(accepts(dfa, "-0." + std::string(323, '0') + "5"));
  EXPECT_FALSE(accepts(dfa, "-0." + std::string(323, '0') + "4"));
}

}  // namespace
}  // namespace pleiad::constrain
