"""Two answers by an evaluator that asks no model, as the output items that Azure AI Foundry is sent; `argv[1]` is the file."""

import json
import logging
import sys

from azure.ai.evaluation import F1ScoreEvaluator, evaluate
from azure.ai.evaluation._evaluate._evaluate import _convert_results_to_aoai_evaluation_results

ROWS = [
    {"query": "Where is my order?", "response": "On its way.", "ground_truth": "On its way."},
    {"query": "May I return it?", "response": "No.", "ground_truth": "Within 30 days."},
]
with open("azure.jsonl", "w") as file:
    file.writelines(f"{json.dumps(row)}\n" for row in ROWS)
evaluators = {"f1": F1ScoreEvaluator()}
result = evaluate(data="azure.jsonl", evaluators=evaluators)
criteria = {"name": "f1", "type": "azure_ai_evaluator", "evaluator_name": "builtin.f1_score"}
_convert_results_to_aoai_evaluation_results(
    result,
    logging.getLogger(),
    "eval_1",
    "run_1",
    evaluators,
    eval_meta_data={"testing_criteria": [criteria]},
)
with open(sys.argv[1], "w") as file:
    json.dump(result["_evaluation_results_list"], file)
