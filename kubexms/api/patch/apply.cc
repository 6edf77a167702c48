#include "kubexms/api/patch/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "kubexms/api/patch/managed_fields.h"
#include "kubexms/api/values/quote.h"

namespace kubexms {
namespace {

constexpr std::string_view kApply = "Apply";
constexpr std::string_view kUpdate = "Update";
constexpr std::string_view kFieldsV1 = "FieldsV1";
constexpr std::string_view kBeforeFirstApply = "before-first-apply";
constexpr std::string_view kAncientChanges = "ancient-changes";

// Client-side apply of kubectl stores the configuration in an annotation. When kubectl changes to
// server-side apply, this manager becomes the owner of the fields that client-side apply had set.
constexpr std::string_view kKubectl = "kubectl";
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr size_t kMaxAnnotationBytes = 256 * 1024;

constexpr std::string_view kNeverOwned[] = {"apiVersion", "kind", "metadata"};
constexpr std::string_view kNeverOwnedMetadata[] = {"clusterName",
                                                    "creationTimestamp",
                                                    "deletionGracePeriodSeconds",
                                                    "deletionTimestamp",
                                                    "generation",
                                                    "managedFields",
                                                    "name",
                                                    "namespace",
                                                    "resourceVersion",
                                                    "selfLink",
                                                    "uid"};

void StripNeverOwned(FieldSet& set) {
  set.ChangeBelow(PathElement::Field("metadata"), [](FieldSet& metadata) {
    for (const std::string_view name : kNeverOwnedMetadata) {
      metadata.EraseMember(PathElement::Field(name));
    }
  });
  for (const std::string_view name : kNeverOwned) set.EraseMember(PathElement::Field(name));
}

// One entry of metadata.managedFields. Decodes its fields on first use, and encodes them again only
// if they changed.
class Entry {
 public:
  explicit Entry(Json json) : json_(std::move(json)) {}
  Entry(std::string_view operation, const FieldManagerOptions& options, const JsonStorage& storage)
      : json_(JsonObject(storage)) {
    JsonObject& object = json_.get_object();
    object.emplace("manager", options.manager);
    object.emplace("operation", operation);
    object.emplace("apiVersion", options.api_version);
    object.emplace("fieldsType", kFieldsV1);
    if (!options.subresource.empty()) object.emplace("subresource", options.subresource);
    fields_.emplace();
  }

  std::string_view manager() const { return FindString(json_, "manager"); }
  std::string_view operation() const { return FindString(json_, "operation"); }
  std::string_view api_version() const { return FindString(json_, "apiVersion"); }
  std::string_view subresource() const { return FindString(json_, "subresource"); }
  std::string_view time() const { return FindString(json_, "time"); }

  // The identity of the entry.
  bool Is(std::string_view operation, const FieldManagerOptions& options) const {
    return this->operation() == operation && manager() == options.manager &&
           subresource() == options.subresource &&
           (operation == kApply || api_version() == options.api_version);
  }

  // Decodes the fields; must precede fields().
  Result<void> Decode() {
    if (fields_) return {};
    const Json* fields = FindMember(json_, "fieldsV1");
    if (fields == nullptr) {
      fields_.emplace();
      return {};
    }
    Result<FieldSet> set = FieldSet::FromJson(*fields);
    if (!set.ok()) {
      return set.error().WithContext(fmt::format("managed fields of \"{}\"", manager()));
    }
    fields_ = std::move(set).value();
    return {};
  }

  const FieldSet& fields() const { return *fields_; }
  // Whether the entry has these fields. Decodes them only if their JSON differs.
  Result<bool> HasFields(const FieldSet& fields) {
    const Json* written = FindMember(json_, "fieldsV1");
    if (!fields_ && written != nullptr && fields.IsWrittenAs(*written)) return true;
    RETURN_IF_ERROR(Decode());
    return *fields_ == fields;
  }
  void SetFields(FieldSet fields) {
    fields_ = std::move(fields);
    fields_changed_ = true;
  }
  void SetTime(std::string_view time) { SetText("time", time); }
  void SetApiVersion(std::string_view api_version) { SetText("apiVersion", api_version); }
  bool Empty() const { return fields_ && fields_->Empty(); }

