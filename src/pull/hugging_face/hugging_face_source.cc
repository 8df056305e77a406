#include "pull/hugging_face/hugging_face_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/check.h"
#include "base/error.h"
#include "base/text_format.h"
#include "download/disk_room.h"
#include "pull/hugging_face/cache.h"
#include "pull/hugging_face/choice.h"
#include "pull/hugging_face/file_fetch.h"
#include "pull/hugging_face/hub.h"
#include "pull/hugging_face/name_list.h"
#include "store/hugging_face.h"
#include "store/small_file.h"

namespace pleiad::pull {

namespace fs = std::filesystem;
namespace hf = hugging_face;

namespace {

constexpr const char* kMainRevision = "main";

/// What an offer was made of.
struct HubPlan : Offer::Plan {
  std::string repository;
  std::string revision;  // as it was asked for: "main"
  std::string commit;
  hf::Choice choice;
  bool is_all_there = false;  // nothing has to be asked
};

/// The hub that the options name. Failures name what is wrong with them.
Result<hf::Hub> hub_of(download::Session& session, const HuggingFaceOptions& options) {
  auto endpoint = hf::Endpoint::parse(options.endpoint);
  if (!endpoint) return Failure{"HF_ENDPOINT: " + endpoint.message()};
  const std::string token(ascii_trimmed(options.token));
  const bool is_sendable = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_sendable) {
    return Failure{
        "the token for Hugging Face (HF_TOKEN, or the file that `hf auth login` wrote) has a "
        "character that no token has: expected one line as hf_..."};
  }
  return hf::Hub(session, std::move(endpoint).value(), token);
}

/// What the catalogue calls a model that lies in the cache: a file, or a folder.
Result<std::string> name_in_catalogue(const fs::path& hub, const fs::path& model) {
  std::error_code error, ignored;
  const fs::path target = fs::canonical(model, error);
  std::string same_file;  // of another revision
  for (const store::ModelEntry& entry : store::scan_hugging_face(hub)) {
    if (entry.path == model) return entry.name;
    if (same_file.empty() && !error && fs::canonical(entry.path, ignored) == target) {
      same_file = entry.name;
    }
  }
  if (!same_file.empty()) return same_file;
  return Failure{fmt::format("{}: it is there, but is not found as a model", model.string())};
}

/// A file's bytes as a digest that tells files apart.
std::string digest_of(const hf::HubFile& file) {
  if (!file.sha256.empty()) return "sha256:" + file.sha256;
  return "etag:" + (file.git_id.empty() ? file.path : file.git_id);
}

Offer make_offer(const hf::Cache& cache, const hf::Endpoint& endpoint,
                 std::shared_ptr<HubPlan> plan) {
  Offer offer;
  ModelReference pinned;
  pinned.place = Place::hugging_face;
  pinned.repository = plan->repository;
  pinned.revision = plan->commit;
  pinned.choice = plan->choice.selector;
  offer.name = pinned.text();
  offer.host = endpoint.host;
  offer.revision = plan->commit;
  offer.type = plan->choice.type;
  offer.chosen = plan->choice.why;
  offer.destination = cache.folder();
  offer.left_out = plan->choice.left_out;
  for (const hf::HubFile& file : plan->choice.files) {
    offer.files.push_back(
        {file.path, digest_of(file), file.size, cache.at_hand(plan->commit, file)});
  }
  offer.plan = std::move(plan);
  return offer;
}

/// Reads small files of a revision, checked.
hf::ReadFile reader_of(const hf::Hub& hub, const std::string& repository, const std::string& commit,
                       const Stop& stop) {
  return [&hub, repository, commit, stop](const hf::HubFile& file) {
    return hub.read_file(repository, commit, file, stop);
  };
}

/// Of a snapshot.
hf::ReadFile reader_of(const fs::path& snapshot) {
  return [snapshot](const hf::HubFile& file) {
    return store::read_small_file(snapshot / file.path, static_cast<std::size_t>(file.size));
  };
}

/// What the cache has of a repository that may not be asked for.
Result<Offer> offer_offline(const hf::Cache& cache, const hf::Endpoint& endpoint,
                            const ModelReference& reference, const std::string& revision) {
  const auto fail = [&](const std::string& why) {
    return Failure{fmt::format("HF_HUB_OFFLINE is set, so {} is not asked, and {} {}",
                               endpoint.host, cache.folder().string(), why)};
  };
  const auto commit = cache.commit_of(revision);
  if (!commit) return fail(fmt::format("has no revision '{}'", printable(revision)));
  const auto files = cache.files_of(*commit);
  if (files.empty()) return fail(fmt::format("has no files of the commit {}", *commit));
  auto choice = hf::choose_files(files, reference.choice, reader_of(cache.snapshot(*commit)));
  if (!choice) return fail(fmt::format("(commit {}) {}", *commit, choice.message()));
  auto plan = std::make_shared<HubPlan>();
  plan->repository = reference.repository;
  plan->revision = revision;
  plan->commit = *commit;
  plan->choice = std::move(choice).value();
  plan->is_all_there = true;
  Offer offer = make_offer(cache, endpoint, plan);
  offer.left_out.push_back("what the repository may have beyond this: HF_HUB_OFFLINE is set");
  return offer;
}

/// Why what is still to come of all files does not fit the disk.
std::optional<download::Problem> find_no_room(const Offer& offer) {
  const std::uint64_t missing = offer.bytes() - std::min(offer.bytes(), offer.at_hand());
  return download::find_no_room(offer.destination / "blobs", missing);
}

}  // namespace

