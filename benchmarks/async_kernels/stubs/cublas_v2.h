// Stands for a header that only host code needs.
