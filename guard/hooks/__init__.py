"""What the hook does for each event of its host. Standard library only, imported when needed."""