HuggingFaceSource::HuggingFaceSource(download::Session& session, HuggingFaceOptions options)
    : session_(session), options_(std::move(options)) {}

Result<Offer> HuggingFaceSource::offer(const ModelReference& reference, const Stop& stop) {
  if (options_.cache.empty()) {
    return Failure{
        "there is no place for models of Hugging Face: set HF_HUB_CACHE, HF_HOME or HOME"};
  }
  auto hub = hub_of(session_, options_);
  if (!hub) return Failure{hub.message()};
  const hf::Endpoint& endpoint = hub.value().endpoint();
  const std::string revision = reference.revision.empty() ? kMainRevision : reference.revision;
  const hf::Cache cache(options_.cache, reference.repository);
  if (options_.offline) return offer_offline(cache, endpoint, reference, revision);

  auto info = hub.value().find_revision(reference.repository, revision, stop);
  if (!info) return Failure{info.message()};
  const std::string& commit = info.value().commit;
  auto listing = hub.value().list_files(reference.repository, revision, commit, stop);
  if (!listing) return Failure{listing.message()};
  auto choice = hf::choose_files(listing.value().files, reference.choice,
                                 reader_of(hub.value(), reference.repository, commit, stop));
  if (!choice) {
    return Failure{
        fmt::format("{} ({}) {}", reference.repository, endpoint.host, choice.message())};
  }
  if (!listing.value().refused.empty()) {
    choice.value().left_out.push_back("files whose names cannot become paths: " +
                                      hf::name_list(listing.value().refused));
  }
  auto plan = std::make_shared<HubPlan>();
  plan->repository = reference.repository;
  plan->revision = revision;
  plan->commit = commit;
  plan->choice = std::move(choice).value();
  // A gated repository lists its files to everybody, and gives them to some.
  const hf::HubFile& largest =
      *std::ranges::max_element(plan->choice.files, {}, &hf::HubFile::size);
  if (!cache.has(commit, largest)) {
    const auto may = hub.value().check_file(reference.repository, commit, largest, stop);
    if (!may) return Failure{may.message()};
  }
  Offer offer = make_offer(cache, endpoint, std::move(plan));
  offer.license = info.value().license;
  if (const auto problem = find_no_room(offer)) {
    return Failure{fmt::format("{} does not fit the disk: {}", reference.text(), problem->message)};
  }
  return offer;
}

Result<TransferResult> HuggingFaceSource::fetch(const Offer& offer, const ProgressSink& sink,
                                                const Stop& stop) {
  const auto plan = std::dynamic_pointer_cast<const HubPlan>(offer.plan);
  CHECK(plan != nullptr, "an offer of another source: {}", offer.name);
  const hf::Cache cache(options_.cache, plan->repository);
  const fs::path model = cache.snapshot(plan->commit) / plan->choice.model;
  const fs::path path = plan->choice.model.empty() ? cache.snapshot(plan->commit) : model;
  const auto result = [&]() -> Result<TransferResult> {
    auto name = name_in_catalogue(options_.cache, path);
    if (!name) return Failure{name.message()};
    return TransferResult{std::move(name).value(), offer.left_out};
  };
  if (plan->is_all_there) return result();
  auto hub = hub_of(session_, options_);
  if (!hub) return Failure{hub.message()};
  try {
    cache.make_folders();
    if (const auto problem = find_no_room(offer)) return Failure{problem->message};
    const hf::FileFetch files(session_, hub.value(), cache, plan->repository, plan->commit);
    for (std::size_t i = 0; i < offer.files.size(); ++i) {
      const auto done = files.fetch(plan->choice.files[i], offer.files[i].digest, sink, stop);
      if (!done) return Failure{done.message()};
    }
    sink({"writing manifest", {}, 0, 0});
    for (const hf::HubFile& file : plan->choice.files) cache.link(plan->commit, file);
    cache.set_revision(plan->revision, plan->commit);
  } catch (const Error& error) {
    return Failure{error.what()};
  }
  return result();
}

}  // namespace pleiad::pull