  Json Release(const JsonStorage& storage) && {
    if (fields_changed_) json_.get_object()["fieldsV1"] = fields_->ToJson(storage);
    return std::move(json_);
  }

  // The order in the object: Apply entries first, then by time.
  bool operator<(const Entry& other) const {
    return std::tuple(operation(), time(), manager(), api_version(), subresource()) <
           std::tuple(other.operation(), other.time(), other.manager(), other.api_version(),
                      other.subresource());
  }

  // The name of the manager in Kubernetes' conflict messages.
  std::string Describe() const {
    std::string out = Quoted(manager());
    if (!subresource().empty()) out += " with subresource " + Quoted(subresource());
    if (operation() == kUpdate) fmt::format_to(std::back_inserter(out), " using {}", api_version());
    return out;
  }

 private:
  void SetText(std::string_view name, std::string_view text) {
    if (FindString(json_, name) == text) return;
    JsonObject& object = json_.get_object();
    if (text.empty()) {
      object.erase(name);
    } else {
      object[name] = text;
    }
  }

  Json json_;
  std::optional<FieldSet> fields_;
  bool fields_changed_ = false;
};

using Entries = std::vector<Entry>;

Error InvalidEntry(size_t i, std::string_view why) {
  return Error::BadRequest(fmt::format("metadata.managedFields[{}]: {}", i, why));
}

Result<void> CheckEntry(const Json& entry, size_t i) {
  if (!entry.is_object()) return InvalidEntry(i, "expected object");
  const std::string_view operation = FindString(entry, "operation");
  if (operation != kApply && operation != kUpdate) {
    return InvalidEntry(i, "operation must be `Apply` or `Update`");
  }
  if (FindString(entry, "apiVersion").empty()) return InvalidEntry(i, "apiVersion must be set");
  if (FindString(entry, "fieldsType") != kFieldsV1) {
    return InvalidEntry(i, "fieldsType must be `FieldsV1`");
  }
  return {};
}

// Moves the entries out of a document; fails when they are malformed.
Result<Entries> TakeEntries(Json& document) {
  Entries entries;
  Json* metadata = FindMember(document, "metadata");
  Json* list = metadata == nullptr ? nullptr : FindMember(*metadata, "managedFields");
  if (list == nullptr) return entries;
  Json taken = std::move(*list);
  metadata->get_object().erase("managedFields");
  JsonArray* items = taken.if_array();
  if (items == nullptr && !taken.is_null()) {
    return Error::BadRequest("metadata.managedFields: expected array");
  }
  for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
    RETURN_IF_ERROR(CheckEntry((*items)[i], i));
    entries.emplace_back(std::move((*items)[i]));
  }
  return entries;
}

void StoreEntries(Entries entries, Json& document) {
  std::erase_if(entries, [](const Entry& entry) { return entry.Empty(); });
  if (entries.empty()) return;
  std::stable_sort(entries.begin(), entries.end());
  Json& metadata = document.get_object()["metadata"];
  if (!metadata.is_object()) metadata.emplace_object();
  JsonArray list(document.storage());
  list.reserve(entries.size());
  for (Entry& entry : entries) list.push_back(std::move(entry).Release(document.storage()));
  metadata.get_object()["managedFields"] = std::move(list);
}

Result<void> DecodeAll(Entries& entries) {
  for (Entry& entry : entries) RETURN_IF_ERROR(entry.Decode());
  return {};
}

Entry* FindEntry(Entries& entries, std::string_view operation, const FieldManagerOptions& options) {
  const auto it = std::find_if(entries.begin(), entries.end(),
                               [&](const Entry& entry) { return entry.Is(operation, options); });
  return it == entries.end() ? nullptr : &*it;
}

Entry& FindOrAddEntry(Entries& entries, std::string_view operation,
                      const FieldManagerOptions& options, const JsonStorage& storage) {
  Entry* entry = FindEntry(entries, operation, options);
  return entry != nullptr ? *entry : entries.emplace_back(operation, options, storage);
}

// Adds the changed fields to the manager's Update entry. Requires decoded entries.
void OwnByUpdate(FieldSet fields, const FieldManagerOptions& options, const JsonStorage& storage,
                 Entries& entries) {
  StripNeverOwned(fields);
  if (fields.Empty()) return;
  Entry& entry = FindOrAddEntry(entries, kUpdate, options, storage);
  entry.SetFields(entry.fields().Union(fields));
  entry.SetTime(options.time);
}

// Removes fields from an entry; an entry without these fields remains unchanged.
void Disown(const FieldSet& fields, Entry& entry) {
  if (entry.fields().Intersects(fields)) entry.SetFields(entry.fields().Difference(fields));
}

// Merges the oldest Update entries, by apiVersion, until their number is within the limit. Requires
// decoded entries.
void CapUpdateManagers(const JsonStorage& storage, Entries& entries) {
  std::vector<Entry*> updaters;
  for (Entry& entry : entries) {
    if (entry.operation() == kUpdate && !entry.Empty()) updaters.push_back(&entry);
  }
  if (updaters.size() <= kMaxUpdateManagers) return;
  std::sort(updaters.begin(), updaters.end(), [](const Entry* a, const Entry* b) {
    return std::tuple(a->time(), a->manager(), a->api_version(), a->subresource()) <
           std::tuple(b->time(), b->manager(), b->api_version(), b->subresource());
  });
  Entries buckets;
  std::vector<Entry*> first_of_version;
  size_t count = updaters.size();
  for (Entry* entry : updaters) {
    if (count <= kMaxUpdateManagers) break;
    const FieldManagerOptions bucket_name{.manager = kAncientChanges,
                                          .api_version = entry->api_version()};
    const auto first = std::find_if(
        first_of_version.begin(), first_of_version.end(),
        [&](const Entry* other) { return other->api_version() == entry->api_version(); });
    if (first == first_of_version.end()) {
      first_of_version.push_back(entry);
      continue;
    }
    Entry& bucket = FindOrAddEntry(buckets, kUpdate, bucket_name, storage);
    bucket.SetFields(bucket.fields().Union((*first)->fields()).Union(entry->fields()));
    bucket.SetTime(entry->time());
    (*first)->SetFields({});
    entry->SetFields({});
    --count;
  }
  for (Entry& bucket : buckets) {
    const FieldManagerOptions bucket_name{.manager = kAncientChanges,
                                          .api_version = bucket.api_version()};
    Entry& entry = FindOrAddEntry(entries, kUpdate, bucket_name, storage);
    entry.SetFields(entry.fields().Union(bucket.fields()));
    entry.SetTime(bucket.time());
  }
}

struct Conflict {
  const Entry* entry;
  FieldSet fields;
};

std::string ConflictMessage(const std::vector<Conflict>& conflicts,
                            const std::vector<ErrorCause>& causes) {
  if (causes.size() == 1) {
    return fmt::format("Apply failed with 1 conflict: {}: {}", causes[0].message, causes[0].field);
  }
  std::string message = fmt::format("Apply failed with {} conflicts: ", causes.size());
  for (size_t i = 0; i < conflicts.size(); ++i) {
    if (i != 0) message += '\n';
    fmt::format_to(std::back_inserter(message),
                   "conflicts with {}:", conflicts[i].entry->Describe());
    conflicts[i].fields.ForEach([&](std::span<const PathElement> path) {
      fmt::format_to(std::back_inserter(message), "\n- {}", PrintPath(path));
    });
  }
  return message;
}

Error ConflictError(std::vector<Conflict> conflicts) {
  std::sort(conflicts.begin(), conflicts.end(), [](const Conflict& a, const Conflict& b) {
    return std::tuple(a.entry->manager(), a.entry->operation(), a.entry->api_version(),
                      a.entry->subresource()) < std::tuple(b.entry->manager(), b.entry->operation(),
                                                           b.entry->api_version(),
                                                           b.entry->subresource());
  });
  ErrorDetails details;
  for (const Conflict& conflict : conflicts) {
    const std::string who = "conflict with " + conflict.entry->Describe();
    conflict.fields.ForEach([&](std::span<const PathElement> path) {
      details.causes.push_back({"FieldManagerConflict", who, PrintPath(path)});
    });
  }
  std::string message = ConflictMessage(conflicts, details.causes);
  return Error(409, "Conflict", std::move(message), std::move(details));
}

// "default/web; apps/v1, Kind=Deployment"
std::string DescribeObject(const Json& object) {
  const Json* metadata = FindMember(object, "metadata");
  const std::string_view api_version = FindString(object, "apiVersion");
  const bool core = api_version.find('/') == std::string_view::npos;
  return fmt::format("{}/{}; {}{}, Kind={}",
                     metadata == nullptr ? "" : FindString(*metadata, "namespace"),
                     metadata == nullptr ? "" : FindString(*metadata, "name"), core ? "/" : "",
                     api_version, FindString(object, "kind"));
}

JsonObject* FindAnnotations(Json& document) {
  Json* metadata = FindMember(document, "metadata");
  Json* annotations = metadata == nullptr ? nullptr : FindMember(*metadata, "annotations");
  return annotations == nullptr ? nullptr : annotations->if_object();
}

std::string_view LastApplied(Json& document) {
  const JsonObject* annotations = FindAnnotations(document);
  const Json* text = annotations == nullptr ? nullptr : annotations->if_contains(kLastApplied);
  return text == nullptr || !text->is_string() ? std::string_view() : AsView(text->get_string());
}

size_t CountAnnotationBytes(const JsonObject& annotations) {
  size_t bytes = 0;
  for (const auto& entry : annotations) {
    bytes +=
        entry.key().size() + (entry.value().is_string() ? entry.value().get_string().size() : 0);
  }
  return bytes;
}

// Updates the annotation with the last applied configuration if the document has it, so that
// kubectl can return to client-side apply. Returns whether the document changed.
bool UpdateLastApplied(Json config, Json& document) {
  const std::string before(LastApplied(document));
  if (before.empty()) return false;
  if (JsonObject* annotations = FindAnnotations(config)) annotations->erase(kLastApplied);
  const std::string text = WriteJson(config) + "\n";
  JsonObject& annotations = *FindAnnotations(document);
  annotations[kLastApplied] = text;
  if (CountAnnotationBytes(annotations) > kMaxAnnotationBytes) annotations.erase(kLastApplied);
  return LastApplied(document) != before;
}

// The fields of `live` that still have the value of kubectl's last client-side apply.
FieldSet FieldsOfLastApplied(Json& live, const FieldManagerOptions& options) {
  const Result<Json> config = ParseJson(LastApplied(live));
  if (!config.ok() || FindString(*config, "apiVersion") != options.api_version) return {};
  Json nothing;
  Result<MergedFields> merged = MergeApplied(*config, options.schema, nullptr, nothing);
  if (!merged.ok()) return {};
  const FieldChanges changes = CompareFields(*config, live, options.schema);
  return merged->owned.Difference(changes.modified)
      .Difference(changes.added)
      .Difference(changes.removed);
}

// One apply request. The entries are those of the live object; they are decoded only if the request
// changes something.
class Application {
 public:
  Application(const FieldManagerOptions& options, bool force) : options_(options), force_(force) {}

