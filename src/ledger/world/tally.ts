import { type MetricSpec, type Tally, newTally } from '../../base/tally.ts'

/** What a server counts of its own work. All labels are bounded: by the routes, by classes, by outcomes. */
const METRICS = {
  service_http_requests_total: {
    type: 'counter',
    help: 'Requests answered, by route, method and class of the status.',
  },
  service_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from a request to the beginning of its answer.',
    bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  service_run_events_received_total: {
    type: 'counter',
    help:
      'Run events by what became of them: stored, skipped for a known run_id, or refused with their request; of ' +
      'traces, spans of which no run is made are refused.',
  },
  service_decisions_total: {
    type: 'counter',
    help: 'Promotions and rollbacks that were recorded, by what the policy said.',
  },
  service_sign_ins_total: {
    type: 'counter',
    help: 'Sign-ins of people by how they came out: opened, refused to somebody who is known, or failed.',
  },
} as const satisfies Readonly<Record<string, MetricSpec>>

export type ServerTally = Tally<keyof typeof METRICS>

/** A tally in which what is to be alerted on stands at 0 before it first happens. */
export function newServerTally(): ServerTally {
  const tally = newTally(METRICS)
  for (const outcome of ['stored', 'skipped', 'refused'] as const) countEvents(tally, outcome, 0)
  for (const action of ['promote', 'rollback'] as const) {
    for (const outcome of ['pass', 'block', 'inconclusive']) {
      tally.add('service_decisions_total', { action, outcome }, 0)
    }
  }
  tally.add('service_decisions_total', { action: 'rollback', outcome: 'forced' }, 0)
  for (const outcome of ['opened', 'refused', 'failed'] as const) countSignIn(tally, outcome, 0)
  return tally
}

/** Of an isolate of Workers: there are many, each lives for minutes, and a scrape asks any one of them. */
export const NO_TALLY: ServerTally = { add: () => {}, observe: () => {}, families: () => [] }

export function countEvents(
  tally: ServerTally,
  outcome: 'stored' | 'skipped' | 'refused',
  amount: number,
): void {
  tally.add('service_run_events_received_total', { outcome }, amount)
}

export function countSignIn(tally: ServerTally, outcome: 'opened' | 'refused' | 'failed', amount = 1): void {
  tally.add('service_sign_ins_total', { outcome }, amount)
}

export function countDecision(tally: ServerTally, action: 'promote' | 'rollback', outcome: string): void {
  tally.add('service_decisions_total', { action, outcome })
}

/** `route` is a path template, or one name for all that none matches; `status` an HTTP status. */
export function countRequest(
  tally: ServerTally,
  { route, method, status, seconds }: { route: string; method: string; status: number; seconds: number },
): void {
  const where = { route, method: METHODS.has(method) ? method : 'other' }
  tally.add('service_http_requests_total', { ...where, status: `${Math.floor(status / 100)}xx` })
  tally.observe('service_http_request_duration_seconds', where, seconds)
}

/** How many requests a server has answered. */
export function requestsOf(tally: ServerTally): number {
  const requests = tally.families().find(({ name }) => name === 'service_http_requests_total')
  return requests?.samples.reduce((sum, { value }) => sum + value, 0) ?? 0
}

/** A client may send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
