#pragma once

// The strategies of all built-in kinds. Each file of this folder adds those of its kinds.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kubexms/apiserver/strategies/strategy.h"

namespace kubexms {

class StrategyTable {
 public:
  void Add(std::string_view group, std::string_view kind, std::unique_ptr<const Strategy> strategy);
  // Null when the kind has no strategy of its own.
  const Strategy* Find(std::string_view group, std::string_view kind) const;

 private:
  std::map<std::pair<std::string, std::string>, std::unique_ptr<const Strategy>> strategies_;
};

void AddPodStrategies(StrategyTable& table);
void AddWorkloadStrategies(StrategyTable& table);
void AddBatchStrategies(StrategyTable& table);
void AddServiceStrategies(StrategyTable& table);
void AddNetworkingStrategies(StrategyTable& table);
void AddConfigStrategies(StrategyTable& table);
void AddClusterStrategies(StrategyTable& table);
void AddCustomResourceDefinitionStrategies(StrategyTable& table);
void AddRbacStrategies(StrategyTable& table);
void AddStorageStrategies(StrategyTable& table);
void AddAutoscalingStrategies(StrategyTable& table);
void AddPolicyStrategies(StrategyTable& table);
void AddCertificateStrategies(StrategyTable& table);
void AddEventStrategies(StrategyTable& table);
void AddAdmissionStrategies(StrategyTable& table);
void AddFlowControlStrategies(StrategyTable& table);
void AddDeviceStrategies(StrategyTable& table);
void AddOtherStrategies(StrategyTable& table);

}  // namespace kubexms
