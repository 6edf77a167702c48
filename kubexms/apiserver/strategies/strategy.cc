#include "kubexms/apiserver/strategies/strategy.h"

#include "kubexms/api/patch/field_set.h"
#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

StrategyTable MakeBuiltinStrategies() {
  StrategyTable table;
  AddPodStrategies(table);
  AddWorkloadStrategies(table);
  AddBatchStrategies(table);
  AddServiceStrategies(table);
  AddNetworkingStrategies(table);
  AddConfigStrategies(table);
  AddClusterStrategies(table);
  AddCustomResourceDefinitionStrategies(table);
  AddRbacStrategies(table);
  AddStorageStrategies(table);
  AddAutoscalingStrategies(table);
  AddPolicyStrategies(table);
  AddCertificateStrategies(table);
  AddEventStrategies(table);
  AddAdmissionStrategies(table);
  AddFlowControlStrategies(table);
  AddDeviceStrategies(table);
  AddOtherStrategies(table);
  return table;
}

}  // namespace

void StrategyTable::Add(std::string_view group, std::string_view kind,
                        std::unique_ptr<const Strategy> strategy) {
  strategies_[{std::string(group), std::string(kind)}] = std::move(strategy);
}

const Strategy* StrategyTable::Find(std::string_view group, std::string_view kind) const {
  const auto found = strategies_.find({std::string(group), std::string(kind)});
  return found == strategies_.end() ? nullptr : found->second.get();
}

const FieldSet& Strategy::FieldsResetByStatus() const {
  static const FieldSet kSpec = FieldsAt({"spec", "data"});
  return kSpec;
}

const Strategy* BuiltinStrategy(std::string_view group, std::string_view kind) {
  static const StrategyTable kTable = MakeBuiltinStrategies();
  static const KindStrategy kPlain;
  const Strategy* strategy = kTable.Find(group, kind);
  return strategy == nullptr ? &kPlain : strategy;
}

const Strategy* CustomResourceStrategy(bool has_status) {
  static const KindStrategy kWithoutStatus({.counts_generations = true});
  static const KindStrategy kWithStatus(
      {.has_status = true, .counts_generations = true, .status_retains_metadata = true});
  return has_status ? &kWithStatus : &kWithoutStatus;
}

}  // namespace kubexms
