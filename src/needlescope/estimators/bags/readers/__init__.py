"""Bags from files, read part by part: .pt files; HDF5, AnnData and Parquet, each with an extra."""
