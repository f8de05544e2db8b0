import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { processIo } from '../../../src/cli/terminal/io.ts'
import { main } from '../../../src/entry/main.ts'
import {
  SMALL_SAMPLES,
  type Workspace,
  copyOf,
  startService,
  twoReleases,
  withDatabase,
} from '../../support/processes/cli.ts'
import { httpReceiver, tcpReceiver } from '../../support/processes/http_receiver.ts'

const made = await twoReleases(SMALL_SAMPLES)
const { baseline, candidate } = made
const DECIDE = ['--env', 'local', '--window', '1h', '--reason', 'r'] as const

/** A copy of the workspace that tells a receiver of everything. */
async function announcing(url: string, workspace = copyOf(made.workspace)) {
  const events = ['promote.succeeded', 'promote.blocked', 'rollback.succeeded'].flatMap(name => [
    '--event',
    name,
  ])
  const { code, stdout, stderr } = await workspace.svc('webhook', 'add', '--to', url, ...events)
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('not shown again') })
  const [id, secret] = stdout.trimEnd().split('\n') as [string, string]
  return { workspace, id, secret }
}

/** `svc webhook deliveries` as cells. */
async function listed(workspace: Workspace, ...args: string[]): Promise<string[][]> {
  const text = await workspace.ok('webhook', 'deliveries', ...args)
  return text === '' ? [] : text.split('\n').map(line => line.split('\t'))
}

