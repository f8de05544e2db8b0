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
const env = { PYTHONPATH: join(ROOT_PATH, 'python/src'), PYTHONDONTWRITEBYTECODE: '1' }
const SECRET = `whsec_${btoa('a key of thirty-six bytes, no fewer.')}`

const hasPython = spawnSync('python3', ['--version']).status === 0

/** Without python3 these are skipped: `npm run prove -- python` says so, and runs more. */
describe.skipIf(!hasPython)('python/ and examples/python', () => {
  test('the emitter stores every event once, though the service is busy, gone, or refuses one of them', async () => {
    const workspace = makeWorkspace({})
    workspace.write('release.yaml', releaseOf())
    const release_id = await workspace.ok('release', 'register', 'release.yaml')
    const service = await startService(workspace, { env: { SERVICE_LOCAL_API_TOKEN: 's3cret' } })
    const url = await faulty(service.url)
    const program = `
import json
from release_governance import Emitter
said = []
usage = {"provider": "acme", "model": "m1", "output_tokens": 1, "cached_input_tokens": 2}
fields = {"agent_id": "bot", "release_id": ${JSON.stringify(release_id)}, "environment": "local"}
with Emitter(${JSON.stringify(url)}, token="s3cret", defaults=fields, batch=100, every=0.1, on_error=lambda *a: said.append(a)) as emitter:
    for n in range(1000):
        emitter.emit({"usage": {"model": {**usage, "input_tokens": -1 if n == 500 else n}},
            "metrics": {"success": n % 2 == 0, "latency_ms": n}, "scores": {"f": 0.5}})
refused = [reason for reason, _ in said if "dropped" in reason]
print(json.dumps([emitter.sent, emitter.dropped, len(refused), "input_tokens must be" in refused[0]]))
`
    const { stdout } = await startProgram('python3', ['-c', program], env)
    expect(JSON.parse(await stdout)).toEqual([999, 1, 1, true])
    const client = new ServiceClient(service.url, { token: 's3cret' })
    const page = await client.listRuns({ release_id, window: '1h', limit: 1 })
    expect(page).toMatchObject({ matched_total: 999, events: [{ scores: { f: 0.5 } }] })
  })

  test('docs/runs.md sends a run, and gates a release', async () => {
    const workspace = makeWorkspace({})
    cpSync(join(ROOT_PATH, 'examples/quickstart'), workspace.folder, { recursive: true })
    await workspace.ok('pricing', 'import', 'prices.yaml')
    const RELEASE_ID = await workspace.ok('release', 'register', 'baseline', '--env', 'prod')
    await workspace.ok(
      'release',
      'promote',
      RELEASE_ID,
      '--env',
      'prod',
      '--window',
      '1h',
      '--reason',
      'first',
    )
    const { url } = await startService(workspace)
    const page = readFileSync(join(ROOT_PATH, 'docs/runs.md'), 'utf8').replaceAll(
      'http://127.0.0.1:8765',
      url,
    )
    const [run, gate] = [...page.matchAll(/```py\n([^]*?)```/g)].map(([, code]) => code!) as [string, string]
    const client = `
from types import SimpleNamespace as Client
said = {"model": "gpt-4.1-mini-2025-04-14", "usage": {"prompt_tokens": 1200, "completion_tokens": 300}}
completions = Client(create=lambda **asked: said)
client, messages = Client(chat=Client(completions=completions)), []
`
    const sent = await startProgram('python3', ['-c', `${client}${run}print(emitter.sent)`], {
      ...env,
      RELEASE_ID,
    })
    expect(await sent.stdout).toBe('1\n')
    const runs = await new ServiceClient(url).listRuns({
      release_id: RELEASE_ID,
      window: '1h',
      environment: 'prod',
    })
    expect(runs.events).toMatchObject([
      { tenant_id: 'acme', usage: { model: { model: 'gpt-4.1-mini', input_tokens: 1200 } } },
    ])
    const gated = await startProgram(
      'python3',
      ['-c', `import os\nos.chdir(${JSON.stringify(workspace.folder)})\n${gate}`],
      env,
    )
    expect(await gated.stdout).toMatch(/^inconclusive\n.*\n$/)
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

  test('the checksum is that of svc', async () => {
    const bundle = join(ROOT_PATH, 'examples/quickstart/candidate')
    const { stdout } = await startProgram('python3', ['-m', 'release_governance.checksum', bundle], env)
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
  let requests = 0
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    requests += 1
    if (requests === 1) return void response.writeHead(503, { 'retry-after': '0' }).end('{"detail":"busy"}')
    if (requests === 2) return void request.socket.destroy()
    const answer = await fetch(`${url}${request.url}`, {
      method: request.method!,
      headers: { 'content-type': 'application/json', authorization: request.headers.authorization! },
      body,
    })
    if (requests === 3) return void request.socket.destroy()
    response.writeHead(answer.status).end(await answer.text())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}
