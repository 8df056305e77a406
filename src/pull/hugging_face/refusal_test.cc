#include "pull/hugging_face/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::pull::hugging_face {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string explained(int status, const std::string& code = "", const std::string& message = "",
                      const Question& asked = {"org/m", "main", "", false},
                      const char* hub = "https://huggingface.co") {
  download::Reply reply;
  reply.status = status;
  reply.headers = {{"x-error-code", code}, {"x-error-message", message}};
  return explain_refusal(Endpoint::parse(hub).value(), asked, reply);
}

TEST(HubRefusal, OfAGatedRepositoryNamesThePageWhereTheLicenceIsAccepted) {
  EXPECT_THAT(explained(401, "GatedRepo"),
              AllOf(HasSubstr("https://huggingface.co/org/m"), HasSubstr("accept its licence"),
                    HasSubstr("https://huggingface.co/settings/tokens"), HasSubstr("HF_TOKEN")));
  EXPECT_THAT(explained(403, "GatedRepo", "", {"org/m", "main", "", true}),
              HasSubstr("the account of your token has no access"));
  EXPECT_THAT(explained(401, "GatedRepo", "", {"org/m", "main"}, "https://mirror.example"),
              AllOf(HasSubstr("https://mirror.example/org/m"),
                    HasSubstr("https://huggingface.co/org/m, where mirror.example mirrors it")));
}

TEST(HubRefusal, TellsWhatIsNotThere) {
  EXPECT_THAT(explained(404, "RepoNotFound"), HasSubstr("has no repository org/m"));
  EXPECT_THAT(explained(401), HasSubstr("has no repository org/m, or it is private"));
  EXPECT_THAT(explained(404, "RevisionNotFound"), HasSubstr("has no revision 'main'"));
  EXPECT_THAT(explained(404, "EntryNotFound", "", {"org/m", "v 1", "x.gguf"}),
              HasSubstr("has no file 'x.gguf' at revision 'v 1': look at "
                        "https://huggingface.co/org/m/tree/v%201"));
  EXPECT_THAT(explained(403, "", "Access to this resource is disabled."), HasSubstr("disabled"));
  EXPECT_THAT(explained(401, "", "Invalid credentials in Authorization header"),
              HasSubstr("does not know your token"));
}

TEST(HubRefusal, OfAnotherKindQuotesTheHub) {
  EXPECT_THAT(explained(429), HasSubstr("a token (HF_TOKEN)"));
  EXPECT_THAT(explained(429, "", "", {"org/m", "main", "", true}), Not(HasSubstr("HF_TOKEN")));
  EXPECT_THAT(explained(502, "", "bad\ngateway"), HasSubstr("502 for org/m: bad\\x0agateway"));
  EXPECT_THAT(explained(418, "", std::string(1000, 'x')), HasSubstr("418 for org/m: xxx"));
  EXPECT_LT(explained(418, "", std::string(1000, 'x')).size(), 400);
}

}  // namespace
}  // namespace pleiad::pull::hugging_face
