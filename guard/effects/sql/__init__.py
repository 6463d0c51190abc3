"""SQL and its relatives: what statements do (`statements`), and the clients that send them."""
