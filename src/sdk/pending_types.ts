import type { RunEvent } from './types.ts'

// Types of routes whose models `npm run sdk` does not see yet; what types.ts has goes from here.

/** A new webhook with its secret, which is told this once. */
export interface CreatedWebhook {
  /** Identifier of the webhook. */
  readonly webhook_id: string
  /** Where it is sent to. */
  readonly url: string
  /** What it is told of. */
  readonly events: readonly (
    | 'promote.blocked'
    | 'promote.succeeded'
    | 'promotion.requested'
    | 'rollback.succeeded'
    | 'test.ping'
  )[]
  /** What it is for. */
  readonly description: string | null
  /** Whether it is told of anything. */
  readonly enabled: boolean
  /** When it was added. */
  readonly created_at: string
  /** The end of the secret, to tell it by. */
  readonly secret_preview: string
  /** What deliveries are signed with. */
  readonly secret: string
}

/** The webhook is gone, with its deliveries. */
export interface DeletedWebhook {
  /** Identifier of the webhook. */
  readonly webhook_id: string
  /** Always true. */
  readonly deleted: true
}

/** One payload for one receiver, and how far it has come. */
export interface Delivery {
  /** UUID of the delivery, the same at every attempt and replay. */
  readonly delivery_id: string
  /** The webhook that it is for. */
  readonly webhook_id: string
  /** What it tells. */
  readonly event:
    | 'promote.blocked'
    | 'promote.succeeded'
    | 'promotion.requested'
    | 'rollback.succeeded'
    | 'test.ping'
  /** pending until the receiver took it or three attempts failed. */
  readonly status: 'delivered' | 'failed' | 'pending'
  /** Attempts that ended, since it was last replayed. */
  readonly attempts: number
  /** When what it tells happened. */
  readonly created_at: string
  /** Earliest time of the next attempt; null where none follows. */
  readonly next_attempt_at: string | null
  /** When the last attempt ended. */
  readonly last_attempt_at: string | null
  /** HTTP status of the last answer; null where none came. */
  readonly response_code: number | null
  /** How long the last attempt took. */
  readonly duration_ms: number | null
  /** First 200 characters of the last answer. */
  readonly response_text: string | null
  /** Why the last attempt failed; null where it did not. */
  readonly problem: string | null
}

/** Webhook deliveries, newest first. */
export interface DeliveryList {
  /** The deliveries. */
  readonly deliveries: readonly Delivery[]
}

/** What became of a test.ping: one attempt, not kept in the outbox. */
export interface TestedWebhook {
  /** Identifier of the webhook. */
  readonly webhook_id: string
  /** Identifier of this delivery. */
  readonly delivery_id: string
  /** Whether the receiver took it. */
  readonly status: 'delivered' | 'failed'
  /** HTTP status of the last answer; null where none came. */
  readonly response_code: number | null
  /** How long the last attempt took. */
  readonly duration_ms: number
  /** First 200 characters of the last answer. */
  readonly response_text: string | null
  /** Why the last attempt failed; null where it did not. */
  readonly problem: string | null
}

/** Webhooks, oldest first. */
export interface WebhookList {
  /** The webhooks. */
  readonly webhooks: readonly {
    /** Identifier of the webhook. */
    readonly webhook_id: string
    /** Where it is sent to. */
    readonly url: string
    /** What it is told of. */
    readonly events: readonly (
      | 'promote.blocked'
      | 'promote.succeeded'
      | 'promotion.requested'
      | 'rollback.succeeded'
      | 'test.ping'
    )[]
    /** What it is for. */
    readonly description: string | null
    /** Whether it is told of anything. */
    readonly enabled: boolean
    /** When it was added. */
    readonly created_at: string
    /** The end of the secret, to tell it by. */
    readonly secret_preview: string
  }[]
}

export interface WebhooksAddBody {
  /** Where to send to, http or https. */
  readonly url: string
  /** What to tell of. */
  readonly events: readonly (
    | 'promote.succeeded'
    | 'promote.blocked'
    | 'promotion.requested'
    | 'rollback.succeeded'
    | 'test.ping'
  )[]
  /** What it is for. */
  readonly description?: string | null | undefined
}

export interface WebhooksDeliveriesQuery {
  /** Only deliveries in this state. */
  readonly status?: 'pending' | 'delivered' | 'failed' | undefined
  /** Most deliveries to return. */
  readonly limit?: number | undefined
}

export interface DeliveriesListQuery {
  /** Only deliveries in this state. */
  readonly status?: 'pending' | 'delivered' | 'failed' | undefined
  /** Most deliveries to return. */
  readonly limit?: number | undefined
}

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
