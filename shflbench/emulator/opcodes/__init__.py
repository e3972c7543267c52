"""The effect of each PTX opcode, one file a family."""