  Result<Applied> Run(Json live, const Json& config) {
    const bool created = !live.is_object();
    if (created) live = JsonObject(live.storage());
    ASSIGN_OR_RETURN(entries_, TakeEntries(live));
    if (!created && entries_.empty()) OwnBeforeFirstApply(live);
    const bool kubectl = options_.manager == kKubectl;
    if (kubectl && !force_ && !LastApplied(live).empty()) before_ = live;
    ASSIGN_OR_RETURN(MergedFields merged, Merge(config, live));
    Entry* own = FindEntry(entries_, kApply, options_);
    bool same_fields = own == nullptr && merged.owned.Empty();
    if (own != nullptr) {
      ASSIGN_OR_RETURN(same_fields, own->HasFields(merged.owned));
      if (!same_fields) RETURN_IF_ERROR(Prune(own->fields(), live, merged));
    }
    RETURN_IF_ERROR(SettleOwners(merged));
    const bool same = same_fields && !merged.touched;
    if (!same) OwnByApply(std::move(merged.owned), same_fields, live.storage());
    bool changed = !same || created || captured_;
    if (kubectl && UpdateLastApplied(config, live)) changed = true;
    StoreEntries(std::move(entries_), live);
    return Applied{std::move(live), changed};
  }

 private:
  void OwnBeforeFirstApply(const Json& live) {
    FieldManagerOptions before = options_;
    before.manager = kBeforeFirstApply;
    const Json nothing = JsonObject();
    FieldChanges changes = CompareFields(nothing, live, options_.schema, options_.reset_fields);
    OwnByUpdate(std::move(changes.added), before, live.storage(), entries_);
    captured_ = !entries_.empty();
  }

