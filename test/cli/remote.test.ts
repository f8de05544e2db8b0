import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PRICES, releaseOf } from '../support/builders.ts'
import {
  type RunningService,
  makeWorkspace,
  SMALL_SAMPLES,
  startService,
  writeEvents,
} from '../support/cli.ts'

const TOKEN = 's3cret'
const server = makeWorkspace(SMALL_SAMPLES)
/** The laptop: it has files, but neither a configuration nor a ledger. */
const laptop = makeWorkspace()
let service: RunningService
beforeAll(async () => {
  service = await startService(server, { env: { SERVICE_LOCAL_API_TOKEN: TOKEN } })
})
afterAll(() => service.stop())

const remote = (...args: string[]) =>
  laptop.svcWith({ env: { SERVICE_URL: service.url, SERVICE_LOCAL_API_TOKEN: TOKEN } }, ...args)

describe('svc against a service', () => {
  test('runs the whole loop, and names its target before each write', async () => {
    const ARGS = ['--env', 'local', '--window', '1h', '--reason', 'r']
    const sending = `svc: sending to ${service.url}\n`
    laptop.write('prices.yaml', PRICES)
    laptop.write('policy.yaml', { max_latency_ms: 80 })
    laptop.write('a/release.yaml', releaseOf({ version: '1' }))
    laptop.write('b/release.yaml', releaseOf({ version: '2', model: 'm2' }))
    const imported = await remote('pricing', 'import', 'prices.yaml')
    expect(imported).toMatchObject({ code: 0, stderr: sending })
    expect(await remote('policy', 'set', 'policy.yaml')).toMatchObject({ code: 0, stderr: sending })
    const [a, b] = await Promise.all(
      ['a', 'b'].map(async name => {
        const { stdout, stderr } = await remote('release', 'register', name)
        expect(stderr).toBe(sending)
        return stdout.trim()
      }),
    )
    writeEvents(laptop, 'a.jsonl', 12, { release_id: a!, latency: 100 })
    writeEvents(laptop, 'b.jsonl', 12, { release_id: b!, latency: 50, model: 'm2' })
    for (const name of ['a.jsonl', 'b.jsonl']) {
      expect(await remote('runs', 'ingest', name)).toEqual({ code: 0, stdout: '12\n', stderr: sending })
    }
    const diff = await remote('release', 'diff', a!, b!, '--window', '1h', '--fail-on-policy')
    expect(diff).toMatchObject({ code: 0, stderr: '' })
    expect((await remote('release', 'promote', a!, ...ARGS)).stdout).toMatch(/^PROMOTED/)
    expect((await remote('release', 'promote', b!, ...ARGS)).stdout).toMatch(/^PROMOTED/)
    const blocked = await remote('release', 'rollback', a!, ...ARGS)
    expect(blocked).toMatchObject({ code: 1, stderr: sending })
    expect(blocked.stdout).toMatch(/^BLOCKED .*\n {2}- candidate latency_ms_avg 100\.00 exceeds max 80\n/)

    const { stdout } = await remote('release', 'history', '--output', 'json')
    const { actions } = JSON.parse(stdout) as { actions: Record<string, unknown>[] }
    expect(actions.map(({ actor, actor_source }) => [actor, actor_source])).toEqual(
      Array.from({ length: 3 }, () => ['tester', 'header']),
    )
    expect((await remote('release', 'verify', a!, '--path', 'a')).code).toBe(0)
    expect((await remote('release', 'verify', a!, '--path', 'b')).code).toBe(2)
    expect((await remote('runs', 'export', b!, '--window', '1h')).stdout.split('\n')).toHaveLength(13)
    expect(await remote('doctor', '--deep')).toMatchObject({ code: 0, stderr: '' })
    expect(await remote('rollups', 'rebuild')).toMatchObject({ code: 0, stderr: sending })
    expect(laptop.has('.service')).toBe(false)
  })

  test('says what a person is called in letters of any language', async () => {
    const env = { SERVICE_URL: `${service.url}/`, SERVICE_LOCAL_API_TOKEN: TOKEN, USER: 'zoë@例' }
    laptop.write('c/release.yaml', releaseOf({ agent: 'cat' }))
    const id = (await remote('release', 'register', 'c')).stdout.trim()
    const ARGS = ['--env', 'local', '--window', '1h', '--reason', 'r']
    expect((await laptop.svcWith({ env }, 'release', 'promote', id, ...ARGS)).code).toBe(0)
    const history = await remote('release', 'history', '--agent', 'cat')
    expect(decodeURIComponent(history.stdout.split('\t')[8]!)).toBe('zoë@例')
  })

  test('--url wins over SERVICE_URL, and a wrong or missing token is told', async () => {
    const elsewhere = { SERVICE_URL: 'http://127.0.0.1:9', SERVICE_LOCAL_API_TOKEN: TOKEN }
    const given = await laptop.svcWith({ env: elsewhere }, 'release', 'list', '--url', service.url)
    expect(given.code).toBe(0)
    const wrong = { SERVICE_LOCAL_API_TOKEN: 'guess' }
    for (const env of [wrong, {}]) {
      const { code, stdout, stderr } = await laptop.svcWith({ env }, 'release', 'list', '--url', service.url)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^svc: .*token.*SERVICE_LOCAL_API_TOKEN\.\n$/i)
      expect(stderr).not.toContain('guess')
    }
    const write = await laptop.svcWith({ env: wrong }, 'policy', 'set', 'policy.yaml', '--url', service.url)
    expect(write.code).toBe(1)
    expect(write.stderr).toMatch(/^svc: sending to .*\nsvc: .*token.*\n$/i)
  })

  test('errors of the service are its words and exit 1', async () => {
    expect(await remote('release', 'show', 'a b/c?d')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: Unknown release: a b/c?d\n',
    })
    expect((await remote('doctor', '--backup', 'x.db')).stderr).toBe(
      'svc: --backup works on the machine of the ledger only, without --url.\n',
    )
    expect(laptop.has('x.db')).toBe(false)
  })
})

