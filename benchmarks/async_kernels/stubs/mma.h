// Stands before a header of the same name in a repository: that of the toolkit is meant.
#include_next <mma.h>
