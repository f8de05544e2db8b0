// Generated from src/models and handlers by `npm run generate`, and never edited.

/** That somebody has seen, and accepts, capabilities of a release that the live one lacks. */
export interface Acknowledgement {
  /** Identifier. */ readonly acknowledgement_id: string
  /** The releases' agent. */ readonly agent_id: string
  /** The environment that it is for. */ readonly environment: string
  /** The release with new capabilities. */ readonly release_id: string
  /** The one that was live there then. */ readonly baseline_release_id: string
  /** SHA-256 of the capabilities of that. */ readonly baseline_sha256: string
  /** SHA-256 of the capabilities of the release. It holds for every release with these capabilities. */ readonly candidate_sha256: string
  /** How many changes let the release do more. */ readonly widened: number
  /** What was acknowledged; at most 100, those that widen first. */ readonly changes: readonly PowerChange[]
  /** How many further changes were acknowledged with them. */ readonly more_changes: number
  /** Why. */ readonly reason: string
  /** Who. */ readonly actor: string
  /** The name that an actor with a token of its own gives itself: a claim. */ readonly claimed_actor?: string | undefined
  /** Whom an identity provider vouched for; absent where none did. */ readonly actor_identity?: Identity | undefined
  /** When. */ readonly created_at: string
  /** Present, and true, where the same caller had acknowledged this difference before: nothing was written. */
  readonly reused?: true | undefined
}

/** Acknowledgements, newest first. */
export interface AcknowledgementList {
  /** The acknowledgements. */ readonly acknowledgements: readonly Acknowledgement[]
}

/** An action of the audit trail with its evidence and its links in the hash chain. */
export interface ActionDetail {
  /** Identifier of the action. */ readonly action_id: string
  /** What was asked for. */ readonly action: 'promote' | 'rollback'
  /** The release promoted or rolled back to. */ readonly release_id: string
  /** The release's agent. */ readonly agent_id: string
  /** The environment of the pointer. */ readonly environment: string
  /** What was promoted before; null for a first promotion. */ readonly baseline_release_id: string | null
  /** Why, in the words of the requester. */ readonly reason: string
  /** Whether the policy passed, and so the pointer moved. */ readonly policy_passed: boolean
  /** What the policy said. */ readonly policy_reasons: readonly string[]
  /** `passed`; `first`: a first promotion, which compares nothing; `forced`: no policy was evaluated; `not_yet`: only evidence is missing; `blocked`: something is violated. */
  readonly result: 'blocked' | 'first' | 'forced' | 'not_yet' | 'passed'
  /** When it was recorded; never earlier than the action before it. */ readonly created_at: string
  /** Number in the trail, contiguous from 1. */ readonly audit_seq: number
  /** Who requested it. */ readonly actor: string
  /** Present, and true, on a forced rollback: no policy was evaluated, and the pointer moved. */ readonly forced?: true | undefined
  /** How we know the actor: its token or identity provider, which proves it; or an identity header, a proxy, the body, or the command line; or a watch of ours. */
  readonly actor_source: 'body' | 'cli' | 'forwarded' | 'header' | 'oidc' | 'token' | 'watch' | null
  /** The name that an actor with a token of its own gives itself: a claim. */ readonly claimed_actor?: string | undefined
  /** Whom an identity provider vouched for; absent where none did. */ readonly actor_identity?: Identity | undefined
  /** Window, samples, sums, rates, policy and thresholds: everything to decide again. */
  readonly evidence: Readonly<Record<string, unknown>> | null
  /** The text that hash is the SHA-256 of. */ readonly record_json: string | null
  /** Hash of the action before; empty for the first. */ readonly prev_hash: string | null
  /** SHA-256 of record_json, lowercase hex. */ readonly hash: string | null
  /** Present only where the row was changed in the database: what of it is not as it was written. */ readonly changed?: string | undefined
}

/** Actions of the audit trail, newest first. actor_source and all behind it come with evidence=true only. */
export interface ActionPage {
  /** The actions. */ readonly actions: readonly {
    /** Identifier of the action. */ readonly action_id: string
    /** What was asked for. */ readonly action: 'promote' | 'rollback'
    /** The release promoted or rolled back to. */ readonly release_id: string
    /** The release's agent. */ readonly agent_id: string
    /** The environment of the pointer. */ readonly environment: string
    /** What was promoted before; null for a first promotion. */ readonly baseline_release_id: string | null
    /** Why, in the words of the requester. */ readonly reason: string
    /** Whether the policy passed, and so the pointer moved. */ readonly policy_passed: boolean
    /** What the policy said. */ readonly policy_reasons: readonly string[]
    /** `passed`; `first`: a first promotion, which compares nothing; `forced`: no policy was evaluated; `not_yet`: only evidence is missing; `blocked`: something is violated. */
    readonly result: 'blocked' | 'first' | 'forced' | 'not_yet' | 'passed'
    /** When it was recorded; never earlier than the action before it. */ readonly created_at: string
    /** Number in the trail, contiguous from 1. */ readonly audit_seq: number
    /** Who requested it. */ readonly actor: string
    /** Present, and true, on a forced rollback: no policy was evaluated, and the pointer moved. */ readonly forced?: true | undefined
    /** How we know the actor: its token or identity provider, which proves it; or an identity header, a proxy, the body, or the command line; or a watch of ours. */
    readonly actor_source?: 'body' | 'cli' | 'forwarded' | 'header' | 'oidc' | 'token' | 'watch' | null | undefined
    /** The name that an actor with a token of its own gives itself: a claim. */ readonly claimed_actor?: string | undefined
    /** Whom an identity provider vouched for; absent where none did. */ readonly actor_identity?: Identity | undefined
    /** Window, samples, sums, rates, policy and thresholds: everything to decide again. */
    readonly evidence?: Readonly<Record<string, unknown>> | null | undefined
    /** The text that hash is the SHA-256 of. */ readonly record_json?: string | null | undefined
    /** Hash of the action before; empty for the first. */ readonly prev_hash?: string | null | undefined
    /** SHA-256 of record_json, lowercase hex. */ readonly hash?: string | null | undefined
    /** Present only where the row was changed in the database: what of it is not as it was written. */
    readonly changed?: string | undefined
  }[]
  /** Pass it as `after` to get the next page; null on the last. */ readonly next_after: number | null
}

/** One decision, and the proof that it is in the audit log of a checkpoint (docs/project/audit-format.md). */
export interface ActionProof {
  /** The checkpoint as text (C2SP tlog-checkpoint); a signed note where the server has a key (SERVICE_SIGNING_KEY). */
  readonly note: string
  /** Number of its entry in the audit log, from 1. */ readonly log_seq: number
  /** The record_json of the entry: a leaf of the tree. */ readonly entry: string
  /** The action's record_json, which the entry has the SHA-256 of. */ readonly fact: string
  /** The audit path of RFC 6962, 2.1.1: hashes in base64. */ readonly proof: readonly string[]
}

/** That somebody has reviewed a forced action afterwards; an entry of the audit log. */
export interface ActionReview {
  /** Subject of the entry. */ readonly review_id: string
  /** The action. */ readonly action_id: string
  /** Its number. */ readonly audit_seq: number
  /** What came of the review. */ readonly reason: string
  /** Who reviewed it. */ readonly actor: string
  /** When it was recorded. */ readonly created_at: string
}

/** List the sources of aggregates that were never sent one by one. */
export interface AggregateSourceList {
  /** The sources, by name. */ readonly sources: readonly {
    /** Its name. */ readonly source: string
    /** The engine that sums. */ readonly engine: string
    /** SHA-256 of the query that it sums by. */ readonly query_sha256: string
    /** Where runs can be seen, with {release}, {from_ms} and {to_ms}; null where that is not known. */ readonly run_url: string | null
    /** When it came first. */ readonly created_at: string
    /** Who sent it first. */ readonly created_by: string
    /** Up to when it was complete last. */ readonly covered_until: string | null
    /** When its engine was in the newest state that was imported. */ readonly as_of: string | null
    /** How many imports there were. */ readonly imports: number
    /** When the last one was. */ readonly imported_at: string | null
    /** How many releases it feeds, by environment. */ readonly releases: number
    /** Those, the ones that it feeds since lately first, at most 100. */ readonly feeds: readonly {
      /** The release. */ readonly release_id: string
      /** Where it runs. */ readonly environment: string
      /** The day (UTC) from which on its runs are those that sources sum. */ readonly from: string
    }[]
  }[]
}

/** JSON lines: a header, then the sums of runs by release, environment, model and time, in any order. docs/aggregates.md has all fields. */
export interface Aggregates {
  /** Of the header: the version of the format. */ readonly aggregates?: 'v1' | undefined
  /** Of all other lines: what is summed. */ readonly aggregate?: 'latency' | 'parts' | 'runs' | 'scores' | undefined
}

/** What became of the aggregates of an import. */
export interface AggregatesImported {
  /** SHA-256 of the header and the aggregates, in whatever order they came. */ readonly import_id: string
  /** Whose aggregates they are. */ readonly source: string
  /** Whether the very same was imported before. */ readonly unchanged: boolean
  /** Aggregates of the import. */ readonly aggregates: number
  /** Runs that they sum. */ readonly runs: number
  /** Hours that were written. */ readonly hours: number
  /** Aggregates that were there and are others now. */ readonly replaced: number
  /** Aggregates that were there and are gone: the source is complete without them. */ readonly removed: number
  /** Hours of which a later state was there already. */ readonly stale: number
}

/** What a decision verified, as a verification summary that other programs read. */
export interface Attestation {
  /** An in-toto Statement of version 1. */ readonly statement: {
    /** Its version. */ readonly _type: 'https://in-toto.io/Statement/v1'
    /** The bundle that was decided on. */ readonly subject: readonly {
      /** Agent and version of the release. */ readonly name: string
      /** Its checksum. */ readonly digest: {
        /** Checksum of the bundle, as docs/project/checksum.md says. */ readonly sha256: string
      }
    }[]
    /** A SLSA Verification Summary of version 1. */ readonly predicateType: 'https://slsa.dev/verification_summary/v1'
    /** What was verified, and by whom. */ readonly predicate: {
      /** Which ledger verified. */ readonly verifier: {
        /** Identifies the ledger. */ readonly id: string
        /** The program that made the statement. */ readonly version: {
          /** Its SemVer. */ readonly rgs: string
        }
      }
      /** When the decision was recorded. */ readonly timeVerified: string
      /** The agent in the environment that the decision was about. */ readonly resourceUri: string
      /** The policy that was asked. */ readonly policy: {
        /** Its policy_id. */ readonly uri: string
        /** Its digest. */ readonly digest: {
          /** SHA-256 of its JSON as the evidence of the decision holds it. */ readonly sha256: string
        }
      }
      /** What the decision rested on. */ readonly inputAttestations: readonly {
        /** The action. */ readonly uri: string
        /** Its digest. */ readonly digest: {
          /** SHA-256 of the action's record_json, which holds its evidence. */ readonly sha256: string
        }
      }[]
      /** PASSED where the policy passed. */ readonly verificationResult: 'FAILED' | 'PASSED'
      /** RGS_PROMOTE_ALLOWED or RGS_ROLLBACK_ALLOWED; FAILED where the policy blocked. No level of SLSA. */
      readonly verifiedLevels: readonly string[]
    }
  }
  /** The statement in a DSSE envelope, signed; null where the server has no key. */ readonly envelope: {
    /** The statement as JSON text, in base64. */ readonly payload: string
    /** What the payload is. */ readonly payloadType: 'application/vnd.in-toto+json'
    /** Signatures of payload and type. */ readonly signatures: readonly {
      /** SHA-256 of the public key as SubjectPublicKeyInfo (DER). */ readonly keyid: string
      /** The Ed25519 signature, in base64. */ readonly sig: string
    }[]
  } | null
}

/** The whole audit log by one hash: whoever keeps it sees every later change of what was there. */
export interface AuditCheckpoint {
  /** The checkpoint as text (C2SP tlog-checkpoint); a signed note where the server has a key (SERVICE_SIGNING_KEY). */
  readonly note: string
  /** Identifies the ledger: by the hash of the first entry of its audit log. */ readonly origin: string
  /** Entries that it is about: the log_seq of the last. */ readonly size: number
  /** Root of the Merkle tree over their record_json (RFC 6962), in base64. */ readonly root_hash: string
  /** Hash of the last entry. */ readonly head: string
  /** When it was made. */ readonly time: string
  /** Whether it is signed. */ readonly signed: boolean
}

/** Entries of the audit log, newest first. */
export interface AuditPage {
  /** The entries. */ readonly entries: readonly {
    /** Number in the log, contiguous from 1. It is not the audit_seq of actions. */ readonly log_seq: number
    /** What happened. */
    readonly kind: 'action.reviewed' | 'aggregates.fewer' | 'aggregates.handed_over' | 'aggregates.source' | 'capabilities.acknowledged' | 'clock.accepted' | 'decision' | 'events.digest' | 'events.erased' | 'events.erasing' | 'events.pruned' | 'events.pruning' | 'events.restored' | 'events.restoring' | 'live.other_model' | 'live.recovered' | 'live.silent' | 'live.worse' | 'policy.set' | 'prices.import' | 'release.registered' | 'request.approved' | 'request.cancelled' | 'request.expired' | 'request.made' | 'request.rejected' | 'retirement.set' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.approved' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.refused' | 'rollout.rejected' | 'rollout.requested' | 'rollout.resumed' | 'rollout.started' | 'scores.imported' | 'server.started' | 'session.ended' | 'session.key_made' | 'session.opened' | 'session.refused' | 'token.made' | 'token.revoked' | 'token.rotated' | 'watch.ended' | 'watch.retried' | 'watch.started' | 'webhook.added' | 'webhook.removed' | 'webhook.replayed' | 'webhook.rotated' | 'webhook.updated'
    /** Identifier of what it is about, such as an action_id. */ readonly subject: string
    /** Who did it; service is what servers do by themselves. */ readonly actor: string
    /** How we know: a token or an identity provider, an identity header, a proxy, the body, the command line, or the service itself. */
    readonly actor_source: string
    /** Whom an identity provider vouched for; absent where none did. */ readonly actor_identity?: Identity | undefined
    /** Why, where something was said. */ readonly reason: string | null
    /** When it was recorded. */ readonly created_at: string
    /** SHA-256 of what it is about where that never changes; of a decision the hash of its record. */ readonly fact: string | null
    /** The text that fact is the SHA-256 of, with facts=true: record_json of a decision, the values of another row as JSON. */
    readonly fact_text?: string | null | undefined
    /** What else there is to say, by kind. */ readonly details: Readonly<Record<string, unknown>>
    /** The text that hash is the SHA-256 of. */ readonly record_json: string
    /** Hash of the entry before; empty for the first. */ readonly prev_hash: string
    /** SHA-256 of record_json, lowercase hex. */ readonly hash: string
  }[]
  /** Pass it as `after` to get the next page; null on the last. */ readonly next_after: number | null
}

/** The policy blocked a promotion or rollback. The attempt is recorded; the pointer stays. */
export interface Blocked {
  /** What happened. */ readonly detail: {
    /** The sentence to show. */ readonly message: string
    /** The outcome, with policy.passed false. */ readonly outcome: Outcome
  }
}

/** What is live for each agent in each environment that it has releases or a pointer in. */
export interface Board {
  /** One entry per agent and environment, in their order. */ readonly board: readonly {
    /** The agent. */ readonly agent_id: string
    /** The environment. */ readonly environment: string
    /** What is promoted; null if nothing is. */ readonly promoted: {
      /** The promoted release. */ readonly release_id: string
      /** Its version; null if it is not registered. */ readonly version: string | null
      /** The decision that chose it. */ readonly action_id: string | null
      /** When it was chosen. */ readonly promoted_at: string | null
      /** Who requested it. */ readonly promoted_by: string | null
      /** Why, in the words of the requester. */ readonly reason: string | null
      /** Present, and true, if it was forced: no policy was evaluated. */ readonly forced?: true | undefined
      /** Only where a promotion, gate or rollback is refused, because runs of the release name another agent or have no price. */
      readonly unusable?: Unusable | undefined
    } | null
    /** The last decision, passed or blocked; null if there was none. */ readonly last_action: {
      /** Identifier of the action. */ readonly action_id: string
      /** What was asked for. */ readonly action: 'promote' | 'rollback'
      /** The release promoted or rolled back to. */ readonly release_id: string
      /** Whether the policy passed, and so the pointer moved. */ readonly policy_passed: boolean
      /** What the policy said. */ readonly policy_reasons: readonly string[]
      /** `passed`; `first`: a first promotion, which compares nothing; `forced`: no policy was evaluated; `not_yet`: only evidence is missing; `blocked`: something is violated. */
      readonly result: 'blocked' | 'first' | 'forced' | 'not_yet' | 'passed'
      /** Who requested it. */ readonly actor: string
      /** When it was recorded. */ readonly created_at: string
      /** Present, and true, if it was forced: no policy was evaluated, and the pointer moved. */ readonly forced?: true | undefined
    } | null
    /** The release registered last with this environment; null if none was. */ readonly newest_release: {
      /** Identifier of the release. */ readonly release_id: string
      /** Its version. */ readonly version: string
      /** When it was registered. */ readonly created_at: string
      /** When it was rolled back here; left out unless the last decision about it was that. */ readonly rolled_back_at?: string | undefined
      /** Present, and true, where no table is imported that it could be priced with: a diff would be refused. */
      readonly unpriced?: true | undefined
      /** The same of this release; left out where no table is imported. */ readonly unusable?: Unusable | undefined
    } | null
    /** Promotion requests that wait for a confirmation. */ readonly pending_requests: number
    /** In short the answer of GET /v1/places, as it was at the last evaluation. */ readonly place: {
      /** The state; null before the first evaluation. */
      readonly state: 'awaiting_approval' | 'blocked' | 'can_promote' | 'frozen' | 'needs_runs' | 'no_price' | 'quiet' | 'rolling_out' | 'watched' | 'worse' | null
      /** The state and its reason in a sentence. */ readonly headline: string
      /** The release that is next; never one that is live or was rolled back. */ readonly candidate: PlaceCandidate | null
      /** The window that the candidate was judged over; null where it was not. */ readonly window: string | null
      /** What the caller may do here now. */ readonly allowed: PlaceAllowed
      /** When it was evaluated last; null where it never was. */ readonly evaluated_at: string | null
      /** There, and true, where a policy, price or release changed since then: the next evaluation counts it. */
      readonly outdated?: true | undefined
    }
  }[]
}

/** The files of a bundle by their paths, relative to its root: what each is, and its text if it is to be kept. */
export type BundleFiles = Readonly<Record<string, {
  /** SHA-256 of the file as the checksum of the bundle reads it: text with LF line ends. */ readonly sha256: string
  /** Its length as it is read so. */ readonly bytes: number
  /** Its text, where that is to be kept. */ readonly text?: string | null | undefined
}>>

/** Tries of cases of an evaluation. Texts of inputs and answers are not taken. */
export type CaseTries = readonly {
  /** What tells the case from others, in every evaluation. Either this or input_sha256. */ readonly id?: string | null | undefined
  /** SHA-256 of the input of a case without an id, in hex. The ledger keeps a keyed hash of it. */
  readonly input_sha256?: string | null | undefined
  /** Which try of the case it is. */ readonly epoch?: number | undefined
  /** Its scores by name. */ readonly scores?: Readonly<Record<string, number>> | undefined
  /** Whether it passed: the score pass_rate. */ readonly passed?: boolean | null | undefined
  /** Whether a human says that it passes. */ readonly human_passed?: boolean | null | undefined
  /** What it shares with others that depend on it, such as a conversation. */ readonly cluster?: string | null | undefined
  /** Words that it is shown with. */ readonly tags?: readonly string[] | null | undefined
  /** How long it took, ms. */ readonly duration_ms?: number | null | undefined
  /** Tokens that it used. */ readonly tokens?: number | null | undefined
  /** What it cost, USD. */ readonly cost_usd?: number | null | undefined
  /** Its trace. */ readonly trace_id?: string | null | undefined
}[]

/** The proof that the audit log only grew since it had `from` entries. */
export interface Consistency {
  /** Entries then. */ readonly from: number
  /** The root hash of those, as the log has them now; compare it with that of your checkpoint. */ readonly from_root_hash: string
  /** The checkpoint as text (C2SP tlog-checkpoint); a signed note where the server has a key (SERVICE_SIGNING_KEY). */
  readonly note: string
  /** Entries now. */ readonly size: number
  /** The consistency proof of RFC 6962, 2.1.2: hashes in base64. */ readonly proof: readonly string[]
}

/** Counters of the ledger. */
export interface CountersSnapshot {
  /** The counters. */ readonly counters: {
    /** Registered releases. */ readonly releases_total: number
    /** Imported price tables. */ readonly pricing_tables_total: number
    /** Stored run events. */ readonly run_events_total: number
    /** Promoted pointers. */ readonly promoted_pointers_total: number
    /** Actions in the audit trail. */ readonly actions_total: number
    /** The same by action. */ readonly actions_by_action: Readonly<Record<string, number>>
    /** Webhook deliveries that wait in the outbox. */ readonly webhook_deliveries_pending: number
    /** Webhook deliveries that were given up and not replayed. */ readonly webhook_deliveries_failed: number
  }
  /** Highest applied migration. */ readonly schema_version: number
  /** When the counters were read. */ readonly generated_at: string
}

/** A new token, which is shown only this once. */
export interface CreatedToken extends TokenRecord {
  /** What is sent as `Authorization: Bearer`. */ readonly token: string
}

/** A webhook with its new secret, which is shown only this once. */
export interface CreatedWebhook extends Webhook {
  /** What deliveries are signed with. */ readonly secret: string
}

/** The webhook is gone, with its deliveries. */
export interface DeletedWebhook {
  /** Identifier of the webhook. */ readonly webhook_id: string
  /** Always true. */ readonly deleted: true
}

/** One payload for one receiver, and how far it has come. */
export interface Delivery {
  /** UUID of the delivery, the same at every attempt and replay. */ readonly delivery_id: string
  /** The webhook that it is for. */ readonly webhook_id: string
  /** What it tells. */
  readonly event: 'capabilities.violated' | 'promote.blocked' | 'promote.succeeded' | 'promotion.requested' | 'rollback.forced' | 'rollback.succeeded' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.resumed' | 'rollout.started' | 'test.ping' | 'watch.inconclusive' | 'watch.passed' | 'watch.regressed' | 'watch.rollback_blocked'
  /** pending until the receiver took it or three attempts failed. */ readonly status: 'delivered' | 'failed' | 'pending'
  /** Attempts that ended, since it was last replayed. */ readonly attempts: number
  /** When what it tells happened. */ readonly created_at: string
  /** Earliest time of the next attempt; null where none follows. */ readonly next_attempt_at: string | null
  /** When the last attempt ended. */ readonly last_attempt_at: string | null
  /** HTTP status of the last answer; null where none came. */ readonly response_code: number | null
  /** How long the last attempt took. */ readonly duration_ms: number | null
  /** First 200 characters of the last answer. */ readonly response_text: string | null
  /** Why the last attempt failed; null where it did not. */ readonly problem: string | null
  /** What it tells, as JSON; only where it was asked for. A chat is sent a message that is made of it. */
  readonly payload?: string | undefined
}

