#pragma once

// Tables: how `kubectl get` shows objects. A client that asks for them gets, instead of objects, a
// document with columns and one row of cells for each object, so that it can show kinds that it
// does not know. The columns are those that Kubernetes has for its own kinds; a custom resource
// has those of its definition.
//
//   const TablePrinter printer(*resource);          // once for each resource
//   TableWriter table(printer, {.now = clock.Now()});
//   for (const auto& object : list) RETURN_IF_ERROR(table.Add(object->bytes()));
//   return table.Finish(metadata);

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"
#include "kubexms/base/text/text_buffer.h"

namespace kubexms {

class JsonView;

namespace printers {
class Row;
}

struct TableColumn {
  std::string name;
  std::string type;    // string, integer, number, boolean, date
  std::string format;  // "name" for the column with the object's name
  std::string description;
  int priority = 0;  // above zero: only with `-o wide`

  bool operator==(const TableColumn&) const = default;
};

// What a row has besides its cells: ?includeObject=Metadata|Object|None.
enum class RowObject { kMetadata, kObject, kNone };

// The one that a query names; no text is the default, Metadata.
Result<RowObject> ParseRowObject(std::string_view text);

struct TableOptions {
  Clock::WallTime now;  // from which ages are counted
  RowObject row_object = RowObject::kMetadata;
  // False in a watch after the first event: columns are sent once.
  bool column_definitions = true;
  std::string_view version = "v1";  // of meta.k8s.io: v1 or v1beta1
};

// Knows the columns of one resource and the cells of its objects. Immutable: any thread may use it.
class TablePrinter {
 public:
  explicit TablePrinter(const Resource& resource);
  TablePrinter(TablePrinter&&) noexcept;
  TablePrinter& operator=(TablePrinter&&) noexcept;
  ~TablePrinter();

  const std::vector<TableColumn>& columns() const { return columns_; }

  // A table with one row, for a single object or a watch event. `object` is the object's JSON.
  Result<std::string> Print(std::string_view object, const TableOptions& options) const;

 private:
  friend class TableWriter;
  class Cells;
  class BuiltinCells;
  class CustomCells;

  void AppendRow(const JsonView& object, std::string_view bytes, const TableOptions& options,
                 TextBuffer& out) const;
  void AppendHead(const ListMeta& metadata, const TableOptions& options, TextBuffer& out) const;

  std::vector<TableColumn> columns_;
  std::string column_definitions_;  // the same as JSON
  std::unique_ptr<const Cells> cells_;
};

// Writes the table of a list, row by row.
class TableWriter {
 public:
  // `printer` must outlive the writer.
  TableWriter(const TablePrinter& printer, const TableOptions& options)
      : printer_(printer), options_(options) {}

  // `object` is the object's JSON.
  Result<void> Add(std::string_view object);
  // The table, with the metadata of the list. The writer is of no use afterwards.
  std::string Finish(const ListMeta& metadata);

 private:
  const TablePrinter& printer_;
  const TableOptions options_;
  TextBuffer rows_{64 * 1024};
};

}  // namespace kubexms
