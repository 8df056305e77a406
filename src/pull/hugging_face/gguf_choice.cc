#include "pull/hugging_face/gguf_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/ascii.h"
#include "base/text_format.h"
#include "pull/hugging_face/name_list.h"
#include "pull/hugging_face/projector_choice.h"
#include "store/gguf_file_name.h"
#include "tensor/dtype.h"

namespace pleiad::pull::hugging_face {
namespace {

/// A GGUF file that is a model, or the parts of one.
struct Candidate {
  std::string path;  // of the first part
  store::GgufFileName name;
  std::vector<HubFile> parts;  // in order
  std::string missing;         // a part that is not there; empty: all are
};

/// Files that help to make or to speed up a model, and are none.
bool is_helper(const std::string& file_name) {
  constexpr std::array kMarks = {"imatrix", "mtp-", "eagle3-", "dflash-", "dspark-"};
  const std::string lower = ascii_lower(file_name);
  return std::ranges::any_of(
      kMarks, [&](const char* mark) { return lower.find(mark) != std::string::npos; });
}

bool is_gguf(const HubFile& file) { return store::is_gguf_file_name(file_name_of(file.path)); }

/// The types of a GGUF's weights are those that the tensor room decodes, whatever is mixed with
/// them: "UD-Q4_K_XL" is Q4_K, "Q8_K_XL" Q8_0. A name that says nothing may be one.
bool is_read_here(std::string_view quantization) {
  std::string type = ascii_lower(quantization);
  if (type.empty()) return true;
  if (type.starts_with("ud-")) type.erase(0, 3);
  for (const std::string_view size : {"_xs", "_s", "_m", "_xl", "_l"}) {
    if (!type.ends_with(size)) continue;
    type.erase(type.size() - size.size());
    break;
  }
  if (type == "fp16") type = "f16";
  if (type == "q8_k") type = "q8_0";
  return dtype_from_name(type).has_value();
}

void add_parts(const std::vector<HubFile>& files, Candidate& candidate) {
  constexpr int kMostPartsOfModel = 1000;
  if (candidate.name.n_parts <= 1) return;
  candidate.parts.clear();
  if (candidate.name.n_parts > kMostPartsOfModel) {
    candidate.missing = fmt::format("one of {} parts", candidate.name.n_parts);
    return;
  }
  for (int part = 1; part <= candidate.name.n_parts; ++part) {
    const std::string path = fmt::format("{}{}-{:05}-of-{:05}.gguf", folder_of(candidate.path),
                                         candidate.name.stem, part, candidate.name.n_parts);
    const HubFile* found = find_file(files, path);
    if (found == nullptr) {
      candidate.missing = file_name_of(path);
      return;
    }
    candidate.parts.push_back(*found);
  }
}

std::vector<Candidate> candidates_of(const std::vector<HubFile>& files) {
  std::vector<Candidate> candidates;
  for (const HubFile& file : files) {
    const std::string file_name = file_name_of(file.path);
    if (!is_gguf(file) || is_helper(file_name)) continue;
    Candidate candidate{file.path, store::parse_gguf_file_name(file_name), {file}, {}};
    if (!candidate.name.is_model()) continue;
    add_parts(files, candidate);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

std::string type_of(const Candidate& candidate) {
  return candidate.name.quantization.empty() ? file_name_of(candidate.path)
                                             : candidate.name.quantization;
}

std::uint64_t bytes_of(const Candidate& candidate) {
  std::uint64_t bytes = 0;
  for (const HubFile& part : candidate.parts) bytes += part.size;
  return bytes;
}

/// The types of some, each once, by name.
std::string types_of(const std::vector<const Candidate*>& candidates) {
  std::set<std::string> types;
  for (const Candidate* candidate : candidates) types.insert(type_of(*candidate));
  return name_list({types.begin(), types.end()});
}

template <typename Predicate>
std::vector<const Candidate*> those(const std::vector<Candidate>& candidates, Predicate predicate) {
  std::vector<const Candidate*> result;
  for (const Candidate& candidate : candidates) {
    if (predicate(candidate)) result.push_back(&candidate);
  }
  return result;
}

bool reads(const Candidate& candidate) { return is_read_here(candidate.name.quantization); }

/// A part of it has that path.
bool has_path(const Candidate& candidate, const std::string& wanted) {
  return std::ranges::find(candidate.parts, wanted, &HubFile::path) != candidate.parts.end();
}

/// Its path or its file's name, with or without ".gguf", in any case; any part of it.
bool has_file_name(const Candidate& candidate, const std::string& wanted) {
  const std::string lower = ascii_lower(wanted);
  if (lower == ascii_lower(candidate.name.stem)) return true;
  return std::ranges::any_of(candidate.parts, [&](const HubFile& part) {
    return lower == ascii_lower(part.path) || lower == ascii_lower(file_name_of(part.path));
  });
}

/// `wanted` is its type; "Q4_K_XL" chooses "UD-Q4_K_XL" where nothing is called just so.
std::vector<const Candidate*> with_type(const std::vector<Candidate>& candidates,
                                        std::string_view wanted) {
  for (const char* before : {"", "ud-"}) {
    const std::string type = before + ascii_lower(wanted);
    auto found = those(candidates, [&](const Candidate& candidate) {
      return ascii_lower(candidate.name.quantization) == type;
    });
    if (!found.empty()) return found;
  }
  return {};
}

/// What to choose by, where a type does not tell alone.
Failure several(const std::vector<const Candidate*>& found, std::string_view what) {
  std::vector<std::string> names;
  for (const Candidate* candidate : found) {
    names.push_back(fmt::format("{} ({})", candidate->path, format_bytes(bytes_of(*candidate))));
  }
  return Failure{fmt::format("has {} models {}: name a file after the colon: {}", found.size(),
                             what, name_list(names))};
}

Failure none(const std::vector<HubFile>& files, const std::vector<Candidate>& candidates,
             const std::string& wanted) {
  const auto file = std::ranges::find_if(files, [&](const HubFile& one) {
    return one.path == wanted || file_name_of(one.path) == wanted;
  });
  if (file != files.end() && is_gguf(*file)) {
    return Failure{
        fmt::format("has {}, but that is no model: projectors come with the model that "
                    "they are for, other helpers are not used",
                    printable(file->path, 200))};
  }
  if (file != files.end()) {
    return Failure{fmt::format("has {}, but that is no GGUF file; :safetensors chooses a folder",
                               printable(file->path, 200))};
  }
  if (candidates.empty()) {
    return Failure{fmt::format("has no GGUF files, so '{}' chooses nothing", printable(wanted))};
  }
  return Failure{fmt::format("has no '{}'; there are: {}", printable(wanted),
                             types_of(those(candidates, [](const Candidate&) { return true; })))};
}

Result<const Candidate*> choose_named(const std::vector<HubFile>& files,
                                      const std::vector<Candidate>& candidates,
                                      const std::string& wanted) {
  auto found =
      those(candidates, [&](const Candidate& candidate) { return has_path(candidate, wanted); });
  if (found.empty()) found = with_type(candidates, wanted);
  if (found.empty()) {
    found = those(candidates,
                  [&](const Candidate& candidate) { return has_file_name(candidate, wanted); });
  }
  if (found.empty()) return none(files, candidates, wanted);
  if (found.size() > 1) return several(found, fmt::format("called '{}'", printable(wanted)));
  if (!reads(*found[0])) {
    const auto readable = those(candidates, reads);
    return Failure{fmt::format("has {} as {}, a type that Pleiad does not read; {}",
                               printable(found[0]->path, 200), found[0]->name.quantization,
                               readable.empty()
                                   ? "it has none that is read"
                                   : "it reads these of the repository: " + types_of(readable))};
  }
  return found[0];
}

Result<const Candidate*> choose_usual(const std::vector<Candidate>& candidates) {
  for (const char* type : {"Q4_K_M", "Q8_0"}) {
    const auto found = with_type(candidates, type);
    if (found.size() > 1) return several(found, fmt::format("of the type {}", type));
    if (found.size() == 1) return found[0];
  }
  auto readable = those(candidates, reads);
  if (readable.empty()) {
    return Failure{fmt::format("has GGUF models of types alone that Pleiad does not read: {}",
                               types_of(those(candidates, [](const Candidate&) { return true; })))};
  }
  const auto same_type = with_type(candidates, readable[0]->name.quantization);
  const bool tells = !readable[0]->name.quantization.empty() && same_type.size() == 1;
  if (readable.size() > 1 && !tells) return several(readable, "of no usual type");
  return readable[0];
}

/// What was left to choose, and how it was.
std::string why_this(const Candidate& chosen, const std::vector<Candidate>& candidates) {
  const auto others = those(candidates, [&](const Candidate& candidate) {
    return &candidate != &chosen && reads(candidate);
  });
  if (others.empty()) return {};
  return fmt::format("{}, since no type was named; others are there: {}", type_of(chosen),
                     types_of(others));
}

}  // namespace

bool has_gguf_models(const std::vector<HubFile>& files) { return !candidates_of(files).empty(); }

Result<Choice> choose_gguf(const std::vector<HubFile>& files, const std::string& wanted) {
  const std::vector<Candidate> candidates = candidates_of(files);
  if (candidates.empty() && wanted.empty()) return Failure{"has no GGUF files"};
  const auto chosen =
      wanted.empty() ? choose_usual(candidates) : choose_named(files, candidates, wanted);
  if (!chosen) return Failure{chosen.message()};
  const Candidate& model = *chosen.value();
  if (!model.missing.empty()) {
    return Failure{fmt::format("lacks {} of {}: it is not whole", printable(model.missing, 200),
                               printable(model.path, 200))};
  }
  Choice choice;
  choice.model = model.path;
  choice.type = model.name.quantization;
  choice.selector = choice.type.empty() || with_type(candidates, choice.type).size() > 1
                        ? model.path
                        : choice.type;
  if (wanted.empty()) {
    choice.why = why_this(model, candidates);
    const auto unread =
        those(candidates, [](const Candidate& candidate) { return !reads(candidate); });
    if (!unread.empty()) {
      choice.left_out.push_back(
          fmt::format("{}: types that Pleiad does not read", types_of(unread)));
    }
  }
  ProjectorChoice projector = choose_projector(files, model.path);
  if (projector.file) choice.files.push_back(*projector.file);
  if (!projector.left_out.empty()) choice.left_out.push_back(std::move(projector.left_out));
  // The first part is the one that a model is opened by.
  choice.files.insert(choice.files.end(), model.parts.rbegin(), model.parts.rend());
  return choice;
}

}  // namespace pleiad::pull::hugging_face
