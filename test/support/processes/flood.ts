import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { type Socket, connect } from 'node:net'

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

/** Probes until `work` is over, at least once; returns the statuses that were seen and the longest time, ms. */
export async function probedDuring(url: string, work: Promise<unknown>) {
  const state = { isOver: false }
  const over = work.finally(() => (state.isOver = true))
  const seen = new Set<number>()
  let longestMs = 0
  do {
    const { status, ms } = await probe(url)
    seen.add(status)
    longestMs = Math.max(longestMs, ms)
  } while (!state.isOver)
  await over
  return { statuses: [...seen], longestMs }
}

/** The most memory that a process has had, MB; 0 where the system does not say. */
export function peakMb(pid: number): number {
  if (process.platform !== 'linux') return 0
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}
