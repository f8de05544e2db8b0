import {
  EventQueue,
  type Fetch,
  type QueueOptions,
  type QueueProblem,
  ServiceClient,
} from '../../../src/sdk/index.ts'

/** A request as a test's service sees it. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/** A fetch that answers from a function, and what it was called with. */
export function fakeFetch(answer: (seen: Seen, count: number) => Response | Promise<Response>): {
  fetch: Fetch
  seen: Seen[]
} {
  const seen: Seen[] = []
  return {
    seen,
    fetch: async (url, { method = 'GET', headers, body, signal }) => {
      const request: Seen = {
        method,
        url,
        headers: headers as Record<string, string>,
        body: body as string | undefined,
        signal: signal!,
      }
      seen.push(request)
      return answer(request, seen.length)
    },
  }
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(value, { status, headers })
}

export function eventsOf({ body }: Seen): { run_id: string; [field: string]: unknown }[] {
  return (JSON.parse(body!) as { events: { run_id: string }[] }).events
}

/** A service that stores run ids once; `fail` may answer in its stead. */
export function storingService(
  fail: (seen: Seen, count: number) => Response | undefined | Promise<Response | undefined> = () => undefined,
) {
  const stored = new Set<string>()
  const fake = fakeFetch(async (request, count) => {
    const failure = await fail(request, count)
    if (failure !== undefined) return failure
    const ids = eventsOf(request).map(({ run_id }) => run_id)
    const inserted = ids.filter(id => !stored.has(id))
    for (const id of ids) stored.add(id)
    return json({ inserted: inserted.length, skipped: ids.length - inserted.length })
  })
  return { ...fake, stored }
}

export const SAMPLE = {
  agent_id: 'bot',
  release_id: 'rel_1',
  tenant_id: 't',
  task_id: 'k',
  environment: 'prod',
  usage: { model: { provider: 'acme', model: 'm1', input_tokens: 1, output_tokens: 2 } },
}

/** A queue on a fake service, with what it complained of. */
export function queueOn(fetch: Fetch, options: QueueOptions<typeof SAMPLE> = {}) {
  const problems: QueueProblem[] = []
  const client = new ServiceClient('http://service.test', { fetch })
  const queue = new EventQueue(client, {
    defaults: SAMPLE,
    onError: problem => void problems.push(problem),
    ...options,
  })
  return { queue, problems }
}
