// A decimal point for this thread, whatever the program around us has set.
#ifndef PH_BASE_NUMBER_LOCALE_H
#define PH_BASE_NUMBER_LOCALE_H

#ifndef __wasm__
#include <locale.h>
#endif
#include <stdbool.h>
#include <stdio.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#ifdef _WIN32

typedef struct number_locale {
    int mode;
    char outer[128];
} number_locale;

static inline bool number_locale_enter(number_locale *l)
{
    l->mode = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    const char *outer = setlocale(LC_NUMERIC, NULL);
    snprintf(l->outer, sizeof l->outer, "%s", outer ? outer : "C");
    return setlocale(LC_NUMERIC, "C") != NULL;
}

static inline void number_locale_leave(const number_locale *l)
{
    setlocale(LC_NUMERIC, l->outer);
    _configthreadlocale(l->mode);
}

#elif defined __wasm__ // a page has no other locale, and asking for one would ask its host for an environment

typedef struct number_locale {
    char none;
} number_locale;

static inline bool number_locale_enter(number_locale *l)
{
    (void)l;
    return true;
}

static inline void number_locale_leave(const number_locale *l)
{
    (void)l;
}

#else

typedef struct number_locale {
    locale_t own, outer;
} number_locale;

// False: out of memory, and nothing has changed.
static inline bool number_locale_enter(number_locale *l)
{
    l->own = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (l->own) l->outer = uselocale(l->own);
    return l->own != (locale_t)0;
}

static inline void number_locale_leave(const number_locale *l)
{
    uselocale(l->outer);
    freelocale(l->own);
}

#endif

#endif
