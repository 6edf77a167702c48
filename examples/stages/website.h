#pragma once

// A controller with stages. A Website has a text and a port; the controller creates a ConfigMap and
// a Service for it, and reports its progress in conditions:
//
//   NAME   PHASE   ADDRESS       AGE
//   home   Ready   10.96.0.12    3s

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/controller/controller.h"
#include "kubexms/controller/create_or_update.h"
#include "kubexms/controller/stages.h"

namespace kubexms::website {

struct WebsiteSpec : Struct {
  std::string text;
  int32_t port = 0;

  static void Describe(Type<WebsiteSpec>& type) {
    type.Doc("Content and port of the website.");
    type.Field("text", &WebsiteSpec::text, "The page.").Required();
    type.Field("port", &WebsiteSpec::port, "Port of the Service.")
        .Minimum(1)
        .Maximum(65535)
        .Default(80);
  }
};

struct WebsiteStatus : Struct {
  std::string phase;
  std::string address;
  std::vector<Condition> conditions;

  static void Describe(Type<WebsiteStatus>& type) {
    type.Field("phase", &WebsiteStatus::phase, "Ready, Pending or Failed.").Column("Phase");
    type.Field("address", &WebsiteStatus::address, "Cluster IP of the Service.").Column("Address");
    type.Field("conditions", &WebsiteStatus::conditions, "Latest observations of the controller.")
        .ListMap({"type"});
  }
};

struct Website : Object<WebsiteSpec, WebsiteStatus> {
  static constexpr KindName kKind{
      .group = "example.io", .version = "v1", .kind = "Website", .short_names = "web"};
};

// Data that the stages of one reconcile share.
struct WebsiteState {
  corev1::Service service;
};

inline Result<StageOutcome> SyncContent(ReconcileContext& context, Website& website,
                                        WebsiteState&) {
  RETURN_IF_ERROR(CreateOrUpdate<corev1::ConfigMap>(
      context.client, context.key, [&](corev1::ConfigMap& content) {
        content.data["index.html"] = website.spec.text;
        return SetControllerReference(content.metadata, website);
      }));
  return StageOutcome::Done();
}

inline Result<StageOutcome> SyncService(ReconcileContext& context, Website& website,
                                        WebsiteState& state) {
  ASSIGN_OR_RETURN(
      const auto written,
      CreateOrUpdate<corev1::Service>(context.client, context.key, [&](corev1::Service& service) {
        service.spec.selector = {{"website", website.metadata.name}};
        if (service.spec.ports.empty()) service.spec.ports.emplace_back();
        service.spec.ports[0].port = website.spec.port;
        return SetControllerReference(service.metadata, website);
      }));
  state.service = written.object;
  return StageOutcome::Done();
}

inline Result<StageOutcome> FindAddress(ReconcileContext&, Website& website, WebsiteState& state) {
  if (state.service.spec.cluster_ip.empty()) {
    return StageOutcome::Wait("NoAddressYet", "the service has no address yet");
  }
  website.status.address = state.service.spec.cluster_ip;
  return StageOutcome::Done();
}

inline Controller WebsiteController() {
  using WebsiteStages = Stages<Website, WebsiteState>;
  const auto network = WebsiteStages({.policy = StagePolicy::kStopAtFirst})
                           .Add({.name = "Service", .run = SyncService})
                           .Add({.name = "Address", .run = FindAddress});
  return ControllerFor<Website>({.name = "website"})
      .Owns<corev1::ConfigMap>()
      .Owns<corev1::Service>()
      .Reconciles(WebsiteStages()
                      .Add({.name = "Content", .condition = "ContentSynced", .run = SyncContent})
                      .Add({.name = "Network", .condition = "NetworkSynced", .stages = network}));
}

}  // namespace kubexms::website