  Result<MergedFields> Merge(const Json& config, Json& live) {
    Result<MergedFields> merged =
        MergeApplied(config, options_.schema, options_.reset_fields, live);
    if (!merged.ok()) {
      // Kubernetes' error has no reason and the code 500, too.
      return Error(500, "",
                   fmt::format("failed to create typed patch object ({}): {}",
                               DescribeObject(config), merged.error().message()));
    }
    StripNeverOwned(merged->owned);
    return merged;
  }

  // Removes the fields in `last` that no manager owns.
  Result<void> Prune(const FieldSet& last, Json& live, MergedFields& merged) {
    FieldSet given_up =
        options_.reset_fields == nullptr ? last : last.RecursiveDifference(*options_.reset_fields);
    if (given_up.Difference(merged.owned).Empty()) return {};
    ASSIGN_OR_RETURN(const std::vector<Entry*> others, DecodeOthers());
    FieldSet owned = merged.owned;
    // No manager owns metadata, but its name and namespace remain when the last label is removed.
    owned.Insert(std::array{PathElement::Field("metadata"), PathElement::Field("name")});
    for (const Entry* other : others) owned = owned.Union(other->fields());
    FieldSet removed = PruneFields(given_up, owned, options_.schema, live);
    merged.touched = merged.touched || !removed.Empty();
    merged.removed = merged.removed.Union(removed);
    return {};
  }

