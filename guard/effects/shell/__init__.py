"""Command lines: what they are made of, how they are parsed, and what running them does."""
