import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A server of bench/servers in a process of its own. */
export interface BenchServer {
  readonly url: string
  /** What the process has used so far; only `service` knows. */
  usage(): Promise<Usage>
  stop(): Promise<void>
}

export interface Usage {
  readonly cpuSeconds: number
  readonly rssMb: number
}

export async function startBenchServer(name: string, ...argv: readonly string[]): Promise<BenchServer> {
  const path = fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url))
  const child: ChildProcess = spawn(process.execPath, [path, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [url] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  return {
    url,
    usage: async () => {
      child.send('usage')
      const [used] = (await once(child, 'message')) as [Usage]
      return used
    },
    stop: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** What a request sends: JSON, unless its headers say otherwise. */
export interface Payload {
  readonly body: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export interface Target {
  readonly url: string
  readonly method?: string
  /** The body of each request. */
  readonly body?: () => string | Payload
  readonly token?: string | undefined
}

/** Sends requests over `connections` for `seconds` and returns their times, ms. Throws on any answer but 200. */
export async function load(target: Target, connections: number, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  const until = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        const startedAt = performance.now()
        await send(agent, target)
        times.push(performance.now() - startedAt)
      }
    }),
  )
  agent.destroy()
  return times
}

/** Sends each body once to one of the urls, over `connections` in all, and returns the seconds it took. */
export async function sendAll(
  urls: readonly string[],
  bodies: readonly (string | Payload)[],
  connections: number,
  token?: string,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const waiting = bodies.values()
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const url = urls[index % urls.length]!
      for (const body of waiting) await send(agent, { url, method: 'POST', body: () => body, token })
    }),
  )
  agent.destroy()
  return (performance.now() - startedAt) / 1000
}

function send(agent: Agent, { url, method = 'GET', body, token }: Target): Promise<void> {
  const given = body?.()
  const payload = typeof given === 'string' ? { body: given } : given
  const headers =
    payload === undefined
      ? {}
      : {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(payload.body)),
          ...payload.headers,
        }
  const access = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers: { ...headers, ...access } }, incoming => {
      incoming.resume()
      incoming.on('end', () => {
        if (incoming.statusCode === 200) resolve()
        else reject(new Error(`${method} ${url} answered ${incoming.statusCode}`))
      })
    })
    outgoing.on('error', reject)
    outgoing.end(payload?.body)
  })
}
