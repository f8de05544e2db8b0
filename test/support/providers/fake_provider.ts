import { once } from 'node:events'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { anthropicMessages } from './anthropic.ts'
import { bedrockConverse, geminiContent } from './clouds.ts'
import { chatCompletions, responses } from './openai.ts'
import type { ModelRequest, Protocol, Said } from './protocol.ts'

const PROTOCOLS: readonly (readonly [RegExp, Protocol])[] = [
  [/\/chat\/completions$/, chatCompletions],
  [/\/responses$/, responses],
  [/\/messages$/, anthropicMessages],
  [/\/model\/[^/]+\/invoke$/, anthropicMessages],
  [/:(?:stream)?generateContent$/i, geminiContent],
  [/\/model\/[^/]+\/converse$/, bedrockConverse],
]

export interface FakeProvider {
  readonly url: string
  /** The bodies of its requests, in order. */
  readonly requests: readonly ModelRequest[]
  /** How many of them it answered with the usage of VECTOR. */
  readonly answered: () => number
  close(): Promise<void>
}

/**
 * A provider on loopback that speaks the protocols of OpenAI, Anthropic, Gemini and Bedrock. Every answer uses the
 * tokens of VECTOR, `delayMs` later. Given tools it calls the first of them, once; a prompt of "fail" is answered with 400.
 */
export async function fakeProvider(delayMs = 0): Promise<FakeProvider> {
  const requests: ModelRequest[] = []
  let answered = 0
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await text(request)) || '{}') as ModelRequest
    requests.push(body)
    const path = (request.url ?? '').replace(/\?.*$/, '')
    const protocol = PROTOCOLS.find(([pattern]) => pattern.test(path))?.[1]
    if (protocol === undefined) return void response.writeHead(404).end('{}')
    if (delayMs > 0) await setTimeout(delayMs)
    if (isToFail(body)) return answer(response, FAILURE)
    answered += 1
    const isStream = /:streamGenerateContent/i.test(path)
    answer(response, protocol(isStream ? { ...body, stream: true } : body, requests.length))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answered: () => answered,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const FAILURE: Said = {
  status: 400,
  json: { type: 'error', error: { type: 'invalid_request_error', message: 'as asked' } },
}

function isToFail(body: ModelRequest): boolean {
  return JSON.stringify(body).includes('"fail"')
}

function answer(response: ServerResponse, said: Said): void {
  if ('json' in said) {
    response.writeHead(said.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(said.json))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const { event, data } of said.events) {
    if (event !== undefined) response.write(`event: ${event}\n`)
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  }
  response.end()
}
