// JSON documents, read without a library.
#ifndef PH_IO_MODEL_JSON_H
#define PH_IO_MODEL_JSON_H

#include "io/model/document.h"

// As document_parse, for JSON alone. False when the text is not JSON, with the reason in `problems`.
bool document_parse_json(document *document, ph_problems *problems);

#endif
