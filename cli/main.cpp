#include "program.h"

int main(int argc, char** argv) { return sightglass::cli::run_program(argc, argv); }
