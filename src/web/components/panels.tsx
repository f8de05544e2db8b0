import type { ComponentChild, FunctionComponent } from 'preact'
import type { ActionDetail } from '../../models/answers/action.ts'
import type { BoardEntry } from '../../models/answers/board.ts'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import type { Webhook } from '../../models/answers/webhook.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { MetricName } from './change.ts'
import type { Hue, Mark } from './charts/series.ts'
import type { IconName } from './icon.tsx'
import type { Beat } from '../query.ts'
import type { Comparing } from '../reads.ts'
import type { View } from '../route.ts'

/** Places in pages of the core that features fill, and what each place gives them. */
/** The link to the same for one tenant or task. */
export type Narrow = (filter: { readonly tenant?: string; readonly task?: string }) => string

interface Slots {
  /** At the foot of the sidebar. */
  readonly foot: object
  /** A way in, where nothing may be read. */
  readonly entry: object
  /** Sections of the access page. */
  readonly access: object
  /** Above the board. */
  readonly board: object
  /** An agent in an environment on the board, below what is live. */
  readonly cell: { readonly entry: BoardEntry }
  /** Next to the promotion of a release, where something is live already: what else can be done with it. */
  readonly decide: { readonly agent: string; readonly environment: string; readonly release: string }
  /** A promotion that has just been made: what may come next. */
  readonly decided: { readonly agent: string; readonly environment: string }
  /** On top of whatever page: a dialog that the address names. */
  readonly dialog: object
  /** Below the promotions that wait for a confirmation: what else waits for one. `status` is of what they list. */
  readonly approvals: { readonly status: PromotionRequest['status']; readonly agent: string }
  /** A release, below what it was registered with. */
  readonly release: { readonly releaseId: string }
  /** A diff, below what changed in release.yaml. */
  readonly changed: { readonly report: DiffReport; readonly comparing: Comparing }
  /** A promotion that the policy blocks, below why. */
  readonly blocked: {
    readonly reasons: readonly string[]
    readonly agent: string
    readonly comparing: Comparing
  }
  /** A verdict, behind the metric that changed most. */
  readonly verdict: {
    readonly comparing: Comparing
    readonly metric: MetricName
    readonly narrow: Narrow
  }
  /** A diff, below its three numbers. */
  readonly numbers: { readonly statistics: DiffStatistics }
  /** A diff, below how it runs. */
  readonly difference: { readonly comparing: Comparing; readonly statistics: DiffStatistics }
  /** A diff, below the spread of single runs. */
  readonly runs: { readonly comparing: Comparing }
  /** Figures over time, of a comparison or, without a baseline, of one release. */
  readonly trend: {
    readonly comparing: Comparing
    readonly agent: string
    readonly policy: Policy | undefined
  }
  /** How releases of an agent ran over a time, on one axis. */
  readonly history: {
    readonly environment: string
    readonly releases: readonly Drawn[]
    readonly span: Span
    readonly marks: readonly Mark[]
    readonly policy: Policy | undefined
  }
  /** A decision on record, below its evidence. */
  readonly action: { readonly action: ActionDetail }
  /** A policy that is about to be set. Call `onTried` once it may be. */
  readonly draft: { readonly policy: Policy; readonly onTried: () => void }
  /** An incident: who was informed of it. `field` of the announcement is `id`. */
  readonly informed: { readonly event: string; readonly field: string; readonly id: string }
  /** One webhook, below its facts. */
  readonly webhook: { readonly webhook: Webhook }
  /** A webhook in the list: what became of the newest deliveries. */
  readonly delivered: { readonly webhook: Webhook }
}

/** A release as charts and the timeline draw it. */
export interface Drawn {
  readonly release_id: string
  readonly name: string
  readonly hue: Hue
}

/** A half-open interval of time, epoch ms. */
export interface Span {
  readonly since: number
  readonly until: number
  /** Whether it ends now, and goes on. */
  readonly isOpen: boolean
}

/** A release that got a growing share of the traffic of an environment. */
export interface Ramp {
  readonly environment: string
  readonly release_id: string
  readonly link: string
  readonly label: string
  readonly steps: readonly { readonly since: number; readonly until: number; readonly share: number }[]
}

