"""Bags from files, read part by part: HDF5, AnnData, Parquet; each an extra of the package."""
