import { appendFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { makeWorkspace, startService, withDatabase } from '../../support/processes/cli.ts'

describe('svc serve --log', () => {
  test('json: a line per request and for its end, on stderr', async () => {
    const service = await startService(makeWorkspace({}), { args: ['--log', 'json'] })
    await fetch(`${service.url}/v1/releases`, { headers: { 'x-request-id': 'r1' } })
    await service.stop()
    const lines = service.stderr().trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      {
        level: 'info',
        message: 'request',
        request_id: 'r1',
        method: 'GET',
        path: '/v1/releases',
        status: 200,
      },
      { level: 'info', message: expect.stringMatching(/^stopping/), signal: 'SIGTERM' },
      { level: 'info', message: 'stopped' },
    ])
  })

  test('text is for people, off says nothing', async () => {
    const text = await startService(makeWorkspace({}), { args: ['--log', 'text'] })
    await fetch(`${text.url}/nope`)
    await text.stop()
    expect(text.stderr()).toMatch(
      /^\S+Z GET \/nope 404 [\d.]+ ms [0-9a-f-]{36}\n\S+Z info stopping: .* signal=SIGTERM\n\S+Z info stopped\n$/,
    )
    const off = await startService(makeWorkspace({}), { args: ['--log', 'off'] })
    await fetch(`${off.url}/nope`)
    await off.stop()
    expect(off.stderr()).toBe('')
  })

  test('warns of tokens that have no effect alone', async () => {
    const service = await startService(makeWorkspace({}), {
      env: { SERVICE_READ_TOKEN: 'a-token-to-read-with' },
    })
    await service.stop()
    expect(service.stderr()).toBe(
      'svc: warning: SERVICE_READ_TOKEN has no effect without SERVICE_LOCAL_API_TOKEN\n',
    )
  })
})

describe('svc serve --reload', () => {
  test('restarts when the configuration changes, and survives a mistake in it', async () => {
    const workspace = makeWorkspace({ default_environment: 'first' })
    const service = await startService(workspace, { args: ['--reload'] })
    expect(await requiresApproval(service.url)).toBe(false)
    appendFileSync(workspace.path('service.yaml'), '\npromotion_requires_approval: [\n')
    await untilSaid(() => service.stderr(), /svc: service\.yaml, line/)
    const restarted = service.nextLine()
    workspace.write('service.yaml', { promotion_requires_approval: true })
    const [url] = /http:\S+/.exec(await restarted)!
    expect(await requiresApproval(url)).toBe(true)
    expect((await service.stop()).code).toBe(0)
  })
})

async function requiresApproval(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/v1/workspace`)
  return ((await answer.json()) as { promotion_requires_approval: boolean }).promotion_requires_approval
}

async function untilSaid(stderr: () => string, pattern: RegExp): Promise<void> {
  await expect.poll(stderr).toMatch(pattern)
}

test('a ledger that becomes unreadable is 503 on what reads it, and health is still 200', async () => {
  const workspace = makeWorkspace({})
  const service = await startService(workspace)
  expect((await fetch(`${service.url}/ready`)).status).toBe(200)
  await withDatabase(workspace, async client => {
    await client.execute('DROP TABLE audit_head')
  })
  const ready = await fetch(`${service.url}/ready`)
  expect(ready.status).toBe(503)
  expect(ready.headers.get('retry-after')).toBe('1')
  expect((await fetch(`${service.url}/health`)).status).toBe(200)
  await service.stop()
})
