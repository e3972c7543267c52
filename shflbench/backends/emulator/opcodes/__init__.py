"""What each PTX opcode does, one file a family."""