describe('svc webhook', () => {
  test('add prints id and secret; list shows the end of it; remove asks, or is told --yes', async () => {
    const { workspace, id, secret } = await announcing('https://hooks.example.com/x')
    expect(id).toMatch(/^whk_[0-9a-f]{12}$/)
    expect(secret).toMatch(/^whsec_\S{48}$/)
    const list = await workspace.svc('webhook', 'list')
    expect(list.stdout).toMatch(new RegExp(`^${id}\thttps://hooks\\.example\\.com/x\tpromote\\.succeeded,`))
    expect(list.stdout + list.stderr).not.toContain(secret)
    expect(list.stdout).toContain(secret.slice(-4))
    const json = JSON.parse(await workspace.ok('webhook', 'list', '--output', 'json'))
    expect(json.webhooks).toMatchObject([{ webhook_id: id, enabled: true }])
    const unasked = await workspace.svc('webhook', 'remove', id)
    expect(unasked).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: There is no terminal to confirm this at; add --yes.\n',
    })
    const removed = await workspace.svc('webhook', 'remove', id, '--yes')
    expect(removed).toEqual({ code: 0, stdout: `${id} removed\n`, stderr: '' })
    const again = await workspace.svc('webhook', 'remove', id, '--yes')
    expect(again).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(`^svc: Unknown webhook: ${id}\n.*svc webhook list`),
    })
    expect((await workspace.svc('webhook', 'list')).stderr).toContain('svc webhook add')
  })

  test('update changes what it is told, and rotate prints a new secret once', async () => {
    const { workspace, id, secret } = await announcing('https://hooks.example.com/x')
    const moved = await workspace.svc(
      'webhook',
      'update',
      id,
      '--url',
      'https://b.example/y',
      '--event',
      'promote.blocked',
    )
    expect(moved).toEqual({
      code: 0,
      stdout: `${id} sends promote.blocked to https://b.example/y\n`,
      stderr: '',
    })
    expect(await workspace.svc('webhook', 'update', id, '--disable')).toMatchObject({
      code: 0,
      stdout: `${id} is disabled\n`,
    })
    expect(await workspace.ok('webhook', 'list')).toMatch(/\tdisabled$/)
    const enabled = JSON.parse(await workspace.ok('webhook', 'update', id, '--enable', '--output', 'json'))
    expect(enabled).toMatchObject({ webhook_id: id, enabled: true, events: ['promote.blocked'] })
    const rotated = await workspace.svc('webhook', 'rotate', id, '--overlap-s', '60')
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S{48}\n$/) })
    expect(rotated.stdout).not.toContain(secret)
    expect(rotated.stderr).toMatch(/also signs until \d{4}-\d\d-\d\dT\S+Z; give the receiver/)
    expect(await workspace.ok('webhook', 'list')).toMatch(/\trotating until \d{4}-\S+Z$/)
    expect((await workspace.svc('webhook', 'rotate', id)).stderr).toMatch(
      /being rotated already.*--end-rotation/,
    )
    await workspace.ok('webhook', 'update', id, '--end-rotation')
    expect(await workspace.ok('webhook', 'list')).toMatch(/\tenabled$/)
    const nothing = await workspace.svc('webhook', 'update', id)
    expect(nothing).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Nothing to change'),
    })
    const both = await workspace.svc('webhook', 'update', id, '--enable', '--disable')
    expect(both).toMatchObject({ code: 1, stderr: expect.stringContaining('contradict') })
  })

  test('a chat is sent a message, and its URL is not shown', async () => {
    const receiver = await httpReceiver()
    const workspace = copyOf(made.workspace)
    const url = `${receiver.url}/services/T0/s3cretpath`
    const added = await workspace.svc(
      'webhook',
      'add',
      '--format',
      'slack',
      '--url',
      url,
      '--event',
      'promote.succeeded',
    )
    const id = added.stdout.split('\n')[0]!
    const tested = await workspace.svc('webhook', 'test', id)
    expect(tested.code).toBe(0)
    expect(JSON.parse(receiver.received[0]!.body).text).toContain('Test of this webhook')
    const list = await workspace.svc('webhook', 'list')
    expect(list.stdout).toContain(`${new URL(receiver.url).origin}/…\t`)
    await receiver.close()
    const failed = await workspace.svc('webhook', 'test', id)
    const promoted = await workspace.svc('release', 'promote', baseline, ...DECIDE)
    for (const { stdout, stderr } of [added, tested, list, failed, promoted])
      expect(stdout + stderr).not.toContain('s3cretpath')
  })

  test.each([
    ['y\n', 0],
    ['YES\n', 0],
    ['n\n', 1],
    ['\n', 1],
    ['', 1],
  ])('remove asks at a terminal, and takes %j as an answer', async (typed, code) => {
    const { workspace, id } = await announcing('https://hooks.example.com/x')
    const stdin = Object.assign(Readable.from([typed]), { isTTY: true })
    let question = ''
    const io = { ...processIo(), cwd: workspace.folder, env: {}, stdin, out: () => {} }
    const ended = await main(['webhook', 'remove', id], '0', { ...io, err: text => void (question += text) })
    expect(ended).toBe(code)
    expect(question).toMatch(`Remove ${id} (https://hooks.example.com/x) and its deliveries? [y/N] `)
    expect((await workspace.ok('webhook', 'list')).includes(id)).toBe(code === 1)
  })

  test.each([
    [['--url', 'nonsense', '--event', 'promote.succeeded'], 'url must be an http or https URL'],
    [
      ['--url', 'http://169.254.169.254', '--event', 'promote.succeeded'],
      'url must not lead to 169.254.169.254',
    ],
    [['--url', 'https://a.example'], '--event is required'],
    [['--event', 'promote.succeeded'], '--url is required'],
  ])('add %j is refused by the name of the field', async (args, message) => {
    const workspace = copyOf(made.workspace)
    const { code, stdout, stderr } = await workspace.svc('webhook', 'add', ...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^svc: .*\n$/)
    expect(stderr).toContain(message)
  })

  test('sends a ping, prints status and answer, and exits 1 where it does not arrive', async () => {
    const receiver = await httpReceiver(response => response.end(`\u001B[31m${'y'.repeat(300)}`))
    const { workspace, id } = await announcing(receiver.url)
    const { code, stdout, stderr } = await workspace.svc('webhook', 'test', id)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^delivered {2}200 {2}\d+ ms\n\\u001b\[31my{195}\n$/)
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      event: 'test.ping',
      data: { actor: 'tester' },
    })
    await receiver.close()
    const failed = await workspace.svc('webhook', 'test', id)
    expect(failed.code).toBe(1)
    expect(failed.stdout).toMatch(/^failed {2}no answer {2}\d+ ms\n$/)
    expect(failed.stderr).toBe('svc: nothing listens there: the connection was refused\n')
  })
})

