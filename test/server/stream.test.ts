import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { ok } from '../support/services/requests.ts'
import { socketService } from '../support/services/socket.ts'
import { artifactOf } from '../support/browser/web_story.ts'

let server: WebServer
let opened: AbortController[]

beforeEach(async () => {
  server = await webServer()
  opened = []
})
afterEach(async () => {
  for (const one of opened) one.abort()
  await server.close()
})

interface Stream {
  readonly status: number
  readonly end: () => void
  /** The next event or comment; undefined at the end. */
  readonly next: () => Promise<string | undefined>
}

async function stream(): Promise<Stream> {
  const controller = new AbortController()
  opened.push(controller)
  const response = await fetch(`${server.url}/v1/stream`, { signal: controller.signal })
  const reader = response.body!.getReader()
  return {
    status: response.status,
    end: () => controller.abort(),
    next: async () => {
      const { done, value } = await reader.read()
      return done ? undefined : new TextDecoder().decode(value)
    },
  }
}

const register = (version: string) =>
  server.send('POST /v1/releases', {
    artifact: artifactOf('bot', version),
    checksum: 'a'.repeat(64),
    environment: 'prod',
  })

describe('the stream of the head', () => {
  test('says where the log is, and each time that it grows', async () => {
    const { status, next } = await stream()
    expect(status).toBe(200)
    const first = /^data: (\d+)\n\n$/.exec((await next())!)
    await register('1')
    expect(await next()).toBe(`data: ${Number(first![1]) + 1}\n\n`)
  })

  test('that was opened first breaks neither GET /v1/places nor GET /v1/live', async () => {
    const { next } = await stream()
    await next()
    await server.send('PUT /v1/policy', {})
    const { release_id } = await register('1')
    const body = { release_id, environment: 'prod', window: '24h', reason: 'first' }
    expect(await server.send('POST /v1/promote', body)).toMatchObject({ release_id })
    const statuses = ['/v1/places/bot/prod', '/v1/live'].map(
      async path => (await fetch(`${server.url}${path}`)).status,
    )
    expect(await Promise.all(statuses)).toEqual([200, 200])
  })

  test('is refused to who has six, until one of those has ended', async () => {
    const six = await Promise.all(Array.from({ length: 6 }, stream))
    await Promise.all(six.map(one => one.next()))
    const refused = await fetch(`${server.url}/v1/stream`)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(await refused.json()).toEqual({
      detail: 'Too many streams are open: poll with If-None-Match instead.',
    })
    six[0]!.end()
    await expect.poll(async () => (await stream()).status, { interval: 300, timeout: 10_000 }).toBe(200)
  })

  test('ends with the token that opened it, and with the right to read without one', async () => {
    const service = await socketService()
    const open = async (token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const response = await fetch(`${service.url}/v1/stream`, { headers })
      return { status: response.status, ended: response.text() }
    }
    const create = (name: string, role: string, token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      return ok(service.call('POST /v1/tokens', { headers, body: { name, role } }))
    }
    const stranger = await open()
    const admin = (await create('ann', 'admin')).token
    expect(await stranger.ended).toMatch(/^data: \d+\n\n/)
    expect((await open()).status).toBe(401)
    const [reader, other] = [await open((await create('bo', 'read', admin)).token), await open(admin)]
    expect([reader.status, other.status]).toEqual([200, 200])
    await service.call('DELETE /v1/tokens/bo', { headers: { authorization: `Bearer ${admin}` } })
    expect(await Promise.race([reader.ended.then(() => 'reader'), other.ended.then(() => 'other')])).toBe(
      'reader',
    )
  })

  test('is open to each address six times', async () => {
    const service = await socketService({ workspace: { limits: { client_header: 'X-Real-IP' } } })
    const gone = new AbortController()
    const open = async (address: string) => {
      const headers = { 'x-real-ip': address }
      return (await fetch(`${service.url}/v1/stream`, { headers, signal: gone.signal })).status
    }
    const statuses = []
    for (const address of [...Array(7).fill('203.0.113.7'), '203.0.113.8']) statuses.push(await open(address))
    expect(statuses).toEqual([...Array(6).fill(200), 429, 200])
    gone.abort()
  })

  test('takes no place for HEAD', async () => {
    for (let times = 0; times < 8; times++) {
      const { status } = await fetch(`${server.url}/v1/stream`, { method: 'HEAD' })
      expect(status).toBe(200)
    }
    expect((await stream()).status).toBe(200)
  })

  test('ends with the server, which does not wait for it', async () => {
    const { next } = await stream()
    await next()
    const stopping = server.stop()
    let last: string | undefined
    do last = await next().catch(() => undefined)
    while (last !== undefined)
    await Promise.race([stopping, sleep(3000).then(() => expect.fail('the server waits for a stream'))])
    await server.start()
  })
})

describe('a read', () => {
  test('with If-None-Match has a tag, and is not sent again while it is the same', async () => {
    await register('1')
    const read = (tag: string) => fetch(`${server.url}/v1/board`, { headers: { 'if-none-match': tag } })
    const first = await read('"none"')
    const tag = first.headers.get('etag')!
    expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/)
    const again = await read(tag)
    expect([again.status, await again.text()]).toEqual([304, ''])
    await register('2')
    expect((await read(tag)).status).toBe(200)
    expect((await fetch(`${server.url}/v1/board`)).headers.get('etag')).toBeNull()
  })

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('comes as %s to who takes it', async (encoding, decoded) => {
    for (let number = 0; number < 20; number++) await register(String(number))
    const plain = await raw('/v1/releases', '')
    const small = await raw('/v1/releases', encoding)
    expect(plain.encoding).toBeUndefined()
    expect(small.encoding).toBe(encoding)
    expect(decoded(small.body).equals(plain.body)).toBe(true)
    expect(small.body.length).toBeLessThan(plain.body.length / 3)
    expect((await raw('/v1/policy', encoding)).encoding).toBeUndefined()
    expect((await raw('/v1/releases', `${encoding};q=0`)).encoding).toBeUndefined()
  })
})

/** What comes over the wire: fetch would decode it. */
function raw(path: string, accept: string): Promise<{ body: Buffer; encoding: string | undefined }> {
  return new Promise((resolve, reject) => {
    get(`${server.url}${path}`, { headers: { 'accept-encoding': accept } }, response => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve({ body: Buffer.concat(parts), encoding: response.headers['content-encoding'] }),
      )
    }).on('error', reject)
  })
}