  // Removes the changed fields from the other managers, or returns the conflicts.
  Result<void> SettleOwners(const MergedFields& merged) {
    if (merged.changed.Empty() && merged.removed.Empty()) return {};
    ASSIGN_OR_RETURN(const std::vector<Entry*> others, DecodeOthers());
    std::vector<Conflict> conflicts;
    for (const Entry* other : others) {
      FieldSet disputed = other->fields().Intersection(merged.changed);
      if (!disputed.Empty()) conflicts.push_back({other, std::move(disputed)});
    }
    if (!force_) DropAllowed(conflicts);
    if (!conflicts.empty() && !force_) return ConflictError(std::move(conflicts));
    const FieldSet lost = merged.changed.Union(merged.removed);
    for (Entry* other : others) Disown(lost, *other);
    return {};
  }

  // Removes the conflicts about fields that kubectl's client-side apply had set.
  void DropAllowed(std::vector<Conflict>& conflicts) {
    if (conflicts.empty() || before_.is_null()) return;
    const FieldSet allowed = FieldsOfLastApplied(before_, options_);
    for (Conflict& conflict : conflicts) conflict.fields = conflict.fields.Difference(allowed);
    std::erase_if(conflicts, [](const Conflict& conflict) { return conflict.fields.Empty(); });
  }

