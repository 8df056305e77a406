#include "pull/hugging_face/hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "base/text_format.h"
#include "digest/sha256.h"
#include "download/response_headers.h"
#include "pull/hugging_face/git_blob_id.h"

namespace pleiad::pull::hugging_face {
namespace {

constexpr std::size_t kLongestAnswer = std::size_t{16} << 20;
constexpr std::size_t kMostPages = 100;
constexpr std::size_t kMostListed = 20'000;
constexpr int kMostMoves = 5;

bool is_redirect(int status) { return status >= 300 && status < 400 && status != 304; }

/// What a header says of a file differs from the list.
std::string mismatch(const Endpoint& hub, const HubFile& file, std::string_view what,
                     std::string_view found, std::string_view listed) {
  return fmt::format("{} says that {} has the {} {}, but lists it with {}: ask again, or elsewhere",
                     hub.host, printable(file.path, 200), what, printable(found), listed);
}

/// Whether the headers of a file agree with the list; those that a mirror leaves out do. Empty:
/// they do.
std::string header_problem(const Endpoint& hub, const std::string& commit, const HubFile& file,
                           const download::Reply& reply) {
  const std::string_view its_commit = reply.header("X-Repo-Commit");
  if (!its_commit.empty() && its_commit != commit) {
    return mismatch(hub, file, "commit", its_commit, commit);
  }
  std::string_view tag = reply.header("X-Linked-Etag");
  if (tag.empty() && reply.status == 200 && file.sha256.empty()) tag = reply.header("ETag");
  const auto etag = download::parse_entity_tag(tag);
  // Mirrors may have tags of their own, which tell nothing.
  const bool tells = etag && (is_hex(etag->opaque, 40) || is_hex(etag->opaque, 64));
  if (tells && etag->opaque != file.etag()) {
    return mismatch(hub, file, "ETag", etag->opaque, file.etag());
  }
  const std::string_view size = reply.header("X-Linked-Size");
  if (!size.empty() && size != fmt::to_string(file.size)) {
    return mismatch(hub, file, "size", size, fmt::to_string(file.size));
  }
  return {};
}

/// A link that the header names but nobody can read would leave files out.
bool may_name_next(std::string_view link) { return link.find("next") != std::string_view::npos; }

}  // namespace

Hub::Hub(download::Session& session, Endpoint endpoint, std::string token)
    : session_(session), endpoint_(std::move(endpoint)), token_(std::move(token)) {}

std::string Hub::authorization() const { return token_.empty() ? "" : "Bearer " + token_; }

Question Hub::question(const std::string& repository, const std::string& revision,
                       const std::string& file) const {
  return {repository, revision, file, !token_.empty()};
}

std::string Hub::file_url(const std::string& repository, const std::string& commit,
                          const std::string& path) const {
  return endpoint_.url(fmt::format("/{}/resolve/{}/{}", repository, commit, escaped_path(path)));
}

Result<download::Reply> Hub::get(const std::string& url, const Question& asked,
                                 const download::Stop& stop) const {
  download::Call call;
  call.url = url;
  call.authorization = authorization();
  call.max_bytes = kLongestAnswer;
  auto reply = session_.call(call, stop);
  if (!reply) return Failure{reply.message()};
  if (reply.value().status == 200) return std::move(reply).value();
  return Failure{explain_refusal(endpoint_, asked, reply.value())};
}

Result<RepositoryInfo> Hub::find_revision(const std::string& repository,
                                          const std::string& revision,
                                          const download::Stop& stop) const {
  const std::string url =
      endpoint_.url(fmt::format("/api/models/{}/revision/{}", repository, escaped_part(revision)));
  const auto reply = get(url, question(repository, revision), stop);
  if (!reply) return Failure{reply.message()};
  auto info = parse_repository_info(reply.value().body);
  if (info) return info;
  return Failure{fmt::format("{}: what {} says of {} {}; is it a hub of models?", url,
                             endpoint_.host, repository, info.message())};
}

Result<Listing> Hub::list_files(const std::string& repository, const std::string& revision,
                                const std::string& commit, const download::Stop& stop) const {
  Listing listing;
  std::string url =
      endpoint_.url(fmt::format("/api/models/{}/tree/{}?recursive=true", repository, commit));
  for (std::size_t n_pages = 0; !url.empty(); ++n_pages) {
    const auto fail = [&](const std::string& why) {
      return Failure{
          fmt::format("{}: the list of the files of {} {}", endpoint_.host, repository, why)};
    };
    if (n_pages == kMostPages) return fail(fmt::format("has more than {} pages", kMostPages));
    const auto reply = get(url, question(repository, revision), stop);
    if (!reply) return Failure{reply.message()};
    auto page = parse_tree_page(reply.value().body);
    if (!page) return fail(page.message());
    std::ranges::move(page.value().files, std::back_inserter(listing.files));
    std::ranges::move(page.value().refused, std::back_inserter(listing.refused));
    if (listing.files.size() + listing.refused.size() > kMostListed) {
      return fail(fmt::format("has more than {} files", format_count(kMostListed)));
    }
    const std::string_view link = reply.value().header("Link");
    const std::string next = download::parse_link(link, "next");
    if (next.empty() && may_name_next(link)) {
      return fail(fmt::format("has a Link header that cannot be read: {}", printable(link)));
    }
    if (next.empty()) break;
    auto own = endpoint_.own_url(next);
    if (!own) return fail(own.message());
    url = std::move(own).value();
  }
  std::ranges::sort(listing.files, {}, &HubFile::path);
  const auto twice = std::ranges::adjacent_find(listing.files, {}, &HubFile::path);
  if (twice == listing.files.end()) return listing;
  return Failure{fmt::format("{}: the list of the files of {} has '{}' twice", endpoint_.host,
                             repository, printable(twice->path, 200))};
}

Result<bool> Hub::check_file(const std::string& repository, const std::string& commit,
                             const HubFile& file, const download::Stop& stop) const {
  const Question asked = question(repository, commit, file.path);
  download::Call call;
  call.method = "HEAD";
  call.url = file_url(repository, commit, file.path);
  call.authorization = authorization();
  // What a hub says of a file stands in the answer that leads to where its bytes are.
  call.follow_redirects = false;
  for (int n_moves = 0; n_moves <= kMostMoves; ++n_moves) {
    auto answer = session_.call(call, stop);
    if (!answer) return Failure{answer.message()};
    const download::Reply& reply = answer.value();
    if (reply.status != 200 && !is_redirect(reply.status)) {
      return Failure{explain_refusal(endpoint_, asked, reply)};
    }
    std::string problem = header_problem(endpoint_, commit, file, reply);
    if (!problem.empty()) return Failure{std::move(problem)};
    const bool tells = !reply.header("X-Linked-Etag").empty() || reply.status == 200;
    if (tells) return true;
    // A repository that was renamed, a file that the hub has elsewhere: still the hub's own. What
    // is of another host has only the bytes, and so has huggingface.co where a mirror leads there.
    const auto next = endpoint_.own_url(reply.header("Location"));
    if (!next || next.value() == call.url) return true;
    call.url = next.value();
  }
  return Failure{fmt::format("{} leads from one address to the next for {}, more than {} times",
                             endpoint_.host, printable(file.path, 200), kMostMoves)};
}

Result<std::string> Hub::read_file(const std::string& repository, const std::string& commit,
                                   const HubFile& file, const download::Stop& stop) const {
  auto reply =
      get(file_url(repository, commit, file.path), question(repository, commit, file.path), stop);
  if (!reply) return Failure{reply.message()};
  std::string& body = reply.value().body;
  const bool is_it =
      file.sha256.empty() ? git_blob_id(body) == file.git_id : sha256_hex(body) == file.sha256;
  if (is_it) return std::move(body);
  return Failure{fmt::format("{} gives other bytes for {} than it lists", endpoint_.host,
                             printable(file.path, 200))};
}

}  // namespace pleiad::pull::hugging_face
