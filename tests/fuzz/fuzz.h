// One program for each reader. With clang's libFuzzer it makes up inputs (tests/fuzz/run); with any other compiler
// replay.c hands it the inputs of the corpus.
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "polhode/polhode.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What must hold for every input whatever; a sanitizer could not tell.
#define MUST(condition) ((condition) ? (void)0 : abort())

#endif