describe.concurrent('an address that is no service', () => {
  test.each([
    ['http://127.0.0.1:9', /^svc: Can't reach http:\/\/127\.0\.0\.1:9: .*\.\n$/],
    ['http://nosuchhost.invalid', /^svc: Can't reach http:\/\/nosuchhost\.invalid: .*\.\n$/],
    ['ftp://127.0.0.1', /^svc: --url or SERVICE_URL must be an http or https URL/],
    ['127.0.0.1:8765', /^svc: --url or SERVICE_URL must be an http or https URL/],
    ['http://ann:secret@127.0.0.1', /^svc: --url or SERVICE_URL must be a base address only/],
    ['http://127.0.0.1/?a=1', /^svc: --url or SERVICE_URL must be a base address only/],
  ])('%s is refused', async (url, message) => {
    const { code, stdout, stderr } = await laptop.svc('release', 'list', '--url', url)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr.split('\n')).toHaveLength(2)
    expect(stderr).not.toContain('secret')
  })

  test.each([
    ['a web page', 200, {}, /^svc: The service answered 200 without JSON; is the URL right\?\n$/],
    ['a broken proxy', 502, {}, /^svc: The service answered 502 without JSON; is the URL right\?\n$/],
    [
      'a redirect',
      301,
      { location: 'https://elsewhere.example/' },
      /^svc: \S+ redirects to https:\/\/elsewhere\.example\/; use the address of the service itself\.\n$/,
    ],
  ])('%s is told from a service', async (_, status, headers, message) => {
    const { url, close } = await listen((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<html>')
    })
    const { code, stdout, stderr } = await laptop.svc('release', 'list', '--url', url)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(message)
    const exported = await laptop.svc(
      'runs',
      'export',
      'x',
      '--window',
      '1h',
      '-o',
      'out.jsonl',
      '--url',
      url,
    )
    expect(exported).toMatchObject({ code: 1, stdout: '' })
    expect(laptop.has('out.jsonl')).toBe(false)
    await close()
  })

  test('a service that goes away in the middle of an answer', async () => {
    const { url, close } = await listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"releases":', () => response.destroy())
    })
    const { code, stdout, stderr } = await laptop.svc('release', 'list', '--url', url)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^svc: \S+ broke off in the middle of its answer;.*\n$/)
    await close()
  })
})

async function listen(handler: RequestListener): Promise<{ url: string; close: () => Promise<void> }> {
  const listening = createServer(handler).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      listening.closeAllConnections()
      await new Promise(resolve => listening.close(resolve))
    },
  }
}
