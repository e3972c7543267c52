"""Run one kernel that no pattern declares at several launches, and collect what happens."""
