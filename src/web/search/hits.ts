import type { BoardEntry } from '../../models/answers/board.ts'
import type { FoundRuns } from '../../models/answers/found_runs.ts'
import type { ReleaseRecord } from '../../models/documents/release.ts'
import { href } from '../route.ts'

/** Something that was found, and where it is shown. */
export interface Hit {
  readonly kind: string
  readonly text: string
  readonly about: string
  readonly link: string
}

/** Most hits of a kind. */
const MOST = 6

/** What is known by a name or an identifier, those that begin with what was typed first. */
export function hitsOf(
  typed: string,
  known: {
    readonly board: readonly BoardEntry[]
    readonly releases: readonly ReleaseRecord[]
    readonly runs: FoundRuns['runs']
  },
): Hit[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return []
  return [
    ...byIdentifier(typed.trim()),
    ...best(known.releases, wanted, ({ agent_id, version, release_id }) => [
      release_id,
      version,
      `${agent_id} ${version}`,
    ]).map(({ release_id, agent_id, version, environment }) => ({
      kind: 'Release',
      text: `${agent_id} ${version}`,
      about: `${release_id}, for ${environment}`,
      link: href('release', { id: release_id }),
    })),
    ...best(agentsOf(known.board), wanted, ({ agent }) => [agent]).map(({ agent, environments }) => ({
      kind: 'Agent',
      text: agent,
      about: environments.join(', '),
      link: href('board', { find: agent }),
    })),
    ...known.runs.map(({ matched_by, event }) => ({
      kind: matched_by === 'run' ? 'Run' : `Run of the ${matched_by}`,
      text: event.run_id,
      about: `${event.agent_id} in ${event.environment}, ${event.metrics.success ? 'success' : 'failed'}`,
      link: href('runs', {
        release: event.release_id,
        env: event.environment,
        window: '30d',
        [matched_by === 'run' ? 'run' : matched_by]: matched_by === 'run' ? event.run_id : typed.trim(),
        ...(matched_by === 'run' ? aroundRun(event) : { run: event.run_id }),
      }),
    })),
  ]
}

/** The list of runs that surely holds a run: of its trace or session where it has one. */
function aroundRun(event: FoundRuns['runs'][number]['event']): Record<string, string> {
  const { trace_id, session_id } = event.request ?? {}
  if (trace_id != null) return { trace: trace_id }
  return session_id == null ? { tenant: event.tenant_id, task: event.task_id } : { session: session_id }
}

const IDS = [
  [/^act_[0-9a-f]{12}$/, 'Action', 'ledger', 'action'],
  [/^prq_\w+$/, 'Request', 'approvals', 'request'],
  [/^whk_\w+$/, 'Webhook', 'webhooks', 'webhook'],
] as const

/** Actions, requests and webhooks are known by their first letters, and shown by where they would be. */
function byIdentifier(id: string): Hit[] {
  return IDS.filter(([shape]) => shape.test(id)).map(([, kind, view, name]) => ({
    kind,
    text: id,
    about: `in ${view}`,
    link: href(view, { [name]: id }),
  }))
}

function best<T>(all: readonly T[], wanted: string, namesOf: (item: T) => readonly string[]): T[] {
  const rank = (item: T): number => {
    const names = namesOf(item).map(name => name.toLowerCase())
    if (names.includes(wanted)) return 0
    if (names.some(name => name.startsWith(wanted))) return 1
    return names.some(name => name.includes(wanted)) ? 2 : 3
  }
  return all
    .map(item => [rank(item), item] as const)
    .filter(([place]) => place < 3)
    .toSorted(([a], [b]) => a - b)
    .slice(0, MOST)
    .map(([, item]) => item)
}

function agentsOf(board: readonly BoardEntry[]): { agent: string; environments: string[] }[] {
  const agents = Map.groupBy(board, ({ agent_id }) => agent_id)
  return Array.from(agents, ([agent, entries]) => ({
    agent,
    environments: entries.map(({ environment }) => environment),
  }))
}
