import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { type Socket, connect } from 'node:net'
import { createInterface } from 'node:readline'
import { Worker } from 'node:worker_threads'

/** Opens connections, from `address` where it is given, and sends the same bytes on each. Their errors are expected. */
export async function flood(url: string, count: number, bytes: string, address?: string): Promise<Socket[]> {
  const { hostname: host, port } = new URL(url)
  const from = address === undefined ? {} : { localAddress: address }
  const sockets = Array.from({ length: count }, () => connect({ host, port: Number(port), ...from }))
  for (const socket of sockets) socket.on('error', () => {})
  await Promise.all(sockets.map(socket => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  for (const socket of sockets) if (bytes !== '') socket.write(bytes)
  return sockets
}

/** A request as bytes. */
export function requestBytes(route: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `${route} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** The status of /health on a connection of its own, and how long it took, ms. Throws where none comes. */
export async function probe(url: string): Promise<{ readonly status: number; readonly ms: number }> {
  const startedAt = performance.now()
  const request = get(`${url}/health`, { agent: false })
  const [response] = await once(request, 'response')
  response.resume()
  await once(response, 'end')
  return { status: response.statusCode, ms: performance.now() - startedAt }
}

/** What probes of a service and of a server that does nothing else saw, by turns: statuses, and times in ms. */
export interface Probed {
  readonly statuses: readonly number[]
  readonly health: readonly number[]
  readonly bare: readonly number[]
  /** Of a server like that which is attacked too; empty without one. */
  readonly attacked: readonly number[]
}

const BARE = `const server = require('http').createServer((_, response) => response.end('ok'))
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/** Runs `use` with a second server, of Node, that answers `ok` to all requests. */
export async function withBareServer<T>(use: (url: string) => Promise<T>): Promise<T> {
  const bare = spawn(process.execPath, ['-e', BARE], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [port] = (await once(createInterface({ input: bare.stdout }), 'line')) as [string]
    return await use(`http://127.0.0.1:${port}`)
  } finally {
    bare.kill()
  }
}

/**
 * Probes from a thread of its own until `work` is over, at least ten times: this one is busy with what it sends. The work may
 * say which servers are to be probed from then on. `attacked` is another server that does nothing else, but is attacked.
 */
export async function probedDuring(
  url: string,
  work: (probeThese: (urls: readonly string[]) => void) => Promise<unknown>,
  attacked?: string,
): Promise<Probed> {
  return withBareServer(async bare => {
    const thread = new Worker(new URL('prober.ts', import.meta.url), { workerData: { url, bare, attacked } })
    const over = once(thread, 'message') as Promise<[Probed]>
    // One that failed is thrown below.
    over.catch(() => {})
    await work(urls => thread.postMessage(urls))
    thread.postMessage('end')
    return (await over)[0]
  })
}

/** The time within which 99 of 100 are, ms. */
export function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0
}

/** The most memory that a process has had, MB; 0 where the system does not say. */
export function peakMb(pid: number): number {
  if (process.platform !== 'linux') return 0
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}