/** Webhook deliveries, newest first. */
export interface DeliveryList {
  /** The deliveries. */ readonly deliveries: readonly Delivery[]
}

/** The difference of two releases, split into what groups of runs contribute. */
export interface DiffGroups {
  /** The window of the request. */ readonly window: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive: the server clock when the request came. */ readonly until: string
  /** Only where run events at the ends of the window were pruned or erased, or are kept as sums: what was counted, in whole minutes, in ten of them where percentiles are read, or in hours where sums are by the hour. It ends where both sides are complete. Of intervals that hold at all looks it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
  /** Which events were compared. */ readonly filters: EventFilters
  /** What runs are grouped by. */ readonly by: 'error' | 'model' | 'task' | 'tenant'
  /** What is compared. */ readonly metric: 'cost_per_run_usd' | 'error_rate' | 'latency_ms'
  /** Candidate's mean less the baseline's, in the metric's unit; null where a side has no runs. */ readonly difference: number | null
  /** Part of the difference that comes from what changed within groups. */ readonly rate: number | null
  /** Part that comes from the groups' shares of the runs. The parts add up to the difference. */ readonly mix: number | null
  /** More of the difference comes from who sent runs than from what changed for them. */ readonly mix_outweighs_rate: boolean
  /** The groups, largest contribution first. */ readonly groups: readonly {
    /** The tenant, task, model or type of error; null for the rest, groups too small to tell apart. */ readonly key: string | null
    /** Runs of the baseline. */ readonly baseline_runs: number
    /** Runs of the candidate. */ readonly candidate_runs: number
    /** Mean of the baseline; null without runs. */ readonly baseline_mean: number | null
    /** Mean of the candidate; null without runs. */ readonly candidate_mean: number | null
    /** Candidate less baseline, with an interval so wide that all groups' together miss in 5 % of cases; null where a side has too few runs. */
    readonly difference: Estimate | null
    /** The group's own change, times its share of the runs. */ readonly rate: number
    /** What the change of its share contributes. */ readonly mix: number
    /** Whether the interval excludes 0. */ readonly is_changed: boolean
  }[]
  /** How many groups there are; the 1,000 with the most runs are listed, the others are one. */ readonly groups_total: number
  /** How many groups are in the rest, because they have under 50 runs or there are too many. */ readonly merged_groups: number
  /** What to know before these figures are believed. */ readonly warnings: readonly string[]
}

/** Two releases of one agent, compared over a half-open window [since, until). */
export interface DiffReport {
  /** The window of the request. */ readonly window: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive: the server clock when the request came. */ readonly until: string
  /** Only where run events at the ends of the window were pruned or erased, or are kept as sums: what was counted, in whole minutes, in ten of them where percentiles are read, or in hours where sums are by the hour. It ends where both sides are complete. Of intervals that hold at all looks it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
  /** What the comparison may lack, because it was pruned or erased; never changes the verdict. */
  readonly warnings?: readonly string[] | undefined
  /** Which events were compared. */ readonly filters: EventFilters
  /** What both releases were priced with. */ readonly pricing: {
    /** Provider of the baseline's price table. */ readonly baseline_provider: string
    /** Version of the baseline's price table. */ readonly baseline_version: string
    /** The baseline's model. */ readonly baseline_model: string
    /** Provider of the candidate's price table. */ readonly candidate_provider: string
    /** Version of the candidate's price table. */ readonly candidate_version: string
    /** The candidate's model. */ readonly candidate_model: string
    /** Whether provider, version or model differ between the releases. */ readonly pricing_or_model_changed: boolean
    /** Rates of the releases' own models, USD per 1,000 tokens; null where there is none. */ readonly prices: {
      /** Baseline, input. */ readonly baseline_input_usd_per_1k_tokens: number | null
      /** Baseline, output. */ readonly baseline_output_usd_per_1k_tokens: number | null
      /** Baseline, cached input. */ readonly baseline_cached_input_usd_per_1k_tokens: number | null
      /** Baseline, input that is written to a cache; null is charged as other input. */
      readonly baseline_cache_write_input_usd_per_1k_tokens: number | null
      /** Candidate, input. */ readonly candidate_input_usd_per_1k_tokens: number | null
      /** Candidate, output. */ readonly candidate_output_usd_per_1k_tokens: number | null
      /** Candidate, cached input. */ readonly candidate_cached_input_usd_per_1k_tokens: number | null
      /** Candidate, input that is written to a cache; null is charged as other input. */
      readonly candidate_cache_write_input_usd_per_1k_tokens: number | null
    }
    /** What to know about the prices; never changes the verdict. */ readonly warnings: readonly string[]
    /** Other imported versions of the tables, and models named like a missing one. */ readonly hints: readonly string[]
    /** Both releases priced by comparable slots of the pricing catalog. */ readonly catalog: {
      /** Whether there is a usable catalog. */ readonly enabled: boolean
      /** Version of the catalog. */ readonly catalog_version: string | null
      /** Slot of the baseline's model. */ readonly baseline_slot_id: string | null
      /** Slot of the candidate's model. */ readonly candidate_slot_id: string | null
      /** Mean cost of the baseline's runs by its slot's tariff, USD. */ readonly baseline_cost_per_run_usd: number | null
      /** Mean cost of the candidate's runs by its slot's tariff, USD. */ readonly candidate_cost_per_run_usd: number | null
      /** Candidate minus baseline, USD. */ readonly delta_cost_per_run_usd: number | null
      /** Why there are no costs, or what they leave out. */ readonly warnings: readonly string[]
    }
  }
  /** What changed, in a sentence: what is proven worse or better and by how much, what is unchanged, and of what nothing is proven. */
  readonly summary?: string | undefined
  /** How much there was to compare. */ readonly samples: {
    /** Events of the baseline in the window. */ readonly baseline_runs: number
    /** Events of the candidate in the window. */ readonly candidate_runs: number
    /** HIGH, MEDIUM or LOW, by the number of runs alone. */ readonly confidence: 'HIGH' | 'LOW' | 'MEDIUM'
    /** What is missing for HIGH; null when it is. */ readonly confidence_reason: string | null
    /** Those that cost and token means count; absent where the usage of no run is incomplete. */
    readonly baseline_cost_runs?: number | undefined
    /** The same of the candidate. */ readonly candidate_cost_runs?: number | undefined
  }
  /** How fast both sides gain runs. */ readonly traffic?: {
    /** Runs of the baseline per hour, from its first to its last run in the window; 0 where none came in the last day, null without runs. */
    readonly baseline_runs_per_hour: number | null
    /** The same of the candidate. */ readonly candidate_runs_per_hour: number | null
  } | undefined
  /** Means over the events of each side, and candidate minus baseline. */ readonly metrics: ComparedMetrics
  /** How sure the differences are: intervals, verdicts, and what these runs can prove. */ readonly statistics: ComparedStatistics
  /** Capabilities that the candidate has and the baseline lacks, and the other way round; left out where that is equal. */
  readonly capabilities?: PowerDifference | undefined
  /** Names of the tenants and tasks whose ids the statistics mention; left out where they mention none, or the caller may not read. */
  readonly segments?: readonly {
    /** The id. */ readonly id: number
    /** Whether it is a tenant or a task. */ readonly kind: 'task' | 'tenant'
    /** Its name; null where it was erased. */ readonly name: string | null
  }[] | undefined
  /** The cases that `statistics.suites` lists; left out where it lists none. */ readonly cases?: readonly NamedCase[] | undefined
  /** What the policy in force says of the candidate. */ readonly policy: PolicyVerdict
  /** State and limits as in GET /v1/places; left out unless requested. */ readonly judged?: {
    /** blocked, needs_runs or can_promote. */
    readonly state: 'awaiting_approval' | 'blocked' | 'can_promote' | 'frozen' | 'needs_runs' | 'no_price' | 'quiet' | 'rolling_out' | 'watched' | 'worse'
    /** The state and its reason in a sentence. */ readonly headline: string
    /** The limits, with what was measured. */ readonly rows: readonly PlaceRow[]
  } | undefined
  /** How the overrides of the policy came out; left out where it has none. */ readonly policy_scope?: PolicyScope | undefined
}

/** Read-only checks of the ledger. */
export interface DoctorReport {
  /** Whether every check passed. */ readonly ok: boolean
  /** The checks. */ readonly checks: readonly {
    /** Name of the check. */ readonly name: string
    /** Whether it passed. */ readonly ok: boolean
    /** What was found. */ readonly detail: string
    /** There, and true, where nothing is wrong with the ledger but something threatens it. */ readonly warning?: true | undefined
  }[]
}

/** The session opens nothing any more. */
export interface EndedSession {
  /** How many sessions were ended: 0 where nobody was signed in. */ readonly ended: number
  /** Where the browser signs out at the identity provider too; null where that has no such place. */
  readonly provider_url?: string | null | undefined
}

/** What is wrong, in words. */
export interface ErrorText {
  /** The sentence to show. */ readonly detail: string
}

/** Run events to store, in order. */
export interface Events {
  /** At least one. */ readonly events: readonly RunEvent[]
  /** Runs that a recorder had to leave out since its last request, by release and environment. */ readonly dropped?: readonly {
    /** Release of the runs. */ readonly release_id: string
    /** Environment of the runs. */ readonly environment: string
    /** How many. */ readonly runs: number
  }[] | undefined
}

/** A decision of the trail, decided again from its evidence alone. */
export interface Explanation {
  /** Identifier of the action. */ readonly action_id: string
  /** Number in the trail. */ readonly audit_seq: number
  /** What was asked for. */ readonly action: 'promote' | 'rollback'
  /** The release promoted or rolled back to. */ readonly release_id: string
  /** The release's agent. */ readonly agent_id: string
  /** The environment of the pointer. */ readonly environment: string
  /** What was promoted before; null for a first promotion. */ readonly baseline_release_id: string | null
  /** When it was recorded. */ readonly created_at: string
  /** The events that it was judged by. */ readonly window: {
    /** As it was asked for. */ readonly text: string
    /** Start, inclusive. */ readonly since: string
    /** End, exclusive. */ readonly until: string
  }
  /** Only where run events at the ends of the window were pruned or erased, or are kept as sums: what was counted, in whole minutes, in ten of them where percentiles are read, or in hours where sums are by the hour. It ends where both sides are complete. Of intervals that hold at all looks it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
  /** When it was evaluated. */ readonly evaluated_at: string
  /** The rules it was decided by, and is decided by again. */ readonly rules_version: number
  /** The policy that it is decided by here. */ readonly policy_id: string
  /** Whether that is the policy of the record, or the one that was given. */ readonly by: 'policy' | 'record'
  /** How the overrides of that policy came out; left out where it has none. */ readonly policy_scope?: PolicyScope | undefined
  /** Each limit that the policy sets, then promotes_from and freezes; none for a first promotion alone. */ readonly limits: readonly {
    /** The key of the policy or of service.yaml. */ readonly policy_key: string
    /** What it limits. */ readonly metric: string
    /** What was compared with it; null without data. */ readonly value: number | string | null
    /** The limit. */ readonly limit: number | string | null
    /** Lower end of the interval; null where there is none, as for limits on a mean. */ readonly low: number | null
    /** Upper end of the interval. */ readonly high: number | null
    /** Runs of the baseline; null of what is not about runs. */ readonly baseline_runs: number | null
    /** Runs of the candidate. */ readonly candidate_runs: number | null
    /** Within the limit, beyond it, neither by its interval, without data, or not told by the evidence. */
    readonly verdict: 'fail' | 'inconclusive' | 'pass' | 'unknown' | 'unmeasured'
    /** Whether it lets the release pass; null where the evidence does not tell. */ readonly passed: boolean | null
    /** Why not, as a reason says it; null where it passes. */ readonly why: string | null
  }[]
  /** What changed, in a sentence; left out where nothing was evaluated. */ readonly summary?: string | undefined
  /** What the record says. */ readonly recorded: RecordedVerdict
  /** What comes out now. */ readonly replayed: ReplayedVerdict
  /** Whether both say the same: verdict and reasons; with another policy the verdict alone. */ readonly equal: boolean
}

/** The promoted release as the value of a flag (OpenFeature Remote Evaluation Protocol). */
export interface Flag {
  /** The agent. */ readonly key: string
  /** The promoted release. */ readonly value: string
  /** `STATIC`: it is the same for everybody. `SPLIT`: a rollout chose it by the targetingKey. `DEFAULT`: a rollout runs, and there was no targetingKey. */
  readonly reason: string
  /** The version of the release. */ readonly variant: string
  /** Only where a rollout chose it. */ readonly metadata?: {
    /** The rollout. */ readonly rollout_id: string
    /** Which of both sides it is. */ readonly arm: 'baseline' | 'candidate'
    /** Of a rollout by user: what to send as assignment.unit of the run event. */ readonly unit?: string | undefined
  } | undefined
}

/** Why there is no value. */
export interface FlagError {
  /** The agent. */ readonly key: string
  /** `FLAG_NOT_FOUND`, `PARSE_ERROR` or `INVALID_CONTEXT`. */ readonly errorCode: string
  /** The same in words. */ readonly errorDetails: string
}

