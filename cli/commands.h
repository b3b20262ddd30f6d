// The commands of the program. One command is one file, cli/<name>.c, with one function command_<name>, and one line in
// the list below.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

// name, title
#define COMMAND_LIST(X)                                                                                                \
    X(run, "simulate a model, measure what is kept, record the motion")                                                \
    X(compare, "run schemes side by side on one model: what each keeps and costs")                                     \
    X(order, "measure how fast the errors of schemes fall with the step")                                              \
    X(sensitivity, "derivatives of quantities of a run by parameters of its model, exactly")                           \
    X(fit, "parameters of a model from measured motion, with what the data do not determine")                          \
    X(optimize, "inputs over time or numbers of a design that reach a goal, by exact derivatives")                     \
    X(plot, "draw quantities of results: over time, against each other, side by side")                                 \
    X(view, "a web page of results in 3-D with plots, or of a running simulation")                                     \
    X(video, "a film of a result, drawn without a browser")                                                            \
    X(convert, "results to CSV, NumPy, animated 3-D; models from YAML to JSON and back")                               \
    X(export, "a model as an FMU, for Simulink, OpenModelica and the like")                                            \
    X(check, "look for mistakes in model files")                                                                       \
    X(info, "bodies, joints, degrees of freedom, redundant rows, mass, energy")                                        \
    X(schemes, "the integration schemes and what each keeps")                                                          \
    X(joints, "the joint types and the keys they take")                                                                \
    X(schema, "the JSON schema of the model file, for editors")                                                        \
    X(fc, "solve one friction problem of a file")                                                                      \
    X(bench, "how fast the engine steps on this machine")                                                              \
    X(completion, "what a shell needs to complete command lines of this program")

typedef enum exit_status {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,       // the run failed: solver, input or output
    EXIT_USAGE = 2,        // the command line or the model is wrong
    EXIT_INTERRUPTED = 130 // by the user
} exit_status;

// Each takes the arguments behind its name and returns an exit_status.
#define COMMAND_FUNCTION(name, title) int command_##name(int count, char **arguments);
COMMAND_LIST(COMMAND_FUNCTION)
#undef COMMAND_FUNCTION

typedef struct command {
    const char *name, *title;
    int (*run)(int count, char **arguments);
} command;

extern const command commands[];
extern const int command_count;

#endif
