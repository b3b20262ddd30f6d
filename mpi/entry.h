// The program polhode, as a function: cli/main.c is compiled with its main under this name.
#ifndef MPI_ENTRY_H
#define MPI_ENTRY_H

int polhode_main(int count, char **arguments);

#endif
