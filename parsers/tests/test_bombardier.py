"""What bombardier prints of answers with a status of 2xx, behind all: from a change proposed for it."""

from __future__ import annotations

import parsers

REPORT = """\
Statistics        Avg      Stdev        Max
  Reqs/sec      1947.65     558.64    2566.71
  Latency        4.13ms    32.36ms      1.01s
  Latency Distribution (Total)
     50%     2.91ms
     75%     3.18ms
     90%     4.08ms
     95%     4.96ms
     99%    10.69ms
  Latency Distribution (2xx)
     50%      1.00s
     75%      1.00s
     90%      1.01s
     95%      1.01s
     99%      1.01s
  HTTP codes:
    1xx - 0, 2xx - 11, 3xx - 0, 4xx - 0, 5xx - 9785
    others - 0
  Throughput:   456.62KB/s
"""


def test_percentiles_of_good_answers_stand_beside_those_of_all():
    (block,) = parsers.read(REPORT.splitlines())
    assert block.values["percentiles_ms"]["50"] == 2.91
    assert block.values["percentiles_2xx_ms"] == {"50": 1000, "75": 1000, "90": 1010, "95": 1010, "99": 1010}
    assert block.values["status_5xx"] == 9785
    assert block.load_results[0].percentiles_ms["99"] == 10.69
