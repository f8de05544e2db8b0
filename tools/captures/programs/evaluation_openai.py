"""Output items of a run of OpenAI's Evals API, by its SDK from a server of ours that speaks as the types of the SDK say.

The first page as `to_json` writes it is in `argv[1]`, all items line by line in `argv[2]`.
"""

import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

import openai
from openai.types.evals.runs import OutputItemListResponse

GRADER = "match-5f3c2b1a-9d8e-4f7a-8b6c-0d1e2f3a4b5c"
USAGE = {"prompt_tokens": 40, "completion_tokens": 10, "total_tokens": 50, "cached_tokens": 0}


def item(number, question, passed):
    text = {"role": "assistant", "content": "On its way."}
    sample = {
        "error": {"code": "", "message": ""} if passed is not None else {"code": "500", "message": "as asked"},
        "finish_reason": "stop",
        "input": [{"role": "user", "content": question}],
        "max_completion_tokens": 100,
        "model": "gpt-5.6",
        "output": [text],
        "seed": 42,
        "temperature": 1,
        "top_p": 1,
        "usage": USAGE,
    }
    results = [] if passed is None else [{"name": GRADER, "type": "string-check-grader", "score": float(passed), "passed": passed}]
    return OutputItemListResponse.model_validate({
        "id": f"outputitem_{number}",
        "object": "eval.run.output_item",
        "created_at": 1795900932,
        "eval_id": "eval_1",
        "run_id": "evalrun_1",
        "datasource_item_id": number,
        "datasource_item": {"question": question, "ground_truth": "On its way."},
        "results": results,
        "sample": sample,
        "status": "error" if passed is None else "pass" if passed else "fail",
    })


ITEMS = [item(0, "Where is my order?", True), item(1, "May I return it?", False), item(2, "Who are you?", None)]


class Evals(BaseHTTPRequestHandler):
    def do_GET(self):
        asked = parse_qs(urlsplit(self.path).query)
        after = asked.get("after", [""])[0]
        begin = next((place + 1 for place, one in enumerate(ITEMS) if one.id == after), 0)
        page = ITEMS[begin : begin + int(asked.get("limit", ["20"])[0])]
        is_last = begin + len(page) == len(ITEMS)
        data = ",".join(one.model_dump_json() for one in page)
        body = (
            f'{{"object":"list","data":[{data}],"first_id":"{page[0].id}","last_id":"{page[-1].id}",'
            f'"has_more":{"false" if is_last else "true"}}}'
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Evals)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="k")
page = client.evals.runs.output_items.list("evalrun_1", eval_id="eval_1", limit=2)
with open(sys.argv[1], "w") as file:
    file.write(page.to_json() + "\n")
with open(sys.argv[2], "w") as file:
    for one in client.evals.runs.output_items.list("evalrun_1", eval_id="eval_1", limit=2):
        file.write(one.to_json(indent=None) + "\n")
