import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { WEBHOOK_EVENTS } from '../../src/models/names.ts'
import { signedRequest } from '../../src/ledger/webhooks/signing.ts'
import { freePort } from '../support/processes/free_port.ts'
import { makeWorkspace } from '../support/processes/cli.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

const DOC = readFileSync(join(ROOT_PATH, 'docs/webhooks.md'), 'utf8')
const snippets = (language: string): string[] =>
  [...DOC.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => text!)

test('the commands of docs/webhooks.md run as they stand', async () => {
  const { folder } = makeWorkspace({})
  const program = join(folder, 'svc')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT_PATH, 'bin/svc.cjs')}" "$@"\n`)
  chmodSync(program, 0o755)
  // Somebody may listen on the port of the text.
  const script = snippets('sh')
    .join('')
    .replace('8099', String(await freePort()))
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, USER: 'reader' },
  })
  expect(status, stderr).toBe(0)
  expect(stdout).toMatch(/^whk_\w+\nwhsec_\S+\nwhk_\w+\thttp:/)
  expect(stdout).toMatch(/failed {2}no answer .*\nnothing listens there yet\n/)
  expect(stdout).toMatch(/\nwhsec_\S+\n$/)
  expect(stdout + stderr).not.toContain('/services/')
})

test('the receiver of docs/webhooks.md takes what is signed and nothing else', async () => {
  const { path } = makeWorkspace()
  const sdk = pathToFileURL(join(ROOT_PATH, 'src/sdk/index.ts')).href
  const code = snippets('ts')[0]!.replace("'release-governance/sdk'", JSON.stringify(sdk))
  expect(code).toContain(sdk)
  const deployed: unknown[][] = []
  Object.assign(globalThis, { deploys: (...args: unknown[]) => deployed.push(args) })
  writeFileSync(path('receiver.ts'), code.replace('console.log(', 'globalThis.deploys('))
  const { receive } = (await import(pathToFileURL(path('receiver.ts')).href)) as {
    receive: (request: Request, secret: string) => Promise<Response>
  }
  const secret = `whsec_${btoa('a key of thirty-six bytes, no fewer.')}`
  const body = JSON.stringify({ event: 'test.ping', delivery_id: 'd', created_at: '', data: {} })
  const signable = { url: 'https://a.example', secret, event: 'test.ping', deliveryId: 'd', body }
  const { url, headers } = await signedRequest(signable, Date.now())
  const request = (text: string, sent: Record<string, string> = headers): Request =>
    new Request(url, { method: 'POST', headers: sent, body: text })
  expect((await receive(request(body), secret)).status).toBe(204)
  expect((await receive(request(`${body} `), secret)).status).toBe(401)
  const stripped = Object.entries(headers).filter(([name]) => !name.startsWith('webhook-'))
  expect((await receive(request(body, Object.fromEntries(stripped)), secret)).status).toBe(401)

  for (const event of WEBHOOK_EVENTS) {
    const data = { release_id: event, environment: 'prod' }
    const payload = JSON.stringify({ event, delivery_id: event, created_at: '', data })
    const sent = await signedRequest({ ...signable, event, deliveryId: event, body: payload }, Date.now())
    for (let time = 0; time < 2; time++) await receive(request(payload, sent.headers), secret)
  }
  const moves = ['promote.succeeded', 'rollback.succeeded', 'rollback.forced']
  expect(deployed).toEqual(moves.map(event => ['deploy', event, 'prod']))
})
