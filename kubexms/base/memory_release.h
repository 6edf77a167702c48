#pragma once

namespace kubexms {

// Gives back to the machine what this process holds and does not use now: free memory that the
// allocator keeps, and the pages of the program and its libraries, of which those that are needed
// come back from the files, mostly without a disk. For the end of a start, which runs through far
// more than is needed afterwards, and for the end of hard work. Takes some milliseconds. Safe at
// any time, from any thread.
void ReleaseUnusedMemory();

}  // namespace kubexms
