#include "kubexms/apiserver/read/object_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/stored_object.h"
#include "kubexms/apiserver/resources/conversion.h"
#include "kubexms/base/json/json_reader.h"
#include "kubexms/base/text/base64.h"

namespace kubexms {
namespace {

constexpr std::string_view kTokenVersion = "meta.k8s.io/v1";
// The revision in a token that continues in the newest state.
constexpr int64_t kNewest = -1;
// The records read at a time when a filter may omit most of them.
constexpr size_t kFilteredPage = 1000;

// Canonical bytes start with the version in which the object is stored.
bool IsStoredAs(std::string_view bytes, const Resource& resource) {
  const auto take = [&bytes](std::string_view text) {
    if (!bytes.starts_with(text)) return false;
    bytes.remove_prefix(text.size());
    return true;
  };
  if (!take(R"({"apiVersion":")")) return false;
  if (!resource.group.empty() && !(take(resource.group) && take("/"))) return false;
  return take(resource.version) && take("\"");
}

// Whether defaults may have been added to the definition since the object was stored.
bool MayLackDefaults(const Resource& resource, const store::Record& record) {
  return resource.defaults_revision != 0 && record.mod_revision <= resource.defaults_revision;
}

// A token with kNewest continues with the objects as they are when it is used.
std::string EncodeToken(const store::ListCursor& cursor, size_t prefix) {
  const bool newest = cursor.revision == store::kLatest;
  return EncodeBase64(WriteJson(JsonObject{{"v", kTokenVersion},
                                           {"rv", newest ? Json(kNewest) : Json(cursor.revision)},
                                           {"start", cursor.after.substr(prefix)},
                                           {"left", cursor.remaining}}),
                      Base64Form::kUrl);
}

Result<store::ListCursor> DecodeToken(std::string_view token, const std::string& prefix) {
  const auto invalid = [](std::string_view why) {
    return Error::BadRequest(
        fmt::format("invalid continue token: continue key is not valid: {}", why));
  };
  const Result<std::string> text = DecodeBase64(token, Base64Form::kUrl);
  if (!text.ok()) return invalid(text.error().message());
  const Result<Json> json = ParseJson(*text);
  if (!json.ok()) return invalid(json.error().message());
  const Json* revision = FindMember(*json, "rv");
  const Json* left = FindMember(*json, "left");
  if (FindString(*json, "v") != kTokenVersion || revision == nullptr || !revision->is_int64() ||
      (revision->get_int64() <= 0 && revision->get_int64() != kNewest) || left == nullptr ||
      !left->is_int64() || left->get_int64() < 0) {
    return invalid("it was not created by this server");
  }
  const bool newest = revision->get_int64() == kNewest;
  return store::ListCursor{
      .revision = newest ? store::kLatest : static_cast<uint64_t>(revision->get_int64()),
      .after = prefix + std::string(FindString(*json, "start")),
      .remaining = static_cast<uint64_t>(left->get_int64())};
}

Error ContinueExpired() {
  return Error::Expired(
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter, or use the continue token in this response "
      "to retrieve the remainder of the results. Continuing with the provided token results in an "
      "inconsistent list - objects that were created, modified, or deleted between the time the "
      "first chunk was returned and now may show up in the list.");
}

// The revision that a list reads.
Result<uint64_t> SnapshotOf(const ListQuery& query, store::Store& store) {
  if (query.version.IsUnset() || query.version.IsAny()) return store::kLatest;
  const bool exact = query.match == VersionMatch::kExact ||
                     (query.match == VersionMatch::kUnset && query.limit > 0);
  if (exact) return query.version.number();
  ASSIGN_OR_RETURN(const uint64_t current, store.CurrentRevision());
  if (query.version.number() > current) {
    return store::FutureRevisionError(query.version.number(), current);
  }
  return store::kLatest;
}

Result<void> FindObject(std::string_view value) {
  ASSIGN_OR_RETURN(const simdjson::dom::element root, JsonReader::Read(value));
  std::string_view name;
  if (root.at_key("metadata").at_key("name").get(name) == simdjson::SUCCESS) return {};
  return Error::Internal("metadata.name is missing");
}

Error DamagedError(const store::Record& record, std::string_view why) {
  return Error::Internal(
      fmt::format("the stored object {} is damaged: {}; delete it, or restore the store from a "
                  "backup",
                  record.key, why));
}

Result<Json> ReadAsStored(const Resource& resource, const store::Record& record,
                          const JsonStorage& storage) {
  Result<Json> document = ParseJson(record.value, {.storage = storage});
  if (!document.ok()) return DamagedError(record, document.error().message());
  if (!IsStoredAs(record.value, resource)) {
    const Result<void> converted = ConvertDocument(*document, resource);
    if (!converted.ok()) return DamagedError(record, converted.error().message());
  }
  return document;
}

}  // namespace

Result<void> CheckIntact(const store::Record& record) {
  using Integrity = store::Record::Integrity;
  if (record.integrity() == Integrity::kIntact) return {};
  const Result<void> found = FindObject(record.value);
  if (!found.ok()) return DamagedError(record, found.error().message());
  record.SetIntegrity(Integrity::kIntact);
  return {};
}

Result<void> ConvertDocument(Json& document, const Resource& resource) {
  if (FindString(document, "apiVersion") == resource.api_version()) return {};
  if (!resource.custom) return ConvertBuiltin(document.get_object(), resource.api_version());
  document.get_object()["apiVersion"] = resource.api_version();
  return {};
}

Result<Json> ReadDocument(const Resource& resource, const store::Record& record,
                          const JsonStorage& storage) {
  RETURN_IF_ERROR(CheckIntact(record));
  ASSIGN_OR_RETURN(Json document, ReadAsStored(resource, record, storage));
  if (!MayLackDefaults(resource, record)) return document;
  const size_t limit = store::kMaxTransactionBytes;
  if (ApplyDefaults(document, *resource.schema, limit).ok()) return document;
  // With the new defaults of its definition the object would be too large: it is read without.
  return ReadAsStored(resource, record, storage);
}

Result<SharedBytes> ReadBytes(const Resource& resource, store::RecordPtr record) {
  RETURN_IF_ERROR(CheckIntact(*record));
  const std::string_view value = record->value;
  const bool unchanged = IsStoredAs(value, resource) && !MayLackDefaults(resource, *record);
  if (unchanged) return SharedBytes(std::move(record), value);
  ASSIGN_OR_RETURN(const Json document, ReadDocument(resource, *record));
  return SharedBytes(WriteJson(document));
}

Result<SharedBytes> ReadBytesAndComma(const Resource& resource, store::RecordPtr record) {
  RETURN_IF_ERROR(CheckIntact(*record));
  const std::string_view value_and_comma = record->value_and_comma();
  const bool unchanged = IsStoredAs(record->value, resource) && !MayLackDefaults(resource, *record);
  if (unchanged) return SharedBytes(std::move(record), value_and_comma);
  ASSIGN_OR_RETURN(const Json document, ReadDocument(resource, *record));
  return SharedBytes(WriteJson(document) + ",");
}

Result<std::string> ConvertBytes(const Resource& resource, std::string stored) {
  if (IsStoredAs(stored, resource)) return stored;
  ASSIGN_OR_RETURN(Json document, ParseJson(stored));
  RETURN_IF_ERROR(ConvertDocument(document, resource));
  return WriteJson(document);
}

std::string TokenForNewest(std::string_view continue_token) {
  Result<store::ListCursor> cursor = DecodeToken(continue_token, "");
  if (!cursor.ok()) return "";
  cursor->revision = store::kLatest;
  return EncodeToken(*cursor, 0);
}

Result<ObjectFilter> ObjectFilter::Make(const Resource& resource, const ListQuery& query) {
  ObjectFilter filter;
  filter.labels_ = query.labels;
  filter.fields_ = query.fields;
  for (const FieldSelector::Term& term : query.fields.terms()) {
    const bool known = term.field == "metadata.name" ||
                       (term.field == "metadata.namespace" && resource.namespaced) ||
                       std::ranges::count(resource.selectable_fields, term.field) > 0;
    if (!known) {
      return Error::BadRequest(fmt::format("field label not supported: {}", term.field));
    }
    const SelectableField& place =
        filter.places_.emplace_back(FindSelectableField(resource, term.field));
    filter.paths_.push_back(place.path);
    filter.paths_.push_back(place.fallback_path);
  }
  return filter;
}

bool ObjectFilter::Matches(const store::Record& record) const {
  if (IsEverything()) return true;
  const Result<ObjectHeader> header = ReadHeader(record.value, paths_);
  if (!header.ok() || !labels_.Matches(header->labels)) return false;
  size_t term = 0;
  return fields_.Matches([&](std::string_view) -> std::string_view {
    const size_t i = term++;
    if (!header->fields[2 * i].empty()) return header->fields[2 * i];
    if (!header->fields[2 * i + 1].empty()) return header->fields[2 * i + 1];
    return places_[i].zero;
  });
}

bool ObjectReader::IsSound(const Resource& resource, const store::Record& record) const {
  using Integrity = store::Record::Integrity;
  if (record.integrity() == Integrity::kCorrupt) return false;
  const bool converted = !resource.custom && !IsStoredAs(record.value, resource);
  if (record.integrity() == Integrity::kIntact && !converted) return true;
  Result<void> sound = CheckIntact(record);
  if (sound.ok() && converted) {
    const Result<Json> document = ReadDocument(resource, record);
    if (!document.ok()) sound = document.error();
  }
  if (!sound.ok()) {
    record.SetIntegrity(Integrity::kCorrupt);
    log_.Error("a stored object is damaged and omitted from lists and watches",
               {{"key", record.key}, {"error", sound.error().message()}});
  }
  return sound.ok();
}

void ObjectReader::SeparateDamaged(const Resource& resource, ObjectList& list) const {
  const auto sound = [&](const store::RecordPtr& record) { return IsSound(resource, *record); };
  if (std::ranges::all_of(list.records, sound)) return;
  const auto damaged = std::ranges::stable_partition(list.records, sound);
  list.damaged.assign(damaged.begin(), damaged.end());
  list.records.erase(damaged.begin(), damaged.end());
}

Result<store::RecordPtr> ObjectReader::Get(const Resource& resource,
                                           std::string_view namespace_name, std::string_view name,
                                           const ResourceVersion& version) const {
  if (!version.IsUnset() && !version.IsAny()) {
    ASSIGN_OR_RETURN(const uint64_t current, store_.CurrentRevision());
    if (version.number() > current) return store::FutureRevisionError(version.number(), current);
  }
  ASSIGN_OR_RETURN(
      store::RecordPtr record,
      store_.Get(StorageKey(resource, resource.namespaced ? namespace_name : "", name)));
  if (record == nullptr) return Error::NotFound(resource.qualified_name(), name);
  return record;
}

Result<ObjectList> ObjectReader::List(const Resource& resource, std::string_view namespace_name,
                                      const ListQuery& query, const ObjectFilter& filter) const {
  store::ListOptions options{.prefix = StoragePrefix(resource, namespace_name),
                             .limit = query.limit};
  if (filter.RequiredName() && (!namespace_name.empty() || !resource.namespaced)) {
    options.prefix += *filter.RequiredName();
  }
  if (query.continue_token.empty()) {
    ASSIGN_OR_RETURN(options.revision, SnapshotOf(query, store_));
  } else {
    ASSIGN_OR_RETURN(options.cursor, DecodeToken(query.continue_token, options.prefix));
    if (options.cursor->revision == store::kLatest) {
      ASSIGN_OR_RETURN(options.cursor->revision, store_.CurrentRevision());
    }
  }
  Result<store::ListPage> page =
      filter.IsEverything() ? store_.List(options) : ReadFiltered(resource, options, filter);
  if (!page.ok()) {
    const bool expired = page.error().IsExpired() && !query.continue_token.empty();
    return expired ? ContinueExpired() : page.error();
  }
  ObjectList list{.records = std::move(page->records), .revision = page->revision};
  if (filter.IsEverything()) SeparateDamaged(resource, list);
  if (page->next) {
    list.continue_token = EncodeToken(*page->next, options.prefix.size());
    if (filter.IsEverything()) list.remaining_count = page->next->remaining;
  }
  return list;
}

Result<store::ListPage> ObjectReader::ReadFiltered(const Resource& resource,
                                                   store::ListOptions options,
                                                   const ObjectFilter& filter) const {
  const size_t limit = options.limit;
  if (limit > 0) options.limit = std::max(limit, kFilteredPage);
  store::ListPage matching;
  for (;;) {
    ASSIGN_OR_RETURN(store::ListPage page, store_.List(options));
    matching.revision = page.revision;
    matching.next = page.next;
    for (size_t i = 0; i < page.records.size(); ++i) {
      if (!IsSound(resource, *page.records[i]) || !filter.Matches(*page.records[i])) continue;
      matching.records.push_back(page.records[i]);
      if (limit == 0 || matching.records.size() < limit) continue;
      const uint64_t left = page.records.size() - i - 1 + (page.next ? page.next->remaining : 0);
      matching.next.reset();
      if (left > 0) matching.next = {page.revision, std::string(page.records[i]->key), left};
      return matching;
    }
    if (!page.next) return matching;
    options.cursor = page.next;
  }
}

}  // namespace kubexms
