"""A study service: one process trains what the tuners of many others ask, over HTTP, on one set of plans."""
