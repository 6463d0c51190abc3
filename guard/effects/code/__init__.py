"""Code on a command line (`python -c`, `node -e`): which calls in it act, and how."""
