#include "constrain/replies/kept_forms.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>

namespace pleiad::constrain {
namespace {

struct GrowingForm {
  std::size_t bytes = 100;
  std::size_t memory_bytes() const { return bytes; }
};

std::shared_ptr<GrowingForm> kept_form(KeptForms<GrowingForm>& forms, const std::string& key) {
  return forms.find_or_make(key, [] { return std::make_shared<GrowingForm>(); }).value();
}

TEST(KeptForms, ThoseThatGrewInUseGiveWayWhenAnyIsAskedFor) {
  KeptForms<GrowingForm> forms(1000);
  for (const char* key : {"a", "b", "c"}) kept_form(forms, key);
  ASSERT_EQ(forms.size(), 3U);
  kept_form(forms, "a")->bytes = 950;
  EXPECT_EQ(forms.size(), 3U);  // nobody asked since
  kept_form(forms, "c");
  EXPECT_EQ(forms.size(), 1U);
  kept_form(forms, "c")->bytes = 5000;
  kept_form(forms, "c");
  EXPECT_EQ(forms.size(), 1U) << "the last is never dropped";
}

TEST(KeptForms, WhoMakesTheSameAtOnceHasTheFirstOnes) {
  KeptForms<GrowingForm> forms(1000);
  std::shared_ptr<GrowingForm> first;
  const auto second = forms.find_or_make("a", [&]() -> KeptForms<GrowingForm>::Made {
    first = kept_form(forms, "a");  // as another thread would, meanwhile
    return std::make_shared<GrowingForm>();
  });
  EXPECT_EQ(second.value(), first);
  EXPECT_EQ(forms.size(), 1U);
}

}  // namespace
}  // namespace pleiad::constrain
