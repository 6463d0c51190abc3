"""Measurements that print ratios of one run; never part of a test."""
