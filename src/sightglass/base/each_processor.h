// Functions with SIGHTGLASS_FOR_EACH_PROCESSOR are compiled for several kinds of processors; the one that fits is taken
// when the program starts. All give the same bytes: no kind may fuse a product and a sum. Sanitizers cannot be there
// that early: under them the plain one is tested. SIGHTGLASS_FOR_EACH_WIDTH: for AVX-512 too; its file
// needs -ffp-contract=off (cmake/optimisation.cmake).
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
#define SIGHTGLASS_FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#define SIGHTGLASS_FOR_EACH_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SIGHTGLASS_FOR_EACH_PROCESSOR
#define SIGHTGLASS_FOR_EACH_WIDTH
#endif
