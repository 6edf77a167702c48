#pragma once

// A run taken back from its journal. Only for the engine.

#include <string>
#include <vector>

#include "kubexms/automation/engine.h"
#include "kubexms/automation/journal.h"

namespace kubexms::automation {

// Undoes what the records say was begun and not undone since, the last task first, each on its
// hosts in parallel; what was undone is added to the journal. A host that fails is left as it is
// from there on.
RunReport TakeBack(Runtime* runtime, const RunOptions& options, const std::string& run,
                   const std::vector<JournalRecord>& records, Journal& journal);

// What that would take back, the last first.
RunPlan PlanTakeBack(const std::vector<JournalRecord>& records);

// Whether the run has begun something after which there is only the way forward.
bool IsFinal(const std::vector<JournalRecord>& records);

// The same without asking a host: the journal says from then on that it was undone.
Result<void> GiveUp(const Runtime& runtime, const std::vector<JournalRecord>& records,
                    Journal& journal);

}  // namespace kubexms::automation
