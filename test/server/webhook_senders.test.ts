import type { LookupAddress, lookup as systemLookup } from 'node:dns'
import { performance } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import { MAX_ANSWER_BYTES, type Send, type Sent } from '../../src/ledger/world/send.ts'
import { fetchSender } from '../../src/runtime/worker/send.ts'
import { nodeSender } from '../../src/runtime/node/send.ts'
import { httpReceiver, tcpReceiver } from '../support/processes/http_receiver.ts'

const SENDERS = {
  'of Node': nodeSender({ denyPrivate: false, timeoutMs: 400 }),
  'by fetch': fetchSender({ denyPrivate: false, timeoutMs: 400 }),
} as const

const post = (send: Send, url: string): Promise<Sent> =>
  send({
    url,
    headers: { 'content-type': 'application/json', 'x-service-event': 'test.ping' },
    body: '{"ä":1}',
  })

describe.each(Object.entries(SENDERS))('the sender %s', (_name, send) => {
  test('posts headers and body, and returns status and text', async () => {
    const receiver = await httpReceiver(response => response.writeHead(202).end('danke schön'))
    expect(await post(send, `${receiver.url}?a=b`)).toEqual({ status: 202, text: 'danke schön' })
    expect(receiver.received).toMatchObject([
      {
        path: '/hook?a=b',
        headers: { 'content-type': 'application/json', 'x-service-event': 'test.ping' },
        body: '{"ä":1}',
      },
    ])
  })

  test.each([204, 400, 500, 503])('returns %i as it is', async status => {
    const receiver = await httpReceiver(response => response.writeHead(status).end())
    expect(await post(send, receiver.url)).toEqual({ status, text: '' })
  })

  test.each([301, 302, 303, 307, 308])('does not follow a %i', async status => {
    const other = await httpReceiver()
    const receiver = await httpReceiver(response =>
      response.writeHead(status, { location: other.url }).end('elsewhere'),
    )
    const sent = await post(send, receiver.url)
    expect(sent).toMatchObject({ status })
    expect(other.received).toEqual([])
  })

  test('reads no more than it must of an answer of 100 MB', async () => {
    let written = 0
    const chunk = Buffer.alloc(256 * 1024, 'x')
    const receiver = await httpReceiver(response => {
      const fill = (): void => {
        while (written < 100 * 1024 * 1024 && !response.destroyed) {
          written += chunk.length
          if (!response.write(chunk)) return void response.once('drain', fill)
        }
        response.end()
      }
      fill()
    })
    const sent = await post(send, receiver.url)
    expect(sent).toMatchObject({ status: 200 })
    expect('text' in sent && sent.text.length).toBe(MAX_ANSWER_BYTES)
    expect(written).toBeLessThan(50 * 1024 * 1024)
  })

  test.each<[string, () => Promise<string>]>([
    ['never answers', () => tcpReceiver(() => {})],
    ['goes silent within its answer', async () => (await httpReceiver(response => response.write('x'))).url],
    [
      'drips',
      async () => {
        const receiver = await httpReceiver(response => {
          const timer = setInterval(() => response.write('x'), 20)
          response.on('close', () => clearInterval(timer))
        })
        return receiver.url
      },
    ],
  ])('gives up on a receiver that %s', async (_what, start) => {
    const url = await start()
    const startedAt = performance.now()
    expect(await post(send, url)).toEqual({ problem: 'no whole answer within 0.4 s' })
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  test.each<[string, () => Promise<string>]>([
    ['resets', () => tcpReceiver(socket => socket.once('data', () => socket.resetAndDestroy()))],
    ['hangs up', () => tcpReceiver(socket => socket.once('data', () => socket.end()))],
    ['speaks no HTTP', () => tcpReceiver(socket => socket.end('hello\r\n\r\n'))],
    [
      'breaks off within its answer',
      () =>
        tcpReceiver(socket =>
          socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')),
        ),
    ],
    [
      'changes to another protocol',
      () =>
        tcpReceiver(socket =>
          socket.once('data', () =>
            socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
          ),
        ),
    ],
    [
      'is gone',
      async () => {
        const receiver = await httpReceiver()
        await receiver.close()
        return receiver.url
      },
    ],
    ['has no name', async () => 'http://no-such-host.invalid/'],
    ['has TLS that is none', async () => (await httpReceiver()).url.replace('http:', 'https:')],
  ])('says why there is no answer of one that %s', async (_what, start) => {
    expect(await post(send, await start())).toEqual({ problem: expect.stringMatching(/\S/) })
  })

  test('refuses addresses in the URL', async () => {
    for (const host of ['169.254.169.254', '2852039166', '[::ffff:a9fe:a9fe]', '[fe80::1]']) {
      expect(await post(send, `http://${host}/`)).toEqual({
        problem: expect.stringMatching(/^refused to connect to /),
      })
    }
  })
})

describe('private addresses are refused where they are to be', () => {
  test.each([
    ['of Node', nodeSender({ denyPrivate: true })],
    ['by fetch', fetchSender({ denyPrivate: true })],
  ])('by the sender %s', async (_name, send) => {
    const receiver = await httpReceiver()
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '0.0.0.0', '127.0.0.1.']) {
      const sent = await post(send, `http://${host}:${receiver.port}/`)
      expect(sent).toEqual({ problem: expect.stringMatching(/^refused to connect to /) })
    }
    expect(receiver.received).toEqual([])
  })

  test('also behind a name', async () => {
    const receiver = await httpReceiver()
    for (const name of ['localhost', 'LOCALHOST']) {
      const sent = await post(nodeSender({ denyPrivate: true }), `http://${name}:${receiver.port}/`)
      expect(sent).toEqual({
        problem: expect.stringMatching(/^refused to connect to (?:127\.0\.0\.1|::1), /),
      })
    }
    expect(receiver.received).toEqual([])
  })
})

describe('a name', () => {
  /** Resolves to these addresses, one set after the other; counts its lookups. */
  function resolver(...answers: readonly (readonly string[])[]) {
    let lookups = 0
    const lookup = ((
      _name: string,
      _options: object,
      callback: (error: null, found: LookupAddress[]) => void,
    ) => {
      const addresses = answers[Math.min(lookups++, answers.length - 1)]!
      callback(
        null,
        addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    }) as unknown as typeof systemLookup
    return { lookup, lookups: () => lookups }
  }

  test('is looked up once, and what was checked is what is connected to', async () => {
    const receiver = await httpReceiver()
    const { lookup, lookups } = resolver(['127.0.0.1'], ['169.254.169.254'])
    const send = nodeSender({ denyPrivate: false, lookup })
    expect(await post(send, `http://rebind.example:${receiver.port}/`)).toMatchObject({ status: 200 })
    expect(lookups()).toBe(1)
    expect(await post(send, `http://rebind.example:${receiver.port}/`)).toEqual({
      problem: 'refused to connect to 169.254.169.254, a link-local address',
    })
  })

  test.each([
    [['127.0.0.1', '169.254.169.254'], false],
    [['::ffff:169.254.169.254'], false],
    [['64:ff9b::a9fe:a9fe'], false],
    [['fd00:ec2::254'], false],
    [['93.184.215.14', '10.0.0.1'], true],
    [['::1'], true],
  ])('that leads to %j is refused', async (addresses, denyPrivate) => {
    const { lookup } = resolver(addresses)
    const send = nodeSender({ denyPrivate, lookup })
    expect(await post(send, 'http://inside.example/')).toEqual({
      problem: expect.stringMatching(/^refused to connect to /),
    })
  })
})
