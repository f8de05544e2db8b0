import { createHash } from 'node:crypto'

/** Answers a request with the text of its answer; throws unless it is a success. */
type Send = (method: string, path: string, body?: unknown) => Promise<string>

/** By the request, then by the field of its answer: the start of a hash. */
type Answers = Record<string, Record<string, string>>

/** Hashes of the answers to questions of every kind about two releases, in a ledger whose clock does not move. */
export async function answersOf(send: Send, baseline: string, candidate: string): Promise<Answers> {
  const pair = { baseline_release_id: baseline, candidate_release_id: candidate }
  const diff = (window: string, more: object = {}) =>
    ['POST', '/v1/diff', { ...pair, window, ...more }] as const
  const groups = (by: string) => ['POST', '/v1/diff/groups', { ...pair, window: '7d', by }] as const
  const get = (path: string) => ['GET', `/v1/${path}`] as const
  const requests = [
    ...['61m', '6h', '1d', '2d', '7d', '100d'].map(window => diff(window)),
    ...['window', 'tenant', 'task'].map(compare_by => diff('7d', { compare_by })),
    ...[{ tenant_id: 'tenant-7' }, { task_id: 'task-3' }].map(filter => diff('7d', filter)),
    diff('2d', { tenant_id: 'tenant-7', task_id: 'task-3', compare_by: 'window' }),
    diff('7d', { tails: true, tools: true }),
    diff('2d', { sequential: true, cluster_by: 'session' }),
    diff('7d', { tenant_id: 'nobody' }),
    ...['tenant', 'task', 'model', 'error'].map(groups),
    ...['1d', '7d', '30d'].map(window => get(`gate/bench/local?window=${window}&release_id=${candidate}`)),
    get('gate/bench/local?window=7d'),
    get(`gate/bench/local/report?window=7d&release_id=${candidate}`),
    [
      'POST',
      '/v1/promote',
      { release_id: candidate, environment: 'local', window: '7d', reason: 'x', dry_run: true },
    ],
    get('board'),
    get('pointers/bench/local'),
    get('releases?limit=20'),
    get(`releases/${candidate}`),
    get('actions?evidence=true'),
    get(`runs?release_id=${baseline}&window=7d&limit=50&offset=100`),
    get(`runs?release_id=${candidate}&window=7d&limit=5&tenant_id=tenant-7`),
    get(`runs/export?release_id=${baseline}&window=7d&limit=200`),
    get(`runs/worst?release_id=${candidate}&window=7d`),
    get(`runs/series?release_id=${candidate}&window=7d`),
  ] as const
  const answers: Answers = {}
  for (const [method, path, body] of requests) {
    const name = [method, path, ...(body === undefined ? [] : [JSON.stringify(body)])].join(' ')
    answers[name] = hashesOf(await send(method, path, body))
  }
  return answers
}

function hashesOf(text: string): Record<string, string> {
  const fields =
    text.startsWith('{') && !text.includes('\n{') ? Object.entries(JSON.parse(text)) : [['all', text]]
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8),
    ]),
  )
}
