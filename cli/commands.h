// The commands of the program: one file each and one line in the table of commands.c.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

typedef enum exit_status {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,       // the run failed: solver, input or output
    EXIT_USAGE = 2,        // the command line or the model is wrong
    EXIT_INTERRUPTED = 130 // by the user
} exit_status;

typedef struct command {
    const char *name, *title;
    int (*run)(int count, char **arguments); // what stands behind the name; returns an exit_status
} command;

extern const command commands[];
extern const int command_count;

int command_run(int count, char **arguments);
int command_check(int count, char **arguments);
int command_info(int count, char **arguments);
int command_schemes(int count, char **arguments);
int command_joints(int count, char **arguments);
int command_bench(int count, char **arguments);

#endif