  // All entries except the applier's.
  Result<std::vector<Entry*>> DecodeOthers() {
    std::vector<Entry*> others;
    for (Entry& entry : entries_) {
      if (entry.Is(kApply, options_)) continue;
      RETURN_IF_ERROR(entry.Decode());
      others.push_back(&entry);
    }
    return others;
  }

  void OwnByApply(FieldSet owned, bool same_fields, const JsonStorage& storage) {
    Entry& entry = FindOrAddEntry(entries_, kApply, options_, storage);
    if (!same_fields) entry.SetFields(std::move(owned));
    entry.SetApiVersion(options_.api_version);
    entry.SetTime(options_.time);
  }

  const FieldManagerOptions& options_;
  const bool force_;
  Entries entries_;
  bool captured_ = false;  // created managedFields for a live object without them
  Json before_;            // the live object, if its last applied configuration may be needed
};

bool IsReset(const Json& document) {
  const Json* metadata = FindMember(document, "metadata");
  const Json* list = metadata == nullptr ? nullptr : FindMember(*metadata, "managedFields");
  const JsonArray* items = list == nullptr ? nullptr : list->if_array();
  return items != nullptr && items->size() == 1 && (*items)[0].is_object() &&
         (*items)[0].get_object().empty();
}

bool HasUid(const Json& document) {
  const Json* metadata = FindMember(document, "metadata");
  return metadata != nullptr && !FindString(*metadata, "uid").empty();
}

Result<Entries> TakeDecodedEntries(Json& document) {
  ASSIGN_OR_RETURN(Entries entries, TakeEntries(document));
  RETURN_IF_ERROR(DecodeAll(entries));
  return entries;
}

// The entries to update: those of the request, or those of the live object for a subresource and
// for requests with absent or malformed entries.
Entries TakeRequestEntries(const Json& live, const FieldManagerOptions& options, Json& updated) {
  const bool reset = options.subresource.empty() && IsReset(updated);
  Result<Entries> own = TakeDecodedEntries(updated);
  if (reset) return {};
  if (options.subresource.empty() && own.ok() && !own->empty()) return std::move(own).value();
  const Json* metadata = FindMember(live, "metadata");
  const Json* list = metadata == nullptr ? nullptr : FindMember(*metadata, "managedFields");
  if (list == nullptr) return {};
  Json copy(updated.storage());
  copy.emplace_object()["metadata"].emplace_object()["managedFields"] = *list;
  return TakeDecodedEntries(copy).value_or({});
}

}  // namespace

Result<Applied> Apply(Json live, const Json& config, const FieldManagerOptions& options,
                      bool force) {
  const Json* metadata = FindMember(config, "metadata");
  if (metadata != nullptr && !metadata->is_object() && !metadata->is_null()) {
    return Error::BadRequest(
        fmt::format("metadata: expected object, got {}", JsonTypeName(*metadata)));
  }
  const Json* managed = metadata == nullptr ? nullptr : FindMember(*metadata, "managedFields");
  if (managed == nullptr) return Application(options, force).Run(std::move(live), config);
  if (!managed->is_null()) return Error::BadRequest("metadata.managedFields must be nil");
  Json without = config;
  without.at("metadata").get_object().erase("managedFields");
  return Application(options, force).Run(std::move(live), without);
}

Json TrackUpdate(const Json& live, Json updated, const FieldManagerOptions& options) {
  if (!updated.is_object()) return updated;
  Entries entries = TakeRequestEntries(live, options, updated);
  if (entries.empty() && HasUid(live)) return updated;
  const FieldChanges changes = CompareFields(live, updated, options.schema, options.reset_fields);
  if (!changes.Empty()) {
    FieldSet taken = changes.added.Union(changes.modified);
    const FieldSet lost = taken.Union(changes.removed);
    for (Entry& entry : entries) Disown(lost, entry);
    OwnByUpdate(std::move(taken), options, updated.storage(), entries);
    CapUpdateManagers(updated.storage(), entries);
  }
  StoreEntries(std::move(entries), updated);
  return updated;
}

}  // namespace kubexms