describe('a decision at the command line', () => {
  test('is delivered before the command ends', async () => {
    const receiver = await httpReceiver()
    const { workspace } = await announcing(receiver.url)
    const promoted = await workspace.svc('release', 'promote', baseline, ...DECIDE)
    expect(promoted).toMatchObject({ code: 0, stderr: '' })
    const rolledBack = await workspace.svc('release', 'rollback', candidate, ...DECIDE)
    expect(rolledBack).toMatchObject({ code: 0, stderr: expect.stringContaining('was never live') })
    expect(receiver.received.map(({ headers }) => headers['x-service-event'])).toEqual([
      'promote.succeeded',
      'rollback.succeeded',
    ])
    expect((await listed(workspace)).map(cells => [cells[2], cells[3]])).toEqual([
      ['delivered', 'rollback.succeeded'],
      ['delivered', 'promote.succeeded'],
    ])
  })

  test('is not broken by a receiver that is gone: it is tried again, given up, shown and replayed', async () => {
    const receiver = await httpReceiver()
    const { workspace } = await announcing(receiver.url)
    await receiver.close()
    const promoted = await workspace.svc('release', 'promote', baseline, ...DECIDE)
    expect(promoted.code).toBe(0)
    expect(promoted.stdout).toMatch(/^PROMOTED/)
    expect(promoted.stderr.match(/webhook delivery (?:failed|given up)/g)).toEqual([
      'webhook delivery failed',
      'webhook delivery failed',
      'webhook delivery given up',
    ])
    const [failed] = await listed(workspace, '--failed')
    expect(failed!.slice(2, 4)).toEqual(['failed', 'promote.succeeded'])
    const doctor = await workspace.svc('doctor')
    expect(doctor.code).toBe(0)
    expect(doctor.stdout).toContain('webhook_outbox: 0 deliveries wait; 1 were given up')
    const back = await httpReceiver(undefined, receiver.port)
    const replayed = await workspace.svc('webhook', 'replay', failed![0]!)
    expect(replayed).toEqual({ code: 0, stdout: `${failed![0]} is sent again\n`, stderr: '' })
    expect(back.received.map(({ headers }) => headers['webhook-id'])).toEqual([failed![0]])
    expect(await listed(workspace, '--failed')).toEqual([])
    expect((await workspace.svc('webhook', 'replay', 'nothing')).stderr).toBe(
      'svc: Unknown delivery: nothing\nsvc: `svc webhook deliveries` lists them\n',
    )
  })

  test('waits for a receiver that hangs no longer than its bound, and says what it left', async () => {
    const url = await tcpReceiver(() => {})
    const { workspace } = await announcing(url)
    const promoted = await workspace.svc('release', 'promote', baseline, ...DECIDE)
    expect(promoted.code).toBe(0)
    expect(promoted.stderr).toContain('svc: 1 webhook delivery stays in the outbox;')
    expect((await listed(workspace)).map(cells => cells[2])).toEqual(['pending'])
  })

  test('never logs the secret', async () => {
    const receiver = await httpReceiver(response => response.writeHead(500).end())
    const { workspace, secret } = await announcing(receiver.url)
    const ran = await workspace.svc('release', 'promote', baseline, ...DECIDE)
    expect(ran.stdout + ran.stderr).not.toContain(secret)
  })
})

describe('svc serve', () => {
  test('delivers what it decides, and what a killed process left behind', async () => {
    const receiver = await httpReceiver()
    const { workspace, id } = await announcing(receiver.url)
    // As a process leaves it that dies between its commit and its delivery.
    await withDatabase(workspace, client =>
      client.execute({
        sql: `INSERT INTO webhook_deliveries (delivery_id, webhook_id, event, body, status, attempts, due_at, created_at)
          VALUES ('left-behind', ?, 'promote.succeeded', '{}', 'pending', 0, 1, 1)`,
        args: [id],
      }),
    )
    const service = await startService(workspace)
    await receiver.arrived(1)
    expect(receiver.received[0]!.headers['webhook-id']).toBe('left-behind')
    const body = { release_id: baseline, environment: 'local', window: '1h', reason: 'r' }
    const answer = await fetch(`${service.url}/v1/promote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(200)
    await receiver.arrived(2)
    expect(receiver.received[1]!.headers['x-service-event']).toBe('promote.succeeded')
    const remote = await workspace.svc('webhook', 'list', '--url', service.url)
    expect(remote.stdout).toContain(id)
    const added = await workspace.svcWith(
      { env: { SERVICE_URL: service.url } },
      'webhook',
      'add',
      '--url',
      'https://b.example',
      '--event',
      'promote.blocked',
    )
    expect(added.code).toBe(0)
    expect(added.stderr).toContain(`svc: sending to ${service.url}\n`)
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    expect((await listed(workspace)).map(cells => cells[2])).toEqual(['delivered', 'delivered'])
    const cut = await workspace.svc('webhook', 'deliveries', '--limit', '1')
    expect(cut.stdout.split('\n')).toHaveLength(2)
    expect(cut.stderr).toBe('svc: only the newest 1 are shown; --limit takes up to 500\n')
  })

  test('answers while a receiver hangs, and does not wait for ever to stop', async () => {
    const url = await tcpReceiver(() => {})
    const { workspace } = await announcing(url)
    const service = await startService(workspace)
    const startedAt = performance.now()
    const body = JSON.stringify({ release_id: baseline, environment: 'local', window: '1h', reason: 'r' })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${service.url}/v1/promote`, { method: 'POST', headers, body })).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(8000)
    expect((await service.stop()).code).toBe(0)
    expect(performance.now() - startedAt).toBeLessThan(60_000)
  })
})
