// Command lines from a table: names, kinds, targets and help in one place.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>

typedef enum option_kind {
    OPTION_FLAG,     // bool *
    OPTION_TEXT,     // const char **
    OPTION_POSITIVE, // double *, finite and > 0
    OPTION_NUMBER,   // double *, finite
    OPTION_COUNT,    // int *, > 0
    OPTION_NATURAL,  // int *, >= 0
    OPTION_LIST,     // text_list *, may be given several times
    OPTION_KEYFRAME, // text_list * of settings: the model starts in that keyframe
    OPTION_ROBOT,    // text_list * of settings: how a robot file is read
    OPTION_ROBOT_FLAG,
} option_kind;

typedef struct option {
    const char *name; // without the dashes
    char letter;      // for -x, or 0
    option_kind kind;
    void *target;
    const char *value; // what the value is, for the help: "FILE"; NULL for flags
    const char *help;
} option;

enum { TEXT_LIST_MAX = 256 };

typedef struct text_list {
    int count;
    const char *texts[TEXT_LIST_MAX];
} text_list;

// What every command that takes a model has.
#define MODEL_OPTIONS(settings)                                                                                        \
    {"set", 0, OPTION_LIST, (settings), "NAME=VALUE", "change a parameter or input of the model"},                     \
        {"set-joint",        0,                                                                                        \
         OPTION_LIST,        (settings),                                                                               \
         "JOINT.rate=VALUE", "start a joint at a rate, or at a JOINT.coordinate"},                                     \
        {"keyframe", 0, OPTION_KEYFRAME, (settings), "NAME", "start in a keyframe of the model"},                      \
        ROBOT_OPTIONS(settings)

// How robot files are read, for every command that takes a model.
#define ROBOT_OPTIONS(settings)                                                                                        \
    {"strict", 0, OPTION_ROBOT_FLAG, (settings), NULL, "robots: refuse what is left out or approximated"},             \
        {"without",  0,       OPTION_ROBOT,                                                                            \
         (settings), "PARTS", "robots: leave out contact,actuators,friction,equality,limits,passive"},                 \
        {"base", 0, OPTION_ROBOT, (settings), "free|fixed", "robots: whether the base of a URDF moves"},               \
        {"loops", 0, OPTION_ROBOT, (settings), "FILE", "robots: what closes the loops of a URDF"},                     \
        {"package", 0, OPTION_ROBOT, (settings), "NAME=DIRECTORY", "robots: where package://NAME is"},                 \
        {"allow-folder", 0, OPTION_ROBOT, (settings), "DIRECTORY", "robots: files may also lie there"},                \
    {                                                                                                                  \
        "repair-inertia", 0, OPTION_ROBOT_FLAG, (settings), NULL, "robots: take the nearest possible inertia"          \
    }

typedef struct command_line {
    const char *usage;    // "run MODEL [OPTIONS]"
    const char *about;    // a sentence or two
    const char *examples; // whole lines
    const option *options;
    int option_count;
    int least, most; // operands
    text_list operands;
} command_line;

typedef enum parse_result { PARSE_DONE, PARSE_HELP, PARSE_WRONG } parse_result;

// Values are written --name=value, --name value, -x value. "--" ends the options. --help prints the help; mistakes are
// reported on stderr.
parse_result options_parse(command_line *line, int count, char **arguments);

#endif
