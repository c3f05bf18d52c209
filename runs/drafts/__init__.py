"""Pure: the blocks of one text, related to the draft of what would be stored: hosts, experiments, configs, runs and captures."""
