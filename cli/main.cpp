#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "commands.h"
#include "interrupt.h"
#include "sightglass/base/error.h"
#include "sightglass/base/version.h"

namespace {

using namespace sightglass;

// One line: what, where, what to do. Detail only on request.
int complain(const Error& error, bool verbose) {
  fmt::print(stderr, "sightglass: {}\n", printable(error.what(), 1000));
  if (verbose && !error.detail().empty()) fmt::print(stderr, "{}\n", error.detail());
  return exit_code(error.kind());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Explains trained machine-learning models, exactly, and says when not to trust the explanation.",
               "sightglass");
  app.set_version_flag("--version", std::string("sightglass ") + std::string(version()));
  bool verbose = false;
  app.add_flag("--verbose", verbose, "more detail on errors");
  app.fallthrough();
  app.require_subcommand(1);
  cli::Action action;
  cli::add_method_commands(app, action);
  cli::add_inspect_command(app, action);
  cli::add_predict_command(app, action);
  cli::add_methods_command(app, action);
  cli::add_render_command(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "sightglass: {}; see sightglass --help\n", printable(error.what(), 400));
    return exit_code(ErrorKind::usage);
  }
  try {
    action();
    return 0;
  } catch (const Error& error) {
    return complain(error, verbose);
  } catch (const Cancelled&) {
    fmt::print(stderr, "sightglass: stopped; nothing was written\n");
    return cli::interrupted_exit_code;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "sightglass: not enough memory; use fewer rows (--sample) or a smaller grid\n");
    return exit_code(ErrorKind::internal);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sightglass: internal error: {}; please report it\n", printable(error.what(), 400));
    return exit_code(ErrorKind::internal);
  }
}
