// The built viewer inside the library. The assembler puts the file in (PAGE_FILE, named by the build), so that nobody needs
// a tool to turn it into C.

#include "io/page/template.h"

// Constants, and what the compiler puts before names, by kind of object file.
#if defined __APPLE__
#define CONSTANTS ".section __TEXT,__const\n"
#define NAMED "_"
#elif defined _WIN32
#define CONSTANTS ".section .rdata,\"dr\"\n"
#define NAMED ""
#else
#define CONSTANTS ".section .rodata\n"
#define NAMED ""
#endif

__asm__(CONSTANTS NAMED "page_template_begin:\n"
                        ".incbin \"" PAGE_FILE "\"\n" NAMED "page_template_end:\n"
                        ".byte 0\n"
                        ".text\n");

extern const char page_template_begin[] __attribute__((visibility("hidden")));
extern const char page_template_end[] __attribute__((visibility("hidden")));

const char *page_template(size_t *length)
{
    *length = (size_t)(page_template_end - page_template_begin);
    return page_template_begin;
}
