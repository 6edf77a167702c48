#pragma once

// The rollback of runs from their journals. Internal to the engine.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/automation/engine/engine.h"
#include "kubexms/automation/journal/journal.h"

namespace kubexms::automation {

using Journals = std::map<std::string, std::unique_ptr<Journal>>;  // by run

// Undoes the steps that the records show as started and not undone, the last task first, each on
// its hosts in parallel, and appends to the journal of each run what was undone. The records may be
// of several runs, the oldest first: their steps are undone as one, to the state before the first
// run. The rollback stops on a host that fails. `run` owns the locks of the hosts.
RunReport UndoRecords(Runtime* runtime, const RunOptions& options, const std::string& run,
                      const std::vector<JournalRecord>& records, const Journals& journals);

// The steps that UndoRecords would undo, the last first.
RunPlan PlanUndo(const std::vector<JournalRecord>& records);

// Whether the run has started a step that is a point of no return.
bool HasPassedPointOfNoReturn(const std::vector<JournalRecord>& records);

// Appends to the journals that the steps were undone, without a call on a host.
Result<void> RecordUndone(const Runtime& runtime, const std::vector<JournalRecord>& records,
                          const Journals& journals);

}  // namespace kubexms::automation
