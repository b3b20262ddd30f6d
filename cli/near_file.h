// A file that is not there: which one beside it may be meant.
#ifndef CLI_NEAR_FILE_H
#define CLI_NEAR_FILE_H

// Prints "did you mean '...'?" on stderr when there is no such file but one with nearly its name in the same folder.
void hint_near_file(const char *path);

#endif
