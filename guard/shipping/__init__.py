"""Session files of this machine, shipped to a server while they grow: each byte once, in order."""
