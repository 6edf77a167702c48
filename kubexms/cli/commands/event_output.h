#pragma once

// How commands show what a run tells while it goes on.

#include <memory>

#include "kubexms/automation/journal/event.h"
#include "kubexms/base/clock.h"
#include "kubexms/cli/command.h"

namespace kubexms {

// On the command's `err`: JSON, an object a line, with `-o json`; a tree that lives when it is a
// terminal that can draw one; otherwise lines of text. Colors unless NO_COLOR says otherwise. The
// clock must outlive it.
std::unique_ptr<automation::EventSink> MakeEventSink(const Invocation& call, Clock* clock);

}  // namespace kubexms
