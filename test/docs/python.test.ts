import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundleChecksum, findBundle } from '../../src/cli/release/bundle.ts'
import { signedRequest } from '../../src/ledger/webhooks/signing.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { startProgram } from '../support/processes/python.ts'
import { makeWorkspace, startService } from '../support/processes/cli.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { releaseOf } from '../support/services/builders.ts'

const PYTHON = join(ROOT_PATH, 'examples/python')
const SECRET = `whsec_${btoa('a key of thirty-six bytes, no fewer.')}`

const hasPython = spawnSync('python3', ['--version']).status === 0

/** Without python3 these are skipped: `npm run prove -- python` says so, and runs more. */
describe.skipIf(!hasPython)('examples/python', () => {
  test('the emitter stores every event once, though the service is busy, gone, or refuses one of them', async () => {
    const workspace = makeWorkspace({})
    workspace.write('release.yaml', releaseOf())
    const release_id = await workspace.ok('release', 'register', 'release.yaml')
    const service = await startService(workspace, { env: { SERVICE_LOCAL_API_TOKEN: 's3cret' } })
    const url = await faulty(service.url)
    const program = `
import json, sys
sys.path.insert(0, ${JSON.stringify(PYTHON)})
from service import Emitter, Service, run_event
told = []
with Emitter(Service(${JSON.stringify(url)}, token="s3cret"), batch=100, every=0.1, on_error=lambda *a: told.append(a)) as emitter:
    for n in range(1000):
        emitter.emit(run_event(agent_id="bot", release_id=${JSON.stringify(release_id)}, provider="acme", model="m1",
            input_tokens=-1 if n == 500 else n, output_tokens=1, cached_input_tokens=2, success=n % 2 == 0, latency_ms=n,
            environment="local", scores={"f": 0.5}))
print(json.dumps([emitter.sent, emitter.dropped, len(told), "input_tokens must be" in told[0][0]]))
`
    const { stdout } = await startProgram('python3', ['-c', program])
    expect(JSON.parse(await stdout)).toEqual([999, 1, 1, true])
    const client = new ServiceClient(service.url, { token: 's3cret' })
    const page = await client.listRuns({ release_id, window: '1h', limit: 1 })
    expect(page).toMatchObject({ matched_total: 999, events: [{ scores: { f: 0.5 } }] })
  })

  test('docs/sources/python.md sends a run', async () => {
    const workspace = makeWorkspace({})
    cpSync(join(ROOT_PATH, 'examples/quickstart'), workspace.folder, { recursive: true })
    await workspace.ok('pricing', 'import', 'prices.yaml')
    const RELEASE_ID = await workspace.ok('release', 'register', 'candidate', '--env', 'prod')
    const { url } = await startService(workspace)
    const page = readFileSync(join(ROOT_PATH, 'docs/sources/python.md'), 'utf8')
    const snippet = /```py\n([^]*?)```/.exec(page)![1]!.replace('http://127.0.0.1:8765', url)
    const program = `import sys\nsys.path.insert(0, ${JSON.stringify(PYTHON)})\n${snippet}print(emitter.sent)`
    const { stdout } = await startProgram('python3', ['-c', program], { RELEASE_ID })
    expect(await stdout).toBe('1\n')
    const runs = await new ServiceClient(url).listRuns({
      release_id: RELEASE_ID,
      window: '1h',
      environment: 'prod',
    })
    expect(runs.events).toMatchObject([{ tenant_id: 'acme', metrics: { latency_ms: 840 } }])
  })

  test('an emitter that nobody listens to says on stderr, once, why events were dropped', async () => {
    const workspace = makeWorkspace({})
    workspace.write('release.yaml', releaseOf())
    const release_id = await workspace.ok('release', 'register', 'release.yaml')
    const { url } = await startService(workspace)
    const program = `
import contextlib, io, json, sys
sys.path.insert(0, ${JSON.stringify(PYTHON)})
from service import Emitter, Service, run_event
said = io.StringIO()
with contextlib.redirect_stderr(said):
    with Emitter(Service(${JSON.stringify(url)}), batch=1) as emitter:
        for latency in (10.5, None, 3):
            emitter.emit(run_event(agent_id="bot", release_id=${JSON.stringify(release_id)}, provider="acme", model="m1",
                input_tokens=1 if latency else -1, output_tokens=1, latency_ms=latency, environment="local"))
print(json.dumps([emitter.sent, emitter.dropped, said.getvalue().count("run events were dropped"), "input_tokens must be" in said.getvalue()]))
`
    const { stdout } = await startProgram('python3', ['-c', program])
    expect(JSON.parse(await stdout)).toEqual([2, 1, 1, true])
  })

  test('assign.py assigns as the vectors say', async () => {
    const program = `
import csv, sys
sys.path.insert(0, ${JSON.stringify(PYTHON)})
from assign import assign, number
rows = list(csv.DictReader(open(${JSON.stringify(join(ROOT_PATH, 'docs/rollouts-vectors.csv'))}, encoding="utf-8")))
for row in rows:
    assert abs(number(row["rollout_id"], row["unit"]) - float(row["from_share"])) < 1e-11, row
split = {"rollout_id": "rol_1", "by": "user", "share": 1, "assignment_key": "k", "baseline": {}, "candidate": {"release_id": "new"}}
release, unit = assign({"release_id": "old", "split": split}, "ann")
print(len(rows), release, len(unit), *assign({"release_id": "old", "split": split}, ""))
`
    const { stdout } = await startProgram('python3', ['-c', program])
    expect(await stdout).toBe('50 new 64 old None\n')
  })

  test('the emitter says with the next events how many it had to drop', async () => {
    const program = `
import json, sys, threading
sys.path.insert(0, ${JSON.stringify(PYTHON)})
from service import Emitter, Refused, Unavailable
class Service:
    bodies, open = [], threading.Event()
    def call(self, method, path, body):
        self.open.wait()
        self.bodies.append(body)
        if len(self.bodies) == 1:
            raise Unavailable("busy", 0.01)
        if len(body["events"]) > 1:
            raise Refused(400, "bad")
service = Service()
event = {"release_id": "r", "environment": "prod"}
with Emitter(service, batch=2, every=0.01, most_waiting=2, on_error=lambda *a: None) as emitter:
    for number in range(20):
        emitter.emit({**event, "release_id": 7 if number == 19 else "r"})
    service.open.set()
    emitter.close(5)
print(json.dumps([[len(body["events"]), body.get("dropped")] for body in service.bodies]), emitter.sent + emitter.dropped)
`
    const { stdout } = await startProgram('python3', ['-c', program])
    const [bodies, total] = (await stdout).trim().split(/ (?=\d+$)/)
    const [first, again, ...others] = JSON.parse(bodies!) as [number, { runs: number }[] | undefined][]
    // Two or none are under way when the queue fills.
    const { runs } = first![1]![0]!
    expect(runs).toBeGreaterThanOrEqual(15)
    expect(first![1]).toEqual([{ release_id: 'r', environment: 'prod', runs }])
    expect(again![1]).toEqual(first![1])
    expect(others.filter(([, dropped]) => dropped !== null)).toHaveLength(1)
    expect(total).toBe('20')
  })

  test('the emitter gives up by its deadline, and says what was lost', async () => {
    const program = `
import json, sys, time
sys.path.insert(0, ${JSON.stringify(PYTHON)})
from service import Emitter, Service
told = []
emitter = Emitter(Service("http://127.0.0.1:9", timeout=1), on_error=lambda reason, events: told.append(len(events)))
emitter.emit({"run_id": "a"})
started = time.monotonic()
print(json.dumps([emitter.close(1), told, time.monotonic() - started < 4]))
emitter.emit({"run_id": "b"})
print(json.dumps([emitter.dropped]))
`
    const { stdout } = await startProgram('python3', ['-c', program])
    expect(await stdout).toBe('[true, [1], true]\n[2]\n')
  })

  test('the checksum is that of svc', async () => {
    const bundle = join(ROOT_PATH, 'examples/quickstart/candidate')
    const { stdout } = await startProgram('python3', [join(PYTHON, 'checksum.py'), bundle])
    expect((await stdout).trim()).toBe(await bundleChecksum(await findBundle(bundle)))
  })

  test('the receiver takes what is signed, once, and nothing else', async () => {
    const receiver = await startProgram('python3', [join(PYTHON, 'webhook.py')], {
      WEBHOOK_SECRET: SECRET,
      PORT: '0',
    })
    const url = /http:\S+/.exec(await receiver.firstLine())![0]
    const body = JSON.stringify({
      event: 'promote.succeeded',
      delivery_id: 'd',
      created_at: '',
      data: { release_id: 'r' },
    })
    const signable = { url, secret: SECRET, event: 'promote.succeeded', deliveryId: 'd', body }
    const send = async (sentAt: number, changes: object = {}, text = body): Promise<number> => {
      const { headers } = await signedRequest(signable, sentAt)
      return (await fetch(url, { method: 'POST', headers: { ...headers, ...changes }, body: text })).status
    }
    expect(await send(Date.now())).toBe(204)
    expect(await send(Date.now())).toBe(204)
    expect(await send(Date.now(), {}, `${body} `)).toBe(401)
    expect(await send(Date.now() - 400_000)).toBe(401)
    expect(await send(Date.now(), { 'webhook-signature': 'v1,AAAA' })).toBe(401)
    expect(await send(Date.now(), { 'webhook-timestamp': 'now' })).toBe(401)
    const [other] = [
      (
        await signedRequest(
          { ...signable, secret: `whsec_${btoa('another key of so many bytes')}` },
          Date.now(),
        )
      ).headers,
    ]
    const own = (await signedRequest(signable, Date.now())).headers
    const both = `${other['webhook-signature']} ${own['webhook-signature']}`
    expect(await send(Date.now(), { 'webhook-signature': both })).toBe(204)
    receiver.stop()
    expect(await receiver.stdout).toMatch(/^listening .*\n\["promote\.succeeded", "r"\]\n$/)
  })
})

/** A way to a service that is busy at first, then loses a connection, and loses an answer. */
async function faulty(url: string): Promise<string> {
  let asked = 0
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    asked += 1
    if (asked === 1) return void response.writeHead(503, { 'retry-after': '0' }).end('{"detail":"busy"}')
    if (asked === 2) return void request.socket.destroy()
    const answer = await fetch(`${url}${request.url}`, {
      method: request.method!,
      headers: { 'content-type': 'application/json', authorization: request.headers.authorization! },
      body,
    })
    if (asked === 3) return void request.socket.destroy()
    response.writeHead(answer.status).end(await answer.text())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}
