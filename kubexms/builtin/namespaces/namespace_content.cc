#include "kubexms/builtin/namespaces/namespace_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/base/time_left.h"
#include "kubexms/controller/informers/cached_object.h"

namespace kubexms {
namespace {

using std::chrono::seconds;

// The time that finalizers are expected to need.
constexpr seconds kFinalizerEstimate(15);

std::string NameOfGroupResource(const ResourceType& type) {
  return fmt::format("{}.{}", type.plural, type.group);
}

std::string Describe(const ResourceType& type) {
  return fmt::format("{}/{}, Resource={}", type.group, type.version, type.plural);
}

bool IsPods(const ResourceType& type) { return type.group.empty() && type.plural == "pods"; }

// The finalizers of a propagation policy, which a deletion in the background removes.
bool HasPropagationFinalizer(const ObjectMeta& metadata) {
  return HasFinalizer(metadata, "orphan") || HasFinalizer(metadata, "foregroundDeletion");
}

class ContentDeleter {
 public:
  ContentDeleter(Client& client, const std::string& namespace_name, Time deleted_at,
                 const Clock& clock, std::stop_token stop)
      : client_(client),
        namespace_name_(namespace_name),
        age_(clock.Now() - deleted_at.value()),
        stop_(std::move(stop)) {}

  NamespaceContentReport Run() {
    const std::vector<DiscoveredResource> kinds = KindsToDelete();
    const auto pods = std::find_if(kinds.begin(), kinds.end(),
                                   [](const auto& kind) { return IsPods(kind.type); });
    // Pods may use other objects of the namespace until they have terminated.
    if (pods != kinds.end()) Empty(*pods);
    if (!report_.remaining.empty()) return std::move(report_);
    for (const DiscoveredResource& kind : kinds) {
      if (!IsPods(kind.type)) Empty(kind);
    }
    return std::move(report_);
  }

 private:
  // Each resource in the version that the server prefers.
  std::vector<DiscoveredResource> KindsToDelete() {
    const Result<Discovery> discovery = Discover(client_, stop_);
    if (!discovery.ok()) {
      report_.discovery_failure = discovery.error().message();
      return {};
    }
    RecordFailures(discovery->failures);
    std::vector<DiscoveredResource> kinds;
    std::set<std::pair<std::string, std::string>> known;
    for (const DiscoveredResource& resource : discovery->resources) {
      if (!resource.type.namespaced || !resource.Supports(Verb::kDelete)) continue;
      if (!known.emplace(resource.type.group, resource.type.plural).second) continue;
      if (resource.type.version.empty() || resource.type.version.find('/') != std::string::npos) {
        report_.parsing_failure = fmt::format("unexpected GroupVersion string: {}/{}",
                                              resource.type.group, resource.type.version);
        continue;
      }
      kinds.push_back(resource);
    }
    return kinds;
  }

  void RecordFailures(const std::vector<DiscoveryFailure>& failures) {
    if (failures.empty()) return;
    std::vector<std::string> texts;
    texts.reserve(failures.size());
    for (const DiscoveryFailure& failure : failures) {
      texts.push_back(fmt::format("{}: {}", failure.group_version, failure.error.message()));
    }
    std::sort(texts.begin(), texts.end());
    report_.discovery_failure = fmt::format(
        "Discovery failed for some groups, {} failing: unable to retrieve the complete list of "
        "server APIs: {}",
        texts.size(), fmt::join(texts, ", "));
  }

  void Empty(const DiscoveredResource& kind) {
    const Result<void> emptied = DeleteAllOf(kind);
    if (!emptied.ok()) report_.failures.push_back(emptied.error().message());
  }

  Result<void> DeleteAllOf(const DiscoveredResource& kind) {
    if (!kind.Supports(Verb::kList)) return DeleteCollection(kind.type);
    ASSIGN_OR_RETURN(std::vector<ObjectMeta> objects, List(kind.type));
    if (objects.empty()) return {};
    ASSIGN_OR_RETURN(const seconds estimate, GracePeriodLeft(kind.type));
    if (std::any_of(objects.begin(), objects.end(), NeedsDeletion)) {
      RETURN_IF_ERROR(Delete(kind, objects));
      ASSIGN_OR_RETURN(objects, List(kind.type));
    }
    return RecordRemaining(kind, objects, estimate);
  }

