// The rules of arrays.
#include <algorithm>

#include "constrain/schema/compiler.h"

namespace pleiad::constrain {
namespace {

/// Where a wanted item and a bound meet, each item is written out.
constexpr std::uint32_t kMostListedItems = 200;

Claims with_claim(Claims claims, const Claim& more) {
  if (std::ranges::find(claims, more) == claims.end()) claims.push_back(more);
  return claims;
}

}  // namespace

std::optional<Rule> SchemaCompiler::array(const Shape& shape) {
  ArrayForm form;
  const Counter count = counts(shape, "minItems", "maxItems");
  form.least = count.need;
  form.most = count.room;
  const std::size_t n_first = std::min<std::size_t>(n_first_items(context_, shape), form.most);
  for (std::size_t i = 0; i < n_first; ++i) {
    if (!context_.spend(1)) return std::nullopt;
    const Claims claims = item_claims(context_, shape, i);
    if (is_impossible(claims)) {
      form.most = std::min(form.most, static_cast<std::uint32_t>(i));
      break;
    }
    form.first.push_back({value(claims), std::nullopt});
  }
  const Claims rest = item_claims(context_, shape, std::nullopt);
  if (is_impossible(rest)) {
    form.most = std::min(form.most, static_cast<std::uint32_t>(form.first.size()));
  } else {
    form.rest = ItemForm{value(rest), std::nullopt};
  }
  if (context_.failed() || form.least > form.most) return std::nullopt;
  if (asks_for_unique(shape, form.most)) {
    for (const Json* schema : shape.schemas) {
      const Json* rule = context_.keyword(*schema, "uniqueItems");
      if (!rule || *rule != true) continue;
      context_.note(schema, "uniqueItems", "it cannot be enforced: items may be alike");
    }
  }
  if (!add_wanted_item(shape, form)) return std::nullopt;
  return writer_.array(form);
}

bool SchemaCompiler::asks_for_unique(const Shape& shape, std::uint32_t most) {
  return most > 1 && std::ranges::any_of(shape.schemas, [&](const Json* schema) {
           const Json* rule = context_.keyword(*schema, "uniqueItems");
           return rule && *rule == true;
         });
}

/// "contains". False where no array has such an item.
bool SchemaCompiler::add_wanted_item(const Shape& shape, ArrayForm& form) {
  Claims wanted;
  for (const auto& [claim, schema] : shape.some_item) wanted.push_back(claim);
  const auto note = [&](std::string_view why) {
    for (const Json* schema : shape.schemas) {
      if (context_.keyword(*schema, "contains")) context_.note(schema, "contains", why);
    }
    for (const auto& [claim, schema] : shape.some_item) context_.note(schema, "items", why);
  };
  for (const Json* schema : shape.schemas) {
    const Json* rule = context_.keyword(*schema, "contains");
    if (!rule) continue;
    const Json* least = context_.keyword(*schema, "minContains");
    if (context_.keyword(*schema, "maxContains")) {
      context_.note(schema, "maxContains", "this keyword is not supported");
    }
    if (least && *least == 0) continue;
    if (least && *least != 1) {
      context_.note(schema, "minContains", "only 0 and 1 are supported");
    }
    wanted.push_back({rule, true});
  }
  if (wanted.empty()) return true;
  if (wanted.size() > 1) note("only one item can be asked for at a time");
  form.wants_one = true;
  for (std::size_t i = 0; i < form.first.size(); ++i) {
    form.first[i].wanted = value(with_claim(item_claims(context_, shape, i), wanted[0]));
  }
  if (!form.rest) return true;
  form.rest->wanted = value(with_claim(item_claims(context_, shape, std::nullopt), wanted[0]));
  if (form.most == kUnbounded) return true;
  if (form.most > kMostListedItems) {
    note("it is not supported beside a large \"maxItems\"");
    form.wants_one = false;
    return true;
  }
  while (form.first.size() < form.most) form.first.push_back(*form.rest);
  form.rest.reset();
  return true;
}

}  // namespace pleiad::constrain
