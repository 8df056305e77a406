#include "apps/run/find_or_pull.h"

#include "apps/common/catalog.h"
#include "apps/common/confirm.h"
#include "apps/common/interrupt.h"
#include "apps/common/model_location.h"
#include "apps/common/output.h"
#include "apps/pull/pull_model.h"
#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

/// The reference to pull; nothing where the model is at hand (however broken), or its name is that
/// of a file.
std::optional<pull::ModelReference> missing_model(const std::string& argument,
                                                  const Environment& environment) {
  const auto reference = pull::ModelReference::parse(argument);
  if (!reference || reference.value().place == pull::Place::path) return std::nullopt;
  if (argument == "demo" || store::Catalog(catalog_options(environment)).find(argument)) {
    return std::nullopt;
  }
  return reference.value();
}

}  // namespace

store::ModelEntry find_or_pull(const std::string& argument, const Environment& environment,
                               const std::function<bool(const std::string&)>& ask) {
  try {
    return find_model_entry(argument, environment);
  } catch (const Error& error) {
    const auto reference = missing_model(argument, environment);
    if (!reference) throw;
    if (!can_ask()) {
      throw Error("{}\n`pleiad pull {}` asks {} for it", error.what(), printable(argument, 300),
                  reference->host());
    }
    print_note(fmt::format("{}\n", error.what()));
    const Transferred pulled = pull_model(*reference, {.ask = ask}, environment);
    if (pulled.end == Transferred::End::stopped) throw Interrupted();
    if (pulled.end == Transferred::End::declined) throw;
    return find_model_entry(pulled.name, environment);
  }
}

}  // namespace pleiad::apps
