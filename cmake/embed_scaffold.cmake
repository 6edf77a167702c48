# Writes a C++ file that has the templates of kubexms/cli/scaffold.
# usage: cmake -D FROM=DIRECTORY -D TO=FILE -P embed_scaffold.cmake
file(GLOB_RECURSE paths RELATIVE ${FROM} ${FROM}/*.in)
list(SORT paths)
set(entries "")
foreach(path IN LISTS paths)
  file(READ ${FROM}/${path} text)
  string(APPEND entries "    {\"${path}\", R\"TEMPLATE(${text})TEMPLATE\"},\n")
endforeach()
file(WRITE ${TO} "#include \"kubexms/cli/scaffold_templates.h\"

namespace kubexms {
namespace {

constexpr ScaffoldTemplate kTemplates[] = {
${entries}};

}  // namespace

std::span<const ScaffoldTemplate> ScaffoldTemplates() { return kTemplates; }

}  // namespace kubexms
")
