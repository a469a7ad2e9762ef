"""DeepEval: a test case without an expected output, for which one of two metrics is skipped."""

import os
import sys
from pathlib import Path

os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "OPENAI_API_KEY": "none"}
from adder import ANSWERS, QUESTIONS, add
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import ExactMatchMetric, PatternMatchMetric
from deepeval.test_case import LLMTestCase

cases = [
    LLMTestCase(input=q, actual_output=add(q), expected_output=a)
    for q, a in zip(QUESTIONS, ANSWERS, strict=True)
]
cases.append(LLMTestCase(input="What is 9+9?", actual_output="19"))
result = evaluate(
    cases,
    [ExactMatchMetric(), PatternMatchMetric(pattern=r"\d+")],
    async_config=AsyncConfig(run_async=False),
    display_config=DisplayConfig(print_results=False, show_indicator=False),
    cache_config=CacheConfig(write_cache=False),
    error_config=ErrorConfig(skip_on_missing_params=True),
)
Path(sys.argv[1], "deepeval_fewer.json").write_text(result.model_dump_json(indent=1) + "\n")
