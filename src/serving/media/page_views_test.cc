// Pages of a PDF, drawn for people: how large, which, and what is told where there are none.

#include "serving/media/page_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "media/documents/missing_programs.h"
#include "media/prepare.h"
#include "serving/request_error.h"
#include "serving/testing/media_fixture.h"

namespace pleiad::serving {
namespace {

using ::testing::HasSubstr;

PagesRequest pages_request(std::string content) {
  PagesRequest request;
  request.document.kind = MediaKind::document;
  request.document.field = "document";
  request.document.bytes = std::make_shared<const std::string>(std::move(content));
  return request;
}

class PageViewsTest : public MediaFixture {
 protected:
  PageViewsTest() {
    tools_.read_document = [this](auto bytes, auto name, const media::DocumentOptions& options,
                                  const auto& stop) {
      asked_ = options;
      return test_document(bytes, name, options, stop);
    };
  }
  media::DocumentOptions asked_;
};

TEST_F(PageViewsTest, AreSmallPicturesOfTheFirstPages) {
  PagesRequest request = pages_request("?\nblank\n?");
  request.most_pages = 500;
  Awaited<PageViews> drawn;
  const auto ticket = service().view_pages(request, drawn.callback());
  const PageViews views = drawn.value();
  EXPECT_EQ(asked_.pages, "1-");
  EXPECT_EQ(asked_.most_pages, kMostPageViews);
  EXPECT_EQ(asked_.pages_as, media::DocumentOptions::PagesAs::image);
  EXPECT_EQ(asked_.budget, 70);
  EXPECT_EQ(views.total_pages, 3);
  ASSERT_EQ(views.pages.size(), 3U);
  EXPECT_EQ(views.warnings, std::vector<std::string>{"document: page 1 is guessed"});
  EXPECT_EQ(views.pages[2].number, 3);
  EXPECT_EQ(views.pages[1].png, "");
  const std::string& png = views.pages[0].png;
  const auto again = media::prepare_picture(std::as_bytes(std::span(png)), {70}, {});
  ASSERT_TRUE(again.ok()) << again.message();
  EXPECT_EQ(again.value().original, (media::PictureSize{48, 96}));
  EXPECT_EQ(views.pages[0].size, (media::PictureSize{48, 96}));
}

TEST_F(PageViewsTest, TellWhyThereAreNone) {
  const auto problem = [&](const PagesRequest& request) {
    Awaited<PageViews> drawn;
    const auto ticket = service().view_pages(request, drawn.callback());
    return drawn.error();
  };
  PagesRequest late = pages_request("?");
  late.document.pages = "9";
  const ServiceError error = problem(late);
  EXPECT_EQ(error.code, ServiceError::Code::bad_request);
  EXPECT_EQ(error.message, "document: has no page 9");
  EXPECT_EQ(error.field, "document");
}

TEST_F(PageViewsTest, NeedWhatReadsPdf) {
  tools_.read_document = [](auto, auto, const auto&, const auto&) -> Result<media::Document> {
    throw media::MissingPrograms("cannot be read: pdftoppm is not installed here");
  };
  Awaited<PageViews> drawn;
  const auto ticket = service().view_pages(pages_request("?"), drawn.callback());
  const ServiceError error = drawn.error();
  EXPECT_EQ(error.code, ServiceError::Code::internal);
  EXPECT_EQ(error.message, "document: the document cannot be read: pdftoppm is not installed here");
}

TEST_F(PageViewsTest, AreGivenUpWhereNobodyWaits) {
  std::promise<void> begun;
  std::promise<void> given_up;
  tools_.read_document = [&](auto, auto, const auto&, const auto& stop) -> Result<media::Document> {
    begun.set_value();
    while (!stop()) std::this_thread::yield();
    given_up.set_value();
    return Failure{"was given up"};
  };
  Awaited<PageViews> drawn;
  const auto ticket = service().view_pages(pages_request("?"), drawn.callback());
  begun.get_future().wait();
  ticket->cancel();
  given_up.get_future().wait();
  EXPECT_EQ(drawn.error().code, ServiceError::Code::shutting_down);
}

}  // namespace
}  // namespace pleiad::serving