/**
 * Kinds of what somebody should look at, the most harmful first. A rollout that goes well needs nobody, but it outranks
 * what is said of the next release: its guard judges that one already, and who is on call has to know that it is served.
 */
export const HARMS = [
  'regresses',
  'rolls out',
  'blocked next',
  'unusable',
  'unpriced',
  'retiring',
  'waits',
] as const

/** Something about an agent in an environment that somebody should look at. */
export interface Concern {
  readonly harm: (typeof HARMS)[number]
  readonly words: string
  /** The state of the place that it is about. */
  readonly state?: BoardEntry['place']['state']
  readonly has: (entry: BoardEntry) => boolean
  /** What the board shows of it; its words unless given. */
  readonly chip?: FunctionComponent<{ readonly entry: BoardEntry }>
  /** What a line shows of it even where the chip is of something more harmful. */
  readonly mark?: FunctionComponent<{ readonly entry: BoardEntry }>
}

/** Something that a search found, and where it is shown. */
export interface Hit {
  readonly kind: string
  readonly text: string
  readonly about: string
  readonly link: string
}

/** A page, and where it is found. */
export interface Page {
  readonly Shown: (props: object) => ComponentChild
  readonly title: string
  /** Its picture where the sidebar lists it. */
  readonly icon?: IconName
  /** The letter that follows g on the keyboard. */
  readonly key?: string
}

/** Pages in the order of the sidebar. */
export type Pages = Readonly<Partial<Record<View, Page>>>

/** What a feature adds to the web UI. */
export interface PageFeature {
  /** Pages of its own. */
  readonly pages?: Pages
  /** Paths of the API that it reads, and how often while a stream says when the audit log changes, ms. */
  readonly beats?: readonly Beat[]
  readonly panels?: { readonly [S in keyof Slots]?: FunctionComponent<Slots[S]> }
  /** What happened to an agent in an environment, for the charts. Nothing for an agent without a name. */
  readonly useMarks?: (agent: string, environment: string) => readonly Mark[]
  /** Releases that get a growing share, or got one. Nothing for an agent without a name. */
  readonly useRamps?: (agent: string) => readonly Ramp[]
  /** What the board marks beyond what it knows itself. */
  readonly useConcerns?: () => readonly Concern[]
  /** How many more wait for a confirmation than promotions. */
  readonly usePending?: () => number
  /** What has this id; nothing for an empty one. */
  readonly useHits?: (id: string) => { readonly hits: readonly Hit[]; readonly isLoading: boolean }
}

let features: readonly PageFeature[] = []

/** Says which features the web UI has, once, before the first page is drawn: hooks rely on the list staying as it is. */
export function startPanels(all: readonly PageFeature[]): void {
  features = all
}

/** What features show in a place. */
export function Panel<S extends keyof Slots>({ slot, ...given }: { readonly slot: S } & Slots[S]) {
  const views = features.flatMap(({ panels }): FunctionComponent<Slots[S]>[] => {
    const view = panels?.[slot]
    return view === undefined ? [] : [view]
  })
  return (
    <>
      {views.map((Shown, index) => (
        <Shown key={index} {...(given as unknown as Slots[S])} />
      ))}
    </>
  )
}

export function isFilled(slot: keyof Slots): boolean {
  return features.some(({ panels }) => panels?.[slot] !== undefined)
}

export function useMarks(agent: string, environment: string): readonly Mark[] {
  return features.flatMap(({ useMarks: use }) => use?.(agent, environment) ?? [])
}

export function useRamps(agent: string): readonly Ramp[] {
  return features.flatMap(({ useRamps: use }) => use?.(agent) ?? [])
}

export function useConcerns(): readonly Concern[] {
  return features.flatMap(({ useConcerns: use }) => use?.() ?? [])
}

export function usePending(): number {
  return features.reduce((sum, { usePending: use }) => sum + (use?.() ?? 0), 0)
}

export function useHits(id: string): { hits: readonly Hit[]; isLoading: boolean } {
  const found = features.flatMap(({ useHits: use }) => use?.(id) ?? [])
  return { hits: found.flatMap(({ hits }) => hits), isLoading: found.some(({ isLoading }) => isLoading) }
}
