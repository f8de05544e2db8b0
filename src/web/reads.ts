import type { ActionPage } from '../models/answers/action.ts'
import type { Board, BoardEntry } from '../models/answers/board.ts'
import type { Reach } from '../models/answers/decision.ts'
import type { DiffReport } from '../models/answers/diff.ts'
import type { DiffGroups } from '../models/answers/groups.ts'
import type { FoundRuns } from '../models/answers/found_runs.ts'
import type { DoctorReport } from '../models/answers/health.ts'
import type { Policy } from '../models/documents/policy.ts'
import type { PricingSummary, PricingTable } from '../models/documents/pricing.ts'
import type { PromotionRequest } from '../models/answers/promotion_request.ts'
import type { ReleaseFiles } from '../models/documents/bundle_files.ts'
import type { ReleaseDetail, ReleaseRecord } from '../models/documents/release.ts'
import type { Watch } from '../models/answers/watch.ts'
import type { RetirementList } from '../models/answers/retirement.ts'
import type { RunSeries, RunsPage, WorstRuns } from '../models/answers/runs.ts'
import type { ReleaseSurface } from '../models/answers/surface.ts'
import type { WorkspacePublic } from '../models/documents/workspace.ts'
import { type Known, type QueryParams, get, useRead } from './query.ts'

/** What the pages read, by name. What hardly changes is read less often. */
const SELDOM_MS = 120_000
const ONCE_MS = Number.POSITIVE_INFINITY

export const useBoard = (): Known<Board> => useRead<Board>(get('v1/board'))

/** Where an agent stands in an environment; undefined where nothing is registered for it, and until it is read. */
export const usePlace = (agent: string, environment: string): BoardEntry | undefined =>
  useBoard().data?.board.find(entry => entry.agent_id === agent && entry.environment === environment)

export const useReleases = (): Known<{ releases: ReleaseRecord[] }> => useRead(get('v1/releases'), 60_000)

export const useRelease = (id: string): Known<ReleaseDetail> =>
  useRead<ReleaseDetail>(id === '' ? null : get(`v1/releases/${encodeURIComponent(id)}`), SELDOM_MS)

/** What a release may do. */
export const useSurface = (id: string): Known<ReleaseSurface> =>
  useRead<ReleaseSurface>(id === '' ? null : get(`v1/releases/${encodeURIComponent(id)}/surface`), 60_000)

/** Live releases whose models a provider retires within 90 days. */
export const useRetirements = (): Known<RetirementList> =>
  useRead<RetirementList>(get('v1/retirements'), SELDOM_MS)

export const useWorkspace = (): Known<WorkspacePublic> => useRead(get('v1/workspace'), SELDOM_MS)

export const usePolicy = (): Known<Policy> => useRead(get('v1/policy'), 60_000)

export const usePricing = (): Known<{ pricing: PricingSummary[] }> => useRead(get('v1/pricing'), 60_000)

export const usePricingTable = (provider: string, version: string): Known<PricingTable> =>
  useRead(
    provider === '' ? null : get(`v1/pricing/${encodeURIComponent(provider)}/${encodeURIComponent(version)}`),
    SELDOM_MS,
  )

export const useActions = (filters: QueryParams | null): Known<ActionPage> =>
  useRead<ActionPage>(filters === null ? null : get('v1/actions', filters))

export const useRequests = (status?: PromotionRequest['status']): Known<{ requests: PromotionRequest[] }> =>
  useRead(get('v1/promotion-requests', { status, limit: 200 }))

export const useDoctor = (asked: boolean): Known<DoctorReport> =>
  useRead<DoctorReport>(asked ? get('v1/doctor') : null, ONCE_MS)

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

const isWhole = ({ baseline, candidate, environment }: Comparing): boolean =>
  baseline !== '' && candidate !== '' && environment !== ''

/** What all reads of a comparison have in common. */
function pairOf({ baseline, candidate, ...comparing }: Comparing) {
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
const beat = ({ until }: Comparing, everyMs: number): number => (until ? ONCE_MS : everyMs)

export function useDiff(comparing: Comparing, { tails = false, everyMs = 30_000 } = {}): Known<DiffReport> {
  const body = { ...pairOf(comparing), ...(tails ? { tails } : {}) }
  const call = { method: 'POST', path: 'v1/diff', body } as const
  return useRead<DiffReport>(isWhole(comparing) ? call : null, beat(comparing, everyMs))
}

/** The difference of one metric by tenant, task, model or error. */
export function useGroups(comparing: Comparing, by: string, metric: string): Known<DiffGroups> {
  const call = { method: 'POST', path: 'v1/diff/groups', body: { ...pairOf(comparing), by, metric } } as const
  return useRead<DiffGroups>(by !== '' && isWhole(comparing) ? call : null, beat(comparing, 60_000))
}

export const useReach = (comparing: Comparing): Known<Reach> =>
  useRead<Reach>(isWhole(comparing) ? get('v1/confidence', pairOf(comparing)) : null, beat(comparing, 30_000))

/** One release of a comparison over time. */
export function useSeries(release_id: string, comparing: Comparing): Known<RunSeries> {
  const isAsked = release_id !== '' && comparing.environment !== ''
  return useRead<RunSeries>(
    isAsked ? get('v1/runs/series', { release_id, ...slice(comparing) }) : null,
    beat(comparing, 60_000),
  )
}

export function useWorst(comparing: Comparing, by: string): Known<WorstRuns> {
  const query = { release_id: comparing.candidate, ...slice(comparing), by, limit: 10 }
  return useRead<WorstRuns>(isWhole(comparing) ? get('v1/runs/worst', query) : null, beat(comparing, 60_000))
}

/** The files of a release as it was registered. */
export const useFiles = (id: string): Known<ReleaseFiles> =>
  useRead<ReleaseFiles>(id === '' ? null : get(`v1/releases/${encodeURIComponent(id)}/files`), ONCE_MS)

/** Runs of any release by an id of theirs. */
export const useFoundRuns = (id: string): Known<FoundRuns> =>
  useRead<FoundRuns>(id === '' ? null : get('v1/runs/find', { id, limit: 20 }), ONCE_MS)

export const useRuns = (filters: QueryParams | null): Known<RunsPage> =>
  useRead<RunsPage>(filters === null ? null : get('v1/runs', filters), 30_000)

export const useWatches = (filters: QueryParams | null): Known<{ watches: Watch[] }> =>
  useRead(filters === null ? null : get('v1/watches', { ...filters, limit: 100 }))