/** What a flag is asked for. */
export interface FlagQuestion {
  /** `environment` says which; the default environment of the workspace without it. `targetingKey` is what a rollout assigns by: the session, tenant or user. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
}

/** All promoted releases of an environment as flags (OpenFeature Remote Evaluation Protocol). */
export interface Flags {
  /** A flag per agent of which something is promoted there. */ readonly flags: readonly Flag[]
  /** Where to hear that a value may have changed, on the origin that was asked. Absent where the runtime holds no streams. */
  readonly eventStreams?: readonly {
    /** Server-sent events. */ readonly type: 'sse'
    /** Where they come from. */ readonly endpoint: {
      /** The path and the query. */ readonly requestUri: string
    }
  }[] | undefined
}

/** Why there are no values. */
export interface FlagsError {
  /** `PARSE_ERROR` or `INVALID_CONTEXT`. */ readonly errorCode: string
  /** The same in words. */ readonly errorDetails: string
}

/** Runs of any release that an identifier belongs to, newest first. */
export interface FoundRuns {
  /** What was looked for. */ readonly id: string
  /** Start of the window that traces, sessions and spans were looked for in, inclusive. */ readonly since: string
  /** End of that window, exclusive. */ readonly until: string
  /** Whether more runs match. */ readonly truncated: boolean
  /** The runs; empty where the identifier is unknown. */ readonly runs: readonly {
    /** Which identifier of the run it is. */ readonly matched_by: 'run' | 'session' | 'span' | 'trace'
    /** The event, with all defaults applied. */ readonly event: StoredEvent
  }[]
}

/** Whether a release may pass by the policy in force. Nothing was written. */
export interface Gate {
  /** `pass`; `block` where a limit is violated; `inconclusive` where only confidence or evidence is missing. */
  readonly verdict: 'block' | 'inconclusive' | 'pass'
  /** Whether the verdict is `pass`. */ readonly passed: boolean
  /** `passed`; `first`: a first promotion, which compares nothing; `forced`: no policy was evaluated; `not_yet`: only evidence is missing; `blocked`: something is violated. */
  readonly result: 'blocked' | 'first' | 'forced' | 'not_yet' | 'passed'
  /** Why it does not pass, one per failed constraint; or why nothing was compared. */ readonly reasons: readonly string[]
  /** Warnings; they change no verdict. */ readonly warnings: readonly string[]
  /** The agent that was asked about. */ readonly agent_id: string
  /** The environment that was asked about. */ readonly environment: string
  /** The release that wants to pass. */ readonly release_id: string
  /** Its version. */ readonly version: string
  /** What it was compared with; null where nothing is promoted. */ readonly baseline_release_id: string | null
  /** The version of that. */ readonly baseline_version: string | null
  /** The window of the request. */ readonly window: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive. */ readonly until: string
  /** Only where run events at the ends of the window were pruned or erased, or are kept as sums: what was counted, in whole minutes, in ten of them where percentiles are read, or in hours where sums are by the hour. It ends where both sides are complete. Of intervals that hold at all looks it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
  /** How far the samples reach; null where nothing was compared. */ readonly confidence: 'HIGH' | 'LOW' | 'MEDIUM' | null
  /** What lacks for HIGH; null where nothing does. */ readonly confidence_reason: string | null
  /** Runs that were compared; null where nothing was. */ readonly samples: {
    /** Runs of the baseline in the window. */ readonly baseline_runs: number
    /** Runs of the release in the window. */ readonly candidate_runs: number
  } | null
  /** What changed, in a sentence; left out where nothing was compared. */ readonly summary?: string | undefined
  /** Both sides and their differences, as a diff has them; null where nothing was compared. */ readonly metrics: ComparedMetrics | null
  /** How sure the differences are, as in a diff; null where nothing was compared. */ readonly statistics: ComparedStatistics | null
  /** The cases that `statistics.suites` lists; left out where it lists none. */ readonly cases?: readonly NamedCase[] | undefined
  /** The limits of the policy that are on. */ readonly limits: readonly {
    /** The policy's key. */ readonly policy_key: string
    /** What it limits. */ readonly metric: string
    /** The limit: USD, milliseconds, or a fraction. */ readonly limit: number
  }[]
  /** What would decide it; only of the verdict `inconclusive`. */ readonly missing_evidence?: MissingEvidence | undefined
  /** Capabilities that the release has and the other lacks, and the other way round; left out where that is equal. */
  readonly capabilities?: PowerDifference | undefined
  /** When it was evaluated. */ readonly evaluated_at: string
}

/** The server is up. */
export interface Health {
  /** Always ok. */ readonly status: 'ok'
  /** Who may change things: callers from this machine, or bearers of the token. */ readonly mutation_auth: 'bearer' | 'loopback'
  /** Who may read: anybody, or bearers of a token. */ readonly read_auth: 'bearer' | 'open'
}

/** The outcome of the events of a request. */
export interface IngestResult {
  /** Newly written events. */ readonly inserted: number
  /** Events that were not written: their run_id is stored already, they were erased, or those of their time were pruned; left out where there are none. */
  readonly skipped?: number | undefined
  /** Sources that sum the runs of days that skipped events are of; left out where there are none. */
  readonly fed_by?: readonly string[] | undefined
  /** Fields that were dropped, releases that are not registered, and events that were skipped though they differ from what is stored; left out where there are none. */
  readonly warnings?: readonly string[] | undefined
}

/** Live releases, checked by their newest runs. It blocks and rolls back nothing. */
export interface LivePlaces {
  /** What is live, by agent and environment. */ readonly live: readonly {
    /** The agent. */ readonly agent_id: string
    /** Where it is live. */ readonly environment: string
    /** The release that is live. */ readonly release_id: string
    /** Its version. */ readonly version: string
    /** What was live before it; null where nothing was, or a rollback brought it back. */ readonly previous_release_id: string | null
    /** worse: a limit is proven to be broken. silent: runs stopped arriving. other_model: a model answers that the release does not declare. nothing_found: no finding. no_runs: there are no runs of the last day. no_limits: the policy sets none on a release itself. */
    readonly state: 'no_limits' | 'no_runs' | 'nothing_found' | 'other_model' | 'silent' | 'worse'
    /** Runs of the last hour. */ readonly runs_last_hour: number
    /** Runs of the last 24 hours. */ readonly runs_last_day: number
    /** Limits that are proven to be broken; empty unless the state is worse. */ readonly broken: readonly {
      /** The key of the policy. */
      readonly limit_key: 'max_cost_increase_pct' | 'max_cost_per_run_usd' | 'max_error_rate' | 'max_error_rate_increase' | 'max_latency_increase_pct' | 'max_latency_ms'
      /** The limit: USD, milliseconds or a fraction; of a rate a difference. */ readonly limit: number
      /** How far back the runs go that prove it, in minutes. */ readonly minutes: number
      /** How many runs these are. */ readonly runs: number
      /** Their mean cost or latency, or the share of them that failed; of a limit on a change how much that rose against the release before. */
      readonly value: number
      /** What the true value is at least: by a bound that is wrong in 1 of 500 checks at most, of a change by one that is valid at all checks. */
      readonly at_least: number
      /** The same as a sentence. */ readonly text: string
    }[]
    /** Runs that stopped arriving; null where they did not. */ readonly silence: {
      /** Hours back from now in which none came. */ readonly hours: number
      /** Earlier days whose same hours had runs: weekdays, or days of weekends. */ readonly days: number
      /** Runs of these hours on such a day, on average. */ readonly usual_runs: number
      /** The same as a sentence. */ readonly text: string
    } | null
    /** The undeclared model that answered most runs; null where none answered enough. */ readonly other_model: {
      /** Its name; empty where there are too many to be told apart. */ readonly model: string
      /** How many runs it answered. */ readonly runs: number
      /** Of how many. */ readonly of: number
      /** Hours back from now that these are of: 1, or 24 where the last hour has few runs. */ readonly hours: number
      /** The finding as a sentence. */ readonly text: string
    } | null
    /** What was not looked at, and why. */ readonly not_checked: readonly string[]
  }[]
  /** When this was judged: the oldest judgement, up to a minute ago. */ readonly judged_at: string
  /** Whether there are more places than the limit. */ readonly truncated: boolean
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  /** Version of OpenAPI. */ readonly openapi: string
  /** What the API is. */ readonly info: Readonly<Record<string, unknown>>
  /** Where it is served. */ readonly servers: readonly (Readonly<Record<string, unknown>>)[]
  /** Groups of operations. */ readonly tags: readonly (Readonly<Record<string, unknown>>)[]
  /** Operations by path and method. */ readonly paths: Readonly<Record<string, unknown>>
  /** Schemas and ways to authenticate. */ readonly components: Readonly<Record<string, unknown>>
}

/** A new session. Its token is shown only this once. */
export interface OpenedSession extends SessionRecord {
  /** What is sent as `Authorization: Bearer`. */ readonly token: string
}

/** A google.rpc.Status, as which OTLP has errors. */
export interface OtlpStatus {
  /** What was wrong. */ readonly message: string
  /** The same, under the name that errors have elsewhere. */ readonly detail: string
}

/** An ExportTraceServiceRequest of OpenTelemetry (OTLP 1.10), as exporters send it. */
export interface OtlpTraces {
  /** Spans, by what emitted them. */ readonly resourceSpans?: readonly (Readonly<Record<string, unknown>>)[] | null | undefined
}

/** An ExportTraceServiceResponse: empty where every span with tokens became part of a run, or of one that is stored. */
export interface OtlpTracesAnswer {
  /** Spans of which no run was made, what waits, and warnings. None of it is to be sent again. */ readonly partialSuccess?: {
    /** How many spans are refused, as a text: OTLP writes 64-bit numbers so. 0 where nothing is. */ readonly rejectedSpans: string
    /** Why, with how many for each reason. */ readonly errorMessage: string
  } | undefined
}

/** The outcome of a promotion or rollback. */
export interface Outcome {
  /** The recorded action; null for a dry run. */ readonly action_id: string | null
  /** What was asked for. */ readonly action: 'promote' | 'rollback'
  /** The release to move the pointer to. */ readonly release_id: string
  /** Its version; absent from what was recorded before answers had it. */ readonly version?: string | undefined
  /** The release's agent. */ readonly agent_id: string
  /** The environment of the pointer. */ readonly environment: string
  /** What was promoted before; null if nothing was. */ readonly baseline_release_id: string | null
  /** Its version; absent as `version` is. */ readonly baseline_version?: string | null | undefined
  /** Whether the pointer moved. */ readonly promoted_pointer_changed: boolean
  /** What the policy said. */ readonly policy: PolicyVerdict
  /** Present at a confirmation, if approvals are required: what changed since the request. */
  readonly since_request?: SinceRequest | undefined
  /** Only in the answer to a confirmation: earlier confirmations that no longer count, each with the reason, and names of other people that look like yours. */
  readonly warnings?: readonly string[] | undefined
  /** Present, and true, if it was forced: no policy was evaluated. */ readonly forced?: true | undefined
  /** Present, and true, on a dry run: nothing was written. */ readonly dry_run?: boolean | undefined
  /** Only where the policy blocked for confidence: what would reach HIGH. */ readonly missing_for_high?: MissingForHigh | undefined
  /** Only of a rollback that left out runs (exclude_unusable): which, by side. */ readonly left_out?: {
    /** Runs of the promoted release; absent where none were left out. */ readonly baseline?: LeftOutRuns | undefined
    /** Runs of the release to roll back to; absent where none were left out. */ readonly candidate?: LeftOutRuns | undefined
  } | undefined
  /** How the overrides of the policy came out; left out where it has none. */ readonly policy_scope?: PolicyScope | undefined
  /** Only where the policy watches promotions: the watch that began with this one. */ readonly watch_id?: string | undefined
  /** Only where run events at the ends of the window were pruned or erased, or are kept as sums: what was counted, in whole minutes, in ten of them where percentiles are read, or in hours where sums are by the hour. It ends where both sides are complete. Of intervals that hold at all looks it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
}

/** What is live for an agent in an environment, what is next, and whether it may be promoted. */
export interface PlaceAnswer {
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The first of these that holds. worse: the live release breaks a limit. frozen: a freeze is in force. rolling_out, awaiting_approval: a rollout or a request is open. no_price: the candidate has no price table. blocked: the policy refuses it, or nothing can be compared. needs_runs: too little evidence. can_promote: it passes. watched: a watch runs. quiet: nothing is next. */
  readonly state: 'awaiting_approval' | 'blocked' | 'can_promote' | 'frozen' | 'needs_runs' | 'no_price' | 'quiet' | 'rolling_out' | 'watched' | 'worse'
  /** The state and its reason in a sentence. */ readonly headline: string
  /** What is live; null if nothing is. */ readonly live: {
    /** The release. */ readonly release_id: string
    /** Its version; null if it is not registered. */ readonly version: string | null
    /** Since when. */ readonly since: string | null
    /** Who chose it. */ readonly by: string | null
    /** Why, in the words of who chose it. */ readonly reason: string | null
    /** What was live when this release was promoted; a rollback to it does not change that. Null where nothing was. */
    readonly before: string | null
    /** Its runs of the last hour. */ readonly runs_last_hour: number
    /** Its runs of the last 24 hours. */ readonly runs_last_day: number
    /** What was not looked at when its runs were checked, and why. */ readonly not_checked: readonly string[]
  } | null
  /** The release that is next; never one that is live or was rolled back. */ readonly candidate: PlaceCandidate | null
  /** Why there is no candidate; null where there is one. */ readonly why_none: string | null
  /** The limits of the policy, with what was measured; empty where nothing was compared. */ readonly rows: readonly PlaceRow[]
  /** Why the candidate does not pass. */ readonly reasons: readonly string[]
  /** Warnings; they change no verdict. */ readonly warnings: readonly string[]
  /** The window that the candidate is judged over; null where nothing was compared. */ readonly window: string | null
  /** Start of the window, inclusive. */ readonly since: string | null
  /** End of the window, exclusive. */ readonly until: string | null
  /** What the caller may do here now. */ readonly allowed: PlaceAllowed
  /** The rollout that is open; null without one. */ readonly rollout: {
    /** Identifier of the rollout. */ readonly rollout_id: string
    /** The release that is rolled out. */ readonly candidate_release_id: string
    /** Whether it runs or is paused. */ readonly state: 'paused' | 'running'
    /** Share of the units that get the candidate; null where nothing is split. */ readonly share: number | null
  } | null
  /** The newest promotion request that waits; null without one. */ readonly request: {
    /** Identifier of the request. */ readonly request_id: string
    /** The release to promote. */ readonly release_id: string
    /** The window that it is judged over. */ readonly window: string
    /** Who requested it. */ readonly actor: string
    /** Why, in the words of the requester. */ readonly reason: string
    /** When it was asked for. */ readonly created_at: string
  } | null
  /** The watch that runs; null without one. */ readonly watch: {
    /** Identifier of the watch. */ readonly watch_id: string
    /** The release that is watched. */ readonly release_id: string
    /** When it ends. */ readonly ends_at: string
  } | null
  /** The freeze that is in force; null without one. */ readonly freeze: {
    /** Its end, as service.yaml says it. */ readonly until: string
    /** Why. */ readonly reason: string
  } | null
  /** When this was evaluated. */ readonly evaluated_at: string
}

/** The release that is promoted for an agent in an environment. */
export interface Pointer {
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The promoted release. */ readonly release_id: string
  /** Its version. */ readonly version: string
  /** SHA-256 of its bundle. */ readonly checksum: string
  /** Only while a rollout runs: units with u < share get the candidate, all others the baseline. u is the first 52 bits of SHA-256(rollout_id, NUL, unit) as a fraction of 2^52. */
  readonly split?: {
    /** The rollout. */ readonly rollout_id: string
    /** What the unit is: a session, a tenant, or a user. */ readonly by: 'session' | 'tenant' | 'user'
    /** Share of the units that get the candidate, a fraction. */ readonly share: number
    /** What the others get. */ readonly baseline: ArmRelease
    /** What they get. */ readonly candidate: ArmRelease
    /** For how many seconds from its receipt the split may be used. Who can not read it again by then serves release_id alone; a 304 renews it. */
    readonly lease_s: number
    /** Only of rollouts by user: the unit is HMAC-SHA-256 of the user under this key, in hex; send it as assignment.unit of the run event. */
    readonly assignment_key?: string | undefined
  } | undefined
}

/** What a candidate must meet to be promoted. A limit of null is off. */
export interface Policy {
  /** Name of the policy; the one that was set last counts. */ readonly policy_id?: string | undefined
  /** Highest mean cost per run, USD. */ readonly max_cost_per_run_usd?: number | null | undefined
  /** Highest mean latency, milliseconds. */ readonly max_latency_ms?: number | null | undefined
  /** Highest share of failed runs, 0 to 1. */ readonly max_error_rate?: number | null | undefined
  /** Candidate runs for HIGH confidence; null takes the workspace's, 0 means no minimum. */
  readonly min_candidate_runs?: number | null | undefined
  /** Baseline runs for HIGH confidence; null takes the workspace's, 0 means no minimum. */
  readonly min_baseline_runs?: number | null | undefined
  /** Runs below which confidence is LOW; null takes the workspace's, 0 means no minimum. */
  readonly min_low_runs?: number | null | undefined
  /** Whether only HIGH confidence passes. */ readonly require_high_diff_confidence?: boolean | undefined
  /** Largest rise of the mean cost per run, a fraction: 0.1 is +10 %. Decided by its interval. */
  readonly max_cost_increase_pct?: number | null | undefined
  /** Largest rise of the mean latency, a fraction. Decided by its interval. */
  readonly max_latency_increase_pct?: number | null | undefined
  /** Largest rise of the error rate: 0.02 is two points. Decided by its interval. */
  readonly max_error_rate_increase?: number | null | undefined
  /** Highest 90th percentile of the latency, milliseconds. Decided by its interval. */
  readonly max_latency_p90_ms?: number | null | undefined
  /** Highest 95th percentile of the latency, milliseconds. Decided by its interval. */
  readonly max_latency_p95_ms?: number | null | undefined
  /** Highest 99th percentile of the latency, milliseconds. Decided by its interval. */
  readonly max_latency_p99_ms?: number | null | undefined
  /** Largest rise of the 90th percentile of the latency over the time in which both ran, a fraction. Decided by its interval. */
  readonly max_latency_p90_increase_pct?: number | null | undefined
  /** Largest rise of the 95th percentile of the latency over the time in which both ran, a fraction. Decided by its interval. */
  readonly max_latency_p95_increase_pct?: number | null | undefined
  /** Largest rise of the 99th percentile of the latency over the time in which both ran, a fraction. Decided by its interval. */
  readonly max_latency_p99_increase_pct?: number | null | undefined
  /** Highest mean time to the first token of runs that succeeded and report it, milliseconds. Decided by its interval. */
  readonly max_ttft_ms?: number | null | undefined
  /** Largest rise of the mean time to the first token, a fraction. Decided by its interval. */
  readonly max_ttft_increase_pct?: number | null | undefined
  /** Highest 90th percentile of the time to first token, milliseconds. Decided by its interval. */
  readonly max_ttft_p90_ms?: number | null | undefined
  /** Highest 95th percentile of the time to first token, milliseconds. Decided by its interval. */
  readonly max_ttft_p95_ms?: number | null | undefined
  /** Highest 99th percentile of the time to first token, milliseconds. Decided by its interval. */
  readonly max_ttft_p99_ms?: number | null | undefined
  /** Largest rise of the 90th percentile of the time to first token over the time in which both ran, a fraction. Decided by its interval. */
  readonly max_ttft_p90_increase_pct?: number | null | undefined
  /** Largest rise of the 95th percentile of the time to first token over the time in which both ran, a fraction. Decided by its interval. */
  readonly max_ttft_p95_increase_pct?: number | null | undefined
  /** Largest rise of the 99th percentile of the time to first token over the time in which both ran, a fraction. Decided by its interval. */
  readonly max_ttft_p99_increase_pct?: number | null | undefined
  /** Largest rise of the mean cost per run for any tenant or task, a fraction. Blocks only where the rise is proven to be larger. */
  readonly max_segment_cost_increase_pct?: number | null | undefined
  /** The same of the mean latency. */ readonly max_segment_latency_increase_pct?: number | null | undefined
  /** The same of the error rate: 0.02 is two points. */ readonly max_segment_error_rate_increase?: number | null | undefined
  /** Largest rise of the mean number of tool calls per run, a fraction. Decided by its interval. */
  readonly max_tool_calls_increase_pct?: number | null | undefined
  /** Lowest mean of scores of the candidate, by name: of its runs, or SUITE/NAME of an evaluation. Decided by its interval; without data it blocks. */
  readonly min_scores?: Readonly<Record<string, number>> | null | undefined
  /** Largest fall of the mean of scores, in their unit, by the same names. Decided by its interval; without data it blocks. */
  readonly max_score_drop?: Readonly<Record<string, number>> | null | undefined
  /** Requirements on the newest imports of evaluations, by suite. A suite that was never imported for the candidate blocks. Applies to promotions and gates. */
  readonly suites?: Readonly<Record<string, SuiteRules>> | null | undefined
  /** Further limits for rollbacks, besides the absolute limits on cost, latency and errors and the confidence; decided over the whole window. Default: none. */
  readonly on_rollback?: readonly ('max_cost_increase_pct' | 'max_error_rate_increase' | 'max_latency_increase_pct' | 'max_latency_p90_ms' | 'max_latency_p95_ms' | 'max_latency_p99_ms' | 'max_score_drop' | 'max_tool_calls_increase_pct' | 'max_ttft_increase_pct' | 'max_ttft_ms' | 'max_ttft_p90_ms' | 'max_ttft_p95_ms' | 'max_ttft_p99_ms' | 'min_scores')[] | undefined
  /** What a limit does if its interval is neither within nor beyond it. */
  readonly on_inconclusive?: 'block' | 'estimate' | 'pass' | undefined
  /** Whether intervals stay valid however often one checks; for gates that are polled. */ readonly sequential?: boolean | undefined
  /** What limits on a change compare: `time`, the blocks of time in which both releases ran, else the same hours of earlier days; `tenant` or `task`, each tenant or task that both served by itself; or `window`, all runs of the window, for runs made on purpose. */
  readonly compare_by?: 'task' | 'tenant' | 'time' | 'window' | undefined
  /** The clusters of dependent runs, which widen intervals: `time`, blocks of it; `session` or `tenant`, of up to 10,000 runs per side that are compared. By tenant or task each of these is one unit already. */
  readonly cluster_by?: 'session' | 'tenant' | 'time' | undefined
  /** Runs of models that the price table lacks, other than the release's own: exclude leaves them out of the cost, with a warning. */
  readonly unpriced?: 'exclude' | 'refuse' | undefined
  /** Starts a watch with each promotion: the new release is compared with the one before, minute by minute. */
  readonly watch?: WatchPolicy | null | undefined
  /** What happens when a release has capabilities that the live one lacks. Applies to promotions and gates, never to rollbacks or first promotions. */
  readonly capabilities?: CapabilityPolicy | null | undefined
  /** Most calls in the window of tools that the candidate does not declare. Applies to promotions and gates. */
  readonly max_undeclared_tool_calls?: number | null | undefined
  /** Fewest days until a provider retires a model of the candidate, its fallback included. A model without a known date passes. Applies to promotions and gates. */
  readonly min_days_to_retirement?: number | null | undefined
  /** Other values for some agents or environments. For each key the most specific override counts. */ readonly overrides?: readonly {
    /** The agents: an exact name, or the beginning of names and one *; all where it is left out. */ readonly agent_id?: string | undefined
    /** The environments, in the same way. */ readonly environment?: string | undefined
    /** Highest mean cost per run, USD. */ readonly max_cost_per_run_usd?: number | null | undefined
    /** Highest mean latency, milliseconds. */ readonly max_latency_ms?: number | null | undefined
    /** Highest share of failed runs, 0 to 1. */ readonly max_error_rate?: number | null | undefined
    /** Candidate runs for HIGH confidence; null takes the workspace's, 0 means no minimum. */
    readonly min_candidate_runs?: number | null | undefined
    /** Baseline runs for HIGH confidence; null takes the workspace's, 0 means no minimum. */
    readonly min_baseline_runs?: number | null | undefined
    /** Runs below which confidence is LOW; null takes the workspace's, 0 means no minimum. */
    readonly min_low_runs?: number | null | undefined
    /** Whether only HIGH confidence passes. */ readonly require_high_diff_confidence?: boolean | undefined
    /** Largest rise of the mean cost per run, a fraction: 0.1 is +10 %. Decided by its interval. */
    readonly max_cost_increase_pct?: number | null | undefined
    /** Largest rise of the mean latency, a fraction. Decided by its interval. */
    readonly max_latency_increase_pct?: number | null | undefined
    /** Largest rise of the error rate: 0.02 is two points. Decided by its interval. */
    readonly max_error_rate_increase?: number | null | undefined
    /** Highest 90th percentile of the latency, milliseconds. Decided by its interval. */
    readonly max_latency_p90_ms?: number | null | undefined
    /** Highest 95th percentile of the latency, milliseconds. Decided by its interval. */
    readonly max_latency_p95_ms?: number | null | undefined
    /** Highest 99th percentile of the latency, milliseconds. Decided by its interval. */
    readonly max_latency_p99_ms?: number | null | undefined
    /** Largest rise of the 90th percentile of the latency over the time in which both ran, a fraction. Decided by its interval. */
    readonly max_latency_p90_increase_pct?: number | null | undefined
    /** Largest rise of the 95th percentile of the latency over the time in which both ran, a fraction. Decided by its interval. */
    readonly max_latency_p95_increase_pct?: number | null | undefined
    /** Largest rise of the 99th percentile of the latency over the time in which both ran, a fraction. Decided by its interval. */
    readonly max_latency_p99_increase_pct?: number | null | undefined
    /** Highest mean time to the first token of runs that succeeded and report it, milliseconds. Decided by its interval. */
    readonly max_ttft_ms?: number | null | undefined
    /** Largest rise of the mean time to the first token, a fraction. Decided by its interval. */
    readonly max_ttft_increase_pct?: number | null | undefined
    /** Highest 90th percentile of the time to first token, milliseconds. Decided by its interval. */
    readonly max_ttft_p90_ms?: number | null | undefined
    /** Highest 95th percentile of the time to first token, milliseconds. Decided by its interval. */
    readonly max_ttft_p95_ms?: number | null | undefined
    /** Highest 99th percentile of the time to first token, milliseconds. Decided by its interval. */
    readonly max_ttft_p99_ms?: number | null | undefined
    /** Largest rise of the 90th percentile of the time to first token over the time in which both ran, a fraction. Decided by its interval. */
    readonly max_ttft_p90_increase_pct?: number | null | undefined
    /** Largest rise of the 95th percentile of the time to first token over the time in which both ran, a fraction. Decided by its interval. */
    readonly max_ttft_p95_increase_pct?: number | null | undefined
    /** Largest rise of the 99th percentile of the time to first token over the time in which both ran, a fraction. Decided by its interval. */
    readonly max_ttft_p99_increase_pct?: number | null | undefined
    /** Largest rise of the mean cost per run for any tenant or task, a fraction. Blocks only where the rise is proven to be larger. */
    readonly max_segment_cost_increase_pct?: number | null | undefined
    /** The same of the mean latency. */ readonly max_segment_latency_increase_pct?: number | null | undefined
    /** The same of the error rate: 0.02 is two points. */ readonly max_segment_error_rate_increase?: number | null | undefined
    /** Largest rise of the mean number of tool calls per run, a fraction. Decided by its interval. */
    readonly max_tool_calls_increase_pct?: number | null | undefined
    /** Lowest mean of scores of the candidate, by name: of its runs, or SUITE/NAME of an evaluation. Decided by its interval; without data it blocks. */
    readonly min_scores?: Readonly<Record<string, number>> | null | undefined
    /** Largest fall of the mean of scores, in their unit, by the same names. Decided by its interval; without data it blocks. */
    readonly max_score_drop?: Readonly<Record<string, number>> | null | undefined
    /** Requirements on the newest imports of evaluations, by suite. A suite that was never imported for the candidate blocks. Applies to promotions and gates. */
    readonly suites?: Readonly<Record<string, SuiteRules>> | null | undefined
    /** Further limits for rollbacks, besides the absolute limits on cost, latency and errors and the confidence; decided over the whole window. Default: none. */
    readonly on_rollback?: readonly ('max_cost_increase_pct' | 'max_error_rate_increase' | 'max_latency_increase_pct' | 'max_latency_p90_ms' | 'max_latency_p95_ms' | 'max_latency_p99_ms' | 'max_score_drop' | 'max_tool_calls_increase_pct' | 'max_ttft_increase_pct' | 'max_ttft_ms' | 'max_ttft_p90_ms' | 'max_ttft_p95_ms' | 'max_ttft_p99_ms' | 'min_scores')[] | undefined
    /** What a limit does if its interval is neither within nor beyond it. */
    readonly on_inconclusive?: 'block' | 'estimate' | 'pass' | undefined
    /** Whether intervals stay valid however often one checks; for gates that are polled. */ readonly sequential?: boolean | undefined
    /** What limits on a change compare: `time`, the blocks of time in which both releases ran, else the same hours of earlier days; `tenant` or `task`, each tenant or task that both served by itself; or `window`, all runs of the window, for runs made on purpose. */
    readonly compare_by?: 'task' | 'tenant' | 'time' | 'window' | undefined
    /** The clusters of dependent runs, which widen intervals: `time`, blocks of it; `session` or `tenant`, of up to 10,000 runs per side that are compared. By tenant or task each of these is one unit already. */
    readonly cluster_by?: 'session' | 'tenant' | 'time' | undefined
    /** Runs of models that the price table lacks, other than the release's own: exclude leaves them out of the cost, with a warning. */
    readonly unpriced?: 'exclude' | 'refuse' | undefined
    /** Starts a watch with each promotion: the new release is compared with the one before, minute by minute. */
    readonly watch?: WatchPolicy | null | undefined
    /** What happens when a release has capabilities that the live one lacks. Applies to promotions and gates, never to rollbacks or first promotions. */
    readonly capabilities?: CapabilityPolicy | null | undefined
    /** Most calls in the window of tools that the candidate does not declare. Applies to promotions and gates. */
    readonly max_undeclared_tool_calls?: number | null | undefined
    /** Fewest days until a provider retires a model of the candidate, its fallback included. A model without a known date passes. Applies to promotions and gates. */
    readonly min_days_to_retirement?: number | null | undefined
  }[] | undefined
}

/** Which limits on a change could be proved with the traffic of a release. */
export interface PolicyAdvice {
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The release whose runs were counted: the promoted one unless another was asked for. */ readonly release_id: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive. */ readonly until: string
  /** Only where run events at the ends of the window were pruned or erased, or are kept as sums: what was counted, in whole minutes, in ten of them where percentiles are read, or in hours where sums are by the hour. It ends where both sides are complete. Of intervals that hold at all looks it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
  /** Its runs per day, in the time from its first to its last run in the window. */ readonly runs_per_day: number
  /** So many limits of the policy in force must hold at once, which the runs are planned for. */
  readonly limits_at_once?: number | undefined
  /** What can be limited. */ readonly metrics: readonly {
    /** The metric. */ readonly metric: 'cost_per_run_usd' | 'error_rate' | 'latency_ms'
    /** The key of a policy that limits it. */
    readonly policy_key: 'max_cost_increase_pct' | 'max_error_rate_increase' | 'max_latency_increase_pct'
    /** Runs that carry it. */ readonly runs: number
    /** Its mean; null without runs. */ readonly mean: number | null
    /** Standard deviation of single runs by mean; null of a rate. */ readonly variation: number | null
    /** How many times the runs it takes because runs at about the same time resemble each other; null where that is not known. */
    readonly design_effect: number | null
    /** Limits, and what it takes to prove them. */ readonly limits: readonly {
      /** The limit: of a mean a fraction, of a rate a difference. */ readonly limit: number
      /** Runs of each side with which an unchanged release passes in 80 of 100 cases; null where none suffice. */
      readonly runs_per_side: number | null
      /** Days that takes, where both sides share the traffic; null without any. */ readonly days: number | null
    }[]
  }[]
}

/** What a policy would have decided on past actions, from their evidence. Nothing is written. */
export interface PolicyTest {
  /** The policy that was tried. */ readonly policy_id: string
  /** Actions that were checked. */ readonly tested: number
  /** Those of them with another verdict. */ readonly changed: number
  /** Those whose evidence does not tell. */ readonly unknown: number
  /** Those recorded without evidence, which can not be tried. */ readonly without_evidence: number
  /** Those with another verdict, or with none that can be told, newest first. */ readonly changes: readonly {
    /** Identifier of the action. */ readonly action_id: string
    /** Number in the trail. */ readonly audit_seq: number
    /** What was asked for. */ readonly action: 'promote' | 'rollback'
    /** The release promoted or rolled back to. */ readonly release_id: string
    /** The release's agent. */ readonly agent_id: string
    /** The environment of the pointer. */ readonly environment: string
    /** What was promoted before; null for a first promotion. */ readonly baseline_release_id: string | null
    /** When it was recorded. */ readonly created_at: string
    /** What the record says. */ readonly recorded: RecordedVerdict
    /** What this policy says. */ readonly draft: ReplayedVerdict
    /** What makes the difference: the reasons of the one that blocks, or what is not known. */ readonly why: readonly string[]
  }[]
  /** Pass it as `after` to go on with older actions; null where there are none. */ readonly next_after: number | null
  /** What each limit of the policy lets through, in words, such as: cost may rise by up to 20 %. */ readonly limits: readonly string[]
  /** Limits that let through more than somebody is likely to mean, and overrides for agents and environments of which the ledger knows nothing, but for callers who are limited to some; left out where there are none. */
  readonly warnings?: readonly string[] | undefined
}

/** The audit record of an import. */
export interface PricingImport {
  /** Identifier of the import. */ readonly import_id: string
  /** Provider of the table. */ readonly provider: string
  /** Version of the table. */ readonly pricing_version: string
  /** Whether the table is new or replaced another. */ readonly action: 'insert' | 'replace'
  /** Who imported it. */ readonly actor: string
  /** Why it was replaced; null for a first import. */ readonly reason: string | null
  /** The table before; null for a first import. */ readonly old_pricing_json: string | null
  /** The table now. */ readonly new_pricing_json: string
  /** SHA-256 of new_pricing_json, lowercase hex. */ readonly new_checksum: string
  /** When it was imported. */ readonly created_at: string
}

/** Imported price tables, by provider and version. */
export interface PricingList {
  /** The tables. */ readonly pricing: readonly {
    /** Provider of the table. */ readonly provider: string
    /** Version of the table. */ readonly pricing_version: string
    /** Number of models it prices. */ readonly models: number
    /** When it was imported. */ readonly imported_at: string
    /** Whether it is a snapshot that ships with the service. */ readonly bundled: boolean
    /** Age of a bundled table in days; null for others, or where its version names no date. */ readonly age_days: number | null
  }[]
}

/** Prices of the models of one provider, in USD per 1,000 tokens. */
export interface PricingTable {
  /** Matches a release's spec.pricing_reference.provider. */ readonly provider: string
  /** Matches a release's spec.pricing_reference.pricing_version. */ readonly pricing_version: string
  /** One entry per model. */ readonly entries: readonly {
    /** Model name. */ readonly model: string
    /** Other names of the model, such as a deployment; `*` at the end takes all that begin so. A model of its own goes first. */
    readonly aliases?: readonly string[] | null | undefined
    /** USD per 1,000 input tokens. */ readonly input_usd_per_1k_tokens: number
    /** USD per 1,000 output tokens. */ readonly output_usd_per_1k_tokens: number
    /** USD per 1,000 cached input tokens; null leaves cached tokens out of the cost. */
    readonly cached_input_usd_per_1k_tokens?: number | null | undefined
    /** USD per 1,000 input tokens that are written to a cache, in place of the input rate; null charges the input rate. */
    readonly cache_write_input_usd_per_1k_tokens?: number | null | undefined
    /** Day (UTC) on which the provider switches the model off, as the price list says; null where it does not. */
    readonly retires_on?: string | null | undefined
  }[]
  /** The price list that the table was made of, where it was made of one. */ readonly source?: {
    /** Whose list it is. */ readonly format: 'genai-prices' | 'litellm'
    /** SHA-256 of the file, lowercase hex. */ readonly sha256: string
  } | undefined
}

/** The promoted release of each agent and environment that has one. */
export interface Promoted {
  /** One entry per agent and environment. */ readonly promoted: readonly {
    /** The agent. */ readonly agent_id: string
    /** The environment. */ readonly environment: string
    /** The promoted release. */ readonly release_id: string
  }[]
}

/** A promotion that waits for a confirmation, or waited for one. */
export interface PromotionRequest {
  /** Identifier of the request. */ readonly request_id: string
  /** Where it stands. */ readonly status: 'cancelled' | 'completed' | 'pending'
  /** The release to promote. */ readonly release_id: string
  /** The release's agent. */ readonly agent_id: string
  /** The environment of the pointer. */ readonly environment: string
  /** The window it is judged by, also at the confirmation. */ readonly window: string
  /** Why, in the words of the requester. */ readonly reason: string
  /** Who requested it. */ readonly actor: string
  /** The name that an actor with a token of its own gives itself: a claim. */ readonly claimed_actor?: string | undefined
  /** Whom an identity provider vouched for; absent where none did. */ readonly actor_identity?: Identity | undefined
  /** What was promoted when it was asked for; null if nothing was. */ readonly baseline_release_id: string | null
  /** What has to be promoted at each confirmation, as the request said; null for nothing, left out where it said none. */
  readonly expected_baseline_release_id?: string | null | undefined
  /** What the policy said when it was asked for. */ readonly policy: PolicyVerdict
  /** When it was asked for. */ readonly created_at: string
  /** When it was confirmed or cancelled. */ readonly resolved_at: string | null
  /** Who confirmed or cancelled it. */ readonly resolved_by: string | null
  /** Why it was confirmed or cancelled. */ readonly resolution_reason: string | null
  /** The action that completed it. */ readonly completed_action_id: string | null
  /** There where it was rejected, or ended because nobody confirmed it in time; its status is cancelled. */
  readonly resolution?: 'expired' | 'rejected' | undefined
  /** When it ends unless it is confirmed; there where approval_expires is set. */ readonly expires_at?: string | undefined
  /** How many have to confirm it; there where that is more than one. */ readonly approvals_required?: number | undefined
  /** Who did; there where that takes more than one. */ readonly approvals?: readonly RolloutApproval[] | undefined
  /** Only in the answer to a confirmation: what has changed since the request. */ readonly since_request?: SinceRequest | undefined
  /** Only in the answer to a confirmation: earlier confirmations that no longer count, each with the reason, and names of other people that look like yours. */
  readonly warnings?: readonly string[] | undefined
}

/** Promotion requests, newest first. */
export interface PromotionRequestList {
  /** The requests. */ readonly requests: readonly PromotionRequest[]
}

/** What a comparison of two releases lacks for HIGH confidence. */
export interface Reach {
  /** Events of the baseline in the window. */ readonly baseline_runs: number
  /** Events of the candidate in the window. */ readonly candidate_runs: number
  /** Sample sizes in force: the policy's, else the workspace's. */ readonly thresholds: {
    /** Baseline runs for HIGH. */ readonly min_baseline_runs: number
    /** Candidate runs for HIGH. */ readonly min_candidate_runs: number
    /** Runs below which confidence is LOW. */ readonly min_low_runs: number
  }
  /** What is missing; zeros where nothing is. */ readonly missing_for_high: MissingForHigh
  /** Events of the baseline in the last 60 minutes: the rate at which it gains runs. */ readonly baseline_runs_last_hour: number
  /** The same of the candidate. */ readonly candidate_runs_last_hour: number
  /** Only where run events at the ends of the window were pruned or erased, or are kept as sums: what was counted, in whole minutes, in ten of them where percentiles are read, or in hours where sums are by the hour. It ends where both sides are complete. Of intervals that hold at all looks it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
}

/** The ledger can be read and, unless the server only reads, written. */
export interface Ready {
  /** Always ready; otherwise the answer is a 503. */ readonly status: 'ready'
  /** What is wrong with the clock of the server or the database; what depends on the time may be refused. */
  readonly warnings?: readonly string[] | undefined
}

/** Rollups and counters were rebuilt. */
export interface Rebuilt {
  /** Days of a release in an environment that were rebuilt. */ readonly days: number
}

/** Cases of an import that counts once it is finished. */
export interface ReceivedCases {
  /** Identifier of the import: it goes with each further part, and finishes it. */ readonly import_id: string
  /** Number of the part. */ readonly part: number
  /** How many tries it has. */ readonly results: number
}

/** The release that was just registered, or that was before and is reused. */
export interface Registered extends ReleaseRecord {
  /** Present, and true, where it was registered before: nothing was written. */ readonly reused?: boolean | undefined
  /** Other releases that were registered from the same bundle, newest first. */ readonly same_checksum_as: readonly string[]
  /** What to mind before the release is compared. */ readonly warnings: readonly string[]
}

/** An immutable release artifact: what an agent runs as. Unknown keys are kept as they are. */
export interface Release {
  /** Version of this format. */ readonly api_version: 'v1'
  /** Kind of document. */ readonly kind: 'Release'
  /** Names the release. */ readonly metadata: {
    /** Human label. */ readonly name: string
    /** Free-form version. */ readonly version: string
    /** What this release is about. */ readonly description?: string | null | undefined
    /** Who made the release. */ readonly created_by?: string | null | undefined
    /** When the release was made. */ readonly created_at?: string | null | undefined
  }
  /** What the agent runs as. */ readonly spec: {
    /** The agent this is a release of. */ readonly agent: {
      /** Stable across releases of one agent; groups diff, promote and rollback. */ readonly agent_id: string
      /** Where the agent starts. */ readonly entrypoint?: string | null | undefined
    }
    /** The model and its settings. */ readonly runtime: {
      /** Provider of the model. */ readonly provider: string
      /** Model name, looked up in the price table. */ readonly model: string
      /** Sampling temperature. */ readonly temperature?: number | null | undefined
      /** Most output tokens per call. */ readonly max_output_tokens?: number | null | undefined
    }
    /** Prompt files of the bundle. */ readonly prompts?: {
      /** System prompt, a path relative to the bundle root. */ readonly system_ref: string
      /** Further prompts, paths relative to the bundle root. */ readonly template_refs?: readonly string[] | null | undefined
    } | null | undefined
    /** Tools the agent may call. */ readonly tools?: {
      /** Path of a tool manifest. */ readonly manifest_ref?: string | null | undefined
      /** Names of the tools. */ readonly tool_names?: readonly string[] | null | undefined
    } | null | undefined
    /** How calls are routed to models. */ readonly routing?: {
      /** One model, or one with a fallback. Default single_model. */
      readonly strategy?: 'fallback_model' | 'single_model' | null | undefined
      /** The fallback; only with strategy fallback_model. */ readonly fallback?: {
        /** Model to fall back to; required with strategy fallback_model. */ readonly model?: string | undefined
        /** Whether an error falls back. Default true. */ readonly on_error?: boolean | null | undefined
      } | null | undefined
    } | null | undefined
    /** Retries and time-outs. */ readonly safety?: {
      /** How failed calls are retried. */ readonly retry_policy?: {
        /** Most retries per call. */ readonly max_retries?: number | null | undefined
        /** Pause before a retry, milliseconds. */ readonly backoff_ms?: number | null | undefined
      } | null | undefined
      /** Time-outs in milliseconds. */ readonly timeouts_ms?: {
        /** Of a model call, milliseconds. */ readonly model_call?: number | null | undefined
        /** Of a tool call, milliseconds. */ readonly tool_call?: number | null | undefined
      } | null | undefined
    } | null | undefined
    /** Capabilities of the agent: tools with their effects and scopes, MCP servers, sub-agents, further models; see Capabilities. */
    readonly capabilities?: unknown
    /** The price table that this release is priced with. */ readonly pricing_reference: {
      /** Provider of the price table. */ readonly provider: string
      /** Version of the price table. */ readonly pricing_version: string
    }
  }
  /** Arbitrary labels. */ readonly tags?: Readonly<Record<string, string>> | null | undefined
}

/** Capabilities of a release by its artifact, and what its runs did beyond them. */
export interface ReleaseCapabilities {
  /** The release. */ readonly release_id: string
  /** SHA-256 of the capabilities: equal where two releases have the same capabilities. */ readonly capabilities_sha256: string
  /** Its capabilities, in canonical form. */ readonly capabilities: {
    /** Version of this form. */ readonly capabilities_version: number
    /** Its models: the own one, the fallback, further ones. */ readonly models: readonly {
      /** Provider. */ readonly provider: string
      /** Model name. */ readonly model: string
      /** Where the artifact names it. */ readonly role: 'fallback' | 'further' | 'runtime'
    }[]
    /** Its tools; null where the artifact does not say which. */ readonly tools: readonly {
      /** The MCP server that has it; null for a tool of the agent itself. */ readonly server: string | null
      /** Name. */ readonly name: string
      /** Version; null where it is not said. */ readonly version: string | null
      /** SHA-256 of its input schema; null where it is not said. */ readonly schema_sha256: string | null
      /** What it may do; null where that is not said. */ readonly effects: readonly ('reads' | 'sends' | 'spends' | 'writes')[] | null
      /** Permissions that it holds; null where that is not said. */ readonly scopes: readonly string[] | null
    }[] | null
    /** Its MCP servers. */ readonly mcp_servers: readonly {
      /** Name. */ readonly name: string
      /** Version; null where it is not said. */ readonly version: string | null
    }[]
    /** Agents that it may hand work to. */ readonly agents: readonly {
      /** Name. */ readonly agent_id: string
      /** Version; null where it is not said. */ readonly version: string | null
    }[]
  }
  /** What of the artifact contradicts itself or can not be read. */ readonly warnings: readonly string[]
  /** Tools that runs called although the release does not declare them, and models that answered unasked: those with most calls, at most 100. */
  readonly undeclared: readonly {
    /** Where. */ readonly environment: string
    /** Tool or model. */ readonly kind: 'model' | 'tool'
    /** Its name, cut after 200 characters; empty for all that came after the first 200 names. */ readonly name: string
    /** Runs with such a call. */ readonly runs: number
    /** Calls; of models runs. */ readonly calls: number
    /** The hour of the first one. */ readonly first_hour: string
    /** The hour of the last one. */ readonly last_hour: string
  }[]
  /** How many further names there are. */ readonly more_undeclared: number
}

/** A registered release with its artifact. */
export interface ReleaseDetail extends ReleaseRecord {
  /** The release.yaml, as it was registered. */ readonly artifact_json: Readonly<Record<string, unknown>>
  /** Environments that runs of it were ingested in; only where that was asked for. */
  readonly run_environments?: readonly string[] | undefined
}

/** The files of a release's bundle, as far as they were told at its registration. */
export interface ReleaseFiles {
  /** The release. */ readonly release_id: string
  /** The files by path; empty where none were told. */ readonly files: readonly {
    /** Path relative to the root of the bundle. */ readonly path: string
    /** SHA-256 of the file as the checksum of the bundle reads it: text with LF line ends. */ readonly sha256: string
    /** Its length as it is read so. */ readonly bytes: number
    /** Its text; null where it was not to be kept. */ readonly text: string | null
  }[]
}

/** All registered releases, newest first. */
export interface ReleaseList {
  /** The releases. */ readonly releases: readonly ReleaseRecord[]
}

/** The policy blocked a promotion request. Nothing was written. */
export interface RequestBlocked {
  /** What happened. */ readonly detail: {
    /** The sentence to show. */ readonly message: string
    /** What the policy said. */ readonly policy: PolicyVerdict
  }
}

/** What holds for an agent in an environment: the policy in force, and the rules of service.yaml. */
export interface ResolvedPolicy {
  /** SHA-256 of the whole policy, lowercase hex. */ readonly policy_checksum: string
  /** The overrides that set keys here, in the order of the policy. */ readonly rules: readonly PolicyRule[]
  /** The policy as it holds here, without overrides. */ readonly policy: Readonly<Record<string, unknown>>
  /** The agent; null where none was named: what overrides for all agents say. */ readonly agent_id: string | null
  /** The environment. */ readonly environment: string
  /** Where a release must have been live before it is promoted here; null where nowhere. */ readonly promotes_from: {
    /** The environment. */ readonly environment: string
    /** For how long without a break. */ readonly live_for?: string | undefined
  } | null
  /** When nothing is promoted here. */ readonly freeze: readonly {
    /** Which environments; left out where it is for all. */ readonly environment?: string | undefined
    /** When it begins. */ readonly from: string
    /** When it ends, which is not in it. */ readonly to: string
    /** Why. */ readonly reason: string
    /** Of times of the week; UTC where it is left out. */ readonly time_zone?: string | undefined
    /** Whether it is now. */ readonly holds_now: boolean
  }[]
}

/** When models end, as far as that is known. */
export interface RetirementList {
  /** Releases that are live and name a model that ends within the days that were asked for, the first to end first. */
  readonly live: readonly RetiringModel[]
  /** All models of which an end is known; only where they were asked for. */ readonly models: readonly Retirement[]
}

/** The tokens of the name open nothing any more. */
export interface RevokedToken {
  /** The name. */ readonly name: string
  /** How many were revoked: two where one was just rotated. */ readonly revoked: number
}

/** Two releases side by side, units split by chance. */
export interface Rollout {
  /** Identifier of the rollout; units are assigned by it. */ readonly rollout_id: string
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The release that is rolled out. */ readonly candidate_release_id: string
  /** The release that was live there when it began. */ readonly baseline_release_id: string
  /** What is split by chance: sessions, tenants or users. */ readonly by: 'session' | 'tenant' | 'user'
  /** Why. */ readonly reason: string
  /** Where it stands; all but running and paused are final. */
  readonly state: 'aborted' | 'completed' | 'expired' | 'paused' | 'running' | 'superseded'
  /** Its steps, in order. */ readonly steps: readonly RolloutStep[]
  /** The step that it is at, from 0; as many as there are steps once it has completed. */ readonly step: number
  /** Share of the units that get the candidate now; null where nothing is split. */ readonly share: number | null
  /** Largest rises that are no harm; null where the policy had none when it began. */ readonly limits: RolloutLimits
  /** Who began it. */ readonly started_by: string
  /** When it began. */ readonly started_at: string
  /** When it expires at the latest. */ readonly ends_at: string
  /** What stays on the old release after completion; null where nothing does. */ readonly hold: RolloutHold | null
  /** Until when they stay; null before completion, and where nothing stays. */ readonly hold_until: string | null
  /** When it ended; null while it runs or is paused. */ readonly ended_at: string | null
  /** Why it is paused, or ended so; null while it runs, and where it completed. */ readonly because: string | null
  /** Who changed its state or step last: rollout is the rollout itself. */ readonly changed_by: string
  /** The decision that it came to; null where there is none. */ readonly action_id: string | null
  /** How often it was checked. */ readonly checks: number
  /** What was seen last; null before the first check. */ readonly last_check: RolloutCheck | null
  /** Only where it was requested and confirmed. */ readonly request?: ConfirmedRequest | undefined
  /** Only in the answer to a confirmation: earlier confirmations that no longer count, each with the reason, and names of other people that look like yours. */
  readonly warnings?: readonly string[] | undefined
}

/** Why a rollout may not begin now. The attempt is in the audit log, unless it was a dry run. */
export interface RolloutBlocked {
  /** What blocks. */ readonly detail: {
    /** In short. */ readonly message: string
    /** Each reason. */ readonly reasons: readonly string[]
  }
}

/** A rollout with its entries in the audit log. */
export interface RolloutDetail extends Rollout {
  /** Its entries in the audit log, newest first; the promotion that it came to is action_id. */ readonly history: readonly {
    /** Number in the log. */ readonly log_seq: number
    /** What happened. */
    readonly kind: 'action.reviewed' | 'aggregates.fewer' | 'aggregates.handed_over' | 'aggregates.source' | 'capabilities.acknowledged' | 'clock.accepted' | 'decision' | 'events.digest' | 'events.erased' | 'events.erasing' | 'events.pruned' | 'events.pruning' | 'events.restored' | 'events.restoring' | 'live.other_model' | 'live.recovered' | 'live.silent' | 'live.worse' | 'policy.set' | 'prices.import' | 'release.registered' | 'request.approved' | 'request.cancelled' | 'request.expired' | 'request.made' | 'request.rejected' | 'retirement.set' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.approved' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.refused' | 'rollout.rejected' | 'rollout.requested' | 'rollout.resumed' | 'rollout.started' | 'scores.imported' | 'server.started' | 'session.ended' | 'session.key_made' | 'session.opened' | 'session.refused' | 'token.made' | 'token.revoked' | 'token.rotated' | 'watch.ended' | 'watch.retried' | 'watch.started' | 'webhook.added' | 'webhook.removed' | 'webhook.replayed' | 'webhook.rotated' | 'webhook.updated'
    /** Who did it; rollout is the rollout itself. */ readonly actor: string
    /** Why, where something was said. */ readonly reason: string | null
    /** When it was recorded. */ readonly created_at: string
    /** The step from then on, from 0; null of a request. */ readonly step: number | null
    /** Share of the units that got the candidate from then on; null where nothing was split. */ readonly share: number | null
    /** What was seen then; null where somebody else than the rollout did it. */ readonly check: RolloutCheck | null
  }[]
}

/** Rollouts, newest first. */
export interface RolloutList {
  /** The rollouts. */ readonly rollouts: readonly Rollout[]
}

/** A rollout that was asked for, and waits for a confirmation or was settled. */
export interface RolloutRequest {
  /** Identifier of the request. */ readonly request_id: string
  /** Where it stands. */ readonly status: 'cancelled' | 'completed' | 'pending'
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The release that is rolled out. */ readonly candidate_release_id: string
  /** The release that was live there when it began. */ readonly baseline_release_id: string
  /** What is split by chance: sessions, tenants or users. */ readonly by: 'session' | 'tenant' | 'user'
  /** Why. */ readonly reason: string
  /** Its steps, in order. */ readonly steps: readonly {
    /** Share of the units that get the candidate, a fraction. */ readonly share: number
    /** How long the step takes at least. */ readonly for: string
  }[]
  /** After how long it expires once it runs. */ readonly max_duration: string
  /** What stays on the old release after completion; null where nothing does. */ readonly hold: RolloutHold | null
  /** Who requested it. */ readonly actor: string
  /** Whom an identity provider vouched for; absent where none did. */ readonly actor_identity?: Identity | undefined
  /** When. */ readonly created_at: string
  /** Until when it can be confirmed; left out where that has no end. */ readonly expires_at?: string | undefined
  /** How many confirmations it takes. */ readonly approvals_required: number
  /** Those that were given. */ readonly approvals: readonly RolloutApproval[]
  /** When it was settled; null while it waits. */ readonly resolved_at: string | null
  /** Who settled it. */ readonly resolved_by: string | null
  /** How it was cancelled, where nobody called it back. */ readonly resolution?: 'expired' | 'rejected' | undefined
  /** Why it was settled so. */ readonly resolution_reason: string | null
  /** The rollout that it became. */ readonly rollout_id: string | null
  /** Only in the answer to a confirmation: earlier confirmations that no longer count, each with the reason, and names of other people that look like yours. */
  readonly warnings?: readonly string[] | undefined
}

/** Requests for rollouts, newest first. */
export interface RolloutRequestList {
  /** The requests. */ readonly requests: readonly RolloutRequest[]
}

/** Runtime evidence of one agent run. Stored once per run_id; unknown keys are dropped. */
export interface RunEvent {
  /** Version of this format. */ readonly api_version?: 'v1' | undefined
  /** Only run_end carries cost and latency; run_start counts as a run without usage. */ readonly type?: 'run_end' | 'run_start' | undefined
  /** When the run ended. ISO-8601; without an offset it is UTC. Filters by window. */ readonly timestamp: string
  /** Stored, never filtered by. */ readonly workspace_id?: string | undefined
  /** The release's agent. */ readonly agent_id: string
  /** The release that ran. */ readonly release_id: string
  /** De-duplication key: a run_id that is stored already is skipped. */ readonly run_id: string
  /** Filter dimension. */ readonly tenant_id: string
  /** Filter dimension. */ readonly task_id: string
  /** Filter dimension: where the run happened. */ readonly environment: string
  /** How the run went. */ readonly metrics?: {
    /** False counts toward the error rate. */ readonly success?: boolean | undefined
    /** Milliseconds; null leaves the run out of latency averages. */ readonly latency_ms?: number | null | undefined
    /** Informational. */ readonly error_type?: string | null | undefined
    /** Time to first token: milliseconds from the start of the run to the first token that a model answered. Means and limits take it of runs that succeeded. */
    readonly ttft_ms?: number | null | undefined
  } | undefined
  /** What the run used. */ readonly usage: {
    /** Model and tokens. */ readonly model: ModelUsage
    /** Other models that the run called, and their tokens; usage.model is not among them. */
    readonly models?: readonly ModelUsage[] | undefined
    /** Whether not all tokens are known, as of a stream that broke off: cost and token means leave the run out. */
    readonly incomplete?: boolean | undefined
    /** Tools called; recorded, not priced. */ readonly tools?: readonly {
      /** Name of the tool. */ readonly tool_name: string
      /** Number of calls. */ readonly invocations?: number | undefined
      /** In a unit of the vendor; not priced. */ readonly cost_units?: number | undefined
    }[] | undefined
  }
  /** How good the run was, by name, such as faithfulness: 0.92. Means and limits go by six decimals. */
  readonly scores?: Readonly<Record<string, number>> | undefined
  /** Tags; not used in diff or policy. */ readonly labels?: Readonly<Record<string, string>> | undefined
  /** Tracing identifiers, to find runs by. */ readonly request?: {
    /** Session the run belongs to. */ readonly session_id?: string | null | undefined
    /** Trace the run belongs to. */ readonly trace_id?: string | null | undefined
    /** Span of the run. */ readonly span_id?: string | null | undefined
  } | null | undefined
  /** What a rollout assigned the run by, where that is neither its session nor its tenant. */ readonly assignment?: {
    /** The user: HMAC-SHA-256 of the key that was assigned, under the workspace's assignment key; the SDK's `assign` returns it. */
    readonly unit?: string | null | undefined
  } | null | undefined
}

/** A release's runs over time. Buckets are whole, so the first may start before the window. */
export interface RunSeries {
  /** The release. */ readonly release_id: string
  /** Environment; the default one where none was named. */ readonly environment: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive. */ readonly until: string
  /** Width of a bucket, milliseconds; buckets are counted from 1970 on. */ readonly bucket_ms: number
  /** The buckets that hold runs, oldest first. */ readonly buckets: readonly {
    /** Start of the bucket, inclusive. */ readonly start: string
    /** Runs in the bucket. */ readonly runs: number
    /** Mean cost of a run, USD; null where one has no price. */ readonly cost_per_run_usd: number | null
    /** Mean latency, ms; null without data. */ readonly latency_ms_avg: number | null
    /** Share of the runs that failed. */ readonly error_rate: number
    /** Mean of the input and output tokens of a run. */ readonly tokens_per_run: number
  }[]
}

/** A page of a release's run events, newest first. */
export interface RunsPage {
  /** The release. */ readonly release_id: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive. */ readonly until: string
  /** The filters; null where unset. */ readonly filters: {
    /** Environment; the default one where none was named. */ readonly environment: string
    /** Tenant. */ readonly tenant_id: string | null
    /** Task. */ readonly task_id: string | null
    /** Trace. */ readonly trace_id: string | null
    /** Session. */ readonly session_id: string | null
    /** Span. */ readonly span_id: string | null
    /** How runs ended; left out where unset, as those below are. */ readonly outcome?: 'failed' | 'success' | undefined
    /** Type of error. */ readonly error_type?: string | undefined
    /** Least latency, ms. */ readonly min_latency_ms?: number | undefined
  }
  /** Newest matching events that were skipped. */ readonly offset: number
  /** Most events on this page. */ readonly limit: number
  /** Matching events in the window. */ readonly matched_total: number
  /** Events on this page. */ readonly returned: number
  /** Whether more matching events follow this page. */ readonly truncated: boolean
  /** What the page may lack, because it was pruned. */ readonly warnings?: readonly string[] | undefined
  /** The events, with all defaults applied. */ readonly events: readonly StoredEvent[]
}

/** What somebody said by hand of the end of a model. */
export interface SaidRetirement {
  /** Identifier. */ readonly retirement_id: string
  /** Provider. */ readonly provider: string
  /** Model name. */ readonly model: string
  /** The day (UTC) from which on it is off; null takes back what was said before. */ readonly retires_on: string | null
  /** Why. */ readonly reason: string
  /** Who said so. */ readonly actor: string
  /** When. */ readonly created_at: string
  /** Present, and true, where the same was in force already: nothing was written. */ readonly reused?: true | undefined
}

/** The scores of each case of an evaluation by name; pass_rate is 1 for a case that passed and 0 for others. */
export type ScoreCases = readonly (Readonly<Record<string, number>>)[]

/** What the newest imports of a suite say of two releases, case by case. */
export interface ScoreDiff {
  /** Name of the suite. */ readonly suite: string
  /** Agent of both releases. */ readonly agent_id: string
  /** Release that was compared with. */ readonly baseline_release_id: string
  /** Release that was judged. */ readonly candidate_release_id: string
  /** The baseline's newest import; null where it has none. */ readonly baseline: ScoreImport | null
  /** The candidate's newest import; null where it has none. */ readonly candidate: ScoreImport | null
  /** Each score of the suite. */ readonly scores: readonly {
    /** Name of the score. */ readonly name: string
    /** The baseline's mean over its cases; null where it has none. */ readonly baseline: Estimate | null
    /** The same of the candidate. */ readonly candidate: Estimate | null
    /** Candidate less baseline; over the cases that both have where they are paired. */ readonly difference: Estimate | null
    /** What the interval says. */ readonly verdict: 'better' | 'inconclusive' | 'no_difference' | 'worse'
    /** Why it is inconclusive; null otherwise. */ readonly inconclusive_because: string | null
    /** Cases that both imports have; left out where they are not paired. */ readonly paired_cases?: number | undefined
    /** McNemar's exact p, for cases that pass or fail in one epoch; null otherwise, left out where not paired. */
    readonly mcnemar_p?: number | null | undefined
    /** Cases of each side with which an unchanged release keeps the policy's max_score_drop in 80 of 100 cases; null where no number does. */
    readonly cases_needed: number | null
  }[]
  /** Cases that both imports have, by what became of them; null where they are not compared. */ readonly changes: CaseChanges | null
  /** Why cases are not compared one by one; null where they are. */
  readonly not_compared_because: 'few_shared' | 'judges' | 'no_cases' | 'no_import' | 'no_outcomes' | null
  /** Cases of the baseline's import that the candidate's lacks. */ readonly only_baseline: number
  /** Cases of the candidate's import that the baseline's lacks. */ readonly only_candidate: number
  /** How many cases there are in the states that were asked for; without outcomes, whose score differs. */ readonly cases_in_all: number
  /** These cases, those that broke first. */ readonly cases: readonly {
    /** Key of the case: a keyed hash of its id or of its input. */ readonly case: string
    /** Id of the case; null where its input identifies it, or where it is forgotten. */ readonly name: string | null
    /** What became of it. */
    readonly state: 'failing' | 'flaky' | 'higher' | 'lower' | 'newly_failing' | 'newly_passing' | 'only_baseline' | 'only_candidate' | 'passing' | 'still_failing'
    /** The baseline's tries; null where it has none. */ readonly baseline: TriesOfCase | null
    /** The candidate's tries; null where it has none. */ readonly candidate: TriesOfCase | null
    /** Tags of the candidate's tries, or where it has none of the baseline's; so below. */ readonly tags?: readonly string[] | undefined
    /** Traces of the tries. */ readonly trace_ids?: readonly string[] | undefined
    /** How long the tries took, together. */ readonly duration_ms?: number | undefined
    /** Tokens of the tries, together. */ readonly tokens?: number | undefined
    /** Cost of the tries, together. */ readonly cost_usd?: number | undefined
  }[]
  /** What to know before these figures are believed. */ readonly warnings: readonly string[]
}

/** An import of scores, as it is stored. */
export interface ScoreImport {
  /** Identifier of the import. */ readonly import_id: string
  /** The release that was evaluated. */ readonly release_id: string
  /** What the cases are of; the newest import of a suite counts. */ readonly suite: string
  /** What wrote the file that the cases are from. */ readonly format: string | null
  /** SHA-256 of that file, in hex. */ readonly source_sha256: string | null
  /** How many cases there were. */ readonly cases: number
  /** What the cases add up to, by score. */ readonly scores: readonly {
    /** The score. */ readonly name: string
    /** Cases that have it. */ readonly cases: number
    /** Their mean. */ readonly mean: number
  }[]
  /** What else was said of it; left out where nothing was. */ readonly evaluation?: {
    /** Whether cases are told by ids that the format has, or by hashes of their inputs; null where they are not told apart. */
    readonly case_ids: 'given' | 'hashed' | 'mixed' | null
    /** Tries of all cases. */ readonly results: number
    /** Who judged; null where nobody is named. Scores by different judges are not compared. */ readonly judge: {
      /** Model of the judge. */ readonly model: string | null
      /** SHA-256 of its prompt. */ readonly prompt_sha256: string | null
      /** Version of the rubric. */ readonly rubric_version: string | null
    } | null
    /** Checksum of the bundle that it ran against. */ readonly bundle_checksum: string | null
    /** When it ran, as the file says. */ readonly evaluated_at: string | null
    /** Tries that a human judged as well. */ readonly human_labels: number
    /** How long all tries took together, of those that say so. */ readonly duration_ms: number | null
    /** Their tokens. */ readonly tokens: number | null
    /** Their cost. */ readonly cost_usd: number | null
    /** How many cases it names that the suite no longer has. */ readonly removed_cases?: number | undefined
  } | undefined
  /** Who imported it. */ readonly actor: string
  /** When. */ readonly created_at: string
}

/** The imports of scores of a release, newest first, at most 500. */
export interface ScoreImportList {
  /** The imports. */ readonly imports: readonly ScoreImport[]
}

/** Sessions, newest first, also those that have ended. */
export interface SessionList {
  /** The sessions. */ readonly sessions: readonly SessionRecord[]
}

/** Another release is live than the caller expected. Nothing was recorded. */
export interface StaleBaseline {
  /** What happened. */ readonly detail: {
    /** The sentence to show. */ readonly message: string
    /** What the caller expected; null for nothing. */ readonly expected_baseline_release_id: string | null
    /** What is promoted now, and the decision that made it so; null if nothing is promoted. */ readonly live: {
      /** The promoted release. */ readonly release_id: string
      /** Its version. */ readonly version: string
      /** The decision that chose it. */ readonly action_id: string
      /** Whether that promoted it or rolled back to it. */ readonly action: 'promote' | 'rollback'
      /** Who decided so. */ readonly actor: string
      /** When. */ readonly created_at: string
    } | null
  }
}

/** A rollout that has begun, or would, and how long it takes at the present traffic. */
export interface StartedRollout {
  /** Identifier of the rollout; null of a dry run. */ readonly rollout_id: string | null
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The release that is rolled out. */ readonly candidate_release_id: string
  /** The release that was live there when it began. */ readonly baseline_release_id: string
  /** What is split by chance: sessions, tenants or users. */ readonly by: 'session' | 'tenant' | 'user'
  /** Why. */ readonly reason: string
  /** Its steps, in order. */ readonly steps: readonly {
    /** Share of the units that get the candidate, a fraction. */ readonly share: number
    /** How long the step takes at least. */ readonly for: string
    /** How long it takes at the present traffic. */ readonly expected_hours: number
  }[]
  /** The agent's runs there per hour, over the last day. */ readonly runs_per_hour: number
  /** How long all steps take. */ readonly expected_hours: number
  /** After how long it expires. */ readonly max_duration: string
  /** What stays on the old release after completion; null where nothing does. */ readonly hold: RolloutHold | null
  /** Largest rises that are no harm; null where the policy has none. */ readonly limits: RolloutLimits
  /** There, and true, where nothing was written. */ readonly dry_run?: true | undefined
}

/** A suite over the releases of an agent, and the cases that do not always pass. */
export interface SuiteHistory {
  /** Name of the suite. */ readonly suite: string
  /** The agent. */ readonly agent_id: string
  /** The newest import of each release that has one, oldest release first; the newest 50 releases. */ readonly releases: readonly {
    /** The release. */ readonly release_id: string
    /** Its version. */ readonly version: string
    /** The import. */ readonly import_id: string
    /** When it was imported. */ readonly created_at: string
    /** How many cases it has. */ readonly cases: number
    /** Its scores. */ readonly scores: readonly {
      /** Name of the score. */ readonly name: string
      /** Its mean over the cases. */ readonly mean: Estimate | null
    }[]
  }[]
  /** The last ten of these releases, oldest first. */ readonly compared: readonly {
    /** The release. */ readonly release_id: string
    /** Its version. */ readonly version: string
    /** Whether its cases can be told apart. */ readonly keeps_cases: boolean
  }[]
  /** How many cases did not pass in one of these releases. */ readonly cases_in_all: number
  /** These cases, those that fail in the newest release first; at most 200. */ readonly cases: readonly {
    /** Key of the case: a keyed hash of its id or of its input. */ readonly case: string
    /** Id of the case; null where its input identifies it, or where it is forgotten. */ readonly name: string | null
    /** What it came to in each of `compared`; null where it was not tried. */ readonly tries: readonly ({
      /** How many of its tries passed. */ readonly passed: number
      /** How often it was tried. */ readonly epochs: number
    } | null)[]
  }[]
}

/** The suites that releases of an agent were evaluated with. */
export interface SuiteList {
  /** The suites, the one that was imported last first; at most 100. */ readonly suites: readonly {
    /** Name of the suite. */ readonly suite: string
    /** How many releases have an import of it. */ readonly releases: number
    /** The release that it was last imported for. */ readonly release_id: string
    /** Version of that. */ readonly version: string
    /** That import. */ readonly import_id: string
    /** When it was imported. */ readonly created_at: string
  }[]
}

/** What became of a test.ping: one attempt, not kept in the outbox. */
export interface TestedWebhook {
  /** Identifier of the webhook. */ readonly webhook_id: string
  /** Identifier of this delivery. */ readonly delivery_id: string
  /** Whether the receiver took it. */ readonly status: 'delivered' | 'failed'
  /** HTTP status of the last answer; null where none came. */ readonly response_code: number | null
  /** How long the last attempt took. */ readonly duration_ms: number
  /** First 200 characters of the last answer. */ readonly response_text: string | null
  /** Why the last attempt failed; null where it did not. */ readonly problem: string | null
}

/** Named credentials, oldest first, also those that are over. */
export interface TokenList {
  /** The tokens. */ readonly tokens: readonly TokenRecord[]
}

/** The models that a release's runs used, in any environment, those of most runs first; its own also with none. */
export interface UsedModels {
  /** The release. */ readonly release_id: string
  /** Where the first hour begins that is counted. */ readonly since: string
  /** Provider of the release's price table. */ readonly provider: string
  /** Version of the release's price table. */ readonly pricing_version: string
  /** The models. */ readonly models: readonly {
    /** Provider that the runs name. */ readonly provider: string
    /** Model name. */ readonly model: string
    /** Runs that used it, without those of incomplete usage. */ readonly runs: number
    /** Whether the price table has it. Runs of a model without a price make diffs fail. */ readonly priced: boolean
  }[]
}

/** The request has the wrong shape. Nothing was written. */
export interface ValidationError {
  /** One entry per problem. */ readonly detail: readonly {
    /** Where: body, query, path or header, then the way to the value. */ readonly loc: readonly (number | string)[]
    /** What is wrong. */ readonly msg: string
    /** A short name of the kind of problem. */ readonly type: string
  }[]
}

/** A release that is watched, or was. */
export interface Watch extends WatchRecord {
  /** Rises of which half would be proven by its end, where the release runs as often as the baseline did; null where the baseline has fewer than four such days. Left out of one that is cancelled. */
  readonly can_find?: {
    /** Of the mean cost per run, a fraction; null where it has none. */ readonly cost_per_run_usd: number | null
    /** Of the mean latency, a fraction. */ readonly latency_ms: number | null
    /** Of the error rate, a difference. */ readonly error_rate: number | null
  } | null | undefined
  /** What may keep it from seeing anything. */ readonly warnings?: readonly string[] | undefined
}

/** A watch with its last 120 checks. */
export interface WatchDetail extends WatchRecord {
  /** Its last checks, oldest first. */ readonly history: readonly WatchCheck[]
}

/** Watches, newest first. */
export interface WatchList {
  /** The watches. */ readonly watches: readonly WatchRecord[]
}

/** A webhook, without its secret. */
export interface Webhook {
  /** Identifier of the webhook. */ readonly webhook_id: string
  /** Where it is sent to; only the host of a chat, whose URL is a secret. */ readonly url: string
  /** Events that it receives. */
  readonly events: readonly ('capabilities.violated' | 'promote.blocked' | 'promote.succeeded' | 'promotion.requested' | 'rollback.forced' | 'rollback.succeeded' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.resumed' | 'rollout.started' | 'test.ping' | 'watch.inconclusive' | 'watch.passed' | 'watch.regressed' | 'watch.rollback_blocked')[]
  /** What it is for. */ readonly description: string | null
  /** Whether it receives events. */ readonly enabled: boolean
  /** What it is sent as: the payload in JSON, where this is left out, or a message for a chat. */
  readonly format?: 'json' | 'slack' | 'teams' | undefined
  /** When it was added. */ readonly created_at: string
  /** The end of the secret, to tell it by. */ readonly secret_preview: string
  /** Until when the secret before signs too; only while it does. */ readonly previous_secret_until?: string | undefined
}

/** Webhooks, oldest first. */
export interface WebhookList {
  /** The webhooks. */ readonly webhooks: readonly Webhook[]
}

/** The caller, its permissions, and how people sign in here. */
export interface WhoAmI {
  /** Who calls, as far as that is proven; null for a caller without a credential that counts. */ readonly caller: {
    /** The name of the credential, which is put on record unless it is shared. */ readonly name: string
    /** What it is known by; `shared` is a token of the environment, `nobody` needs none here. */
    readonly source: 'cli' | 'nobody' | 'oidc' | 'shared' | 'token'
    /** What it may do. */ readonly allows: readonly ('admin' | 'aggregates' | 'ingest' | 'read' | 'write')[]
    /** The agents that it is good for; null for all. */ readonly agents: readonly string[] | null
    /** The environments that it is good for; null for all. */ readonly environments: readonly string[] | null
  } | null
  /** The session of a person who has signed in. */ readonly session: SessionRecord | null
  /** Why the credential that came does not count; null where it does, or none came. */ readonly problem: string | null
  /** The ways to sign in; none where service.yaml sets no login. */ readonly sign_in: readonly {
    /** The name of the way: GET /v1/sign-in/{name} begins it. */ readonly name: string
    /** The identity provider. */ readonly issuer: string
    /** What is asked of it beside openid. */ readonly scopes: readonly string[]
    /** The public client of `svc login`; null where there is none. */ readonly cli_client_id: string | null
  }[]
  /** Where the service says that it is. */ readonly public_url: string | null
}

/** The public view of the workspace. */
export interface WorkspacePublic {
  /** Version of this format. */ readonly api_version: 'v1'
  /** Kind of document. */ readonly kind: 'WorkspacePublic'
  /** Whether a promotion needs a request and an approval. */ readonly promotion_requires_approval: boolean
  /** Whether pricing_catalog_path is set; the file is not opened. */ readonly pricing_catalog_configured: boolean
  /** Installed package version. */ readonly server_version: string
  /** The environments there are, in the order of service.yaml; left out where it declares none. */
  readonly environments?: readonly string[] | undefined
}

/** The runs of a release that cost most, took longest or failed last, of the newest 50,000. */
export interface WorstRuns {
  /** The release. */ readonly release_id: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive. */ readonly until: string
  /** The filters; null where unset. */ readonly filters: {
    /** Environment; the default one where none was named. */ readonly environment: string
    /** Tenant. */ readonly tenant_id: string | null
    /** Task. */ readonly task_id: string | null
  }
  /** What makes a run bad. */ readonly by: 'cost' | 'failure' | 'latency'
  /** Newest matching events that were checked. */ readonly examined: number
  /** Whether older events match that were not checked. */ readonly truncated: boolean
  /** The worst first; of failures the newest first. */ readonly runs: readonly {
    /** Cost of the run, USD; null where its model has no price. */ readonly cost_usd: number | null
    /** The event, with all defaults applied. */ readonly event: StoredEvent
  }[]
}

export interface DiffBody {
  /** Release to compare with. */ readonly baseline_release_id: string
  /** Release to judge. */ readonly candidate_release_id: string
  /** How far back: {N}d, {N}h or {N}m. */ readonly window: string
  /** Where the window ends, unless now: an ISO-8601 date and time. */ readonly until?: string | null | undefined
  /** The default environment of the workspace unless given. */ readonly environment?: string | null | undefined
  /** Exact filter. */ readonly tenant_id?: string | null | undefined
  /** Exact filter. */ readonly task_id?: string | null | undefined
  /** What runs resemble each other within: blocks of time, or sessions or tenants of up to 10,000 runs per side that are compared. As the policy says unless given. */
  readonly cluster_by?: 'session' | 'tenant' | 'time' | null | undefined
  /** What is compared: `time` is the blocks of time in which both releases ran, `tenant` and `task` each tenant or task that both served, `window` all runs of the window. As the policy says unless given, which promotions and gates go by. */
  readonly compare_by?: 'task' | 'tenant' | 'time' | 'window' | null | undefined
  /** Percentiles of the latency, which take a few milliseconds more. */ readonly tails?: boolean | undefined
  /** Each limit with what was measured, and the verdict in a sentence. */ readonly judged?: boolean | undefined
  /** Calls of tools per run, of the newest 10,000 runs of each side. */ readonly tools?: boolean | undefined
  /** Use intervals that stay valid however often you check. As the policy says unless given. */
  readonly sequential?: boolean | null | undefined
}

export interface DiffByGroupBody {
  /** Release to compare with. */ readonly baseline_release_id: string
  /** Release to judge. */ readonly candidate_release_id: string
  /** How far back: {N}d, {N}h or {N}m. */ readonly window: string
  /** What to group runs by. */ readonly by: 'error' | 'model' | 'task' | 'tenant'
  /** What to compare; cost_per_run_usd unless given. */
  readonly metric?: 'cost_per_run_usd' | 'error_rate' | 'latency_ms' | null | undefined
  /** Where the window ends, unless now: an ISO-8601 date and time. */ readonly until?: string | null | undefined
  /** The default environment of the workspace unless given. */ readonly environment?: string | null | undefined
  /** Exact filter. */ readonly tenant_id?: string | null | undefined
  /** Exact filter. */ readonly task_id?: string | null | undefined
}

export interface ConfidenceQuery {
  /** Release to compare with. */ readonly baseline_release_id: string
  /** Release to judge. */ readonly candidate_release_id: string
  /** How far back: {N}d, {N}h or {N}m. */ readonly window: string
  /** Where the window ends, unless now: an ISO-8601 date and time. */ readonly until?: string | undefined
  /** The default environment of the workspace unless given. */ readonly environment?: string | undefined
  /** Exact filter; then up to 90 days back are searched for a window that holds enough. */ readonly tenant_id?: string | undefined
  /** Exact filter, likewise. */ readonly task_id?: string | undefined
}

export interface PromoteReleaseBody extends PromoteRequestBody {
  /** Evaluate and answer, but write nothing. */ readonly dry_run?: boolean | undefined
}

export interface PromoteRequestBody {
  /** Release to move the pointer to. */ readonly release_id: string
  /** Environment whose pointer it is. */ readonly environment: string
  /** Events to judge by, counted back from now: {N}d, {N}h or {N}m. */ readonly window: string
  /** Why; recorded in the audit log. */ readonly reason: string
  /** The release that was promoted there when you looked; null if nothing was. Where something else is promoted by now, the answer is 412 and nothing is recorded. Not checked where it is left out. */
  readonly expected_baseline_release_id?: string | null | undefined
  /** Who asks, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
  /** Says that a first promotion is meant, which is compared with nothing; needed for one where the workspace is strict. */
  readonly first?: boolean | undefined
}

export interface PromoteConfirmBody {
  /** Request to confirm. */ readonly request_id: string
  /** Why it is approved; kept in the audit trail. */ readonly approval_reason: string
  /** The release that was promoted there when you looked; null if nothing was. Where something else is promoted by now, the answer is 412 and nothing is recorded. Not checked where it is left out. */
  readonly expected_baseline_release_id?: string | null | undefined
  /** Who confirms, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
  /** Evaluate and say what has changed since the request, but write nothing. */ readonly dry_run?: boolean | undefined
}

export interface PromoteRejectBody {
  /** Request to reject. */ readonly request_id: string
  /** Why; kept with the request. */ readonly reason: string
  /** Who rejects, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface PromoteCancelBody {
  /** Request to cancel. */ readonly request_id: string
  /** Why; kept with the request. */ readonly reason: string
  /** Who cancels, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface RollbackReleaseBody {
  /** Release to move the pointer to. */ readonly release_id: string
  /** Environment whose pointer it is. */ readonly environment: string
  /** Events to judge by, counted back from now: {N}d, {N}h or {N}m. */ readonly window: string
  /** Why; recorded in the audit log. */ readonly reason: string
  /** The release that was promoted there when you looked; null if nothing was. Where something else is promoted by now, the answer is 412 and nothing is recorded. Not checked where it is left out. */
  readonly expected_baseline_release_id?: string | null | undefined
  /** Who asks, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
  /** Evaluate and answer, but write nothing. */ readonly dry_run?: boolean | undefined
  /** Goes back to a release that was live there before without asking the policy; only where allow_forced_rollback is true. */
  readonly force?: boolean | undefined
  /** Leaves out runs that keep a side from being decided on (of another agent, or of a model without a price), at most 5 % of the runs of each side; the answer and the evidence name and count them. */
  readonly exclude_unusable?: boolean | undefined
}

export interface PromotionRequestsQuery {
  /** Only requests in this state. */ readonly status?: 'cancelled' | 'completed' | 'pending' | undefined
  /** Most requests to return. */ readonly limit?: number | undefined
}

export interface ActionsListQuery {
  /** Only this agent_id. */ readonly agent?: string | undefined
  /** Only this environment. */ readonly env?: string | undefined
  /** Only actions by this actor. */ readonly actor?: string | undefined
  /** Only actions that passed, that were blocked, or that were forced past the policy. */
  readonly verdict?: 'blocked' | 'forced' | 'passed' | undefined
  /** Only actions since then: an ISO-8601 date and time. */ readonly since?: string | undefined
  /** Only actions before then: an ISO-8601 date and time. */ readonly until?: string | undefined
  /** Most actions to return; moved into the range 1 to 500. */ readonly limit?: number | undefined
  /** Only actions older than this audit_seq: pass next_after to get the next page. */ readonly after?: number | undefined
  /** Answers each action with its evidence, actor source and hashes. */ readonly evidence?: boolean | undefined
}

export interface AcknowledgementsListQuery {
  /** Only this agent_id. */ readonly agent?: string | undefined
  /** Only this environment. */ readonly env?: string | undefined
  /** Most acknowledgements to return. */ readonly limit?: number | undefined
}

export interface AcknowledgementsMakeBody {
  /** Release with new capabilities. */ readonly release_id: string
  /** Environment that it is for. */ readonly environment: string
  /** Why; recorded in the audit log. */ readonly reason: string
  /** What it was compared with: refused where something else is live by now. */
  readonly expected_baseline_release_id?: string | null | undefined
  /** Who acknowledges it, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface GateQuery {
  /** The release that wants to pass. The newest one that was registered for the environment unless given. */
  readonly release_id?: string | undefined
  /** Events to judge by, counted back from now: {N}d, {N}h or {N}m. */ readonly window: string
  /** What it is compared with. The promoted release unless given. */ readonly baseline_release_id?: string | undefined
}

export interface GateHookQuery {
  /** The release that wants to pass. The newest one that was registered for the environment unless given. */
  readonly release_id?: string | undefined
  /** Events to judge by, counted back from now: {N}d, {N}h or {N}m. */ readonly window: string
  /** What it is compared with. The promoted release unless given. */ readonly baseline_release_id?: string | undefined
  /** The least that is a 409: `inconclusive` unless given, or only `block`. */ readonly fail_on?: 'block' | 'inconclusive' | undefined
}

export interface GateReportQuery {
  /** The release that wants to pass. The newest one that was registered for the environment unless given. */
  readonly release_id?: string | undefined
  /** Events to judge by, counted back from now: {N}d, {N}h or {N}m. */ readonly window: string
  /** What it is compared with. The promoted release unless given. */ readonly baseline_release_id?: string | undefined
  /** Where people reach the service; the report links to the page of the comparison there. */ readonly page_url?: string | undefined
}

export interface PlaceQuery {
  /** How far back: {N}d, {N}h or {N}m; 24h, or the shortest with enough runs, unless given. */ readonly window?: string | undefined
}

export interface LiveQuery {
  /** Only this agent. */ readonly agent_id?: string | undefined
  /** Only this environment. */ readonly environment?: string | undefined
  /** Most places to return. */ readonly limit?: number | undefined
}

export interface ReleasesListQuery {
  /** Only this agent_id. */ readonly agent?: string | undefined
  /** Only those that were registered for this environment. */ readonly env?: string | undefined
  /** Only releases older than this release_id: the last one of the page before. */ readonly after?: string | undefined
  /** Only the newest so many; all unless given. */ readonly limit?: number | undefined
}

export interface ReleasesRegisterBody {
  /** The parsed release.yaml; kept as it is. */ readonly artifact: Release
  /** SHA-256 of the canonical bundle: 64 lowercase hex characters. */ readonly checksum: string
  /** Label; the default environment of the workspace unless given. */ readonly environment?: string | null | undefined
  /** The files of the bundle by path, each with its SHA-256 and length, so that two releases can be told apart file by file; and with its text where that is to be kept, at most 1 MB in all. */
  readonly files?: BundleFiles | null | undefined
  /** Answers with the newest release of the same checksum, files, artifact and environment that was registered when the price table was what it is now, and makes a new one only where there is none. */
  readonly reuse?: boolean | undefined
}

export interface ReleasesShowQuery {
  /** Also answers the environments that runs of it were ingested in. */ readonly run_environments?: boolean | undefined
}

export interface ReleaseModelsQuery {
  /** How far back: 7d, 24h, 30m. */ readonly window: string
}

export interface RunsListQuery {
  /** Release whose events to read. */ readonly release_id: string
  /** How far back: {N}d, {N}h or {N}m. */ readonly window: string
  /** Where the window ends, unless now: an ISO-8601 date and time. */ readonly until?: string | undefined
  /** The default environment of the workspace unless given. */ readonly environment?: string | undefined
  /** Exact filter. */ readonly tenant_id?: string | undefined
  /** Exact filter. */ readonly task_id?: string | undefined
  /** Exact filter on request.trace_id. */ readonly trace_id?: string | undefined
  /** Exact filter on request.session_id. */ readonly session_id?: string | undefined
  /** Exact filter on request.span_id. */ readonly span_id?: string | undefined
  /** Only runs that ended so. */ readonly outcome?: 'failed' | 'success' | undefined
  /** Only failed runs of this type of error. */ readonly error_type?: string | undefined
  /** Only runs that took so long or longer. */ readonly min_latency_ms?: number | undefined
  /** Skips so many of the newest matching events. */ readonly offset?: number | undefined
  /** Most events to return. */ readonly limit?: number | undefined
}

export type RunsExportQuery = RunsListQuery

export interface RunsFindQuery {
  /** The whole identifier. */ readonly id: string
  /** How far back to look for traces, sessions and spans; 30d unless given: {N}d, {N}h or {N}m. */ readonly window?: string | undefined
  /** Most runs to return. */ readonly limit?: number | undefined
}

export interface RunsSeriesQuery {
  /** Release whose events to read. */ readonly release_id: string
  /** How far back: {N}d, {N}h or {N}m. */ readonly window: string
  /** Where the window ends, unless now: an ISO-8601 date and time. */ readonly until?: string | undefined
  /** The default environment of the workspace unless given. */ readonly environment?: string | undefined
  /** Exact filter. */ readonly tenant_id?: string | undefined
  /** Exact filter. */ readonly task_id?: string | undefined
}

export interface RunsWorstQuery extends RunsSeriesQuery {
  /** What makes a run bad. Default cost. */ readonly by?: 'cost' | 'failure' | 'latency' | undefined
  /** Most runs to return. */ readonly limit?: number | undefined
}

export interface ScoresListQuery {
  /** Release that was evaluated. */ readonly release_id: string
}

export interface ScoresImportBody {
  /** The release that was evaluated. */ readonly release_id: string
  /** What the cases are of; the newest import of a suite counts. */ readonly suite: string
  /** What wrote the file that the cases are from. */ readonly format?: string | null | undefined
  /** SHA-256 of that file, in hex. */ readonly source_sha256?: string | null | undefined
  /** The scores of each case, where cases can't be told apart. */ readonly cases?: ScoreCases | null | undefined
  /** In place of cases: the import that they were sent for by POST /v1/scores/cases. */ readonly import_id?: string | null | undefined
  /** With import_id: how many parts were sent. */ readonly parts?: number | null | undefined
  /** With import_id: ids of cases that the suite no longer has, so that they are not missing. */
  readonly removed_cases?: readonly string[] | null | undefined
  /** Model of the judge. Scores by different judges are not compared. */ readonly judge_model?: string | null | undefined
  /** SHA-256 of the judge's prompt, in hex. */ readonly judge_prompt_sha256?: string | null | undefined
  /** Version of the rubric that was judged by. */ readonly judge_rubric_version?: string | null | undefined
  /** Checksum of the bundle that the evaluation ran against. */ readonly bundle_checksum?: string | null | undefined
  /** When the evaluation ran, where that was not now: an ISO-8601 date and time. */ readonly evaluated_at?: string | null | undefined
}

export interface CasesReceiveBody {
  /** The release that was evaluated. */ readonly release_id: string
  /** What the cases are of. */ readonly suite: string
  /** The import that the cases are for; a new one unless given. */ readonly import_id?: string | null | undefined
  /** Number of the part, from 0. */ readonly part?: number | undefined
  /** Tries of cases, at most 1,000 in a part; of an import 300,000, of 100,000 cases. */ readonly cases: CaseTries
}

export interface ScoresDiffBody {
  /** Release to compare with. */ readonly baseline_release_id: string
  /** Release to judge. */ readonly candidate_release_id: string
  /** The suite. */ readonly suite: string
  /** Only cases in these states; all but `passing` unless given. */
  readonly states?: readonly ('failing' | 'flaky' | 'higher' | 'lower' | 'newly_failing' | 'newly_passing' | 'only_baseline' | 'only_candidate' | 'passing' | 'still_failing')[] | null | undefined
  /** Most cases to return. */ readonly limit?: number | undefined
  /** How many cases to leave out. */ readonly offset?: number | undefined
}

export interface SuitesListQuery {
  /** The agent. */ readonly agent_id: string
}

export interface SuiteHistoryShowQuery {
  /** The agent. */ readonly agent_id: string
}

export interface AggregatesImportQuery {
  /** Takes hours of which the engine has fewer runs than it had; kept in the audit log. Takes an admin. */
  readonly allow_fewer?: boolean | undefined
  /** Why the engine has fewer, or is another; kept in the audit log. */ readonly reason?: string | undefined
}

export interface PolicySetQuery {
  /** Why; kept in the history of policies. */ readonly reason?: string | undefined
}

export interface PolicyTestBody {
  /** The policy to try. */ readonly policy: Policy
  /** Most actions to check, newest first. */ readonly last?: number | undefined
  /** Only actions since then: a window such as 30d, a date or a timestamp. */ readonly since?: string | null | undefined
  /** Only actions of this agent. */ readonly agent_id?: string | null | undefined
  /** Only actions in this environment. */ readonly environment?: string | null | undefined
  /** Only actions older than this audit_seq: pass next_after to go on. */ readonly after?: number | null | undefined
}

export interface PolicyResolvedQuery {
  /** The agent; without it, what overrides for all agents say. */ readonly agent_id?: string | undefined
  /** The default environment of the workspace unless given. */ readonly environment?: string | undefined
}

export interface AdvisePolicyQuery {
  /** The agent. */ readonly agent_id: string
  /** Its release; what is promoted unless given. */ readonly release_id?: string | undefined
  /** The default environment of the workspace unless given. */ readonly environment?: string | undefined
  /** How far back; 14d unless given: {N}d, {N}h or {N}m. */ readonly window?: string | undefined
}

export interface PricingImportBody {
  /** The whole table. */ readonly table: PricingTable
  /** Replace a table of the same provider and version. */ readonly replace?: boolean | undefined
  /** Why it is replaced; required with replace. */ readonly reason?: string | null | undefined
}

export interface RetirementsListQuery {
  /** Live releases whose models end within so many days, or have ended. */ readonly days?: number | undefined
  /** Also lists all models of which an end is known, live or not. */ readonly all?: boolean | undefined
}

export interface RetirementsSetBody {
  /** Provider, as releases or price tables name it. */ readonly provider: string
  /** Model name. */ readonly model: string
  /** Day (UTC) from which on it is off; null takes back what was said before. */ readonly retires_on: string | null
  /** Why, such as where the provider says so; kept in the audit log. */ readonly reason: string
  /** Who says so, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface RolloutsListQuery {
  /** Only this agent_id. */ readonly agent?: string | undefined
  /** Only this environment. */ readonly env?: string | undefined
  /** Only rollouts in this state. */ readonly state?: 'aborted' | 'completed' | 'expired' | 'paused' | 'running' | 'superseded' | undefined
  /** Most rollouts to return. */ readonly limit?: number | undefined
}

export interface RolloutsStartBody extends RolloutsRequestBody {
  /** Say how long each step takes at the present traffic, or what blocks the start, but write nothing. */
  readonly dry_run?: boolean | undefined
}

export interface RolloutsRequestBody {
  /** Release to roll out. */ readonly release_id: string
  /** Environment to roll it out in. */ readonly environment: string
  /** Shares that rise and how long each takes, SHARE%:TIME; 0%:24h,1%:1h,5%:1h,25%:6h,50%:24h unless given. */
  readonly steps?: string | null | undefined
  /** What is split by chance: sessions unless given. */ readonly by?: 'session' | 'tenant' | 'user' | null | undefined
  /** After how long it expires; 5d unless given: {N}d, {N}h or {N}m. */ readonly max_duration?: string | null | undefined
  /** Share of the units that stays on the old release after completion. */ readonly hold?: string | null | undefined
  /** For how long they stay: {N}d, {N}h or {N}m. */ readonly hold_for?: string | null | undefined
  /** Why; recorded in the audit log. */ readonly reason: string
  /** The release that was promoted there when you looked. Where something else is promoted by now, the answer is 412 and nothing is recorded. Not checked where it is left out. */
  readonly expected_baseline_release_id?: string | null | undefined
  /** Who asks, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface RolloutsConfirmBody {
  /** Request to confirm. */ readonly request_id: string
  /** Why it is approved; kept in the audit trail. */ readonly approval_reason: string
  /** Who confirms, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface RolloutsRejectBody {
  /** Request that is meant. */ readonly request_id: string
  /** Why; kept with the request. */ readonly reason: string
  /** Who rejects it, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface RolloutRequestsQuery {
  /** Only requests in this state. */ readonly status?: 'cancelled' | 'completed' | 'pending' | undefined
  /** Most requests to return. */ readonly limit?: number | undefined
}

export interface RolloutsPauseBody {
  /** Why; recorded in the audit log. */ readonly reason: string
  /** Who changes it, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface RolloutsResumeBody {
  /** Why; recorded in the audit log. */ readonly reason: string
  /** Who changes it, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface RolloutsAbortBody {
  /** Why; recorded in the audit log. */ readonly reason: string
  /** Who changes it, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface WatchesListQuery {
  /** Only this agent_id. */ readonly agent?: string | undefined
  /** Only this environment. */ readonly env?: string | undefined
  /** Only watches in this state. */
  readonly state?: 'inconclusive' | 'passed' | 'regressed' | 'rolled_back' | 'superseded' | 'watching' | undefined
  /** Most watches to return. */ readonly limit?: number | undefined
}

export interface WatchesStartBody {
  /** Agent whose live release is watched. */ readonly agent_id: string
  /** Environment that it is live in. */ readonly environment: string
  /** How long: {N}d, {N}h or {N}m. */ readonly for?: string | null | undefined
  /** Release to compare with; the one that was live before unless given. */ readonly against?: string | null | undefined
  /** Whether a regression rolls back to that release, if the policy lets it. */ readonly auto_rollback?: boolean | null | undefined
  /** Runs of the live release below which nothing is concluded and nothing rolled back, but for failures that the exact bound proves from 10 runs on. */
  readonly min_runs?: number | null | undefined
  /** Who asks, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface WatchesCancelBody {
  /** Why; kept with the watch. */ readonly reason: string
  /** Who ends it, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface AuditLogQuery {
  /** Only entries of this kind, such as policy.set, or of all that begin so, such as policy. */
  readonly kind?: 'action' | 'action.reviewed' | 'aggregates' | 'aggregates.fewer' | 'aggregates.handed_over' | 'aggregates.source' | 'capabilities' | 'capabilities.acknowledged' | 'clock' | 'clock.accepted' | 'decision' | 'events' | 'events.digest' | 'events.erased' | 'events.erasing' | 'events.pruned' | 'events.pruning' | 'events.restored' | 'events.restoring' | 'live' | 'live.other_model' | 'live.recovered' | 'live.silent' | 'live.worse' | 'policy' | 'policy.set' | 'prices' | 'prices.import' | 'release' | 'release.registered' | 'request' | 'request.approved' | 'request.cancelled' | 'request.expired' | 'request.made' | 'request.rejected' | 'retirement' | 'retirement.set' | 'rollout' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.approved' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.refused' | 'rollout.rejected' | 'rollout.requested' | 'rollout.resumed' | 'rollout.started' | 'scores' | 'scores.imported' | 'server' | 'server.started' | 'session' | 'session.ended' | 'session.key_made' | 'session.opened' | 'session.refused' | 'token' | 'token.made' | 'token.revoked' | 'token.rotated' | 'watch' | 'watch.ended' | 'watch.retried' | 'watch.started' | 'webhook' | 'webhook.added' | 'webhook.removed' | 'webhook.replayed' | 'webhook.rotated' | 'webhook.updated' | undefined
  /** Only entries about this agent_id. */ readonly agent?: string | undefined
  /** Only entries about this environment. */ readonly env?: string | undefined
  /** Only entries by this actor. */ readonly actor?: string | undefined
  /** Only entries since then: an ISO-8601 date and time. */ readonly since?: string | undefined
  /** Only entries before then: an ISO-8601 date and time. */ readonly until?: string | undefined
  /** Also the text that `fact` of each entry is the SHA-256 of. */ readonly facts?: boolean | undefined
  /** Most entries to return. */ readonly limit?: number | undefined
  /** Only entries older than this log_seq: pass next_after to get the next page. */ readonly after?: number | undefined
}

export interface StreamQuery {
  /** Events for OpenFeature providers, which ask for their flags again: `{"type": "refetchEvaluation"}`. */
  readonly for?: 'flags' | undefined
}

export interface AuditConsistencyQuery {
  /** Size of the checkpoint. */ readonly from: number
}

export interface ActionsReviewBody {
  /** What came of the review; kept in the audit log. */ readonly reason: string
  /** Who reviews it, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface AuditExplainAgainstBody {
  /** The policy to decide by. */ readonly policy: Policy
}

export interface WebhooksAddBody {
  /** Where to send to, http or https. */ readonly url: string
  /** What to tell of. */
  readonly events: readonly ('capabilities.violated' | 'promote.blocked' | 'promote.succeeded' | 'promotion.requested' | 'rollback.forced' | 'rollback.succeeded' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.resumed' | 'rollout.started' | 'test.ping' | 'watch.inconclusive' | 'watch.passed' | 'watch.regressed' | 'watch.rollback_blocked')[]
  /** What it is for. */ readonly description?: string | null | undefined
  /** What to send: the payload (json), or a message for an incoming webhook of a chat. */
  readonly format?: 'json' | 'slack' | 'teams' | null | undefined
}

export interface WebhooksUpdateBody {
  /** Where to send to, http or https. */ readonly url?: string | null | undefined
  /** Events to send it, instead of those that it gets now. */
  readonly events?: readonly ('capabilities.violated' | 'promote.blocked' | 'promote.succeeded' | 'promotion.requested' | 'rollback.forced' | 'rollback.succeeded' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.resumed' | 'rollout.started' | 'test.ping' | 'watch.inconclusive' | 'watch.passed' | 'watch.regressed' | 'watch.rollback_blocked')[] | null | undefined
  /** What it is for; empty for nothing. */ readonly description?: string | null | undefined
  /** Whether it gets any events. */ readonly enabled?: boolean | null | undefined
  /** Whether the secret before stops to sign now. */ readonly end_rotation?: boolean | undefined
}

export interface WebhooksRotateBody {
  /** How long the secret before signs too, seconds. */ readonly overlap_s?: number | undefined
}

export interface WebhooksDeliveriesQuery {
  /** Only deliveries in this state. */ readonly status?: 'delivered' | 'failed' | 'pending' | undefined
  /** Most deliveries to return. */ readonly limit?: number | undefined
  /** Answers each delivery with the JSON that it tells. */ readonly payload?: boolean | undefined
}

export interface DeliveriesListQuery {
  /** Only deliveries in this state. */ readonly status?: 'delivered' | 'failed' | 'pending' | undefined
  /** Most deliveries to return. */ readonly limit?: number | undefined
  /** Answers each delivery with the JSON that it tells. */ readonly payload?: boolean | undefined
}

export interface TokensCreateBody {
  /** Name of the token; it is put on record for what is done with it. */ readonly name: string
  /** What it is good for: `read`; `ingest`, which sends run events and reads nothing; `write`, which reads, registers, promotes and rolls back; `admin`, all. */
  readonly role: 'admin' | 'ingest' | 'read' | 'write'
  /** The agents that it is good for; all unless given. */ readonly agents?: readonly string[] | null | undefined
  /** The environments that it is good for; all unless given. */ readonly environments?: readonly string[] | null | undefined
  /** Limits a token of the role `ingest` to the aggregates of this source. */ readonly source?: string | null | undefined
  /** How long it is valid: 90d, 24h, 30m. For ever unless given. */ readonly expires?: string | null | undefined
}

export interface TokensRotateBody {
  /** How long the ones before it stay good; 24h unless given. */ readonly overlap?: string | null | undefined
  /** How long it is valid: 90d, 24h, 30m. For ever unless given. */ readonly expires?: string | null | undefined
}

export interface TokensRevokeQuery {
  /** Also the last one, which keeps the service closed to everybody without a token. */ readonly open?: boolean | undefined
}

export interface SessionListQuery {
  /** Most sessions to return. */ readonly limit?: number | undefined
}

export interface SessionOpenBody {
  /** The ID token. */ readonly id_token: string
  /** The access token, where claims come from the userinfo endpoint. */ readonly access_token?: string | null | undefined
  /** What the nonce was made of. */ readonly nonce_secret?: string | null | undefined
}

export interface SignInBeginQuery {
  /** The query of the page to come back to, such as `?view=log`. */ readonly to?: string | undefined
}

export interface SignInFinishQuery {
  /** What the provider exchanges for an ID token. */ readonly code?: string | undefined
  /** What the sign-in was begun with. */ readonly state?: string | undefined
  /** The issuer that answers (RFC 9207). */ readonly iss?: string | undefined
  /** Why the provider let nobody in. */ readonly error?: string | undefined
  /** The same in words. */ readonly error_description?: string | undefined
}

export interface DoctorQuery {
  /** Verifies both chains from their first entry on, replays every decision, and compares all rows with what holds them; slow, and `write` access. */
  readonly deep?: boolean | undefined
}

// Objects that stand in several of the types above.

export interface PowerChange {
  /** Whether it came, may do more, is another one, may do less, or went. */
  readonly change: 'added' | 'changed' | 'narrowed' | 'removed' | 'widened'
  /** What it is about; `tools` are all of them. */ readonly of: 'agent' | 'mcp_server' | 'model' | 'provider' | 'tool' | 'tools'
  /** Its name; a tool of an MCP server stands behind the name of that. */ readonly name: string
  /** Whether it is a new capability. */ readonly widens: boolean
  /** The same as a sentence without its subject. */ readonly words: string
}

export interface Identity {
  /** The identity provider. */ readonly issuer: string
  /** Who it is there, unique within the issuer. */ readonly subject: string
}

export interface Unusable {
  /** Since when: the hour of the first such run of the last 7 days; without a price table the registration of the release. */
  readonly since: string
  /** The end of the hour of the last such run, or now: a window that begins then or later has none. null where the price table is missing. */
  readonly last: string | null
  /** How many runs of which agent or model, or which price table is missing. */ readonly because: string
}

export interface PlaceCandidate {
  /** The release. */ readonly release_id: string
  /** Its version; null where only a rollout or a request names it and nothing could be compared. */ readonly version: string | null
  /** When it was registered; null unless it is the newest of the place. */ readonly registered_at: string | null
  /** What proposes it: a rollout, a request, or that it is the newest release. */ readonly source: 'newest' | 'request' | 'rollout'
}

export interface PlaceAllowed {
  /** The request to confirm or reject; the rules on who may confirm are asked then. */ readonly confirm: string | null
  /** Promote the candidate at once, or by a request; null where a promotion would be refused. */ readonly promote: 'now' | 'request' | null
  /** The release that a rollback goes to; null where there is none. */ readonly rollback_to: string | null
  /** Whether a rollback may be forced. */ readonly force_rollback: boolean
  /** Whether a rollout of the candidate may begin. */ readonly rollout: boolean
  /** Why nothing can be promoted; null where it can. */ readonly why_not: string | null
}

export interface WindowUsed {
  /** Start of what was counted, inclusive. */ readonly since: string
  /** End of what was counted, exclusive. */ readonly until: string
}

export interface EventFilters {
  /** Environment; the default one where none was named. */ readonly environment: string
  /** Tenant; null means all. */ readonly tenant_id: string | null
  /** Task; null means all. */ readonly task_id: string | null
}

export interface Estimate {
  /** As measured. */ readonly estimate: number
  /** Lower end of the interval; null where there is none. */ readonly low: number | null
  /** Upper end of the interval; null where there is none. */ readonly high: number | null
}

export interface ComparedMetrics {
  /** Mean cost of a run of the baseline, USD. */ readonly baseline_cost_per_run_usd: number
  /** Mean cost of a run of the candidate, USD. */ readonly candidate_cost_per_run_usd: number
  /** Change of the cost, USD. */ readonly delta_cost_per_run_usd: number
  /** Change of the cost as a fraction; null where the baseline costs nothing. */ readonly delta_cost_per_run_pct: number | null
  /** Mean latency of the baseline, ms; null without data. */ readonly baseline_latency_ms_avg: number | null
  /** Mean latency of the candidate, ms; null without data. */ readonly candidate_latency_ms_avg: number | null
  /** Change of the latency, ms; null where one release has no data. */ readonly delta_latency_ms_avg: number | null
  /** Share of the baseline's runs that failed. */ readonly baseline_error_rate: number
  /** Share of the candidate's runs that failed. */ readonly candidate_error_rate: number
  /** Change of the share. */ readonly delta_error_rate: number
}

export interface ComparedStatistics {
  /** The clusters of dependent runs: blocks of time, sessions or tenants. */ readonly cluster_by: 'session' | 'tenant' | 'time'
  /** What was compared: what both releases share of time, of tenants or of tasks, the window as it is, or the arms of a rollout. */
  readonly compare_by?: 'rollout' | 'task' | 'tenant' | 'time' | 'window' | undefined
  /** The time that was compared; left out where the window is compared as it is. */ readonly compared?: {
    /** Blocks of time in which both ran, the same hours of earlier days of the baseline, or tenants or tasks that both served. */
    readonly by: 'common_time' | 'rollout' | 'same_hours' | 'task' | 'tenant'
    /** When it begins. */ readonly since: string
    /** When it ends. */ readonly until: string
    /** Width of the blocks of the UTC clock that it is cut into, minutes; 0 of a rollout. */ readonly block_minutes: number
    /** Present, and true, where the releases served different tenants at that time, so that nothing was compared. */
    readonly other_tenants?: true | undefined
    /** Runs of tenants or tasks that the other side lacks; only by tenant or task. */ readonly left_out?: {
      /** Of the candidate. */ readonly candidate: UnmatchedRuns
      /** Of the baseline. */ readonly baseline: UnmatchedRuns
    } | undefined
  } | undefined
  /** Tenants and tasks that the candidate serves worse, by intervals that hold for all of them at once; left out where they were not checked, null where the policy limits them and not all runs could be told apart. */
  readonly segment_regressions?: {
    /** Tenants and tasks with enough runs on both sides, which were checked. */ readonly groups: number
    /** How many are worse by more than all together. */ readonly found_in_all: number
    /** Those, the ones with most runs first, at most 20. */ readonly found: readonly SegmentRegression[]
    /** Of each metric of which none is listed, the one with the largest proven rise: limits count it, though it rises no more than the whole. */
    readonly with_the_whole?: readonly SegmentRegression[] | undefined
  } | null | undefined
  /** Cost of all runs per run that succeeded, USD; see `of_succeeded`. */ readonly cost_per_run_usd: MetricStatistics
  /** Latency of runs that succeeded and carry one, ms; see `of_succeeded`. */ readonly latency_ms: MetricStatistics
  /** Share of failed runs. */ readonly error_rate: MetricStatistics
  /** Tokens per run, by kind. */ readonly tokens_per_run: {
    /** Input tokens. */ readonly input_tokens: MetricStatistics
    /** Output tokens. */ readonly output_tokens: MetricStatistics
    /** Cached input tokens. */ readonly cached_input_tokens: MetricStatistics
  }
  /** Percentiles of the latency, ms; null unless asked for, or limited by the policy. */ readonly latency_percentiles: {
    /** The median. */ readonly p50: PercentileEstimates
    /** What 90 of 100 runs stay within. */ readonly p90: PercentileEstimates
    /** What 95 of 100 runs stay within. */ readonly p95: PercentileEstimates
    /** What 99 of 100 runs stay within. */ readonly p99: PercentileEstimates
    /** Null where latencies of the whole window are counted; else from when on they are, and percentiles are null. */
    readonly known_since: string | null
  } | null
  /** Rises of percentiles over the time in which both ran; left out unless the policy limits one. Null of older rollbacks. */
  readonly latency_percentile_changes?: PercentileChanges | null | undefined
  /** Time to first token of runs that succeeded and report it, ms; left out where none does. */ readonly ttft_ms?: {
    /** The baseline's mean; null without data. */ readonly baseline: Estimate | null
    /** The candidate's mean; null without data. */ readonly candidate: Estimate | null
    /** Candidate less baseline. */ readonly change: MetricStatistics
  } | undefined
  /** Percentiles of the time to first token, ms; left out unless asked for with those of the latency, or limited by the policy. */
  readonly ttft_percentiles?: {
    /** The median. */ readonly p50: PercentileEstimates
    /** What 90 of 100 runs stay within. */ readonly p90: PercentileEstimates
    /** What 95 of 100 runs stay within. */ readonly p95: PercentileEstimates
    /** What 99 of 100 runs stay within. */ readonly p99: PercentileEstimates
  } | undefined
  /** Rises of percentiles over the time in which both ran; left out unless the policy limits one. Null of older rollbacks. */
  readonly ttft_percentile_changes?: PercentileChanges | null | undefined
  /** What the newest runs, up to 10,000 per side, did with tools; null unless asked for, or limited by the policy. */ readonly tools: {
    /** Calls of all tools per run. */ readonly calls_per_run: MetricStatistics
    /** Each tool, up to 50 per side, those that most runs call first. */ readonly tools: readonly {
      /** Name of the tool. */ readonly tool_name: string
      /** Calls of the tool per run. */ readonly calls_per_run: MetricStatistics
      /** Share of the runs that call it; `worse` means more. */ readonly runs_share: MetricStatistics
    }[]
  } | null
  /** Scores by name: those of runs, 200 of most runs at most, and SUITE/NAME of the newest import of each suite; left out where there are none. */
  readonly scores?: readonly {
    /** NAME, or SUITE/NAME of cases that are no runs. */ readonly name: string
    /** The import that the baseline was scored by; only of a suite. */ readonly baseline_import_id?: string | undefined
    /** The same of the candidate. */ readonly candidate_import_id?: string | undefined
    /** The baseline's mean; null without data. */ readonly baseline: Estimate | null
    /** The candidate's mean; null without data. */ readonly candidate: Estimate | null
    /** Candidate less baseline; `better` means more. */ readonly change: MetricStatistics
    /** The cases that both imports have, where each is compared with itself; `change` is of these, and counts cases. */ readonly paired?: {
      /** How many there are. */ readonly cases: number
      /** Share of the baseline's cases. */ readonly baseline_share: number
      /** Share of the candidate's cases; it takes 0.8 of both. */ readonly candidate_share: number
      /** Tries of a case, the median. */ readonly epochs: number
      /** McNemar's exact p, which decides nothing; null unless cases pass or fail in one try. */ readonly mcnemar_p: number | null
    } | undefined
    /** `judges` where the imports were judged by different ones; else left out. */ readonly not_comparable_because?: 'judges' | undefined
    /** Cases of both imports without this score of the candidate: they ended in an error, or are not in its import. Left out where there are none, and of rollbacks. */
    readonly missing?: {
      /** How many, with those that lack it in some of their tries. */ readonly cases: number
      /** Of how many. */ readonly of: number
      /** Their share; a case counts by the share of its tries. */ readonly share: number
    } | undefined
  }[] | undefined
  /** The newest imports of suites whose cases can be told apart, and of those that the policy names; left out where there are none. */
  readonly suites?: {
    /** Whether a rollback is judged, which is asked only what says `on_rollback`. */ readonly of_rollback: boolean
    /** The suites, by name. */ readonly imported: readonly {
      /** Name of the suite. */ readonly suite: string
      /** The baseline's newest import; null where it has none. */ readonly baseline_import_id: string | null
      /** The candidate's newest import; null where it has none. */ readonly candidate_import_id: string | null
      /** Age of the candidate's import, or of its evaluation where that is older, hours. */ readonly age_hours: number | null
      /** Whether the candidate's import names the checksum of the release's bundle. */ readonly bundle: 'other' | 'same' | 'unknown'
      /** Cases of the candidate's import; null where they can't be told apart. */ readonly cases: number | null
      /** Of these, cases with an epoch that did not pass; null where nothing says what passed. */ readonly failing: number | null
      /** Cases of the baseline's import that the candidate's lacks; null where that can't be told. */ readonly missing: number | null
      /** Cases that both imports have, by what became of them; null where they are not compared. */ readonly changes: CaseChanges | null
      /** Why cases are not compared one by one; null where they are. */
      readonly not_compared_because: 'few_shared' | 'judges' | 'no_cases' | 'no_import' | 'no_outcomes' | null
      /** Whether the judge agrees with people; null where the candidate's import has no labels of them. */ readonly agreement: {
        /** Tries with a label. */ readonly labels: number
        /** Cohen's κ; null where all labels are the same. */ readonly kappa: Estimate | null
      } | null
      /** Cases that do not pass, those that broke first, at most 20. */ readonly listed: readonly {
        /** Key of the case. */ readonly case: string
        /** What became of it. */
        readonly state: 'failing' | 'flaky' | 'higher' | 'lower' | 'newly_failing' | 'newly_passing' | 'only_baseline' | 'only_candidate' | 'passing' | 'still_failing'
      }[]
    }[]
  } | undefined
  /** Set where a rollback is judged, which is asked only what the policy names for rollbacks. */ readonly of_rollback?: true | undefined
  /** Set where latency is that of runs that succeeded, and cost that of all runs by how many succeeded; else both are of all runs. */
  readonly of_succeeded?: true | undefined
  /** How each limit of the policy that is decided by an interval was decided. */ readonly limits: readonly {
    /** The policy's key. */ readonly policy_key: string
    /** What it limits. */ readonly metric: string
    /** Whether it passes. */ readonly passed: boolean
    /** What the interval says: within the limit, beyond it, or neither. */ readonly outcome: 'fail' | 'inconclusive' | 'pass'
    /** Why neither; null unless inconclusive. */
    readonly inconclusive_because: 'baseline_is_zero' | 'baseline_near_zero' | 'interval_too_wide' | 'no_data' | 'no_success' | 'not_comparable' | 'skewed_small_baseline' | 'skewed_small_candidate' | 'too_few_blocks' | 'too_few_clusters' | 'too_few_runs' | null
    /** What settled it: the interval, the estimate alone, or `on_inconclusive`. */ readonly decided_by: 'estimate' | 'interval' | 'policy'
    /** The limit. */ readonly limit: number
    /** What was compared with it; null without data. */ readonly estimate: number | null
    /** Lower end of its interval. */ readonly low: number | null
    /** Upper end of its interval. */ readonly high: number | null
    /** Runs of the baseline that were compared; those of the window where nothing could be. */ readonly baseline_runs: number
    /** The same of the candidate. */ readonly candidate_runs: number
    /** `judges` where imports of a suite were judged by different ones; else left out. */
    readonly not_comparable_because?: 'judges' | undefined
    /** Why a suite does not pass, or a latency of runs that last too long; else left out. */ readonly reason?: string | undefined
  }[]
  /** What to know before these figures are believed. */ readonly warnings: readonly string[]
}

export interface UnmatchedRuns {
  /** Share of the side's runs in that time. */ readonly share: number
  /** Ids of the largest, at most five; 0 are names without an id. */ readonly largest: readonly number[]
}

export interface SegmentRegression {
  /** Whether it is a tenant or a task. */ readonly kind: 'task' | 'tenant'
  /** Its id. */ readonly segment: number
  /** What is worse. */ readonly metric: 'cost_per_run_usd' | 'error_rate' | 'latency_ms'
  /** Its runs on the baseline. */ readonly baseline_runs: number
  /** Its runs on the candidate. */ readonly candidate_runs: number
  /** Mean on the baseline, in the metric's unit. */ readonly baseline_mean: number
  /** The same on the candidate. */ readonly candidate_mean: number
  /** Candidate less baseline, in the metric's unit. */ readonly difference: Estimate
  /** The same as a fraction of the baseline's mean. */ readonly relative_change: Estimate | null
}

export interface MetricStatistics {
  /** Runs of the baseline that carry the metric. */ readonly baseline_runs: number
  /** Runs of the candidate that carry the metric. */ readonly candidate_runs: number
  /** The baseline's mean; null without runs. */ readonly baseline_mean: number | null
  /** The candidate's mean; null without runs. */ readonly candidate_mean: number | null
  /** Standard deviation of single runs of the baseline; null below two. */ readonly baseline_stddev: number | null
  /** Standard deviation of single runs of the candidate; null below two. */ readonly candidate_stddev: number | null
  /** Candidate less baseline, in the metric's unit; null where a side has no runs. */ readonly difference: Estimate | null
  /** The same as a fraction of the baseline's mean: 0.1 is +10 %; null where that is 0. */ readonly relative_change: Estimate | null
  /** `fixed` is valid for one check at a time chosen beforehand, `sequential` however often one checks. */
  readonly interval: 'fixed' | 'sequential'
  /** Share of intervals that contain the truth. */ readonly confidence_level: number
  /** What the interval says; `no_difference` is within 5 %, of rates 0.01. */
  readonly verdict: 'better' | 'inconclusive' | 'no_difference' | 'worse'
  /** Why it is inconclusive; null otherwise. */
  readonly inconclusive_because: 'baseline_is_zero' | 'baseline_near_zero' | 'interval_too_wide' | 'no_data' | 'no_success' | 'not_comparable' | 'skewed_small_baseline' | 'skewed_small_candidate' | 'too_few_blocks' | 'too_few_clusters' | 'too_few_runs' | null
  /** How many times the runs it takes because runs of a cluster resemble each other; null where there are too few clusters to tell. */
  readonly design_effect: number | null
  /** What the clusters are like. */ readonly clusters: {
    /** As many clusters of equal size would weigh the same. */ readonly baseline: number
    /** The same of the candidate. */ readonly candidate: number
    /** Share of all runs in clusters that both sides have. */ readonly shared_runs_share: number
  }
  /** Fewest runs per side for a claim. */ readonly min_runs: number
  /** Few candidate runs of a skewed metric: it can block but not pass. */ readonly is_skewed_small_candidate: boolean
  /** Few baseline runs of a skewed metric: it can pass but not block. */ readonly is_skewed_small_baseline?: boolean | undefined
  /** `not_comparable` where both releases share too little for a claim; null where they share enough, and where the window is compared as it is. Rules before 5 also knew `too_few_blocks`. */
  readonly comparability_doubt?: 'not_comparable' | 'too_few_blocks' | null | undefined
  /** What was compared where that is not the window as it is; null where both releases share nothing. */ readonly matched?: {
    /** Blocks of time in which both ran, the same hours of earlier days of the baseline, tenants or tasks that both served, or units that a rollout split by chance. */
    readonly by: 'common_time' | 'same_hours' | 'task' | 'tenant'
    /** The baseline's mean over them; null where there is nothing to compare. */ readonly baseline_mean: number | null
    /** The same of the candidate, weighted alike. */ readonly candidate_mean: number | null
    /** Runs of the baseline that were compared. */ readonly baseline_runs: number
    /** Runs of the candidate that were compared. */ readonly candidate_runs: number
    /** Share of the baseline's runs of the window that was compared. */ readonly baseline_share: number
    /** The same of the candidate; it takes 0.5. */ readonly candidate_share: number
    /** As many units of time of equal weight say as much; it takes 6. Of the same hours it is the days. */ readonly units: number
    /** The part of the time whose difference is another one than that of the rest, where it makes most of the spread: an outage, or a level that moved. Left out where there is none. */
    readonly moved?: {
      /** Its first block, counted from compared.since. */ readonly first_block: number
      /** The block behind its last one. */ readonly end_block: number
      /** Its share of the spread between blocks. */ readonly share: number
      /** The baseline's mean in the rest. */ readonly baseline_rest: number
      /** The baseline's mean in it. */ readonly baseline_mean: number
      /** The candidate's mean in the rest. */ readonly candidate_rest: number
      /** The candidate's mean in it. */ readonly candidate_mean: number
    } | undefined
    /** Present, and true, where days differ by more than their runs explain. */ readonly days_differ?: true | undefined
  } | null | undefined
  /** Smallest limit that an unchanged release would pass in 80 of 100 cases with these runs: of a mean a fraction, of a rate a difference; null where there is none. */
  readonly smallest_provable_limit: number | null
  /** Runs with which an unchanged release passes a limit in 80 of 100 cases. */ readonly runs_needed: {
    /** The policy's limit, or 0.1 of a mean and 0.02 of a rate. */ readonly limit: number
    /** Of each release, if both have as many; null if none suffice. */ readonly runs_per_side: number | null
    /** Of the candidate beside the baseline's runs as they are; null where those are too few. */ readonly candidate_runs: number | null
    /** What of that the candidate lacks; null also where the metric is worse for sure. */ readonly candidate_runs_missing: number | null
  }
}

export interface PercentileEstimates {
  /** Of the baseline; null below 20 runs for p50, 35 for p90, 73 for p95, 381 for p99. Latencies are counted in bins 2 % wide: the estimate is the upper edge of its bin, and the interval ends at edges. */
  readonly baseline: Estimate | null
  /** The same of the candidate. */ readonly candidate: Estimate | null
  /** Candidate less baseline; null where either is. */ readonly difference: Estimate | null
}

export interface PercentileChanges {
  /** The 90th percentile. */ readonly p90: PercentileChange
  /** The 95th percentile. */ readonly p95: PercentileChange
  /** The 99th percentile. */ readonly p99: PercentileChange
}

export interface PercentileChange {
  /** Rise as a fraction, good to a bin of 2 %; null where there is nothing to compare. */ readonly relative_change: Estimate | null
  /** Why nothing is claimed; null where the interval may be. */
  readonly inconclusive_because: 'baseline_is_zero' | 'baseline_near_zero' | 'interval_too_wide' | 'no_data' | 'no_success' | 'not_comparable' | 'skewed_small_baseline' | 'skewed_small_candidate' | 'too_few_blocks' | 'too_few_clusters' | 'too_few_runs' | null
  /** Runs of the baseline that were compared. */ readonly baseline_runs: number
  /** Runs of the candidate that were compared. */ readonly candidate_runs: number
  /** Share of the candidate's runs of the window that was compared; it takes 0.5. */ readonly candidate_share: number
  /** As many units of time of equal weight say as much; it takes 6. */ readonly units: number
}

export interface CaseChanges {
  /** Cases that passed in most epochs, and now fail in half of them or more. */ readonly newly_failing: number
  /** Cases that failed, and now pass in every epoch. */ readonly newly_passing: number
  /** Cases that failed, and now fail in every epoch. */ readonly still_failing: number
  /** Other cases that differ between epochs of the candidate. */ readonly flaky: number
}

export interface PowerDifference {
  /** SHA-256 of the baseline's capabilities. */ readonly baseline_sha256: string
  /** SHA-256 of the candidate's capabilities. */ readonly candidate_sha256: string
  /** How many changes let the candidate do more. */ readonly widened: number
  /** What was added, widened, changed, narrowed or removed; at most 100, those that widen first. */
  readonly changes: readonly PowerChange[]
  /** How many further changes there are. */ readonly more_changes: number
  /** Why the capabilities of a side are not known; then they count as wider. */ readonly unreadable?: readonly string[] | undefined
  /** The acknowledgement of this difference in this environment; left out if there is none. */ readonly acknowledged?: {
    /** The acknowledgement. */ readonly acknowledgement_id: string
    /** Who. */ readonly actor: string
    /** Why. */ readonly reason: string
    /** When. */ readonly created_at: string
  } | undefined
  /** Limits who can acknowledge it: `another`, not the person who promotes (`approval_by_another`); `people`, who have signed in (`approvals.people_only`). Left out if everybody who may promote can. */
  readonly acknowledged_only_by?: readonly ('another' | 'people')[] | undefined
}

export interface NamedCase {
  /** The suite. */ readonly suite: string
  /** Key of the case: a keyed hash of its id or of its input. */ readonly case: string
  /** Id of the case; null where its input identifies it, or where it is forgotten. */ readonly name: string | null
  /** What became of it. */
  readonly state: 'failing' | 'flaky' | 'higher' | 'lower' | 'newly_failing' | 'newly_passing' | 'only_baseline' | 'only_candidate' | 'passing' | 'still_failing'
  /** Traces of the candidate's tries. */ readonly trace_ids?: readonly string[] | undefined
}

export interface PolicyVerdict {
  /** Whether the policy passes. */ readonly passed: boolean
  /** `passed`; `first`: a first promotion, which compares nothing; `forced`: no policy was evaluated; `not_yet`: only evidence is missing; `blocked`: something is violated. */
  readonly result: 'blocked' | 'first' | 'forced' | 'not_yet' | 'passed'
  /** One per failed constraint, in the order they are checked; or why none was. */ readonly reasons: readonly string[]
  /** When it was evaluated. */ readonly evaluated_at: string
  /** Warnings that block nothing, such as a limit without data; left out if there is none. */
  readonly warnings?: readonly string[] | undefined
  /** What would decide it; only where nothing but evidence is missing. */ readonly missing_evidence?: MissingEvidence | undefined
}

export interface MissingEvidence {
  /** How many more runs of the baseline, about: with as many an unchanged release passes in 80 of 100 cases. Null where it is no matter of runs, or not known. */
  readonly baseline_runs_needed: number | null
  /** The same of the candidate. */ readonly candidate_runs_needed: number | null
  /** Runs of the baseline per hour, from its first to its last run in the window; 0 where none came in the last day, null without runs. */
  readonly baseline_runs_per_hour: number | null
  /** The same of the candidate. */ readonly candidate_runs_per_hour: number | null
  /** How long it takes both sides to get as many, at these rates; null where that is not known. */ readonly hours: number | null
  /** The window to ask with, where this one would not do: a shorter one in which both sides ran, or a longer one that holds as many runs; else null. */
  readonly window: string | null
  /** Why limits are not decided that no number of runs decides, such as a level that moved within the window; left out where there are none. */
  readonly because?: readonly string[] | undefined
  /** Limits that would take more than ten times the runs there are, so that this traffic does not decide them; left out where there are none. */
  readonly beyond_traffic?: readonly {
    /** The limit. */ readonly policy_key: string
    /** Its value in the policy. */ readonly limit: number
    /** The smallest limit that these runs could decide for an unchanged release; null where that is not known. */
    readonly smallest_provable_limit: number | null
  }[] | undefined
}

export interface PlaceRow {
  /** The policy's key. */ readonly policy_key: string
  /** What it limits. */ readonly metric: string
  /** The value of what is live, of the runs that were compared: USD, milliseconds or a fraction. */ readonly before: number | null
  /** The value of the candidate. */ readonly now: number | null
  /** The change that was decided on; relative, or of a rate in fractions. */ readonly change: number | null
  /** Lower end of its interval; null without bound. */ readonly low: number | null
  /** Upper end of its interval; null without bound. */ readonly high: number | null
  /** The limit. */ readonly limit: number
  /** `policy`, or the override of the policy that sets it here. */ readonly limit_from: string
  /** Whether it is kept, broken, or not decided. */ readonly outcome: 'fail' | 'pass' | 'unsure'
  /** The value with which the limit is kept, in words; null where one value does not say it. */ readonly would_pass: string | null
}

export interface PolicyScope {
  /** SHA-256 of the whole policy, lowercase hex. */ readonly policy_checksum: string
  /** The overrides that set keys here, in the order of the policy. */ readonly rules: readonly PolicyRule[]
  /** The policy as it holds here, without overrides. */ readonly policy: Readonly<Record<string, unknown>>
}

export interface PolicyRule {
  /** Which of the overrides, from 0. */ readonly override: number
  /** The agents that it is for; left out where it is for all. */ readonly agent_id?: string | undefined
  /** The environments that it is for; left out where it is for all. */ readonly environment?: string | undefined
  /** The keys that it set. */ readonly keys: readonly string[]
}

export interface RecordedVerdict {
  /** Whether it passed. */ readonly passed: boolean
  /** The reasons that were recorded. */ readonly reasons: readonly string[]
}

export interface ReplayedVerdict {
  /** Whether it passes; null where the evidence does not tell. */ readonly passed: boolean | null
  /** Why not, or why it is not asked. */ readonly reasons: readonly string[]
  /** What the evidence does not tell. */ readonly unknown: readonly string[]
}

export interface StoredEvent {
  /** Version of this format. */ readonly api_version: 'v1'
  /** Only run_end carries cost and latency; run_start counts as a run without usage. */ readonly type: 'run_end' | 'run_start'
  /** When the run ended. ISO-8601; without an offset it is UTC. Filters by window. */ readonly timestamp: string
  /** Stored, never filtered by. */ readonly workspace_id: string
  /** The release's agent. */ readonly agent_id: string
  /** The release that ran. */ readonly release_id: string
  /** De-duplication key: a run_id that is stored already is skipped. */ readonly run_id: string
  /** Filter dimension. */ readonly tenant_id: string
  /** Filter dimension. */ readonly task_id: string
  /** Filter dimension: where the run happened. */ readonly environment: string
  /** How the run went. */ readonly metrics: {
    /** False counts toward the error rate. */ readonly success: boolean
    /** Milliseconds; null leaves the run out of latency averages. */ readonly latency_ms: number | null
    /** Informational. */ readonly error_type: string | null
    /** Milliseconds from the start of the run to its first token. */ readonly ttft_ms?: number | undefined
  }
  /** What the run used. */ readonly usage: {
    /** Model and tokens. */ readonly model: StoredModelUsage
    /** Other models that the run called, and their tokens; usage.model is not among them. */
    readonly models?: readonly StoredModelUsage[] | undefined
    /** Whether not all tokens are known, as of a stream that broke off: cost and token means leave the run out. */
    readonly incomplete?: true | undefined
    /** Tools called; recorded, not priced. */ readonly tools: readonly {
      /** Name of the tool. */ readonly tool_name: string
      /** Number of calls. */ readonly invocations: number
      /** In a unit of the vendor; not priced. */ readonly cost_units: number
    }[]
  }
  /** How good the run was, by name, such as faithfulness: 0.92. Means and limits go by six decimals. */
  readonly scores?: Readonly<Record<string, number>> | undefined
  /** Tags; not used in diff or policy. */ readonly labels: Readonly<Record<string, string>>
  /** Tracing identifiers, to find runs by. */ readonly request: {
    /** Session the run belongs to. */ readonly session_id: string | null
    /** Trace the run belongs to. */ readonly trace_id: string | null
    /** Span of the run. */ readonly span_id: string | null
  } | null
  /** What a rollout assigned the run by, where that is neither its session nor its tenant. */ readonly assignment?: {
    /** The user: HMAC-SHA-256 of the key that was assigned, under the workspace's assignment key; the SDK's `assign` returns it. */
    readonly unit: string
  } | undefined
}

export interface StoredModelUsage {
  /** Provider of the model. */ readonly provider: string
  /** Model name; must have an entry in the release's price table. */ readonly model: string
  /** Input tokens. */ readonly input_tokens: number
  /** Output tokens. */ readonly output_tokens: number
  /** Cached input tokens. */ readonly cached_input_tokens: number
  /** Those of the input tokens that were written to a cache, which some providers charge more for. */
  readonly cache_write_input_tokens?: number | undefined
  /** Name that the model answered by, where that is another model than was asked for. Not priced. */
  readonly served_model?: string | undefined
}

export interface SinceRequest {
  /** What is promoted, where that is another release than it was; null where it is the same. */ readonly baseline: {
    /** What was promoted; null if nothing was. */ readonly from: string | null
    /** What is promoted now; null if nothing is. */ readonly to: string | null
  } | null
  /** Fields of the policy in force that are otherwise than they were. */ readonly policy: readonly {
    /** Name of the field. */ readonly field: string
    /** Its value then; null where there was none. */ readonly from: unknown
    /** Its value now; null where there is none. */ readonly to: unknown
  }[]
  /** Figures of the comparison that are otherwise than they were. */ readonly figures: readonly {
    /** Name of the figure, as in the metrics of a diff. */ readonly name: string
    /** Its value then. */ readonly from: number | null
    /** Its value now. */ readonly to: number | null
  }[]
}

export interface MissingForHigh {
  /** Runs that the baseline lacks in this window. */ readonly baseline_runs_needed: number
  /** Runs that the candidate lacks in this window. */ readonly candidate_runs_needed: number
  /** A window ending now that holds enough runs of both; null where all there are do not. */ readonly shortest_window: string | null
}

export interface LeftOutRuns {
  /** Runs that were left out. */ readonly runs: number
  /** Runs of the side, those that were left out among them. */ readonly of_runs: number
  /** Runs that count, but without their tokens of a further model that has no price. */ readonly parts: number
  /** Of what runs that was, largest first, at most 20. */ readonly unusable: readonly {
    /** The agent that they name. */ readonly agent_id: string
    /** The model that they used. */ readonly model: string
    /** Why the side could not be decided on with them: agent, they name another agent than the release's; price, the release's table has no price for the model. */
    readonly why: 'agent' | 'price'
    /** Runs of that agent and model. */ readonly runs: number
    /** Runs of other models that used this one as well. */ readonly parts: number
  }[]
}

export interface ArmRelease {
  /** Its release. */ readonly release_id: string
  /** Its version. */ readonly version: string
  /** SHA-256 of its bundle. */ readonly checksum: string
}

export interface SuiteRules {
  /** Whether every epoch of every case must pass, and no case of the baseline's newest import be missing. */
  readonly must_pass?: boolean | undefined
  /** Lowest share of cases that pass. Decided by its interval. */ readonly min_pass_rate?: number | undefined
  /** How many cases that passed may fail now. */ readonly max_regressions?: number | undefined
  /** Largest share of the cases of both imports without a score of the candidate, because they ended in an error or are not in its import; 0.02 unless given. Above it the limits on the suite's scores fail. */
  readonly max_missing_cases?: number | undefined
  /** How old the import may be: 7d, 24h. What is older is no evidence. */ readonly max_age?: string | undefined
  /** Whether the import must name the checksum of the release's bundle. */ readonly same_bundle?: boolean | undefined
  /** Lowest Cohen's κ between the judge and people, of cases that have labels. Decided by its interval. */
  readonly require_judge_agreement?: number | undefined
  /** Whether it applies to rollbacks too. */ readonly on_rollback?: boolean | undefined
}

export interface WatchPolicy {
  /** How long: 2h, 30m, 1d, up to 30 days. */ readonly for: string
  /** Whether a regression rolls back to the release before, if this policy lets it. */ readonly auto_rollback?: boolean | undefined
  /** What becomes of runs that keep its rollback from being decided on, of another agent or without a price: exclude leaves them out, up to 5 % of a side. */
  readonly on_unusable?: 'exclude' | 'refuse' | undefined
  /** Runs of the new release below which nothing is concluded and nothing rolled back, but for failures that the exact bound proves from 10 runs on. */
  readonly min_runs?: number | undefined
}

export interface CapabilityPolicy {
  /** With `block`, a promotion is blocked where the release has capabilities that the live one lacks, until somebody acknowledges this difference. With `warn` (the default) it passes with a warning. */
  readonly widened?: 'block' | 'warn' | undefined
  /** What no promoted release may have: effects (`sends`), or names such as `tool:delete_*`, `scope:mail.*`, `mcp_server:shell`, `agent:x`, `provider:y`, `model:z`. No acknowledgement overrides it. */
  readonly forbid?: readonly string[] | undefined
}

export interface RolloutApproval {
  /** Who confirmed. */ readonly actor: string
  /** Whom an identity provider vouched for; absent where none did. */ readonly actor_identity?: Identity | undefined
  /** Why, in the words of who confirmed. */ readonly reason: string
  /** When. */ readonly created_at: string
}

export interface ReleaseRecord {
  /** Identifier of the release. */ readonly release_id: string
  /** The agent it is a release of. */ readonly agent_id: string
  /** metadata.version of the artifact. */ readonly version: string
  /** Label given at registration. */ readonly environment: string
  /** SHA-256 of the canonical bundle, lowercase hex. */ readonly checksum: string
  /** When it was registered. */ readonly created_at: string
}

export interface RetiringModel extends Retirement {
  /** The agent. */ readonly agent_id: string
  /** Where it is live. */ readonly environment: string
  /** The release. */ readonly release_id: string
  /** Its version. */ readonly version: string
  /** Where its artifact names the model. */ readonly role: 'fallback' | 'further' | 'runtime'
}

export interface Retirement {
  /** Provider. */ readonly provider: string
  /** Model name. */ readonly model: string
  /** The day (UTC) from which on it is off. */ readonly retires_on: string
  /** Days until then by the clock of the database; negative where that is past. */ readonly days_left: number
  /** Whether somebody said so by hand, which comes first, or a price list did. */ readonly said_by: 'hand' | 'price_list'
  /** Who said so and why, or the price table. */ readonly source: string
  /** What the newest price list says, where that is another day; left out where it says the same or nothing. */
  readonly price_list_says?: string | null | undefined
}

export interface RolloutStep {
  /** Share of the units that get the candidate, a fraction. */ readonly share: number
  /** How long the step takes at least. */ readonly for: string
  /** When it began; null before. */ readonly started_at: string | null
  /** When it ended; null before. */ readonly ended_at: string | null
}

export interface RolloutLimits {
  /** Of the mean cost per run, a fraction. */ readonly cost_per_run_usd: number | null
  /** Of the mean latency, a fraction. */ readonly latency_ms: number | null
  /** Of the error rate, a difference; 0.02 unless the policy has one. */ readonly error_rate: number | null
}

export interface RolloutHold {
  /** Share of the units, a fraction. */ readonly share: number
  /** How long. */ readonly for: string
}

export interface RolloutCheck {
  /** Number of the check, from 1. */ readonly number: number
  /** When it was, by the clock of the database. */ readonly at: string
  /** The step that it checked, from 0. */ readonly step: number
  /** Runs of the step, by the side that their unit is assigned to. */ readonly runs: {
    /** Of the baseline. */ readonly baseline: number
    /** Of the candidate. */ readonly candidate: number
  }
  /** Units that were seen in the step, up to 200,000. */ readonly units: {
    /** Of the baseline. */ readonly baseline: number
    /** Of the candidate. */ readonly candidate: number
    /** How likely a split as unlike its share is by chance; null below 50 expected units to a side. */ readonly p: number | null
  }
  /** Share of the runs that another release than that of their side did; null without runs. */ readonly wrong_share: number | null
  /** Share of the runs that carry no unit and count on no side; null without runs. */ readonly missing_share: number | null
  /** The guard: rises over all steps together, by bounds that hold for all checks at once; only what is limited. */ readonly metrics: {
    /** The mean cost per run. */ readonly cost_per_run_usd?: WatchedMetric | undefined
    /** The mean latency. */ readonly latency_ms?: WatchedMetric | undefined
    /** The share of failed runs. */ readonly error_rate: WatchedMetric
  }
  /** What is missing for the next step; empty where nothing is. */ readonly holds: readonly string[]
  /** About when the next step is due at the present traffic; null where that is unknown. */ readonly ready_at: string | null
  /** What could not be compared, say a model without a price. */ readonly problems: readonly string[]
}

export interface WatchedMetric {
  /** What it is compared with: units that a rollout holds back on the release before, the same hours of earlier days, or the runs of the baseline from before the promotion on. */
  readonly by?: 'holdback' | 'same_hours' | 'window' | undefined
  /** Of the same hours, how many days. */ readonly days?: number | undefined
  /** By which bound the rise is proven beyond the limit; null where it is not. */ readonly alarm: 'exact' | 'sequential' | null
  /** Runs of the baseline that carry the metric. */ readonly baseline_runs: number
  /** The same of the release. */ readonly candidate_runs: number
  /** Largest rise that is no regression: of means a fraction, of the error rate a difference. */ readonly limit: number
  /** The rise as measured, in the same unit; null where that is undefined. */ readonly change: number | null
  /** What the rise is at least, at all checks of 59 in 60 watches; null while nothing is known. */ readonly low: number | null
  /** A rise of which half would be proven by now; null while there are too few runs. */ readonly smallest_detectable: number | null
}

export interface ConfirmedRequest {
  /** The request. */ readonly request_id: string
  /** Who requested it. */ readonly requested_by: string
  /** Who confirmed it. */ readonly approvals: readonly RolloutApproval[]
}

export interface ModelUsage {
  /** Provider of the model. */ readonly provider: string
  /** Model name; must have an entry in the release's price table. */ readonly model: string
  /** Input tokens. */ readonly input_tokens: number
  /** Output tokens. */ readonly output_tokens: number
  /** Cached input tokens. */ readonly cached_input_tokens?: number | undefined
  /** Those of the input tokens that were written to a cache, which some providers charge more for. */
  readonly cache_write_input_tokens?: number | undefined
  /** Name that the model answered by, where that is another model than was asked for. Not priced. */
  readonly served_model?: string | undefined
}

export interface TriesOfCase {
  /** How often it was tried. */ readonly epochs: number
  /** How many of the tries passed; null where nothing says so. */ readonly passed: number | null
  /** Mean of its tries, by score. */ readonly scores: Readonly<Record<string, number>>
}

export interface SessionRecord {
  /** Identifier of the session. */ readonly session_id: string
  /** What it is used by: the web UI in a browser, or `svc`. */ readonly kind: 'browser' | 'cli'
  /** The name that is put on record for what is done in it. */ readonly name: string
  /** The identity provider that vouches for the person. */ readonly issuer: string
  /** Who it is there: `sub` of the ID token, unique within the issuer. */ readonly subject: string
  /** What it is good for. */ readonly role: 'admin' | 'ingest' | 'read' | 'write'
  /** The agents that it is good for; null for all. */ readonly agents: readonly string[] | null
  /** The environments that it is good for; null for all. */ readonly environments: readonly string[] | null
  /** Whether it still opens anything. */ readonly state: 'ended' | 'open'
  /** When the person signed in. */ readonly created_at: string
  /** When it was last used, to a minute or so. */ readonly last_used_at: string
  /** When it ends unless it is used before. */ readonly idle_at: string
  /** When it ends however it is used. */ readonly expires_at: string
  /** When it ended; null while it is open. */ readonly ended_at: string | null
  /** Why it ended; null while it is open. */ readonly ended_because: 'expired' | 'idle' | 'replaced' | 'revoked' | 'signed_out' | null
  /** Who ended it; null where nobody did. */ readonly ended_by: string | null
}

export interface TokenRecord {
  /** Identifier of the token; its 12 digits begin the token. */ readonly token_id: string
  /** The name that is put on record for what is done with it. */ readonly name: string
  /** What it is good for. */ readonly role: 'admin' | 'ingest' | 'read' | 'write'
  /** The agents that it is good for; null for all. */ readonly agents: readonly string[] | null
  /** The environments that it is good for; null for all. */ readonly environments: readonly string[] | null
  /** The source whose aggregates it may send, and nothing else; left out of other tokens. */ readonly source?: string | undefined
  /** Whether it still opens anything. */ readonly state: 'expired' | 'live' | 'revoked'
  /** When it was made. */ readonly created_at: string
  /** Who made it. */ readonly created_by: string
  /** When it ends; null where it does not. */ readonly expires_at: string | null
  /** When it was revoked. */ readonly revoked_at: string | null
  /** Who revoked it. */ readonly revoked_by: string | null
  /** When it was last used, to a minute or so. */ readonly last_used_at: string | null
}

export interface WatchLimits {
  /** Of the mean cost per run, a fraction. */ readonly cost_per_run_usd: number
  /** Of the mean latency, a fraction. */ readonly latency_ms: number
  /** Of the error rate, a difference. */ readonly error_rate: number
}

export interface WatchCheck {
  /** Number of the check, from 1. */ readonly number: number
  /** When it was, by the clock of the database. */ readonly at: string
  /** What it saw. */ readonly metrics: {
    /** The mean cost per run. */ readonly cost_per_run_usd: WatchedMetric
    /** The mean latency. */ readonly latency_ms: WatchedMetric
    /** The share of failed runs. */ readonly error_rate: WatchedMetric
  }
  /** What could not be compared, say a model without a price. */ readonly problems: readonly string[]
}

export interface WatchRollback {
  /** The action on record; null where it could not even be evaluated. */ readonly action_id: string | null
  /** Whether the pointer moved. */ readonly passed: boolean
  /** Why it did not. */ readonly reasons: readonly string[]
  /** How often it was tried; left out where it was once. */ readonly attempts?: number | undefined
  /** Only while a blocked rollback is tried again: when it is next at the latest, sooner if what blocks it changes; null where it waits for that alone, until the watch would have ended. */
  readonly next_attempt_at?: string | null | undefined
}

export interface WatchRecord {
  /** Identifier of the watch. */ readonly watch_id: string
  /** The release's agent. */ readonly agent_id: string
  /** Where it is live. */ readonly environment: string
  /** The release that is watched. */ readonly release_id: string
  /** What it is compared with, and rolled back to. */ readonly baseline_release_id: string
  /** Where it stands; all but watching are final, but for regressed while a blocked rollback is tried again (rollback.next_attempt_at). */
  readonly state: 'inconclusive' | 'passed' | 'regressed' | 'rolled_back' | 'superseded' | 'watching'
  /** Whether a regression rolls back, if the policy lets it. */ readonly auto_rollback: boolean
  /** Runs of the release below which nothing is concluded, but for failures that the exact bound proves from 10 runs on. */
  readonly min_runs: number
  /** Largest rises that are no regression, as the policy had them when the watch began; 0 where it had none. */
  readonly limits: WatchLimits
  /** The decision that made the release live. */ readonly action_id: string
  /** From when on runs of the baseline count. */ readonly baseline_since: string
  /** From when on runs of the release count. */ readonly started_at: string
  /** Who began it; of a watch that a promotion began, who promoted. */ readonly started_by: string
  /** When it ends at the latest. */ readonly ends_at: string
  /** How often it checked. */ readonly checks: number
  /** What it saw last; null before the first check. */ readonly last_check: WatchCheck | null
  /** When it ended. */ readonly ended_at: string | null
  /** Why it ended so. */ readonly ended_because: string | null
  /** Who ended it; null where the watch itself did. */ readonly ended_by: string | null
  /** What became of its rollback; null where it tried none. */ readonly rollback: WatchRollback | null
}
