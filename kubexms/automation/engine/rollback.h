#pragma once

// Runs taken back from their journals. Only for the engine.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/automation/engine/engine.h"
#include "kubexms/automation/journal/journal.h"

namespace kubexms::automation {

using Journals = std::map<std::string, std::unique_ptr<Journal>>;  // by run

// Undoes what the records say was begun and not undone since, the last task first, each on its
// hosts in parallel; what was undone is added to the journal of its run. The records may be of
// several runs, the oldest first: what several of them did is undone at once, to the state before
// the first. A host that fails is left as it is from there on. `run` is the one that hosts are
// locked for.
RunReport UndoRecords(Runtime* runtime, const RunOptions& options, const std::string& run,
                   const std::vector<JournalRecord>& records, const Journals& journals);

// What that would take back, the last first.
RunPlan PlanUndo(const std::vector<JournalRecord>& records);

// Whether the run has begun something after which there is only the way forward.
bool HasPassedPointOfNoReturn(const std::vector<JournalRecord>& records);

// The same without asking a host: the journal says from then on that it was undone.
Result<void> RecordUndone(const Runtime& runtime, const std::vector<JournalRecord>& records,
                    const Journals& journals);

}  // namespace kubexms::automation
