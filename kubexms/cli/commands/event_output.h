#pragma once

// How commands show the progress of a run.

#include <memory>

#include "kubexms/automation/journal/event.h"
#include "kubexms/base/clock.h"
#include "kubexms/cli/command.h"

namespace kubexms {

// Prints events on the command's `err`: with `-o json` as JSON, one object per line; on a terminal
// as a tree that is redrawn in place; otherwise as lines of text. NO_COLOR disables colors. The
// clock must outlive the sink.
std::unique_ptr<automation::EventSink> MakeEventSink(const Invocation& call, Clock* clock);

}  // namespace kubexms
