import type { ActionPage } from '../models/answers/action.ts'
import type { Board, BoardEntry } from '../models/answers/board.ts'
import type { Reach } from '../models/answers/decision.ts'
import type { DiffReport } from '../models/answers/diff.ts'
import type { PlaceAnswer } from '../models/deploys/place.ts'
import type { DoctorReport } from '../models/answers/health.ts'
import type { Policy } from '../models/documents/policy.ts'
import type { PricingSummary, PricingTable } from '../models/documents/pricing.ts'
import type { PromotionRequest } from '../models/answers/promotion_request.ts'
import type { ResolvedPolicy } from '../models/answers/resolved_policy.ts'
import type { ReleaseFiles } from '../models/documents/bundle_files.ts'
import type { ReleaseDetail, ReleaseRecord } from '../models/documents/release.ts'
import type { RunsPage } from '../models/answers/runs.ts'
import type { WorkspacePublic } from '../models/documents/workspace.ts'
import type { Webhook } from '../models/answers/webhook.ts'
import { type Known, type QueryParams, get, useRead } from './query.ts'

/** What the web UI reads, by name. What hardly changes is read less often. */
const SELDOM_MS = 120_000
export const ONCE_MS = Number.POSITIVE_INFINITY

export const useBoard = (): Known<Board> => useRead<Board>(get('v1/board'))

/** What the service says of an agent in an environment now: what is live, what is next, and whether it may be promoted. */
export const usePlaceAnswer = (agent: string, environment: string, window = ''): Known<PlaceAnswer> =>
  useRead<PlaceAnswer>(
    agent === '' || environment === ''
      ? null
      : get(`v1/places/${encodeURIComponent(agent)}/${encodeURIComponent(environment)}`, { window }),
    30_000,
  )

/** The state of an agent in an environment; undefined where nothing is registered for it, and until it is read. */
export const usePlace = (agent: string, environment: string): BoardEntry | undefined =>
  useBoard().data?.board.find(entry => entry.agent_id === agent && entry.environment === environment)

export const useReleases = (): Known<{ releases: ReleaseRecord[] }> => useRead(get('v1/releases'), 60_000)

/** How releases are called: by their versions, or their ids where these are not known. */
export function useNames(): (releaseId: string) => string {
  const releases = useReleases().data?.releases
  return id => releases?.find(({ release_id }) => release_id === id)?.version ?? id
}

export const useRelease = (id: string): Known<ReleaseDetail> =>
  useRead<ReleaseDetail>(id === '' ? null : get(`v1/releases/${encodeURIComponent(id)}`), SELDOM_MS)

export const useWorkspace = (): Known<WorkspacePublic> => useRead(get('v1/workspace'), SELDOM_MS)

export const usePolicy = (): Known<Policy> => useRead(get('v1/policy'), 60_000)

/** The policy that holds for an agent in an environment. */
export const usePolicyOf = (agent_id: string, environment: string): Policy | undefined =>
  useRead<ResolvedPolicy>(
    agent_id === '' || environment === '' ? null : get('v1/policy/resolved', { agent_id, environment }),
    60_000,
  ).data?.policy as Policy | undefined

export const usePricing = (): Known<{ pricing: PricingSummary[] }> => useRead(get('v1/pricing'), 60_000)

export const usePricingTable = (provider: string, version: string): Known<PricingTable> =>
  useRead(
    provider === '' ? null : get(`v1/pricing/${encodeURIComponent(provider)}/${encodeURIComponent(version)}`),
    SELDOM_MS,
  )

export const useActions = (filters: QueryParams | null): Known<ActionPage> =>
  useRead<ActionPage>(filters === null ? null : get('v1/actions', filters))

/** A promotion request by its id, in a list of at most one. */
export const useRequests = (id: string): Known<{ requests: PromotionRequest[] }> =>
  useRead(id === '' ? null : get('v1/promotion-requests', { id }))

export const useDoctor = (isWanted: boolean): Known<DoctorReport> =>
  useRead<DoctorReport>(isWanted ? get('v1/doctor') : null, ONCE_MS)

/** Two releases over a window of an environment; an empty part leaves the comparison unread. */
export interface Comparing {
  readonly baseline: string
  readonly candidate: string
  readonly environment: string
  readonly window: string
  readonly tenant?: string
  readonly task?: string
  /** Where the window ends; now unless given. */
  readonly until?: string
}

export const isWhole = ({ baseline, candidate, environment }: Comparing): boolean =>
  baseline !== '' && candidate !== '' && environment !== ''

/** What all reads of a comparison have in common. */
export function pairOf({ baseline, candidate, ...comparing }: Comparing) {
  return { baseline_release_id: baseline, candidate_release_id: candidate, ...slice(comparing) }
}

/** What is undefined is not sent. */
export function slice({
  environment,
  window,
  tenant,
  task,
  until,
}: Omit<Comparing, 'baseline' | 'candidate'>) {
  return {
    window,
    environment,
    tenant_id: tenant || undefined,
    task_id: task || undefined,
    until: until || undefined,
  }
}

/** What ended in the past is what it was. */
export const beat = ({ until }: Comparing, everyMs: number): number => (until ? ONCE_MS : everyMs)

export function useDiff(comparing: Comparing, { tails = false, everyMs = 30_000 } = {}): Known<DiffReport> {
  const body = { ...pairOf(comparing), judged: true, ...(tails ? { tails } : {}) }
  const call = { method: 'POST', path: 'v1/diff', body } as const
  return useRead<DiffReport>(isWhole(comparing) ? call : null, beat(comparing, everyMs))
}

export const useReach = (comparing: Comparing): Known<Reach> =>
  useRead<Reach>(isWhole(comparing) ? get('v1/confidence', pairOf(comparing)) : null, beat(comparing, 30_000))

/** The files of a release as it was registered. */
export const useFiles = (id: string): Known<ReleaseFiles> =>
  useRead<ReleaseFiles>(id === '' ? null : get(`v1/releases/${encodeURIComponent(id)}/files`), ONCE_MS)

export const useRuns = (filters: QueryParams | null): Known<RunsPage> =>
  useRead<RunsPage>(filters === null ? null : get('v1/runs', filters), 30_000)

export const useWebhooks = (isWanted = true): Known<{ webhooks: Webhook[] }> =>
  useRead(isWanted ? get('v1/webhooks') : null, 30_000)
