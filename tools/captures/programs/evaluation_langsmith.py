"""Two repetitions of two examples; nothing is uploaded. Writes the results as CSV and JSON into the files that are named."""

import sys
from datetime import datetime, timezone
from uuid import UUID

from langsmith import Client, evaluate
from langsmith.schemas import Example

examples = [
    Example(
        id=UUID(int=number),
        inputs={"question": question},
        outputs={"answer": answer},
        dataset_id=UUID(int=9),
        created_at=datetime.now(timezone.utc),
    )
    for number, (question, answer) in enumerate([("a", "a"), ("b", "c")], 1)
]


def correct(run, example):
    return {"key": "correct", "score": run.outputs["output"] == example.outputs["answer"]}


frame = evaluate(
    lambda inputs: {"output": inputs["question"]},
    data=examples,
    evaluators=[correct],
    upload_results=False,
    num_repetitions=2,
    client=Client(api_key="k", api_url="http://127.0.0.1:9"),
).to_pandas()
frame.to_csv(sys.argv[1])
frame.to_csv(sys.argv[2], index=False)
