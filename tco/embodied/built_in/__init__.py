"""The built-in methods, one file each; plug-ins like any other."""
