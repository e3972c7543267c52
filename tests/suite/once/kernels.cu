// These tests compile nothing.
