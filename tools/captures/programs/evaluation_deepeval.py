"""Three cases by a metric of our own, one of which breaks. Writes .deepeval/.latest_test_run.json."""

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase


class Relevancy(BaseMetric):
    def __init__(self):
        self.threshold = 0.5
        self.evaluation_model = "stub-judge-1"
        self.async_mode = self.include_reason = self.strict_mode = False

    def measure(self, case, *_, **__):
        if "broken" in case.input:
            raise ValueError("the judge broke")
        self.score = 0.9 if "refund" in case.actual_output else 0.2
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, case, *_, **__):
        return self.measure(case)

    def is_successful(self):
        return bool(self.success)

    @property
    def __name__(self):
        return "Answer Relevancy"


cases = [
    LLMTestCase(name="refund", input="How do I get my money back?", actual_output="Ask for a refund", tags=["money"]),
    LLMTestCase(input="Where is my order?", actual_output="No idea"),
    LLMTestCase(input="broken", actual_output="x"),
]
evaluate(
    cases,
    [Relevancy()],
    async_config=AsyncConfig(run_async=False),
    error_config=ErrorConfig(ignore_errors=True),
    display_config=DisplayConfig(print_results=False, show_indicator=False),
)
