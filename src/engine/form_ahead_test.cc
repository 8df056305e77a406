#include "engine/form_ahead.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

namespace pleiad {
namespace {

/// Prepares when it may.
class GatedForm final : public sampling::TokenConstraint {
 public:
  void prepare() override {
    began.set_value();
    open.get_future().wait();
    if (fails) throw sampling::ConstraintError("too much");
    by = std::this_thread::get_id();
  }
  bool allowed_next(std::span<std::uint64_t>) override { return false; }
  void accept(std::int32_t) override {}
  std::unique_ptr<sampling::TokenConstraint> copy() const override { return nullptr; }

  std::promise<void> began;
  std::promise<void> open;
  std::thread::id by;  // none: it has not ended
  bool fails = false;
};

TEST(FormAhead, IsWorkedOutBesideWhoeverBegins) {
  ConstraintPreparer preparer;
  GatedForm form;
  FormAhead ahead(preparer, &form);
  ahead.begin();
  form.began.get_future().wait();  // while this thread goes on
  form.open.set_value();
  ahead.wait();
  EXPECT_NE(form.by, std::thread::id());
  EXPECT_NE(form.by, std::this_thread::get_id());
  ahead.wait();  // nothing is in work
}

TEST(FormAhead, WhatFailsIsToldWhereItIsWaitedFor) {
  ConstraintPreparer preparer;
  GatedForm form;
  form.fails = true;
  form.open.set_value();
  FormAhead ahead(preparer, &form);
  ahead.begin();
  EXPECT_THROW(ahead.wait(), sampling::ConstraintError);
}

TEST(FormAhead, NobodyLeavesAFormThatIsInWork) {
  ConstraintPreparer preparer;
  GatedForm form;
  {
    FormAhead ahead(preparer, &form);
    ahead.begin();
    form.began.get_future().wait();
    form.open.set_value();
  }
  EXPECT_NE(form.by, std::thread::id());
}

TEST(FormAhead, WithoutAFormNothingIsDone) {
  ConstraintPreparer preparer;
  FormAhead ahead(preparer, nullptr);
  ahead.begin();
  ahead.wait();
}

}  // namespace
}  // namespace pleiad
