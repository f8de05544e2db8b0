"""Two epochs of three samples, by a model that says what it is told to. Writes a log into the folder that is named,
as JSON or in the format that is named."""

import sys

import tiktoken


class Words:
    """In place of an encoding that would have to be fetched: tokens are words."""

    def encode(self, text, **_):
        return text.split()


tiktoken.get_encoding = tiktoken.encoding_for_model = lambda *_, **__: Words()

from inspect_ai import Task, eval, task  # noqa: E402
from inspect_ai.dataset import Sample  # noqa: E402
from inspect_ai.model import ModelOutput, get_model  # noqa: E402
from inspect_ai.scorer import Score, match, mean, scorer  # noqa: E402
from inspect_ai.solver import generate  # noqa: E402


@scorer(metrics=[mean()])
def relevance():
    async def score(state, target):
        return Score(value=0.75 if "Paris" in state.output.completion else 0.25)

    return score


@task
def capitals():
    dataset = [
        Sample(id="france", input="Capital of France?", target="Paris"),
        Sample(id="spain", input="Capital of Spain?", target="Madrid"),
        Sample(id=3, input="Capital of Texas (Paris)?", target="Paris"),
    ]
    return Task(dataset=dataset, solver=generate(), scorer=[match(location="any"), relevance()], epochs=2)


answers = ["Paris", "Paris", "Lisbon", "Paris", "Paris", "Madrid"]
outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
model = get_model("mockllm/model", custom_outputs=outputs)
log_format = sys.argv[2] if len(sys.argv) > 2 else "json"
eval(capitals(), model=model, log_format=log_format, log_dir=sys.argv[1], display="none", max_samples=1)
