#include "pull/transfer_json.h"

#include <utility>

namespace pleiad::pull {

Json offer_json(const Offer& offer) {
  Json files = Json::array();
  for (const OfferedFile& file : offer.files) {
    files.push_back({{"what", file.what},
                     {"digest", file.digest},
                     {"size", file.bytes},
                     {"at_hand", file.at_hand}});
  }
  return {{"status", "pulling manifest"}, {"name", offer.name},        {"host", offer.host},
          {"revision", offer.revision},   {"chosen", offer.chosen},    {"type", offer.type},
          {"license", offer.license},     {"size", offer.bytes()},     {"at_hand", offer.at_hand()},
          {"files", std::move(files)},    {"left_out", offer.left_out}};
}

Json progress_json(const Progress& progress) {
  Json json = {{"status", progress.status}};
  if (progress.total == 0) return json;
  json["digest"] = progress.digest;
  json["total"] = progress.total;
  json["completed"] = progress.completed;
  return json;
}

}  // namespace pleiad::pull