  // The longest grace period of a Pod; zero if it has passed.
  Result<seconds> GracePeriodLeft(const ResourceType& type) {
    if (!IsPods(type)) return seconds(0);
    ASSIGN_OR_RETURN(const kubexms::List<corev1::Pod> pods,
                     client_.List<corev1::Pod>({.namespace_name = namespace_name_, .stop = stop_}));
    seconds longest{0};
    for (const corev1::Pod& pod : pods.items) {
      const std::string& phase = pod.status.phase;
      if (phase == "Succeeded" || phase == "Failed") continue;
      longest =
          std::max(longest, BoundedSeconds(pod.spec.termination_grace_period_seconds.value_or(0)));
    }
    return age_ >= longest ? seconds(0) : longest;
  }

  static bool NeedsDeletion(const ObjectMeta& metadata) {
    return metadata.deletion_timestamp.IsZero() || HasPropagationFinalizer(metadata);
  }

  Result<std::vector<ObjectMeta>> List(const ResourceType& type) {
    ClientRequest request =
        Client::ListRequest(type, {.namespace_name = namespace_name_, .stop = stop_});
    request.metadata_only = true;
    ASSIGN_OR_RETURN(const ObjectPage page, client_.ListAll(std::move(request)));
    std::vector<ObjectMeta> objects;
    objects.reserve(page.items.size());
    for (const SharedBytes& item : page.items) {
      ASSIGN_OR_RETURN(MetadataObject object, Decode<MetadataObject>(item.view()));
      objects.push_back(std::move(object.metadata));
    }
    return objects;
  }

  Result<void> Delete(const DiscoveredResource& kind, const std::vector<ObjectMeta>& objects) {
    if (kind.Supports(Verb::kDeleteCollection)) {
      Result<void> deleted = DeleteCollection(kind.type);
      if (deleted.ok() || deleted.error().code() != 405) return deleted;
    }
    for (const ObjectMeta& metadata : objects) {
      const Result<void> deleted =
          client_.Delete(kind.type, ObjectKey::Of(metadata), BackgroundDeletion());
      if (!deleted.ok() && !deleted.error().IsNotFound()) return deleted;
    }
    return {};
  }

  Result<void> DeleteCollection(const ResourceType& type) {
    return client_.DeleteAllOf(type, {.namespace_name = namespace_name_, .stop = stop_},
                               BackgroundDeletion());
  }

  // All objects are deleted, so none has to be orphaned or to wait for its dependents.
  static DeleteOptions BackgroundDeletion() {
    DeleteOptions options;
    options.propagation_policy = "Background";
    return options;
  }

  Result<void> RecordRemaining(const DiscoveredResource& kind,
                               const std::vector<ObjectMeta>& objects, seconds estimate) {
    if (objects.empty()) return {};
    bool finalizers = false;
    for (const ObjectMeta& metadata : objects) {
      finalizers = finalizers || !metadata.finalizers.empty();
      for (const std::string& finalizer : metadata.finalizers) ++report_.finalizers[finalizer];
    }
    report_.remaining[NameOfGroupResource(kind.type)] = objects.size();
    if (estimate == seconds(0) && finalizers) estimate = kFinalizerEstimate;
    report_.estimate = std::max(report_.estimate, estimate);
    if (estimate > seconds(0)) return {};
    return Error::Internal(fmt::format("unexpected items still remain in namespace: {} for gvr: {}",
                                       namespace_name_, Describe(kind.type)));
  }

  Client& client_;
  const std::string& namespace_name_;
  const std::chrono::nanoseconds age_;
  const std::stop_token stop_;
  NamespaceContentReport report_;
};

}  // namespace

NamespaceContentReport DeleteNamespaceContent(Client& client, const std::string& namespace_name,
                                              Time deleted_at, const Clock& clock,
                                              std::stop_token stop) {
  return ContentDeleter(client, namespace_name, deleted_at, clock, std::move(stop)).Run();
}

}  // namespace kubexms
