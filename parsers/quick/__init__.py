"""Quick ways through the layouts that nearly every text has. Each gives what its format gives line by line, or nothing."""
