"""Counts of responses, on the cases of the SDK."""

import json
import unittest
from pathlib import Path
from types import SimpleNamespace

from release_governance import Counts, UsageError, count, source_of

CASES = json.loads(Path(__file__).with_name("usage_cases.json").read_text(encoding="utf-8"))


def as_object(value):
    """As SDKs give it: attributes."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: as_object(inner) for name, inner in value.items()})
    return value


class Count(unittest.TestCase):
    def test_cases(self):
        for case in CASES:
            for response in (case["response"], as_object(case["response"])):
                with self.subTest(case["name"], kind=type(response).__name__):
                    if "refusal" in case:
                        with self.assertRaises(UsageError) as caught:
                            count(response, case["source"])
                        self.assertIn(case["refusal"], str(caught.exception))
                    else:
                        self.assertEqual(count(response, case["source"]), Counts(**case["counts"]))

    def test_google_genai_has_other_names(self):
        usage = {"prompt_token_count": 300, "candidates_token_count": 30, "thoughts_token_count": 20,
                 "cached_content_token_count": None, "total_token_count": 350, "prompt_tokens_details": [{}]}
        self.assertEqual(count({"usage_metadata": usage}), Counts(300, 0, 0, 50))
        self.assertEqual(source_of({"usage_metadata": {"input_tokens": 1, "output_tokens": 1}}), "langchain")

    def test_a_pydantic_model_is_read_by_its_dump(self):
        class Usage:
            def model_dump(self):
                return {"prompt_tokens": 3, "completion_tokens": 4}

        self.assertEqual(count(SimpleNamespace(usage=Usage())), Counts(3, 0, 0, 4))

    def test_a_response_that_does_not_show_whose_it_is_is_no_guess(self):
        usage = {"usage": {"input_tokens": 3, "output_tokens": 4}}
        with self.assertRaisesRegex(UsageError, "give source="):
            count(usage)
        self.assertEqual(count(usage, "anthropic"), Counts(3, 0, 0, 4))
        with self.assertRaisesRegex(UsageError, "there is no source acme; it is one of anthropic, bedrock"):
            count(usage, "acme")

    def test_sums(self):
        self.assertEqual(Counts(1, 2, 0, 4) + Counts(10, 20, 5, 40), Counts(11, 22, 5, 44))


if __name__ == "__main__":
    unittest.main()
