// How the library tells its helper what a new result file holds: a path, then lines of
//
//   RECIPE_DATASET    path, recipe_type, rank (0: a scalar), as many sizes
//   RECIPE_ATTRIBUTE  path of a dataset or "" for the file, name, recipe_type, whether it is a list, how many values, the values
//
// up to RECIPE_END. The answer says where each dataset lies, in the same order.
#ifndef PH_IO_RESULT_RECIPE_H
#define PH_IO_RESULT_RECIPE_H

enum { RECIPE_RANK_MAX = 4 };

typedef enum recipe_line { RECIPE_END, RECIPE_DATASET, RECIPE_ATTRIBUTE } recipe_line;
typedef enum recipe_type { RECIPE_INT, RECIPE_INT64, RECIPE_DOUBLE, RECIPE_TEXT } recipe_type;

#endif
