/**
 * The part of a Fetch API Request that endpoints read. A Request is one; the command line passes a plain
 * object, because loading Node's Fetch implementation doubles the start-up time of a command.
 */
export interface RequestLike {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
  readonly body: ReadableStream<Uint8Array> | string | null
}

/** An answer before it is a Response. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | AsyncIterable<string>
}

const JSON_TYPE = 'application/json'

/** Answers a value as JSON. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return jsonText(JSON.stringify(value), status, headers)
}

/** Answers a text that is JSON already. */
export function jsonText(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body }
}

/** Answers a text, or one that is produced as it is read. */
export function plain(
  body: string | AsyncIterable<string>,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { status: 200, headers: { 'content-type': contentType, ...headers }, body }
}

/** The body of a reply as one text. */
export async function bodyText({ body }: Reply): Promise<string> {
  if (typeof body === 'string') return body
  const parts: string[] = []
  for await (const part of body) parts.push(part)
  return parts.join('')
}

export function toResponse({ status, headers, body }: Reply): Response {
  return new Response(typeof body === 'string' ? body : toStream(body), { status, headers })
}

function toStream(parts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = parts[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
