"""Results of MLPerf: Inference with power, Training and HPC with and without, Tiny energy."""
