"""The open tables, without Discord: seats, time, and the one way in which a table changes."""
