"""Find what makes a kernel wrong whatever it computed: a file per kind of rule, listed in `rule_table.py`."""
