"""Sample data, written by a seeded generator and sent through the same door as everybody's.

Nothing here touches a table: `load.py` hands bytes to `dashboard.ingest.receive`, and what the
pages show afterwards is what the worker judged.
"""
