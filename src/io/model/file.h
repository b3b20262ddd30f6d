// Getting the text of a model file, and making sure that it is text.
#ifndef PH_IO_MODEL_FILE_H
#define PH_IO_MODEL_FILE_H

#include "io/model/document.h"

// The whole file in one block for mem_free(NULL, ...). On failure `problems` says why.
ph_status file_load(const char *path, ph_problems *problems, char **text, size_t *length);

// Whether the document is UTF-8 text without control characters, and not empty.
bool text_check(document *document, ph_problems *problems);

#endif
