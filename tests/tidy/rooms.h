#pragma once

// The rooms of the libraries: which folders there are, which may include which, how many files fit
// into one, and which headers users of the installed libraries may include.

#include <map>
#include <string>
#include <vector>

#include "tests/tidy/checker.h"

namespace kubexms::tidy {

// The folders of a library from bottom to top; "" is the library's own folder. A file may include
// files of its own room and of the rooms before it. Tests may include every room.
using RoomTable = std::map<std::string, std::vector<std::string>, std::less<>>;
const RoomTable& Rooms();

// A folder with more files than this needs rooms.
inline constexpr size_t kMaxFilesInFolder = 45;

// `files` are the headers and sources of kubexms/.
Complaints CheckRooms(const std::vector<File>& files);
Complaints CheckFolderSizes(const std::vector<File>& files);

// `list` is kubexms/public_headers.txt: a path a line, the headers that users may include, then,
// below the line "# needed by the headers above", exactly those that these include.
// `users` are the files that show users what to include: examples, project templates and docs.
Complaints CheckPublicHeaders(const std::vector<File>& files, const File& list,
                              const std::vector<File>& users);

}  // namespace kubexms::tidy
