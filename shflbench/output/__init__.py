"""The forms in which results leave the tool: charts, reports and records for other programs."""
