import type { CallOptions, Answer } from './call.ts'
import { type IncomingMessage, Agent, request as httpRequest } from 'node:http'
import { text as readAll } from 'node:stream/consumers'
import { parseOrText, toBody, urlOf } from './service.ts'

/** Sends a request with exactly these headers: fetch would refuse or change some of them. */
export function sendRaw(base: string, agent: Agent, route: string, options: CallOptions): Promise<Answer> {
  const { body, query, headers = {} } = options
  const [method, path] = route.split(' ') as [string, string]
  // The path goes out as it is given, not as a URL would have it.
  const { search } = urlOf(base, '/', query)
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      base,
      {
        agent,
        method,
        path: path + (path.includes('?') ? search.replace('?', '&') : search),
        headers: {
          host: 'localhost:8765',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          // Node states no length for the body of a DELETE, which then would pass for another request.
          ...(body === undefined || method !== 'DELETE'
            ? {}
            : { 'content-length': Buffer.byteLength(toBody(body)) }),
          ...headers,
        },
      },
      incoming => resolve(toAnswer(incoming)),
    )
    // A server may close a connection that has been idle for long just as the client takes it up again.
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = outgoing.reusedSocket && error.code === 'ECONNRESET'
      if (isClosed) resolve(sendRaw(base, new Agent(), route, options))
      else reject(error)
    })
    outgoing.end(body === undefined ? undefined : toBody(body))
  })
}

async function toAnswer(incoming: IncomingMessage): Promise<Answer> {
  const text = await readAll(incoming)
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, [value].flat().join(', '))
  return { status: incoming.statusCode!, headers, text, body: parseOrText(text) }
}
