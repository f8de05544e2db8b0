import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { call } from '../../crash/programs/support.ts'
import type { Services } from '../../../src/runtime/services.ts'

/** How a server of the tests treats its callers. */
export type Mood = 'ok' | 'slow' | 'failing' | 'restarting'

export interface FaultyServer {
  readonly url: string
  mood: Mood
}

/** Stores events in a real ledger, and fails on the way in every way that a server can. */
export async function faultyServer(services: Services, random: () => number): Promise<FaultyServer> {
  // The first call loads the handlers, which may take longer than a client waits.
  await call(services, 'POST /v1/events', { events: [] })
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const faulty: FaultyServer = { url: `http://127.0.0.1:${port}`, mood: 'ok' }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request)) as unknown
    const fate = random()
    if (faulty.mood === 'slow') await pause(fate * 250)
    if (faulty.mood === 'failing' && fate < 0.2) return send(response, 503, { detail: 'not now' })
    if (faulty.mood === 'failing' && fate < 0.3) return void response.destroy()
    const stored = await call(services, 'POST /v1/events', body)
    // The events are in, but the caller never hears of it.
    if (faulty.mood === 'failing' && fate < 0.5) return void response.destroy()
    if (faulty.mood === 'failing' && fate < 0.6) return send(response, 500, { detail: 'Internal error' })
    send(response, stored.status, stored.body)
  }

  const ended = new AbortController()
  const restarts = restartNowAndThen(ended.signal)
  onTestFinished(async () => {
    ended.abort()
    await restarts
    server.closeAllConnections()
    server.close()
  })
  return faulty

  async function restartNowAndThen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(60 + random() * 120)
      if (faulty.mood !== 'restarting' || signal.aborted) continue
      server.closeAllConnections()
      server.close()
      await pause(random() * 80)
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    }
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
