"""Speed, measured as ratios against a plain loop over the same text in the same run."""
