"""The read side: rows for pages and figures. Nothing here writes; one file, one subject."""
