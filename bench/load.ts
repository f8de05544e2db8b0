import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A server of bench/servers in a process of its own. */
export interface BenchServer {
  readonly url: string
  stop(): Promise<void>
}

export async function startBenchServer(name: string, folder: string): Promise<BenchServer> {
  const path = fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url))
  const child: ChildProcess = spawn(process.execPath, [path, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  return {
    url,
    stop: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

export interface Target {
  readonly url: string
  readonly method?: string
  /** The body of each request. */
  readonly body?: () => string
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

function send(agent: Agent, { url, method = 'GET', body }: Target): Promise<void> {
  const text = body?.()
  const headers =
    text === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers }, incoming => {
      incoming.resume()
      incoming.on('end', () => {
        if (incoming.statusCode === 200) resolve()
        else reject(new Error(`${method} ${url} answered ${incoming.statusCode}`))
      })
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}
