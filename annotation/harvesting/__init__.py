"""Tagged articles in: from a wiki, a dump or a file, into rows."""
