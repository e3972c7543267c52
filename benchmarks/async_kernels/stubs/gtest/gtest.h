// Stands for Google Test, which only host code needs.
#pragma once
#define TEST(suite, name) void suite##_##name()
#define EXPECT_EQ(one, other) (void)((one) == (other))
#define EXPECT_TRUE(condition) (void)(condition)
