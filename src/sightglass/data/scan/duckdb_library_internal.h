// DuckDB's C functions, loaded when the first file is scanned: programs that never read a file never pay for
// the library, and no symbol of it can clash with another DuckDB in the process (Python's, for example).
#pragma once

#include <duckdb.h>

#include <string>
#include <vector>

namespace sightglass {

// Every function of the C API that a scan calls, without its prefix.
#define SIGHTGLASS_DUCKDB_FUNCTIONS(X)      \
  X(create_config)                          \
  X(set_config)                             \
  X(destroy_config)                         \
  X(open_ext)                               \
  X(close)                                  \
  X(connect)                                \
  X(interrupt)                              \
  X(disconnect)                             \
  X(query)                                  \
  X(destroy_result)                         \
  X(result_error)                           \
  X(extract_statements)                     \
  X(extract_statements_error)               \
  X(prepare_extracted_statement)            \
  X(destroy_extracted)                      \
  X(prepare_error)                          \
  X(destroy_prepare)                        \
  X(nparams)                                \
  X(prepared_statement_type)                \
  X(pending_prepared_streaming)             \
  X(pending_error)                          \
  X(execute_pending)                        \
  X(destroy_pending)                        \
  X(prepared_statement_column_count)        \
  X(prepared_statement_column_name)         \
  X(prepared_statement_column_logical_type) \
  X(fetch_chunk)                            \
  X(destroy_data_chunk)                     \
  X(data_chunk_get_size)                    \
  X(data_chunk_get_vector)                  \
  X(vector_get_data)                        \
  X(vector_get_validity)                    \
  X(get_type_id)                            \
  X(logical_type_get_alias)                 \
  X(decimal_internal_type)                  \
  X(decimal_width)                          \
  X(decimal_scale)                          \
  X(decimal_to_double)                      \
  X(hugeint_to_double)                      \
  X(uhugeint_to_double)                     \
  X(enum_internal_type)                     \
  X(enum_dictionary_size)                   \
  X(enum_dictionary_value)                  \
  X(destroy_logical_type)                   \
  X(free)

struct DuckDb {
#define SIGHTGLASS_DECLARE(name) decltype(&::duckdb_##name) name = nullptr;
  SIGHTGLASS_DUCKDB_FUNCTIONS(SIGHTGLASS_DECLARE)
#undef SIGHTGLASS_DECLARE
};

// Loads the library on first use; any thread. Throws Error(data) that says where it was looked for.
[[nodiscard]] const DuckDb& duckdb();

// Where to look, best first: the environment variable SIGHTGLASS_DUCKDB alone if it is set, else the places
// relative to the binary that contains this code, else the library this was built with.
[[nodiscard]] std::vector<std::string> duckdb_candidates();

}  // namespace sightglass
