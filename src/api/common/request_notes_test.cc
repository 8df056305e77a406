#include "api/common/request_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/testing/request_problem.h"
#include "base/testing/json.h"

namespace pleiad::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(RequestNotes, TellWhatIsUnknownAndWhatHasNoEffect) {
  const Json json = json_from(R"({"known": 1, "other": 2, "audio": {}, "gone": null})");
  FieldReader fields(json);
  (void)fields.integer("known", 0, 9);
  RequestNotes notes;
  notes.warnings().emplace_back("first");
  notes.without_effect(fields, "audio", "nobody hears it");
  notes.without_effect(fields, "gone", "never said");
  notes.unknown(fields);
  EXPECT_THAT(notes.take(),
              ElementsAre("first", "audio has no effect: nobody hears it", "unknown field: other"));
  EXPECT_THAT(notes.take(), IsEmpty());
}

TEST(RequestNotes, RefuseThemWhereTheServerIsStrict) {
  const Json json = json_from(R"({"audio": {}, "x": 1})");
  FieldReader fields(json);
  RequestNotes notes(SpareFields::refuse);
  EXPECT_EQ(problem_of([&] { notes.without_effect(fields, "audio", "nobody hears it"); }),
            "audio: not supported: nobody hears it");
  EXPECT_EQ(problem_of([&] { notes.unknown(fields); }), "x: unknown parameter");
}

TEST(RequestNotes, TellOnceWhatManyElementsHave) {
  RequestNotes notes;
  for (int i = 3; i < 1000; ++i) {
    const Json message = json_from(R"({"id": "m"})");
    notes.unknown(FieldReader(message, element_path("messages", static_cast<std::size_t>(i))));
  }
  EXPECT_THAT(notes.take(),
              ElementsAre("unknown field: messages[3].id (and 996 more of this kind)"));
}

TEST(RequestNotes, AreFew) {
  Json json = Json::object();
  for (int i = 0; i < 500; ++i) json["field" + std::to_string(i)] = i;
  RequestNotes notes;
  notes.unknown(FieldReader(json));
  const std::vector<std::string> all = notes.take();
  ASSERT_THAT(all, SizeIs(RequestNotes::kMost + 1));
  EXPECT_EQ(all.back(), "and 480 more of other kinds");
}

}  // namespace
}  // namespace pleiad::api
