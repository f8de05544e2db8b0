import type { RunEvent } from './types.ts'

// Types of routes whose models `npm run sdk` does not see yet; what types.ts has goes from here.

/** Where each agent stands in each environment that it has releases or a pointer in. */
export interface Board {
  /** One entry per agent and environment, in their order. */
  readonly board: readonly {
    /** The agent. */
    readonly agent_id: string
    /** The environment. */
    readonly environment: string
    /** What is promoted; null if nothing is. */
    readonly promoted: {
      /** The promoted release. */
      readonly release_id: string
      /** Its version; null if it is not registered. */
      readonly version: string | null
      /** The decision that chose it. */
      readonly action_id: string | null
      /** When it was chosen. */
      readonly promoted_at: string | null
      /** Who asked for it. */
      readonly promoted_by: string | null
      /** Why, in the words of who asked. */
      readonly reason: string | null
    } | null
    /** The last decision, passed or blocked; null if there was none. */
    readonly last_action: {
      /** Identifier of the action. */
      readonly action_id: string
      /** What was asked for. */
      readonly action: 'promote' | 'rollback'
      /** The release promoted or rolled back to. */
      readonly release_id: string
      /** Whether the policy passed, and so the pointer moved. */
      readonly policy_passed: boolean
      /** What the policy said. */
      readonly policy_reasons: readonly string[]
      /** Who asked. */
      readonly actor: string
      /** When it was recorded. */
      readonly created_at: string
    } | null
    /** The release registered last with this environment; null if none was. */
    readonly newest_release: {
      /** Identifier of the release. */
      readonly release_id: string
      /** Its version. */
      readonly version: string
      /** When it was registered. */
      readonly created_at: string
    } | null
    /** Promotion requests that wait for a confirmation. */
    readonly pending_requests: number
  }[]
}

/** How far a comparison of two releases is from HIGH confidence. */
export interface Reach {
  /** Events of the baseline in the window. */
  readonly baseline_runs: number
  /** Events of the candidate in the window. */
  readonly candidate_runs: number
  /** Sample sizes in force: the policy's, else the workspace's. */
  readonly thresholds: {
    /** Baseline runs for HIGH. */
    readonly min_baseline_runs: number
    /** Candidate runs for HIGH. */
    readonly min_candidate_runs: number
    /** Runs below which confidence is LOW. */
    readonly min_low_runs: number
  }
  /** What is missing; zeros where nothing is. */
  readonly missing_for_high: {
    /** Runs that the baseline lacks in this window. */
    readonly baseline_runs_needed: number
    /** Runs that the candidate lacks in this window. */
    readonly candidate_runs_needed: number
    /** A window ending now that holds enough runs of both; null where all there are do not. */
    readonly shortest_window: string | null
  }
  /** Events of the baseline in the last 60 minutes: the rate at which it gains runs. */
  readonly baseline_runs_last_hour: number
  /** The same of the candidate. */
  readonly candidate_runs_last_hour: number
}

/** A release's runs over time. Buckets are whole, so the first may start before the window. */
export interface RunSeries {
  /** The release. */
  readonly release_id: string
  /** Environment; the default one where none was named. */
  readonly environment: string
  /** Start of the window, inclusive. */
  readonly since: string
  /** End of the window, exclusive. */
  readonly until: string
  /** Width of a bucket, milliseconds; buckets are counted from 1970 on. */
  readonly bucket_ms: number
  /** The buckets that hold runs, oldest first. */
  readonly buckets: readonly {
    /** Start of the bucket, inclusive. */
    readonly start: string
    /** Runs in the bucket. */
    readonly runs: number
    /** Mean cost of a run, USD; null where one has no price. */
    readonly cost_per_run_usd: number | null
    /** Mean latency, ms; null without data. */
    readonly latency_ms_avg: number | null
    /** Share of the runs that failed. */
    readonly error_rate: number
  }[]
}

/** The runs of a release that cost most, took longest or failed last, of the newest 50,000. */
export interface WorstRuns {
  /** The release. */
  readonly release_id: string
  /** Start of the window, inclusive. */
  readonly since: string
  /** End of the window, exclusive. */
  readonly until: string
  /** The filters; null where unset. */
  readonly filters: {
    /** Environment; the default one where none was named. */
    readonly environment: string
    /** Tenant. */
    readonly tenant_id: string | null
    /** Task. */
    readonly task_id: string | null
  }
  /** What makes a run bad. */
  readonly by: 'cost' | 'failure' | 'latency'
  /** Newest matching events that were looked at. */
  readonly examined: number
  /** Whether older events match that were not looked at. */
  readonly truncated: boolean
  /** The worst first; of failures the newest first. */
  readonly runs: readonly {
    /** Cost of the run, USD; null where its model has no price. */
    readonly cost_usd: number | null
    /** The event, with all defaults applied. */
    readonly event: RunEvent
  }[]
}

export interface RunsSeriesQuery {
  /** Release whose events to read. */
  readonly release_id: string
  /** How far back: {N}d, {N}h or {N}m. */
  readonly window: string
  /** The default environment of the workspace unless given. */
  readonly environment?: string | undefined
}

export interface RunsWorstQuery {
  /** Release whose events to read. */
  readonly release_id: string
  /** How far back: {N}d, {N}h or {N}m. */
  readonly window: string
  /** The default environment of the workspace unless given. */
  readonly environment?: string | undefined
  /** Exact filter. */
  readonly tenant_id?: string | undefined
  /** Exact filter. */
  readonly task_id?: string | undefined
  /** What makes a run bad. Default cost. */
  readonly by?: 'cost' | 'latency' | 'failure' | undefined
  /** Most runs to return. */
  readonly limit?: number | undefined
}

export interface ConfidenceQuery {
  /** Release to compare with. */
  readonly baseline_release_id: string
  /** Release to judge. */
  readonly candidate_release_id: string
  /** How far back: {N}d, {N}h or {N}m. */
  readonly window: string
  /** The default environment of the workspace unless given. */
  readonly environment?: string | undefined
}
