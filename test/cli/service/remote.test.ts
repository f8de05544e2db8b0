import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { remoteApi } from '../../../src/cli/service/remote.ts'
import { releaseOf } from '../../support/services/builders.ts'
import {
  type RunningService,
  makeWorkspace,
  SMALL_SAMPLES,
  startService,
} from '../../support/processes/cli.ts'
import { expectWholeLoop } from '../../support/processes/remote_loop.ts'

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
  test('runs the whole loop, and names its target before each write', () =>
    expectWholeLoop(service.url, laptop, remote))

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
      stderr:
        'svc: Unknown release: a b/c?d\nsvc: `svc release list` lists releases; give a full id, the beginning of an id, or a version\n',
    })
    expect((await remote('doctor', '--backup', 'x.db')).stderr).toBe(
      'svc: --backup works only on the machine of the ledger, without --url.\n',
    )
    expect(laptop.has('x.db')).toBe(false)
  })
})

test('a command says that it waits for a service that is silent', async () => {
  const silent = await listen(() => {})
  const waits = Promise.withResolvers<string>()
  const api = remoteApi(silent.url, undefined, 'ann', (_level, message) => waits.resolve(message), {
    noteMs: 1,
  })
  const answer = api.send('GET /v1/releases').catch((error: Error) => error.message)
  expect(await waits.promise).toBe(
    `${silent.url} has not answered yet; this waits up to 5 minutes, Ctrl-C ends it`,
  )
  await silent.close()
  expect(await answer).toMatch(/^can't reach /)
})

test('says so where https is asked of a service that speaks http', async () => {
  const plain = await listen((_request, response) => void response.end())
  const api = remoteApi(plain.url.replace('http:', 'https:'), undefined, 'ann', () => {}, { noteMs: 60_000 })
  await expect(api.send('GET /v1/releases')).rejects.toThrow('it speaks HTTP, not HTTPS')
  await plain.close()
})

describe.concurrent('an address that is no service', () => {
  test.each([
    ['http://127.0.0.1:9', /^svc: can't reach http:\/\/127\.0\.0\.1:9 \(.+\)\. Is .* running there\?\n$/],
    ['http://nosuchhost.invalid', /^svc: can't reach http:\/\/nosuchhost\.invalid \(.+\)\. /],
    ['ftp://ann:secret@127.0.0.1', /^svc: --url or SERVICE_URL must be an http or https URL\.\n$/],
    ['ftp://127.0.0.1', /^svc: --url or SERVICE_URL must be an http or https URL/],
    ['127.0.0.1:8765', /^svc: --url or SERVICE_URL must be an http or https URL/],
    [
      'http://ann:secret@127.0.0.1',
      /^svc: --url or SERVICE_URL must have no user, query or fragment; the token goes in SERVICE_LOCAL_API_TOKEN\.\n$/,
    ],
    ['http://127.0.0.1/?a=1', /^svc: --url or SERVICE_URL must have no user, query or fragment/],
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
    ['another server', 404, {}, /^svc: \S+ answered 404 without a `detail`, so it is not the service; .*\n$/],
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

  test('a service that lacks the route, or is behind a path of another', async () => {
    const args = ['release', 'list', '--url', `${service.url}/prefix`]
    expect(await laptop.svc(...args)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `svc: the service at ${service.url}/prefix has no such route; upgrade it to the version of this ` +
        'client, or check the base URL.\n',
    })
  })

  test('a token that no header can hold is refused before anything is sent', async () => {
    const env = { SERVICE_LOCAL_API_TOKEN: 'zwei Wörter' }
    const { code, stderr } = await laptop.svcWith({ env }, 'release', 'list', '--url', service.url)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'svc: SERVICE_LOCAL_API_TOKEN must be of ASCII characters without blanks.\n',
    })
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
