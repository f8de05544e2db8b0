// Generated from src/models and handlers by `npm run generate`, and never edited.

/** An acknowledgement: somebody accepts capabilities of a release that the live one lacks. */
export interface Acknowledgement {
  /** Identifier. */ readonly acknowledgement_id: string
  /** The releases' agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The release with new capabilities. */ readonly release_id: string
  /** The live release of that time. */ readonly baseline_release_id: string
  /** SHA-256 of the live release's capabilities. */ readonly baseline_sha256: string
  /** SHA-256 of the release's capabilities. The acknowledgement counts for every release with these capabilities. */
  readonly candidate_sha256: string
  /** How many changes add capabilities. */ readonly widened: number
  /** The acknowledged changes; at most 100, new capabilities first. */ readonly changes: readonly PowerChange[]
  /** How many further changes were acknowledged. */ readonly more_changes: number
  /** Why. */ readonly reason: string
  /** Who. */ readonly actor: string
  /** The name that the caller gave in addition to its token's: a claim. */ readonly claimed_actor?: string | undefined
  /** The person of an identity provider; absent if there is none. */ readonly actor_identity?: Identity | undefined
  /** When. */ readonly created_at: string
  /** Present, and true, if the same caller acknowledged this difference before: nothing was written. */ readonly reused?: true | undefined
}

/** Acknowledgements, newest first. */
export interface AcknowledgementList {
  /** The acknowledgements. */ readonly acknowledgements: readonly Acknowledgement[]
}

/** An action of the audit trail with its evidence and its links in the hash chain. */
export interface ActionDetail {
  /** Identifier of the action. */ readonly action_id: string
  /** The kind of decision. */ readonly action: 'promote' | 'rollback'
  /** The release promoted or rolled back to. */ readonly release_id: string
  /** The release's agent. */ readonly agent_id: string
  /** The environment of the pointer. */ readonly environment: string
  /** The live release before; null for a first promotion. */ readonly baseline_release_id: string | null
  /** Why, in the words of the requester. */ readonly reason: string
  /** Whether the policy passed, so that the live release changed. */ readonly policy_passed: boolean
  /** What the policy said. */ readonly policy_reasons: readonly string[]
  /** `passed`; `first`: a first promotion, which compares nothing; `forced`: no policy was evaluated; `not_yet`: only evidence is missing; `blocked`: something is violated. */
  readonly result: 'blocked' | 'first' | 'forced' | 'not_yet' | 'passed'
  /** When it was recorded; never earlier than the action before it. */ readonly created_at: string
  /** Number in the trail, contiguous from 1. */ readonly audit_seq: number
  /** Who requested it. */ readonly actor: string
  /** Present, and true, on a forced rollback: no policy was evaluated, and the pointer moved. */ readonly forced?: true | undefined
  /** How the service knows the actor: a token or an identity provider, which proves it; an identity header, a proxy, the body, or the command line, which don't; or a watch of the service. */
  readonly actor_source: 'body' | 'cli' | 'forwarded' | 'header' | 'oidc' | 'token' | 'watch' | null
  /** The name that the caller gave in addition to its token's: a claim. */ readonly claimed_actor?: string | undefined
  /** The person of an identity provider; absent if there is none. */ readonly actor_identity?: Identity | undefined
  /** Window, samples, sums, rates, policy and thresholds: everything to decide again. */
  readonly evidence: Readonly<Record<string, unknown>> | null
  /** The text whose SHA-256 is `hash`. */ readonly record_json: string | null
  /** Hash of the action before; empty for the first. */ readonly prev_hash: string | null
  /** SHA-256 of record_json, lowercase hex. */ readonly hash: string | null
  /** Present only where the row was changed in the database: what of it is not as it was written. */ readonly changed?: string | undefined
}

/** Actions of the audit trail, newest first. actor_source and what follows it, except `changed`, come with evidence=true only. */
export interface ActionPage {
  /** The actions. */ readonly actions: readonly {
    /** Identifier of the action. */ readonly action_id: string
    /** The kind of decision. */ readonly action: 'promote' | 'rollback'
    /** The release promoted or rolled back to. */ readonly release_id: string
    /** The release's agent. */ readonly agent_id: string
    /** The environment of the pointer. */ readonly environment: string
    /** The live release before; null for a first promotion. */ readonly baseline_release_id: string | null
    /** Why, in the words of the requester. */ readonly reason: string
    /** Whether the policy passed, so that the live release changed. */ readonly policy_passed: boolean
    /** What the policy said. */ readonly policy_reasons: readonly string[]
    /** `passed`; `first`: a first promotion, which compares nothing; `forced`: no policy was evaluated; `not_yet`: only evidence is missing; `blocked`: something is violated. */
    readonly result: 'blocked' | 'first' | 'forced' | 'not_yet' | 'passed'
    /** When it was recorded; never earlier than the action before it. */ readonly created_at: string
    /** Number in the trail, contiguous from 1. */ readonly audit_seq: number
    /** Who requested it. */ readonly actor: string
    /** Present, and true, on a forced rollback: no policy was evaluated, and the pointer moved. */ readonly forced?: true | undefined
    /** How the service knows the actor: a token or an identity provider, which proves it; an identity header, a proxy, the body, or the command line, which don't; or a watch of the service. */
    readonly actor_source?: 'body' | 'cli' | 'forwarded' | 'header' | 'oidc' | 'token' | 'watch' | null | undefined
    /** The name that the caller gave in addition to its token's: a claim. */ readonly claimed_actor?: string | undefined
    /** The person of an identity provider; absent if there is none. */ readonly actor_identity?: Identity | undefined
    /** Window, samples, sums, rates, policy and thresholds: everything to decide again. */
    readonly evidence?: Readonly<Record<string, unknown>> | null | undefined
    /** The text whose SHA-256 is `hash`. */ readonly record_json?: string | null | undefined
    /** Hash of the action before; empty for the first. */ readonly prev_hash?: string | null | undefined
    /** SHA-256 of record_json, lowercase hex. */ readonly hash?: string | null | undefined
    /** Present only where the row was changed in the database: what of it is not as it was written. */
    readonly changed?: string | undefined
  }[]
  /** Pass it as `after` to get the next page; null on the last. */ readonly next_after: number | null
}

/** One decision, and the proof that it is in the audit log of a checkpoint (docs/project/audit-format.md). */
export interface ActionProof {
  /** The checkpoint as text (C2SP tlog-checkpoint); a signed note if the server has a key (SERVICE_SIGNING_KEY). */ readonly note: string
  /** Number of its entry in the audit log, from 1. */ readonly log_seq: number
  /** The record_json of the entry: a leaf of the tree. */ readonly entry: string
  /** The action's record_json, which the entry has the SHA-256 of. */ readonly fact: string
  /** The audit path of RFC 6962, 2.1.1: hashes in base64. */ readonly proof: readonly string[]
}

/** A review of a forced action; an entry of the audit log. */
export interface ActionReview {
  /** Subject of the entry. */ readonly review_id: string
  /** The action. */ readonly action_id: string
  /** Its number. */ readonly audit_seq: number
  /** The result of the review. */ readonly reason: string
  /** Who reviewed it. */ readonly actor: string
  /** When it was recorded. */ readonly created_at: string
}

/** Lists the sources of aggregates. */
export interface AggregateSourceList {
  /** The sources, by name. */ readonly sources: readonly {
    /** Its name. */ readonly source: string
    /** The engine that makes the sums. */ readonly engine: string
    /** SHA-256 of the query that makes the sums. */ readonly query_sha256: string
    /** A link to the runs, with {release}, {from_ms} and {to_ms}; null if unknown. */ readonly run_url: string | null
    /** When the first import came. */ readonly created_at: string
    /** Who sent the first import. */ readonly created_by: string
    /** The time of its last complete state. */ readonly covered_until: string | null
    /** The engine's time of the newest imported state. */ readonly as_of: string | null
    /** How many imports there were. */ readonly imports: number
    /** When the last one was. */ readonly imported_at: string | null
    /** How many releases it feeds, by environment. */ readonly releases: number
    /** The releases that it feeds, the newest first, at most 100. */ readonly feeds: readonly {
      /** The release. */ readonly release_id: string
      /** Its environment. */ readonly environment: string
      /** The first day (UTC) whose runs come from sources. */ readonly from: string
    }[]
  }[]
}

/** JSON lines: a header, then the sums of runs by release, environment, model and time, in any order. docs/aggregates.md has all fields. */
export interface Aggregates {
  /** Only in the header: the version of the format. */ readonly aggregates?: 'v1' | undefined
  /** Only in the other lines: the kind of sums. */ readonly aggregate?: 'latency' | 'parts' | 'runs' | 'scores' | undefined
}

/** The result of an import of aggregates. */
export interface AggregatesImported {
  /** SHA-256 of the header and the aggregates, in any order. */ readonly import_id: string
  /** The source of the aggregates. */ readonly source: string
  /** Whether the same aggregates were imported before. */ readonly unchanged: boolean
  /** Aggregates of the import. */ readonly aggregates: number
  /** Runs that they sum. */ readonly runs: number
  /** Hours that were written. */ readonly hours: number
  /** Aggregates that replaced others. */ readonly replaced: number
  /** Aggregates that were removed: the source is complete without them. */ readonly removed: number
  /** Hours that were skipped, because a later state was there already. */ readonly stale: number
}

/** The verification summary of a decision, for other programs. */
export interface Attestation {
  /** An in-toto Statement of version 1. */ readonly statement: {
    /** Its version. */ readonly _type: 'https://in-toto.io/Statement/v1'
    /** The bundle of the decision. */ readonly subject: readonly {
      /** Agent and version of the release. */ readonly name: string
      /** Its checksum. */ readonly digest: {
        /** Checksum of the bundle, as docs/project/checksum.md says. */ readonly sha256: string
      }
    }[]
    /** A SLSA Verification Summary of version 1. */ readonly predicateType: 'https://slsa.dev/verification_summary/v1'
    /** Subject and verifier. */ readonly predicate: {
      /** The ledger that verified. */ readonly verifier: {
        /** Identifies the ledger. */ readonly id: string
        /** The program that made the statement. */ readonly version: {
          /** Its SemVer. */ readonly rgs: string
        }
      }
      /** When the decision was recorded. */ readonly timeVerified: string
      /** The agent and environment of the decision. */ readonly resourceUri: string
      /** The policy of the decision. */ readonly policy: {
        /** Its policy_id. */ readonly uri: string
        /** Its digest. */ readonly digest: {
          /** SHA-256 of its JSON as in the evidence of the decision. */ readonly sha256: string
        }
      }
      /** The evidence of the decision. */ readonly inputAttestations: readonly {
        /** The action. */ readonly uri: string
        /** Its digest. */ readonly digest: {
          /** SHA-256 of the action's record_json, which includes its evidence. */ readonly sha256: string
        }
      }[]
      /** PASSED if the policy passed. */ readonly verificationResult: 'FAILED' | 'PASSED'
      /** RGS_PROMOTE_ALLOWED or RGS_ROLLBACK_ALLOWED; FAILED if the policy blocked. Not a level of SLSA. */
      readonly verifiedLevels: readonly string[]
    }
  }
  /** The statement in a DSSE envelope, signed; null if the server has no key. */ readonly envelope: {
    /** The statement as JSON text, in base64. */ readonly payload: string
    /** Type of the payload. */ readonly payloadType: 'application/vnd.in-toto+json'
    /** Signatures of payload and type. */ readonly signatures: readonly {
      /** SHA-256 of the public key as SubjectPublicKeyInfo (DER). */ readonly keyid: string
      /** The Ed25519 signature, in base64. */ readonly sig: string
    }[]
  } | null
}

/** The whole audit log as one hash, which detects every later change of its entries. */
export interface AuditCheckpoint {
  /** The checkpoint as text (C2SP tlog-checkpoint); a signed note if the server has a key (SERVICE_SIGNING_KEY). */ readonly note: string
  /** Identifies the ledger: by the hash of the first entry of its audit log. */ readonly origin: string
  /** Number of its entries: the log_seq of the last. */ readonly size: number
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
    readonly kind: 'action.reviewed' | 'aggregates.fewer' | 'aggregates.handed_over' | 'aggregates.source' | 'capabilities.acknowledged' | 'clock.accepted' | 'decision' | 'events.digest' | 'events.erased' | 'events.erasing' | 'events.pruned' | 'events.pruning' | 'events.restored' | 'events.restoring' | 'live.other_model' | 'live.recovered' | 'live.silent' | 'live.worse' | 'policy.set' | 'prices.import' | 'release.registered' | 'request.approved' | 'request.cancelled' | 'request.expired' | 'request.made' | 'request.rejected' | 'retirement.set' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.approved' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.refused' | 'rollout.rejected' | 'rollout.requested' | 'rollout.resumed' | 'rollout.started' | 'rollups.rebuilding' | 'scores.imported' | 'server.started' | 'session.ended' | 'session.key_made' | 'session.opened' | 'session.refused' | 'token.made' | 'token.revoked' | 'token.rotated' | 'watch.ended' | 'watch.retried' | 'watch.started' | 'webhook.added' | 'webhook.removed' | 'webhook.replayed' | 'webhook.rotated' | 'webhook.updated'
    /** Identifier of its subject, such as an action_id. */ readonly subject: string
    /** Who did it; `service` for work of the servers. */ readonly actor: string
    /** How the service knows the actor: a token or an identity provider, an identity header, a proxy, the body, the command line, or the service itself. */
    readonly actor_source: string
    /** The person of an identity provider; absent if there is none. */ readonly actor_identity?: Identity | undefined
    /** Why, if a reason was given. */ readonly reason: string | null
    /** When it was recorded. */ readonly created_at: string
    /** SHA-256 of its subject if that never changes; for a decision the hash of its record. */ readonly fact: string | null
    /** The text whose SHA-256 is `fact`, with facts=true: record_json of a decision, the values of another row as JSON. */
    readonly fact_text?: string | null | undefined
    /** Further facts, by kind. */ readonly details: Readonly<Record<string, unknown>>
    /** The text whose SHA-256 is `hash`. */ readonly record_json: string
    /** Hash of the entry before; empty for the first. */ readonly prev_hash: string
    /** SHA-256 of record_json, lowercase hex. */ readonly hash: string
  }[]
  /** Pass it as `after` to get the next page; null on the last. */ readonly next_after: number | null
}

/** The policy blocked a promotion or rollback. The attempt is recorded; the live release stays. */
export interface Blocked {
  /** What happened. */ readonly detail: {
    /** The sentence to show. */ readonly message: string
    /** The outcome, with policy.passed false. */ readonly outcome: Outcome
  }
}

/** The live release of each agent in each environment with releases or a pointer. */
export interface Board {
  /** One entry per agent and environment, in their order. */ readonly board: readonly {
    /** The agent. */ readonly agent_id: string
    /** The environment. */ readonly environment: string
    /** The live release; null if there is none. */ readonly promoted: {
      /** The promoted release. */ readonly release_id: string
      /** Its version; null if it is not registered. */ readonly version: string | null
      /** The decision that chose it. */ readonly action_id: string | null
      /** When it was chosen. */ readonly promoted_at: string | null
      /** Who requested it. */ readonly promoted_by: string | null
      /** Why, in the words of the requester. */ readonly reason: string | null
      /** Present, and true, if it was forced: no policy was evaluated. */ readonly forced?: true | undefined
      /** Only if a promotion, gate or rollback is refused, because runs of the release name another agent or have no price. */
      readonly unusable?: Unusable | undefined
    } | null
    /** The last decision, passed or blocked; null if there was none. */ readonly last_action: {
      /** Identifier of the action. */ readonly action_id: string
      /** The kind of decision. */ readonly action: 'promote' | 'rollback'
      /** The release promoted or rolled back to. */ readonly release_id: string
      /** Whether the policy passed, so that the live release changed. */ readonly policy_passed: boolean
      /** What the policy said. */ readonly policy_reasons: readonly string[]
      /** `passed`; `first`: a first promotion, which compares nothing; `forced`: no policy was evaluated; `not_yet`: only evidence is missing; `blocked`: something is violated. */
      readonly result: 'blocked' | 'first' | 'forced' | 'not_yet' | 'passed'
      /** Who requested it. */ readonly actor: string
      /** When it was recorded. */ readonly created_at: string
      /** Present, and true, if it was forced: no policy was evaluated, and the pointer moved. */ readonly forced?: true | undefined
      /** Present, and true, if it was forced and somebody has reviewed it since. */ readonly reviewed?: true | undefined
    } | null
    /** The release registered last with this environment; null if none was. */ readonly newest_release: {
      /** Identifier of the release. */ readonly release_id: string
      /** Its version. */ readonly version: string
      /** When it was registered. */ readonly created_at: string
      /** When it was rolled back here; left out unless the last decision about it was a rollback. */
      readonly rolled_back_at?: string | undefined
      /** Present, and true, if its price table is not imported: a diff would be refused. */ readonly unpriced?: true | undefined
      /** Only if runs of this release can't be decided on; left out if no table is imported. */ readonly unusable?: Unusable | undefined
    } | null
    /** Pending promotion requests. */ readonly pending_requests: number
    /** The answer of GET /v1/places in short, as of the last evaluation. */ readonly place: {
      /** The state; null before the first evaluation. */
      readonly state: 'awaiting_approval' | 'blocked' | 'can_promote' | 'frozen' | 'needs_runs' | 'no_price' | 'quiet' | 'rolling_out' | 'watched' | 'worse' | null
      /** The state and its reason in a sentence. */ readonly headline: string
      /** The next release; never a live one or one that was rolled back. */ readonly candidate: PlaceCandidate | null
      /** The window of the evaluation; null if there is none. */ readonly window: string | null
      /** The caller's possible actions. */ readonly allowed: PlaceAllowed
      /** When it was evaluated last; null if never. */ readonly evaluated_at: string | null
      /** Present, and true, if a policy, price or release changed since then: the next evaluation includes it. */
      readonly outdated?: true | undefined
    }
    /** Why somebody has to see to it, the most harmful first; empty if nobody has. */ readonly concerns: readonly {
      /** The state of the place; or a watch that regressed, a stopped rollout, a release that is refused, a pending request, or a model of the live release that ends within 30 days. */
      readonly kind: 'awaiting_approval' | 'blocked' | 'model_retires' | 'needs_runs' | 'no_price' | 'regressed' | 'request' | 'rollout_aborted' | 'rollout_paused' | 'rollout_request' | 'unusable' | 'worse'
      /** The reason in a sentence. */ readonly reason: string
      /** The watch, rollout, request or release that it is about; left out without one. */ readonly id?: string | undefined
    }[]
  }[]
}

/** The files of a bundle by their paths, relative to its root: hash, length, and the text if it is to be stored. */
export type BundleFiles = Readonly<Record<string, {
  /** SHA-256 of the file as the checksum of the bundle reads it: text with LF line ends. */ readonly sha256: string
  /** Its length in bytes, in the same form. */ readonly bytes: number
  /** Its text; left out if it is not to be stored. */ readonly text?: string | null | undefined
}>>

/** Tries of cases of an evaluation. Texts of inputs and answers are not accepted. */
export type CaseTries = readonly {
  /** Identifies the case, in every evaluation. Either this or input_sha256. */ readonly id?: string | null | undefined
  /** SHA-256 of the input of a case without an id, in hex. The ledger keeps a keyed hash of it. */
  readonly input_sha256?: string | null | undefined
  /** Number of the try. */ readonly epoch?: number | undefined
  /** Its scores by name. */ readonly scores?: Readonly<Record<string, number>> | undefined
  /** Whether it passed: the score pass_rate. */ readonly passed?: boolean | null | undefined
  /** Whether a human says that it passes. */ readonly human_passed?: boolean | null | undefined
  /** A group of dependent cases, such as a conversation. */ readonly cluster?: string | null | undefined
  /** Tags of the case. */ readonly tags?: readonly string[] | null | undefined
  /** How long it took, ms. */ readonly duration_ms?: number | null | undefined
  /** Tokens that it used. */ readonly tokens?: number | null | undefined
  /** What it cost, USD. */ readonly cost_usd?: number | null | undefined
  /** Its trace. */ readonly trace_id?: string | null | undefined
}[]

/** The proof that the audit log only grew since it had `from` entries. */
export interface Consistency {
  /** Entries then. */ readonly from: number
  /** The root hash of those entries, as the log has them now; compare it with that of your checkpoint. */ readonly from_root_hash: string
  /** The checkpoint as text (C2SP tlog-checkpoint); a signed note if the server has a key (SERVICE_SIGNING_KEY). */ readonly note: string
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
    /** Actions by kind. */ readonly actions_by_action: Readonly<Record<string, number>>
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
  /** The secret that signs deliveries. */ readonly secret: string
}

/** The webhook and its deliveries were removed. */
export interface DeletedWebhook {
  /** Identifier of the webhook. */ readonly webhook_id: string
  /** Always true. */ readonly deleted: true
}

/** One payload for one receiver, and its state. */
export interface Delivery {
  /** UUID of the delivery, the same at every attempt and replay. */ readonly delivery_id: string
  /** The webhook. */ readonly webhook_id: string
  /** The event. */
  readonly event: 'capabilities.violated' | 'promote.blocked' | 'promote.succeeded' | 'promotion.requested' | 'rollback.forced' | 'rollback.succeeded' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.resumed' | 'rollout.started' | 'test.ping' | 'watch.inconclusive' | 'watch.passed' | 'watch.regressed' | 'watch.rollback_blocked'
  /** pending until the receiver accepted it or three attempts failed. */ readonly status: 'delivered' | 'failed' | 'pending'
  /** Attempts that ended, since the last replay. */ readonly attempts: number
  /** When the event happened. */ readonly created_at: string
  /** Earliest time of the next attempt; null if none follows. */ readonly next_attempt_at: string | null
  /** When the last attempt ended. */ readonly last_attempt_at: string | null
  /** HTTP status of the last answer; null if none came. */ readonly response_code: number | null
  /** How long the last attempt took. */ readonly duration_ms: number | null
  /** First 200 characters of the last answer. */ readonly response_text: string | null
  /** Why the last attempt failed; null if it succeeded. */ readonly problem: string | null
  /** The payload, as JSON; only on request. A chat gets a message that is made from it. */ readonly payload?: string | undefined
}

/** Webhook deliveries, newest first. */
export interface DeliveryList {
  /** The deliveries. */ readonly deliveries: readonly Delivery[]
}

/** The difference of two releases, split by groups of runs. */
export interface DiffGroups {
  /** The window of the request. */ readonly window: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive: the server clock when the request came. */ readonly until: string
  /** Only if run events at the ends of the window were pruned or erased, or are stored as sums: the counted window, in whole minutes, in steps of ten if percentiles are read, or in hours if sums are by the hour. It ends when both releases are complete. For sequential intervals it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
  /** Which events were compared. */ readonly filters: EventFilters
  /** What runs are grouped by. */ readonly by: 'error' | 'model' | 'task' | 'tenant'
  /** What is compared. */ readonly metric: 'cost_per_run_usd' | 'error_rate' | 'latency_ms'
  /** Candidate's mean minus the baseline's, in the metric's unit; null if a release has no runs. */ readonly difference: number | null
  /** Part of the difference from changes within groups. */ readonly rate: number | null
  /** Part of the difference from the groups' shares of the runs. The parts add up to the difference. */ readonly mix: number | null
  /** Whether more of the difference comes from who sent runs than from what changed for them. */ readonly mix_outweighs_rate: boolean
  /** The groups, largest contribution first. */ readonly groups: readonly {
    /** The tenant, task, model or type of error; null for the rest, groups that are too small. */ readonly key: string | null
    /** Runs of the baseline. */ readonly baseline_runs: number
    /** Runs of the candidate. */ readonly candidate_runs: number
    /** Mean of the baseline; null without runs. */ readonly baseline_mean: number | null
    /** Mean of the candidate; null without runs. */ readonly candidate_mean: number | null
    /** Candidate minus baseline, with an interval so wide that all groups' intervals together miss in 5 % of cases; null if a release has too few runs. */
    readonly difference: Estimate | null
    /** The group's own change, times its share of the runs. */ readonly rate: number
    /** What the change of its share contributes. */ readonly mix: number
    /** Whether the interval excludes 0. */ readonly is_changed: boolean
    /** Its share of the difference; null if that is under 0.05 %, or unknown. */ readonly share: number | null
  }[]
  /** The group that at least half of the difference comes from; null without one. */ readonly main: {
    /** The group. */ readonly key: string
    /** Its share of the difference. */ readonly share: number
  } | null
  /** How many groups there are; the 1,000 with the most runs are listed, the others are combined. */ readonly groups_total: number
  /** How many groups are in the rest, because they have under 50 runs or there are too many. */ readonly merged_groups: number
  /** Warnings about these figures. */ readonly warnings: readonly string[]
}

/** Two releases of one agent, compared over a half-open window [since, until). */
export interface DiffReport {
  /** The window of the request. */ readonly window: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive: the server clock when the request came. */ readonly until: string
  /** Only if run events at the ends of the window were pruned or erased, or are stored as sums: the counted window, in whole minutes, in steps of ten if percentiles are read, or in hours if sums are by the hour. It ends when both releases are complete. For sequential intervals it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
  /** What the comparison may lack, because it was pruned or erased; never changes the verdict. */
  readonly warnings?: readonly string[] | undefined
  /** Which events were compared. */ readonly filters: EventFilters
  /** The prices of both releases. */ readonly pricing: {
    /** Provider of the baseline's price table. */ readonly baseline_provider: string
    /** Version of the baseline's price table. */ readonly baseline_version: string
    /** The baseline's model. */ readonly baseline_model: string
    /** Provider of the candidate's price table. */ readonly candidate_provider: string
    /** Version of the candidate's price table. */ readonly candidate_version: string
    /** The candidate's model. */ readonly candidate_model: string
    /** Whether provider, version or model differ between the releases. */ readonly pricing_or_model_changed: boolean
    /** Rates of the releases' own models, USD per 1,000 tokens; null if there is none. */ readonly prices: {
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
    /** Warnings about the prices; they never change the verdict. */ readonly warnings: readonly string[]
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
  /** The change in a sentence: what is proven worse or better and by how much, what is unchanged, and what is not proven. */
  readonly summary?: string | undefined
  /** The samples. */ readonly samples: {
    /** Events of the baseline in the window. */ readonly baseline_runs: number
    /** Events of the candidate in the window. */ readonly candidate_runs: number
    /** HIGH, MEDIUM or LOW, by the number of runs alone. */ readonly confidence: 'HIGH' | 'LOW' | 'MEDIUM'
    /** What is missing for HIGH; null if nothing is. */ readonly confidence_reason: string | null
    /** Runs of the baseline that cost and token means count; absent if all usage is complete. */
    readonly baseline_cost_runs?: number | undefined
    /** Runs of the candidate that cost and token means count. */ readonly candidate_cost_runs?: number | undefined
  }
  /** How fast both releases gain runs. */ readonly traffic?: {
    /** Runs of the baseline per hour, from its first to its last run in the window; 0 if none came in the last day, null without runs. */
    readonly baseline_runs_per_hour: number | null
    /** Runs of the candidate per hour, in the same way. */ readonly candidate_runs_per_hour: number | null
  } | undefined
  /** Means over the events of each release, and candidate minus baseline. */ readonly metrics: ComparedMetrics
  /** How sure the differences are: intervals, verdicts, and what these runs can prove. */ readonly statistics: ComparedStatistics
  /** The difference of capabilities; left out if they are equal. */ readonly capabilities?: PowerDifference | undefined
  /** Names of the tenants and tasks whose ids the statistics mention; left out if there are none, or the caller may not read. */
  readonly segments?: readonly {
    /** The id. */ readonly id: number
    /** Whether it is a tenant or a task. */ readonly kind: 'task' | 'tenant'
    /** Its name; null if it was erased. */ readonly name: string | null
  }[] | undefined
  /** The cases that `statistics.suites` lists; left out if it lists none. */ readonly cases?: readonly NamedCase[] | undefined
  /** The candidate's result by the policy in force. */ readonly policy: PolicyVerdict
  /** State and limits as in GET /v1/places; left out unless requested. */ readonly judged?: {
    /** blocked, needs_runs or can_promote. */
    readonly state: 'awaiting_approval' | 'blocked' | 'can_promote' | 'frozen' | 'needs_runs' | 'no_price' | 'quiet' | 'rolling_out' | 'watched' | 'worse'
    /** The state and its reason in a sentence. */ readonly headline: string
    /** The limits, with what was measured. */ readonly rows: readonly PlaceRow[]
  } | undefined
  /** The resolved overrides of the policy; left out if it has none. */ readonly policy_scope?: PolicyScope | undefined
}

/** Read-only checks of the ledger. */
export interface DoctorReport {
  /** Whether every check passed. */ readonly ok: boolean
  /** The checks. */ readonly checks: readonly {
    /** Name of the check. */ readonly name: string
    /** Whether it passed. */ readonly ok: boolean
    /** What was found. */ readonly detail: string
    /** Present, and true, if the ledger is in order but something threatens it. */ readonly warning?: true | undefined
  }[]
}

/** The session has ended. */
export interface EndedSession {
  /** How many sessions were ended: 0 if nobody was signed in. */ readonly ended: number
  /** The sign-out address of the identity provider; null if it has none. */ readonly provider_url?: string | null | undefined
}

/** The problem, in words. */
export interface ErrorText {
  /** The sentence to show. */ readonly detail: string
}

/** Run events to store, in order. */
export interface Events {
  /** At least one. */ readonly events: readonly RunEvent[]
  /** Runs that a recorder left out since its last request, by release and environment. */ readonly dropped?: readonly {
    /** Release of the runs. */ readonly release_id: string
    /** Environment of the runs. */ readonly environment: string
    /** How many. */ readonly runs: number
  }[] | undefined
}

/** A decision of the trail, decided again from its evidence alone. */
export interface Explanation {
  /** Identifier of the action. */ readonly action_id: string
  /** Number in the trail. */ readonly audit_seq: number
  /** The kind of decision. */ readonly action: 'promote' | 'rollback'
  /** The release promoted or rolled back to. */ readonly release_id: string
  /** The release's agent. */ readonly agent_id: string
  /** The environment of the pointer. */ readonly environment: string
  /** The live release before; null for a first promotion. */ readonly baseline_release_id: string | null
  /** When it was recorded. */ readonly created_at: string
  /** The events that were counted. */ readonly window: {
    /** As requested. */ readonly text: string
    /** Start, inclusive. */ readonly since: string
    /** End, exclusive. */ readonly until: string
  }
  /** Only if run events at the ends of the window were pruned or erased, or are stored as sums: the counted window, in whole minutes, in steps of ten if percentiles are read, or in hours if sums are by the hour. It ends when both releases are complete. For sequential intervals it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
  /** When it was evaluated. */ readonly evaluated_at: string
  /** The version of the rules that decided; the replay uses the same. */ readonly rules_version: number
  /** The policy of this replay. */ readonly policy_id: string
  /** Whether it is the recorded policy or the given one. */ readonly by: 'policy' | 'record'
  /** The resolved overrides of the policy; left out if it has none. */ readonly policy_scope?: PolicyScope | undefined
  /** Each limit of the policy, then promotes_from and freezes; empty if only a first promotion was decided. */ readonly limits: readonly {
    /** The key of the policy or of service.yaml. */ readonly policy_key: string
    /** The limited metric. */ readonly metric: string
    /** The compared value; null without data. */ readonly value: number | string | null
    /** The limit. */ readonly limit: number | string | null
    /** Lower end of the interval; null if there is none, as for limits on a mean. */ readonly low: number | null
    /** Upper end of the interval. */ readonly high: number | null
    /** Runs of the baseline; null for limits that are not about runs. */ readonly baseline_runs: number | null
    /** Runs of the candidate. */ readonly candidate_runs: number | null
    /** Within the limit, beyond it, neither by its interval, without data, or unknown from the evidence. */
    readonly verdict: 'fail' | 'inconclusive' | 'pass' | 'unknown' | 'unmeasured'
    /** Whether it lets the release pass; null if the evidence is not enough. */ readonly passed: boolean | null
    /** Why not, as a reason says it; null if it passes. */ readonly why: string | null
  }[]
  /** What changed, in a sentence; left out if nothing was evaluated. */ readonly summary?: string | undefined
  /** The recorded result. */ readonly recorded: RecordedVerdict
  /** The result of the replay. */ readonly replayed: ReplayedVerdict
  /** Whether both are equal: verdict and reasons; with another policy the verdict alone. */ readonly equal: boolean
}

/** The promoted release as the value of a flag (OpenFeature Remote Evaluation Protocol). */
export interface Flag {
  /** The agent. */ readonly key: string
  /** The promoted release. */ readonly value: string
  /** `STATIC`: it is the same for everybody. `SPLIT`: a rollout chose it by the targetingKey. `DEFAULT`: a rollout runs, and the request has no targetingKey. */
  readonly reason: string
  /** The version of the release. */ readonly variant: string
  /** Only if a rollout chose it. */ readonly metadata?: {
    /** The rollout. */ readonly rollout_id: string
    /** Baseline or candidate. */ readonly arm: 'baseline' | 'candidate'
    /** For a rollout by user: send it as assignment.unit of the run event. */ readonly unit?: string | undefined
  } | undefined
}

/** Why there is no value. */
export interface FlagError {
  /** The agent. */ readonly key: string
  /** `FLAG_NOT_FOUND`, `PARSE_ERROR` or `INVALID_CONTEXT`. */ readonly errorCode: string
  /** The same as a sentence. */ readonly errorDetails: string
}

/** The context of a flag. */
export interface FlagQuestion {
  /** `environment`: default the workspace's. `targetingKey`: the session, tenant or user that a rollout assigns by. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
}

/** All promoted releases of an environment as flags (OpenFeature Remote Evaluation Protocol). */
export interface Flags {
  /** A flag per agent with a live release there. */ readonly flags: readonly Flag[]
  /** A stream that announces changed values, on the same origin. Absent if the runtime has no streams. */
  readonly eventStreams?: readonly {
    /** Server-sent events. */ readonly type: 'sse'
    /** Its origin. */ readonly endpoint: {
      /** The path and the query. */ readonly requestUri: string
    }
  }[] | undefined
}

/** Why there are no values. */
export interface FlagsError {
  /** `PARSE_ERROR` or `INVALID_CONTEXT`. */ readonly errorCode: string
  /** The same as a sentence. */ readonly errorDetails: string
}

/** Runs of any release that an identifier belongs to, newest first. */
export interface FoundRuns {
  /** The searched identifier. */ readonly id: string
  /** Start of the window for traces, sessions and spans, inclusive. */ readonly since: string
  /** End of that window, exclusive. */ readonly until: string
  /** Whether more runs match. */ readonly truncated: boolean
  /** The runs; empty where the identifier is unknown. */ readonly runs: readonly {
    /** Its kind of identifier. */ readonly matched_by: 'run' | 'session' | 'span' | 'trace'
    /** The event, with all defaults applied. */ readonly event: StoredEvent
  }[]
}

/** The verdict of the policy in force on a release. Nothing was written. */
export interface Gate {
  /** `pass`; `block` if a limit is violated; `inconclusive` if only confidence or evidence is missing. */
  readonly verdict: 'block' | 'inconclusive' | 'pass'
  /** Whether the verdict is `pass`. */ readonly passed: boolean
  /** `passed`; `first`: a first promotion, which compares nothing; `forced`: no policy was evaluated; `not_yet`: only evidence is missing; `blocked`: something is violated. */
  readonly result: 'blocked' | 'first' | 'forced' | 'not_yet' | 'passed'
  /** Why it does not pass, one per failed constraint; or why nothing was compared. */ readonly reasons: readonly string[]
  /** Warnings; they change no verdict. */ readonly warnings: readonly string[]
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The release to judge. */ readonly release_id: string
  /** Its version. */ readonly version: string
  /** The release to compare with; null if none is live. */ readonly baseline_release_id: string | null
  /** Its version. */ readonly baseline_version: string | null
  /** The window of the request. */ readonly window: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive. */ readonly until: string
  /** Only if run events at the ends of the window were pruned or erased, or are stored as sums: the counted window, in whole minutes, in steps of ten if percentiles are read, or in hours if sums are by the hour. It ends when both releases are complete. For sequential intervals it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
  /** The confidence of the samples; null if nothing was compared. */ readonly confidence: 'HIGH' | 'LOW' | 'MEDIUM' | null
  /** What is missing for HIGH; null if nothing is. */ readonly confidence_reason: string | null
  /** Runs that were compared; null if none were. */ readonly samples: {
    /** Runs of the baseline in the window. */ readonly baseline_runs: number
    /** Runs of the release in the window. */ readonly candidate_runs: number
  } | null
  /** What changed, in a sentence; left out if nothing was compared. */ readonly summary?: string | undefined
  /** Both releases and their differences, as in a diff; null if nothing was compared. */ readonly metrics: ComparedMetrics | null
  /** How sure the differences are, as in a diff; null if nothing was compared. */ readonly statistics: ComparedStatistics | null
  /** The cases that `statistics.suites` lists; left out if it lists none. */ readonly cases?: readonly NamedCase[] | undefined
  /** The limits of the policy that are on. */ readonly limits: readonly {
    /** The policy's key. */ readonly policy_key: string
    /** The limited metric. */ readonly metric: string
    /** The limit: USD, milliseconds, or a fraction. */ readonly limit: number
  }[]
  /** What would decide it; only for the verdict `inconclusive`. */ readonly missing_evidence?: MissingEvidence | undefined
  /** The difference of capabilities; left out if they are equal. */ readonly capabilities?: PowerDifference | undefined
  /** When it was evaluated. */ readonly evaluated_at: string
}

/** The server is up. */
export interface Health {
  /** Always ok. */ readonly status: 'ok'
  /** Who may change things: callers from this machine, or callers with a token. */ readonly mutation_auth: 'bearer' | 'loopback'
  /** Who may read: everybody, or callers with a token. */ readonly read_auth: 'bearer' | 'open'
}

/** The outcome of the events of a request. */
export interface IngestResult {
  /** Newly written events. */ readonly inserted: number
  /** Events that were not written: their run_id is stored already, they were erased, or their time was pruned; left out if there are none. */
  readonly skipped?: number | undefined
  /** Sources of aggregates for the days of skipped events; left out if there are none. */ readonly fed_by?: readonly string[] | undefined
  /** Dropped fields, unregistered releases, and skipped events that differ from the stored ones; left out if there are none. */
  readonly warnings?: readonly string[] | undefined
}

/** Live releases, checked by their newest runs. This blocks nothing and rolls nothing back. */
export interface LivePlaces {
  /** The live releases, by agent and environment. */ readonly live: readonly {
    /** The agent. */ readonly agent_id: string
    /** Where it is live. */ readonly environment: string
    /** The release that is live. */ readonly release_id: string
    /** Its version. */ readonly version: string
    /** The live release before it; null if there was none, or a rollback brought it back. */ readonly previous_release_id: string | null
    /** worse: a limit is proven to be broken. silent: runs stopped arriving. other_model: an undeclared model answers. nothing_found: no finding. no_runs: no runs in the last day. no_limits: the policy has no limit on a single release. */
    readonly state: 'no_limits' | 'no_runs' | 'nothing_found' | 'other_model' | 'silent' | 'worse'
    /** Runs of the last hour. */ readonly runs_last_hour: number
    /** Runs of the last 24 hours. */ readonly runs_last_day: number
    /** Limits that are proven to be broken; empty unless the state is worse. */ readonly broken: readonly {
      /** The key of the policy. */
      readonly limit_key: 'max_cost_increase_pct' | 'max_cost_per_run_usd' | 'max_error_rate' | 'max_error_rate_increase' | 'max_latency_increase_pct' | 'max_latency_ms'
      /** The limit: USD, milliseconds or a fraction; for a rate a difference. */ readonly limit: number
      /** The age of the runs that prove it, in minutes. */ readonly minutes: number
      /** How many runs prove it. */ readonly runs: number
      /** Their mean cost or latency, or their share of failures; for a limit on a change the rise against the release before. */
      readonly value: number
      /** The least true value: by a bound that is wrong in 1 of 500 checks at most; for a change by a bound that is valid at all checks. */
      readonly at_least: number
      /** The same as a sentence. */ readonly text: string
    }[]
    /** Runs that stopped arriving; null if they still arrive. */ readonly silence: {
      /** Hours back from now without runs. */ readonly hours: number
      /** Earlier days with runs in the same hours: weekdays, or days of weekends. */ readonly days: number
      /** Runs of these hours on such a day, on average. */ readonly usual_runs: number
      /** The same as a sentence. */ readonly text: string
    } | null
    /** The undeclared model with most runs; null if no model has enough. */ readonly other_model: {
      /** Its name; empty if there are too many names. */ readonly model: string
      /** How many runs it answered. */ readonly runs: number
      /** Out of how many runs. */ readonly of: number
      /** Hours back from now: 1, or 24 if the last hour has few runs. */ readonly hours: number
      /** The finding as a sentence. */ readonly text: string
    } | null
    /** What was not checked, and why. */ readonly not_checked: readonly string[]
  }[]
  /** The time of the oldest check, up to a minute ago. */ readonly judged_at: string
  /** Whether there are more than the limit. */ readonly truncated: boolean
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

/** A google.rpc.Status, the form of errors in OTLP. */
export interface OtlpStatus {
  /** The error. */ readonly message: string
  /** The error again, under the name that it has in other answers. */ readonly detail: string
}

/** An ExportTraceServiceRequest of OpenTelemetry (OTLP 1.10), as exporters send it. */
export interface OtlpTraces {
  /** Spans, by what emitted them. */ readonly resourceSpans?: readonly (Readonly<Record<string, unknown>>)[] | null | undefined
}

/** An ExportTraceServiceResponse: empty where every span with tokens became part of a run, or of one that is stored. */
export interface OtlpTracesAnswer {
  /** Spans that made no run, spans that wait, and warnings. Don't send any of them again. */ readonly partialSuccess?: {
    /** How many spans are refused, as text: OTLP writes 64-bit numbers as text. 0 if there are none. */ readonly rejectedSpans: string
    /** Why, with how many for each reason. */ readonly errorMessage: string
  } | undefined
}

/** The outcome of a promotion or rollback. */
export interface Outcome {
  /** The recorded action; null for a dry run. */ readonly action_id: string | null
  /** The kind of decision. */ readonly action: 'promote' | 'rollback'
  /** The release to make live. */ readonly release_id: string
  /** Its version; absent in old records. */ readonly version?: string | undefined
  /** The release's agent. */ readonly agent_id: string
  /** The environment of the pointer. */ readonly environment: string
  /** The live release before; null if there was none. */ readonly baseline_release_id: string | null
  /** Its version; absent in old records. */ readonly baseline_version?: string | null | undefined
  /** Whether the live release changed. */ readonly promoted_pointer_changed: boolean
  /** What the policy said. */ readonly policy: PolicyVerdict
  /** Present at a confirmation, if approvals are required: what changed since the request. */
  readonly since_request?: SinceRequest | undefined
  /** Only in the answer to a confirmation: earlier confirmations that no longer count, each with the reason, and names of other people that look like yours. */
  readonly warnings?: readonly string[] | undefined
  /** Present, and true, if it was forced: no policy was evaluated. */ readonly forced?: true | undefined
  /** Present, and true, on a dry run: nothing was written. */ readonly dry_run?: boolean | undefined
  /** Only if the policy blocked for confidence: what is missing for HIGH. */ readonly missing_for_high?: MissingForHigh | undefined
  /** Only of a rollback that left out runs (exclude_unusable): these runs, by release. */ readonly left_out?: {
    /** Runs of the live release; absent if none were left out. */ readonly baseline?: LeftOutRuns | undefined
    /** Runs of the release to roll back to; absent if none were left out. */ readonly candidate?: LeftOutRuns | undefined
  } | undefined
  /** The resolved overrides of the policy; left out if it has none. */ readonly policy_scope?: PolicyScope | undefined
  /** Only if the policy watches promotions: the watch of this one. */ readonly watch_id?: string | undefined
  /** Only if run events at the ends of the window were pruned or erased, or are stored as sums: the counted window, in whole minutes, in steps of ten if percentiles are read, or in hours if sums are by the hour. It ends when both releases are complete. For sequential intervals it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
}

/** The live release of an agent in an environment, the next one, and whether it can be promoted. */
export interface PlaceAnswer {
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The first of these that applies. worse: the live release breaks a limit. frozen: a freeze is in force. rolling_out, awaiting_approval: a rollout or a request is open. no_price: the candidate has no price table. blocked: the policy refuses it, or nothing can be compared. needs_runs: too little evidence. can_promote: it passes. watched: a watch runs. quiet: there is no candidate. */
  readonly state: 'awaiting_approval' | 'blocked' | 'can_promote' | 'frozen' | 'needs_runs' | 'no_price' | 'quiet' | 'rolling_out' | 'watched' | 'worse'
  /** The state and its reason in a sentence. */ readonly headline: string
  /** The live release; null if there is none. */ readonly live: {
    /** The release. */ readonly release_id: string
    /** Its version; null if it is not registered. */ readonly version: string | null
    /** Since when. */ readonly since: string | null
    /** Who chose it. */ readonly by: string | null
    /** Why, in the words of who chose it. */ readonly reason: string | null
    /** The live release before its promotion; a rollback to it does not change that. Null if there was none. */
    readonly before: string | null
    /** What was live here earlier, by the last 200 changes, newest first. */ readonly earlier: readonly {
      /** The release. */ readonly release_id: string
      /** Whether a rollback replaced it. */ readonly rolled_back: boolean
    }[]
    /** Its runs of the last hour. */ readonly runs_last_hour: number
    /** Its runs of the last 24 hours. */ readonly runs_last_day: number
    /** What was not checked in its runs, and why. */ readonly not_checked: readonly string[]
  } | null
  /** The next release; never a live one or one that was rolled back. */ readonly candidate: PlaceCandidate | null
  /** Why there is no candidate; null if there is one. */ readonly why_none: string | null
  /** The limits of the policy, with the measured values; empty if nothing was compared. */ readonly rows: readonly PlaceRow[]
  /** Why the candidate does not pass. */ readonly reasons: readonly string[]
  /** Warnings; they change no verdict. */ readonly warnings: readonly string[]
  /** The window of the comparison; null if nothing was compared. */ readonly window: string | null
  /** Start of the window, inclusive. */ readonly since: string | null
  /** End of the window, exclusive. */ readonly until: string | null
  /** The caller's possible actions. */ readonly allowed: PlaceAllowed
  /** The rollout that is open; null without one. */ readonly rollout: {
    /** Identifier of the rollout. */ readonly rollout_id: string
    /** The release that is rolled out. */ readonly candidate_release_id: string
    /** Whether it runs or is paused. */ readonly state: 'paused' | 'running'
    /** Share of the units that get the candidate; null if nothing is split. */ readonly share: number | null
  } | null
  /** The newest pending promotion request; null without one. */ readonly request: {
    /** Identifier of the request. */ readonly request_id: string
    /** The release to promote. */ readonly release_id: string
    /** Its window. */ readonly window: string
    /** Who requested it. */ readonly actor: string
    /** Why, in the words of the requester. */ readonly reason: string
    /** When it was requested. */ readonly created_at: string
  } | null
  /** The watch that runs; null without one. */ readonly watch: {
    /** Identifier of the watch. */ readonly watch_id: string
    /** The release that is watched. */ readonly release_id: string
    /** When it ends. */ readonly ends_at: string
  } | null
  /** The freeze that is in force; null without one. */ readonly freeze: {
    /** Its end, as in service.yaml. */ readonly until: string
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
    /** The kind of unit: session, tenant, or user. */ readonly by: 'session' | 'tenant' | 'user'
    /** Share of the units that get the candidate, a fraction. */ readonly share: number
    /** The release of the other units. */ readonly baseline: ArmRelease
    /** Their release. */ readonly candidate: ArmRelease
    /** For how many seconds from its receipt the split is valid. A caller that can't read it again by then serves release_id alone; a 304 renews it. */
    readonly lease_s: number
    /** Only for rollouts by user: the unit is HMAC-SHA-256 of the user under this key, in hex; send it as assignment.unit of the run event. */
    readonly assignment_key?: string | undefined
  } | undefined
}

/** What a candidate must meet to be promoted. A limit of null is off. */
export interface Policy {
  /** Name of the policy; the one that was set last counts. */ readonly policy_id?: string | undefined
  /** Highest mean cost per run, USD. */ readonly max_cost_per_run_usd?: number | null | undefined
  /** Highest mean latency, milliseconds. */ readonly max_latency_ms?: number | null | undefined
  /** Highest share of failed runs, 0 to 1. */ readonly max_error_rate?: number | null | undefined
  /** Candidate runs for HIGH confidence; null: the workspace's value, 0: no minimum. */
  readonly min_candidate_runs?: number | null | undefined
  /** Baseline runs for HIGH confidence; null: the workspace's value, 0: no minimum. */
  readonly min_baseline_runs?: number | null | undefined
  /** Runs below which confidence is LOW; null: the workspace's value, 0: no minimum. */ readonly min_low_runs?: number | null | undefined
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
  /** Largest rise of the mean cost per run for any tenant or task, a fraction. Blocks only a proven larger rise. */
  readonly max_segment_cost_increase_pct?: number | null | undefined
  /** Largest rise of the mean latency for any tenant or task, a fraction. Blocks only a proven larger rise. */
  readonly max_segment_latency_increase_pct?: number | null | undefined
  /** Largest rise of the error rate for any tenant or task: 0.02 is two points. Blocks only a proven larger rise. */
  readonly max_segment_error_rate_increase?: number | null | undefined
  /** Largest rise of the mean number of tool calls per run, a fraction. Decided by its interval. */
  readonly max_tool_calls_increase_pct?: number | null | undefined
  /** Lowest mean of scores of the candidate, by name: of its runs, or SUITE/NAME of an evaluation. Decided by its interval; without data it blocks. */
  readonly min_scores?: Readonly<Record<string, number>> | null | undefined
  /** Largest fall of the mean of scores, in their unit, by the same names. Decided by its interval; without data it blocks. */
  readonly max_score_drop?: Readonly<Record<string, number>> | null | undefined
  /** Requirements on the newest imports of evaluations, by suite. A suite that was never imported for the candidate blocks. Applies to promotions and gates. */
  readonly suites?: Readonly<Record<string, SuiteRules>> | null | undefined
  /** Further limits for rollbacks, in addition to the absolute limits on cost, latency and errors and the confidence; decided over the whole window. Default: none. */
  readonly on_rollback?: readonly ('max_cost_increase_pct' | 'max_error_rate_increase' | 'max_latency_increase_pct' | 'max_latency_p90_ms' | 'max_latency_p95_ms' | 'max_latency_p99_ms' | 'max_score_drop' | 'max_tool_calls_increase_pct' | 'max_ttft_increase_pct' | 'max_ttft_ms' | 'max_ttft_p90_ms' | 'max_ttft_p95_ms' | 'max_ttft_p99_ms' | 'min_scores')[] | undefined
  /** Effect of a limit if its interval is neither within nor beyond it. */
  readonly on_inconclusive?: 'block' | 'estimate' | 'pass' | undefined
  /** Whether intervals stay valid for any number of checks; for gates that are polled. */ readonly sequential?: boolean | undefined
  /** What limits on a change compare: `time`, the blocks of time in which both releases ran, else the same hours of earlier days; `tenant` or `task`, each tenant or task of both with itself; or `window`, all runs of the window, for test runs. */
  readonly compare_by?: 'task' | 'tenant' | 'time' | 'window' | undefined
  /** The clusters of dependent runs, which widen intervals: `time`, blocks of it; `session` or `tenant`, of up to 10,000 compared runs per release. By tenant or task each of these is one unit already. */
  readonly cluster_by?: 'session' | 'tenant' | 'time' | undefined
  /** Runs of models without a price, other than the release's own model: exclude leaves them out of the cost, with a warning. */
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
    /** The agents: an exact name, or a prefix and one *; left out for all. */ readonly agent_id?: string | undefined
    /** The environments, in the same way. */ readonly environment?: string | undefined
    /** Highest mean cost per run, USD. */ readonly max_cost_per_run_usd?: number | null | undefined
    /** Highest mean latency, milliseconds. */ readonly max_latency_ms?: number | null | undefined
    /** Highest share of failed runs, 0 to 1. */ readonly max_error_rate?: number | null | undefined
    /** Candidate runs for HIGH confidence; null: the workspace's value, 0: no minimum. */
    readonly min_candidate_runs?: number | null | undefined
    /** Baseline runs for HIGH confidence; null: the workspace's value, 0: no minimum. */
    readonly min_baseline_runs?: number | null | undefined
    /** Runs below which confidence is LOW; null: the workspace's value, 0: no minimum. */ readonly min_low_runs?: number | null | undefined
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
    /** Largest rise of the mean cost per run for any tenant or task, a fraction. Blocks only a proven larger rise. */
    readonly max_segment_cost_increase_pct?: number | null | undefined
    /** Largest rise of the mean latency for any tenant or task, a fraction. Blocks only a proven larger rise. */
    readonly max_segment_latency_increase_pct?: number | null | undefined
    /** Largest rise of the error rate for any tenant or task: 0.02 is two points. Blocks only a proven larger rise. */
    readonly max_segment_error_rate_increase?: number | null | undefined
    /** Largest rise of the mean number of tool calls per run, a fraction. Decided by its interval. */
    readonly max_tool_calls_increase_pct?: number | null | undefined
    /** Lowest mean of scores of the candidate, by name: of its runs, or SUITE/NAME of an evaluation. Decided by its interval; without data it blocks. */
    readonly min_scores?: Readonly<Record<string, number>> | null | undefined
    /** Largest fall of the mean of scores, in their unit, by the same names. Decided by its interval; without data it blocks. */
    readonly max_score_drop?: Readonly<Record<string, number>> | null | undefined
    /** Requirements on the newest imports of evaluations, by suite. A suite that was never imported for the candidate blocks. Applies to promotions and gates. */
    readonly suites?: Readonly<Record<string, SuiteRules>> | null | undefined
    /** Further limits for rollbacks, in addition to the absolute limits on cost, latency and errors and the confidence; decided over the whole window. Default: none. */
    readonly on_rollback?: readonly ('max_cost_increase_pct' | 'max_error_rate_increase' | 'max_latency_increase_pct' | 'max_latency_p90_ms' | 'max_latency_p95_ms' | 'max_latency_p99_ms' | 'max_score_drop' | 'max_tool_calls_increase_pct' | 'max_ttft_increase_pct' | 'max_ttft_ms' | 'max_ttft_p90_ms' | 'max_ttft_p95_ms' | 'max_ttft_p99_ms' | 'min_scores')[] | undefined
    /** Effect of a limit if its interval is neither within nor beyond it. */
    readonly on_inconclusive?: 'block' | 'estimate' | 'pass' | undefined
    /** Whether intervals stay valid for any number of checks; for gates that are polled. */ readonly sequential?: boolean | undefined
    /** What limits on a change compare: `time`, the blocks of time in which both releases ran, else the same hours of earlier days; `tenant` or `task`, each tenant or task of both with itself; or `window`, all runs of the window, for test runs. */
    readonly compare_by?: 'task' | 'tenant' | 'time' | 'window' | undefined
    /** The clusters of dependent runs, which widen intervals: `time`, blocks of it; `session` or `tenant`, of up to 10,000 compared runs per release. By tenant or task each of these is one unit already. */
    readonly cluster_by?: 'session' | 'tenant' | 'time' | undefined
    /** Runs of models without a price, other than the release's own model: exclude leaves them out of the cost, with a warning. */
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

/** Limits on a change that the traffic of a release can prove. */
export interface PolicyAdvice {
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The release whose runs were counted: by default the live one. */ readonly release_id: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive. */ readonly until: string
  /** Only if run events at the ends of the window were pruned or erased, or are stored as sums: the counted window, in whole minutes, in steps of ten if percentiles are read, or in hours if sums are by the hour. It ends when both releases are complete. For sequential intervals it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
  /** Its runs per day, from its first to its last run in the window. */ readonly runs_per_day: number
  /** Number of limits of the policy in force that must be met at once; the runs are planned for all of them. */
  readonly limits_at_once?: number | undefined
  /** The metrics that can be limited. */ readonly metrics: readonly {
    /** The metric. */ readonly metric: 'cost_per_run_usd' | 'error_rate' | 'latency_ms'
    /** The policy's key that limits it. */
    readonly policy_key: 'max_cost_increase_pct' | 'max_error_rate_increase' | 'max_latency_increase_pct'
    /** Runs that have it. */ readonly runs: number
    /** Its mean; null without runs. */ readonly mean: number | null
    /** Standard deviation of single runs by mean; null for a rate. */ readonly variation: number | null
    /** How many times more runs are needed because runs at about the same time are similar; null if unknown. */
    readonly design_effect: number | null
    /** Limits, and the runs that prove them. */ readonly limits: readonly {
      /** The limit: of a mean a fraction, of a rate a difference. */ readonly limit: number
      /** Runs of each release with which an unchanged release passes in 80 of 100 cases; null if no number suffices. */
      readonly runs_per_side: number | null
      /** Days for that many runs, if both releases share the traffic; null without traffic. */ readonly days: number | null
    }[]
  }[]
}

/** What a policy would have decided on past actions, from their evidence. Nothing is written. */
export interface PolicyTest {
  /** The policy that was tried. */ readonly policy_id: string
  /** Actions that were checked. */ readonly tested: number
  /** Those of them with another verdict. */ readonly changed: number
  /** Actions whose evidence is not enough. */ readonly unknown: number
  /** Actions without evidence. */ readonly without_evidence: number
  /** Actions with another verdict, or an unknown one, newest first. */ readonly changes: readonly {
    /** Identifier of the action. */ readonly action_id: string
    /** Number in the trail. */ readonly audit_seq: number
    /** The kind of decision. */ readonly action: 'promote' | 'rollback'
    /** The release promoted or rolled back to. */ readonly release_id: string
    /** The release's agent. */ readonly agent_id: string
    /** The environment of the pointer. */ readonly environment: string
    /** The live release before; null for a first promotion. */ readonly baseline_release_id: string | null
    /** When it was recorded. */ readonly created_at: string
    /** The recorded result. */ readonly recorded: RecordedVerdict
    /** The result by this policy. */ readonly draft: ReplayedVerdict
    /** The cause of the difference: the reasons of the policy that blocks, or the unknowns. */ readonly why: readonly string[]
  }[]
  /** Pass it as `after` to get older actions; null if there are none. */ readonly next_after: number | null
  /** The meaning of each limit, such as: cost may rise by up to 20 %. */ readonly limits: readonly string[]
  /** Limits that are likely larger than intended, and overrides for unknown agents and environments, the latter only for callers without limits of their own; left out if there are none. */
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
    /** Age of a bundled table in days; null for others, or if its version has no date. */ readonly age_days: number | null
  }[]
}

/** Prices of the models of one provider, in USD per 1,000 tokens. */
export interface PricingTable {
  /** Matches a release's spec.pricing_reference.provider. */ readonly provider: string
  /** Matches a release's spec.pricing_reference.pricing_version. */ readonly pricing_version: string
  /** One entry per model. */ readonly entries: readonly {
    /** Model name. */ readonly model: string
    /** Other names of the model, such as a deployment; a trailing `*` matches any suffix. A model of its own goes first. */
    readonly aliases?: readonly string[] | null | undefined
    /** USD per 1,000 input tokens. */ readonly input_usd_per_1k_tokens: number
    /** USD per 1,000 output tokens. */ readonly output_usd_per_1k_tokens: number
    /** USD per 1,000 cached input tokens; null leaves cached tokens out of the cost. */
    readonly cached_input_usd_per_1k_tokens?: number | null | undefined
    /** USD per 1,000 input tokens that are written to a cache, in place of the input rate; null charges the input rate. */
    readonly cache_write_input_usd_per_1k_tokens?: number | null | undefined
    /** Day (UTC) on which the provider switches the model off, as in the price list; null if unknown. */
    readonly retires_on?: string | null | undefined
  }[]
  /** The source list of the table, if there is one. */ readonly source?: {
    /** Publisher of the list. */ readonly format: 'genai-prices' | 'litellm'
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

/** A promotion request, pending or settled. */
export interface PromotionRequest {
  /** Identifier of the request. */ readonly request_id: string
  /** Its state. */ readonly status: 'cancelled' | 'completed' | 'pending'
  /** The release to promote. */ readonly release_id: string
  /** The release's agent. */ readonly agent_id: string
  /** The environment of the pointer. */ readonly environment: string
  /** Its window, also at the confirmation. */ readonly window: string
  /** Why, in the words of the requester. */ readonly reason: string
  /** Who requested it. */ readonly actor: string
  /** The name that the caller gave in addition to its token's: a claim. */ readonly claimed_actor?: string | undefined
  /** The person of an identity provider; absent if there is none. */ readonly actor_identity?: Identity | undefined
  /** The live release at the request; null if there was none. */ readonly baseline_release_id: string | null
  /** The release that must be live at each confirmation, as the request said; null for none, left out if the request named none. */
  readonly expected_baseline_release_id?: string | null | undefined
  /** The policy's result at the request. */ readonly policy: PolicyVerdict
  /** When it was requested. */ readonly created_at: string
  /** When it was confirmed or cancelled. */ readonly resolved_at: string | null
  /** Who confirmed or cancelled it. */ readonly resolved_by: string | null
  /** Why it was confirmed or cancelled. */ readonly resolution_reason: string | null
  /** The action that completed it. */ readonly completed_action_id: string | null
  /** Present if it was rejected, or ended because nobody confirmed it in time; its status is cancelled. */
  readonly resolution?: 'expired' | 'rejected' | undefined
  /** When it ends without a confirmation; present if approval_expires is set. */ readonly expires_at?: string | undefined
  /** How many must confirm it; present if more than one. */ readonly approvals_required?: number | undefined
  /** Who confirmed; present if more than one must. */ readonly approvals?: readonly RolloutApproval[] | undefined
  /** Only in the answer to a confirmation: what has changed since the request. */ readonly since_request?: SinceRequest | undefined
  /** Only in the answer to a confirmation: earlier confirmations that no longer count, each with the reason, and names of other people that look like yours. */
  readonly warnings?: readonly string[] | undefined
}

/** Promotion requests, newest first. */
export interface PromotionRequestList {
  /** The requests. */ readonly requests: readonly PromotionRequest[]
}

/** The runs that a comparison lacks for HIGH confidence. */
export interface Reach {
  /** Events of the baseline in the window. */ readonly baseline_runs: number
  /** Events of the candidate in the window. */ readonly candidate_runs: number
  /** Sample sizes in force: the policy's, else the workspace's. */ readonly thresholds: {
    /** Baseline runs for HIGH. */ readonly min_baseline_runs: number
    /** Candidate runs for HIGH. */ readonly min_candidate_runs: number
    /** Runs below which confidence is LOW. */ readonly min_low_runs: number
  }
  /** Missing runs; zeros if there are enough. */ readonly missing_for_high: MissingForHigh
  /** Events of the baseline in the last 60 minutes: the rate at which it gains runs. */ readonly baseline_runs_last_hour: number
  /** Events of the candidate in the last 60 minutes. */ readonly candidate_runs_last_hour: number
  /** Only if run events at the ends of the window were pruned or erased, or are stored as sums: the counted window, in whole minutes, in steps of ten if percentiles are read, or in hours if sums are by the hour. It ends when both releases are complete. For sequential intervals it begins at the first run of the candidate. */
  readonly window_used?: WindowUsed | undefined
}

/** The ledger can be read and, unless the server only reads, written. */
export interface Ready {
  /** Always ready; otherwise the answer is a 503. */ readonly status: 'ready'
  /** Problems with the clock of the server or the database; requests that depend on the time may be refused. */
  readonly warnings?: readonly string[] | undefined
}

/** Rollups and counters were rebuilt. */
export interface Rebuilt {
  /** Days of a release in an environment that were rebuilt. */ readonly days: number
  /** What differed from the raw events and decisions before; at most 20. */ readonly differences: readonly string[]
}

/** Cases of an import that is not finished. */
export interface ReceivedCases {
  /** Identifier of the import: send it with each further part, and to finish it. */ readonly import_id: string
  /** Number of the part. */ readonly part: number
  /** How many tries it has. */ readonly results: number
}

/** The release that was just registered, or an earlier one that is reused. */
export interface Registered extends ReleaseRecord {
  /** Present, and true, if it was registered before: nothing was written. */ readonly reused?: boolean | undefined
  /** Other releases that were registered from the same bundle, newest first. */ readonly same_checksum_as: readonly string[]
  /** Warnings before the release is compared. */ readonly warnings: readonly string[]
}

/** An immutable release artifact: the configuration of an agent. Unknown keys are stored unchanged. */
export interface Release {
  /** Version of this format. */ readonly api_version: 'v1'
  /** Kind of document. */ readonly kind: 'Release'
  /** Names the release. */ readonly metadata: {
    /** Human label. */ readonly name: string
    /** Free-form version. */ readonly version: string
    /** Description of the release. */ readonly description?: string | null | undefined
    /** Who made the release. */ readonly created_by?: string | null | undefined
    /** When the release was made. */ readonly created_at?: string | null | undefined
  }
  /** The agent's configuration. */ readonly spec: {
    /** The agent this is a release of. */ readonly agent: {
      /** Stable across releases of one agent; groups diff, promote and rollback. */ readonly agent_id: string
      /** The agent's entry point. */ readonly entrypoint?: string | null | undefined
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

/** Declared capabilities of a release, and undeclared ones that its runs used. */
export interface ReleaseCapabilities {
  /** The release. */ readonly release_id: string
  /** SHA-256 of the capabilities: equal for two releases with the same capabilities. */ readonly capabilities_sha256: string
  /** Its capabilities, in canonical form. */ readonly capabilities: {
    /** Version of this form. */ readonly capabilities_version: number
    /** Its models: its own, the fallback, further ones. */ readonly models: readonly {
      /** Provider. */ readonly provider: string
      /** Model name. */ readonly model: string
      /** Its field in the artifact. */ readonly role: 'fallback' | 'further' | 'runtime'
    }[]
    /** Its tools; null if the artifact does not name them. */ readonly tools: readonly {
      /** The MCP server that has it; null for a tool of the agent itself. */ readonly server: string | null
      /** Name. */ readonly name: string
      /** Version; null if unknown. */ readonly version: string | null
      /** SHA-256 of its input schema; null if unknown. */ readonly schema_sha256: string | null
      /** Its effects; null if unknown. */ readonly effects: readonly ('reads' | 'sends' | 'spends' | 'writes')[] | null
      /** Its permissions; null if unknown. */ readonly scopes: readonly string[] | null
    }[] | null
    /** Its MCP servers. */ readonly mcp_servers: readonly {
      /** Name. */ readonly name: string
      /** Version; null if unknown. */ readonly version: string | null
    }[]
    /** Agents that it may hand work to. */ readonly agents: readonly {
      /** Name. */ readonly agent_id: string
      /** Version; null if unknown. */ readonly version: string | null
    }[]
  }
  /** Contradictions in the artifact, and parts of it that can't be read. */ readonly warnings: readonly string[]
  /** Undeclared tools that runs called, and undeclared models that answered: those with most calls, at most 100. */
  readonly undeclared: readonly {
    /** Where. */ readonly environment: string
    /** Tool or model. */ readonly kind: 'model' | 'tool'
    /** Its name, cut after 200 characters; empty for all names after the first 200. */ readonly name: string
    /** Runs with such a call. */ readonly runs: number
    /** Calls; for models, runs. */ readonly calls: number
    /** The hour of the first one. */ readonly first_hour: string
    /** The hour of the last one. */ readonly last_hour: string
  }[]
  /** How many further names there are. */ readonly more_undeclared: number
}

/** A registered release with its artifact. */
export interface ReleaseDetail extends ReleaseRecord {
  /** The release.yaml, as it was registered. */ readonly artifact_json: Readonly<Record<string, unknown>>
  /** Environments with runs of it; only on request. */ readonly run_environments?: readonly string[] | undefined
}

/** The files of a release's bundle, as its registration named them. */
export interface ReleaseFiles {
  /** The release. */ readonly release_id: string
  /** The files by path; empty if the registration named none. */ readonly files: readonly {
    /** Path relative to the root of the bundle. */ readonly path: string
    /** SHA-256 of the file as the checksum of the bundle reads it: text with LF line ends. */ readonly sha256: string
    /** Its length in bytes, in the same form. */ readonly bytes: number
    /** Its text; null if it was not stored. */ readonly text: string | null
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

/** The rules for an agent in an environment: the policy in force, and service.yaml. */
export interface ResolvedPolicy {
  /** SHA-256 of the whole policy, lowercase hex. */ readonly policy_checksum: string
  /** The overrides that set keys here, in the order of the policy. */ readonly rules: readonly PolicyRule[]
  /** The policy as it applies here, without overrides. */ readonly policy: Readonly<Record<string, unknown>>
  /** The agent; null if none was named: the overrides for all agents. */ readonly agent_id: string | null
  /** The environment. */ readonly environment: string
  /** The environment where a release must have been live before; null if none. */ readonly promotes_from: {
    /** The environment. */ readonly environment: string
    /** For how long without a break. */ readonly live_for?: string | undefined
  } | null
  /** Freezes of promotions here. */ readonly freeze: readonly {
    /** The environments; left out if it is for all. */ readonly environment?: string | undefined
    /** When it begins. */ readonly from: string
    /** When it ends, exclusive. */ readonly to: string
    /** Why. */ readonly reason: string
    /** Time zone of times of the week; left out for UTC. */ readonly time_zone?: string | undefined
    /** Whether it is in force now. */ readonly holds_now: boolean
  }[]
}

/** Known end dates of models. */
export interface RetirementList {
  /** Live releases with a model that ends within the requested days, the first to end first. */ readonly live: readonly RetiringModel[]
  /** All models with a known end; only on request. */ readonly models: readonly Retirement[]
}

/** All tokens of the name are revoked. */
export interface RevokedToken {
  /** The name. */ readonly name: string
  /** How many were revoked: two if one was just rotated. */ readonly revoked: number
}

/** Two releases side by side, units split by chance. */
export interface Rollout {
  /** Identifier of the rollout; units are assigned by it. */ readonly rollout_id: string
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The release that is rolled out. */ readonly candidate_release_id: string
  /** The release that was live there when it began. */ readonly baseline_release_id: string
  /** What is split: sessions, tenants or users. */ readonly by: 'session' | 'tenant' | 'user'
  /** Why. */ readonly reason: string
  /** Its state; all states except running and paused are final. */
  readonly state: 'aborted' | 'completed' | 'expired' | 'paused' | 'running' | 'superseded'
  /** Its steps, in order. */ readonly steps: readonly RolloutStep[]
  /** Its present step, from 0; after completion the number of steps. */ readonly step: number
  /** Share of the units that get the candidate now; null if nothing is split. */ readonly share: number | null
  /** Largest rises that are accepted; null if the policy had none when it began. */ readonly limits: RolloutLimits
  /** Who began it. */ readonly started_by: string
  /** When it began. */ readonly started_at: string
  /** When it expires at the latest. */ readonly ends_at: string
  /** Share that stays on the old release after completion; null if none does. */ readonly hold: RolloutHold | null
  /** End of the holdback; null before completion, and without a holdback. */ readonly hold_until: string | null
  /** When it ended; null while it runs or is paused. */ readonly ended_at: string | null
  /** Why it is paused, or how it ended; null while it runs, and if it completed. */ readonly because: string | null
  /** Who changed its state or step last: rollout is the rollout itself. */ readonly changed_by: string
  /** Its decision; null if there is none. */ readonly action_id: string | null
  /** How often it was checked. */ readonly checks: number
  /** The last check; null before the first. */ readonly last_check: RolloutCheck | null
  /** Only if it was requested and confirmed. */ readonly request?: ConfirmedRequest | undefined
  /** Only in the answer to a confirmation: earlier confirmations that no longer count, each with the reason, and names of other people that look like yours. */
  readonly warnings?: readonly string[] | undefined
}

/** Why a rollout can't begin now. The attempt is in the audit log, unless it was a dry run. */
export interface RolloutBlocked {
  /** What blocks. */ readonly detail: {
    /** In short. */ readonly message: string
    /** Each reason. */ readonly reasons: readonly string[]
  }
}

/** A rollout with its entries in the audit log. */
export interface RolloutDetail extends Rollout {
  /** Its entries in the audit log, newest first; action_id is its promotion. */ readonly history: readonly {
    /** Number in the log. */ readonly log_seq: number
    /** What happened. */
    readonly kind: 'action.reviewed' | 'aggregates.fewer' | 'aggregates.handed_over' | 'aggregates.source' | 'capabilities.acknowledged' | 'clock.accepted' | 'decision' | 'events.digest' | 'events.erased' | 'events.erasing' | 'events.pruned' | 'events.pruning' | 'events.restored' | 'events.restoring' | 'live.other_model' | 'live.recovered' | 'live.silent' | 'live.worse' | 'policy.set' | 'prices.import' | 'release.registered' | 'request.approved' | 'request.cancelled' | 'request.expired' | 'request.made' | 'request.rejected' | 'retirement.set' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.approved' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.refused' | 'rollout.rejected' | 'rollout.requested' | 'rollout.resumed' | 'rollout.started' | 'rollups.rebuilding' | 'scores.imported' | 'server.started' | 'session.ended' | 'session.key_made' | 'session.opened' | 'session.refused' | 'token.made' | 'token.revoked' | 'token.rotated' | 'watch.ended' | 'watch.retried' | 'watch.started' | 'webhook.added' | 'webhook.removed' | 'webhook.replayed' | 'webhook.rotated' | 'webhook.updated'
    /** Who did it; rollout is the rollout itself. */ readonly actor: string
    /** Why, if a reason was given. */ readonly reason: string | null
    /** When it was recorded. */ readonly created_at: string
    /** The step after this entry, from 0; null for a request. */ readonly step: number | null
    /** Share of the units that got the candidate after this entry; null if nothing was split. */ readonly share: number | null
    /** The check at that time; null unless the rollout itself did it. */ readonly check: RolloutCheck | null
  }[]
}

/** Rollouts, newest first. */
export interface RolloutList {
  /** The rollouts. */ readonly rollouts: readonly Rollout[]
}

/** A request for a rollout, pending or settled. */
export interface RolloutRequest {
  /** Identifier of the request. */ readonly request_id: string
  /** Its state. */ readonly status: 'cancelled' | 'completed' | 'pending'
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The release that is rolled out. */ readonly candidate_release_id: string
  /** The release that was live there when it began. */ readonly baseline_release_id: string
  /** What is split: sessions, tenants or users. */ readonly by: 'session' | 'tenant' | 'user'
  /** Why. */ readonly reason: string
  /** Its steps, in order. */ readonly steps: readonly {
    /** Share of the units that get the candidate, a fraction. */ readonly share: number
    /** How long the step takes at least. */ readonly for: string
  }[]
  /** After how long it expires once it runs. */ readonly max_duration: string
  /** Share that stays on the old release after completion; null if none does. */ readonly hold: RolloutHold | null
  /** Who requested it. */ readonly actor: string
  /** The person of an identity provider; absent if there is none. */ readonly actor_identity?: Identity | undefined
  /** When. */ readonly created_at: string
  /** Until when it can be confirmed; left out if there is no limit. */ readonly expires_at?: string | undefined
  /** How many confirmations it needs. */ readonly approvals_required: number
  /** The confirmations so far. */ readonly approvals: readonly RolloutApproval[]
  /** When it was settled; null while it is pending. */ readonly resolved_at: string | null
  /** Who settled it. */ readonly resolved_by: string | null
  /** How it was cancelled, unless the requester withdrew it. */ readonly resolution?: 'expired' | 'rejected' | undefined
  /** Why it was settled. */ readonly resolution_reason: string | null
  /** The rollout that it started. */ readonly rollout_id: string | null
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
  /** Stored; not a filter. */ readonly workspace_id?: string | undefined
  /** The release's agent. */ readonly agent_id: string
  /** The release that ran. */ readonly release_id: string
  /** De-duplication key: a run_id that is stored already is skipped. */ readonly run_id: string
  /** Filter dimension. */ readonly tenant_id: string
  /** Filter dimension. */ readonly task_id: string
  /** Filter dimension: where the run happened. */ readonly environment: string
  /** The result of the run. */ readonly metrics?: {
    /** False counts toward the error rate. */ readonly success?: boolean | undefined
    /** Milliseconds; null leaves the run out of latency averages. */ readonly latency_ms?: number | null | undefined
    /** Informational. */ readonly error_type?: string | null | undefined
    /** Time to first token: milliseconds from the start of the run to the first token of a model's answer. Means and limits use runs that succeeded. */
    readonly ttft_ms?: number | null | undefined
  } | undefined
  /** The usage of the run. */ readonly usage: {
    /** Model and tokens. */ readonly model: ModelUsage
    /** Other models that the run called, and their tokens; usage.model is not among them. */
    readonly models?: readonly ModelUsage[] | undefined
    /** Whether some tokens are unknown, such as those of a broken stream: cost and token means leave the run out. */
    readonly incomplete?: boolean | undefined
    /** Tools called; recorded, not priced. */ readonly tools?: readonly {
      /** Name of the tool. */ readonly tool_name: string
      /** Number of calls. */ readonly invocations?: number | undefined
      /** In a unit of the vendor; not priced. */ readonly cost_units?: number | undefined
    }[] | undefined
  }
  /** Scores of the run, by name, such as faithfulness: 0.92. Means and limits use six decimals. */
  readonly scores?: Readonly<Record<string, number>> | undefined
  /** Tags; not used in diff or policy. */ readonly labels?: Readonly<Record<string, string>> | undefined
  /** Tracing identifiers, to search for runs. */ readonly request?: {
    /** Session the run belongs to. */ readonly session_id?: string | null | undefined
    /** Trace the run belongs to. */ readonly trace_id?: string | null | undefined
    /** Span of the run. */ readonly span_id?: string | null | undefined
  } | null | undefined
  /** The unit that a rollout assigned the run by, if that is neither its session nor its tenant. */ readonly assignment?: {
    /** The user: HMAC-SHA-256 of the key that was assigned, under the workspace's assignment key; the SDK's `assign` returns it. */
    readonly unit?: string | null | undefined
  } | null | undefined
}

/** A release's runs over time. Buckets are whole, so the first may start before the window. */
export interface RunSeries {
  /** The release. */ readonly release_id: string
  /** Environment; default the workspace's. */ readonly environment: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive. */ readonly until: string
  /** Width of a bucket, milliseconds; buckets are counted from 1970 on. */ readonly bucket_ms: number
  /** The buckets with runs, oldest first. */ readonly buckets: readonly {
    /** Start of the bucket, inclusive. */ readonly start: string
    /** Runs in the bucket. */ readonly runs: number
    /** Mean cost of a run, USD; null if one has no price. */ readonly cost_per_run_usd: number | null
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
  /** The filters; null if unset. */ readonly filters: {
    /** Environment; default the workspace's. */ readonly environment: string
    /** Tenant. */ readonly tenant_id: string | null
    /** Task. */ readonly task_id: string | null
    /** Trace. */ readonly trace_id: string | null
    /** Session. */ readonly session_id: string | null
    /** Span. */ readonly span_id: string | null
    /** How runs ended; left out if unset, as those below. */ readonly outcome?: 'failed' | 'success' | undefined
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

/** An end date of a model that was set by hand. */
export interface SaidRetirement {
  /** Identifier. */ readonly retirement_id: string
  /** Provider. */ readonly provider: string
  /** Model name. */ readonly model: string
  /** The day (UTC) from which on it no longer answers; null removes the date. */ readonly retires_on: string | null
  /** Why. */ readonly reason: string
  /** Who set it. */ readonly actor: string
  /** When. */ readonly created_at: string
  /** Present, and true, if the same date was set already: nothing was written. */ readonly reused?: true | undefined
}

/** The scores of each case of an evaluation by name; pass_rate is 1 for a case that passed and 0 for others. */
export type ScoreCases = readonly (Readonly<Record<string, number>>)[]

/** The newest imports of a suite for two releases, case by case. */
export interface ScoreDiff {
  /** Name of the suite. */ readonly suite: string
  /** Agent of both releases. */ readonly agent_id: string
  /** Baseline. */ readonly baseline_release_id: string
  /** Candidate. */ readonly candidate_release_id: string
  /** The baseline's newest import; null if it has none. */ readonly baseline: ScoreImport | null
  /** The candidate's newest import; null if it has none. */ readonly candidate: ScoreImport | null
  /** Each score of the suite. */ readonly scores: readonly {
    /** Name of the score. */ readonly name: string
    /** The baseline's mean over its cases; null if it has none. */ readonly baseline: Estimate | null
    /** The candidate's mean over its cases; null if it has none. */ readonly candidate: Estimate | null
    /** Candidate minus baseline; if cases are paired, over those of both imports. */ readonly difference: Estimate | null
    /** The verdict of the interval. */ readonly verdict: 'better' | 'inconclusive' | 'no_difference' | 'worse'
    /** Why it is inconclusive; null otherwise. */ readonly inconclusive_because: string | null
    /** Cases of both imports; left out if they are not paired. */ readonly paired_cases?: number | undefined
    /** McNemar's exact p, for cases that pass or fail in one epoch; null otherwise, left out where not paired. */
    readonly mcnemar_p?: number | null | undefined
    /** Cases of each release with which an unchanged release meets the policy's max_score_drop in 80 of 100 cases; null if no number does. */
    readonly cases_needed: number | null
  }[]
  /** Cases of both imports, by their state; null if they are not compared. */ readonly changes: CaseChanges | null
  /** Why cases are not compared one by one; null if they are. */
  readonly not_compared_because: 'few_shared' | 'judges' | 'no_cases' | 'no_import' | 'no_outcomes' | null
  /** Cases of the baseline's import that the candidate's lacks. */ readonly only_baseline: number
  /** Cases of the candidate's import that the baseline's lacks. */ readonly only_candidate: number
  /** How many cases are in the requested states; if passes are unknown, cases with another score. */ readonly cases_in_all: number
  /** These cases, those that broke first. */ readonly cases: readonly {
    /** Key of the case: a keyed hash of its id or of its input. */ readonly case: string
    /** Id of the case; null if its input identifies it, or if it was forgotten. */ readonly name: string | null
    /** Its state. */
    readonly state: 'failing' | 'flaky' | 'higher' | 'lower' | 'newly_failing' | 'newly_passing' | 'only_baseline' | 'only_candidate' | 'passing' | 'still_failing'
    /** The baseline's tries; null if it has none. */ readonly baseline: TriesOfCase | null
    /** The candidate's tries; null if it has none. */ readonly candidate: TriesOfCase | null
    /** Tags of the candidate's tries, or of the baseline's if it has none; so below. */ readonly tags?: readonly string[] | undefined
    /** Traces of the tries. */ readonly trace_ids?: readonly string[] | undefined
    /** How long the tries took, together. */ readonly duration_ms?: number | undefined
    /** Tokens of the tries, together. */ readonly tokens?: number | undefined
    /** Cost of the tries, together. */ readonly cost_usd?: number | undefined
  }[]
  /** Warnings about these figures. */ readonly warnings: readonly string[]
}

/** An import of scores, as it is stored. */
export interface ScoreImport {
  /** Identifier of the import. */ readonly import_id: string
  /** The release that was evaluated. */ readonly release_id: string
  /** Name of the set of cases; the newest import of a suite counts. */ readonly suite: string
  /** The tool that wrote the file. */ readonly format: string | null
  /** SHA-256 of that file, in hex. */ readonly source_sha256: string | null
  /** Number of cases. */ readonly cases: number
  /** The sums of the cases, by score. */ readonly scores: readonly {
    /** The score. */ readonly name: string
    /** Cases that have it. */ readonly cases: number
    /** Their mean. */ readonly mean: number
  }[]
  /** Further facts about it; left out if there are none. */ readonly evaluation?: {
    /** How cases are identified: by ids of the format, or by hashes of their inputs; null if they are not. */
    readonly case_ids: 'given' | 'hashed' | 'mixed' | null
    /** Tries of all cases. */ readonly results: number
    /** Who judged; null if unknown. Scores by different judges are not compared. */ readonly judge: {
      /** Model of the judge. */ readonly model: string | null
      /** SHA-256 of its prompt. */ readonly prompt_sha256: string | null
      /** Version of the rubric. */ readonly rubric_version: string | null
    } | null
    /** Checksum of the bundle that it ran against. */ readonly bundle_checksum: string | null
    /** When it ran, as the file says. */ readonly evaluated_at: string | null
    /** Tries that a human judged too. */ readonly human_labels: number
    /** Time of all tries together, if reported. */ readonly duration_ms: number | null
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
    /** The expected release; null for none. */ readonly expected_baseline_release_id: string | null
    /** The live release, and its decision; null if there is none. */ readonly live: {
      /** The promoted release. */ readonly release_id: string
      /** Its version. */ readonly version: string
      /** The decision that chose it. */ readonly action_id: string
      /** Whether that was a promotion or a rollback. */ readonly action: 'promote' | 'rollback'
      /** Who decided. */ readonly actor: string
      /** When. */ readonly created_at: string
    } | null
  }
}

/** A rollout that has begun, or a dry run, and its duration at the present traffic. */
export interface StartedRollout {
  /** Identifier of the rollout; null for a dry run. */ readonly rollout_id: string | null
  /** The agent. */ readonly agent_id: string
  /** The environment. */ readonly environment: string
  /** The release that is rolled out. */ readonly candidate_release_id: string
  /** The release that was live there when it began. */ readonly baseline_release_id: string
  /** What is split: sessions, tenants or users. */ readonly by: 'session' | 'tenant' | 'user'
  /** Why. */ readonly reason: string
  /** Its steps, in order. */ readonly steps: readonly {
    /** Share of the units that get the candidate, a fraction. */ readonly share: number
    /** How long the step takes at least. */ readonly for: string
    /** Its duration at the present traffic. */ readonly expected_hours: number
  }[]
  /** The agent's runs there per hour, over the last day. */ readonly runs_per_hour: number
  /** How long all steps take. */ readonly expected_hours: number
  /** After how long it expires. */ readonly max_duration: string
  /** Share that stays on the old release after completion; null if none does. */ readonly hold: RolloutHold | null
  /** Largest rises that are accepted; null if the policy has none. */ readonly limits: RolloutLimits
  /** Present, and true, if nothing was written. */ readonly dry_run?: true | undefined
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
    /** Whether its cases can be identified. */ readonly keeps_cases: boolean
  }[]
  /** How many cases did not pass in one of these releases. */ readonly cases_in_all: number
  /** These cases, those that fail in the newest release first; at most 200. */ readonly cases: readonly {
    /** Key of the case: a keyed hash of its id or of its input. */ readonly case: string
    /** Id of the case; null if its input identifies it, or if it was forgotten. */ readonly name: string | null
    /** The result in each of `compared`; null if it was not tried. */ readonly tries: readonly ({
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
    /** Its version. */ readonly version: string
    /** Its import. */ readonly import_id: string
    /** When it was imported. */ readonly created_at: string
  }[]
}

/** The result of a test.ping: one attempt, not kept in the outbox. */
export interface TestedWebhook {
  /** Identifier of the webhook. */ readonly webhook_id: string
  /** Identifier of this delivery. */ readonly delivery_id: string
  /** Whether the receiver accepted it. */ readonly status: 'delivered' | 'failed'
  /** HTTP status of the last answer; null if none came. */ readonly response_code: number | null
  /** How long the last attempt took. */ readonly duration_ms: number
  /** First 200 characters of the last answer. */ readonly response_text: string | null
  /** Why the last attempt failed; null if it succeeded. */ readonly problem: string | null
}

/** Named credentials, oldest first, also ended ones. */
export interface TokenList {
  /** The tokens. */ readonly tokens: readonly TokenRecord[]
}

/** The models of a release's runs, in any environment, those of most runs first; its own model also without runs. */
export interface UsedModels {
  /** The release. */ readonly release_id: string
  /** Start of the first counted hour. */ readonly since: string
  /** Provider of the release's price table. */ readonly provider: string
  /** Version of the release's price table. */ readonly pricing_version: string
  /** The models. */ readonly models: readonly {
    /** Provider in the runs. */ readonly provider: string
    /** Model name. */ readonly model: string
    /** Runs with it, except those with incomplete usage. */ readonly runs: number
    /** Whether the price table has it. Runs of a model without a price make diffs fail. */ readonly priced: boolean
  }[]
}

/** The request has the wrong shape. Nothing was written. */
export interface ValidationError {
  /** One entry per problem. */ readonly detail: readonly {
    /** Where: body, query, path or header, then the way to the value. */ readonly loc: readonly (number | string)[]
    /** The problem. */ readonly msg: string
    /** A short name of the kind of problem. */ readonly type: string
  }[]
}

/** A watch, running or ended. */
export interface Watch extends WatchRecord {
  /** Rises of which half would be proven by its end, if the release runs as often as the baseline did; null if the baseline has fewer than four such days. Left out of a cancelled watch. */
  readonly can_find?: {
    /** For the mean cost per run, a fraction; null if it has none. */ readonly cost_per_run_usd: number | null
    /** For the mean latency, a fraction. */ readonly latency_ms: number | null
    /** Of the error rate, a difference. */ readonly error_rate: number | null
  } | null | undefined
  /** What may keep it from finding anything. */ readonly warnings?: readonly string[] | undefined
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
  /** Its URL; for a chat only the host, because the URL is a secret. */ readonly url: string
  /** Events that it receives. */
  readonly events: readonly ('capabilities.violated' | 'promote.blocked' | 'promote.succeeded' | 'promotion.requested' | 'rollback.forced' | 'rollback.succeeded' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.resumed' | 'rollout.started' | 'test.ping' | 'watch.inconclusive' | 'watch.passed' | 'watch.regressed' | 'watch.rollback_blocked')[]
  /** Its description. */ readonly description: string | null
  /** Whether it receives events. */ readonly enabled: boolean
  /** Its format: the payload in JSON, if left out, or a message for a chat. */ readonly format?: 'json' | 'slack' | 'teams' | undefined
  /** When it was added. */ readonly created_at: string
  /** The end of the secret, to recognise it. */ readonly secret_preview: string
  /** Until when the old secret also signs; only while it does. */ readonly previous_secret_until?: string | undefined
}

/** Webhooks, oldest first. */
export interface WebhookList {
  /** The webhooks. */ readonly webhooks: readonly Webhook[]
}

/** The caller, its permissions, and how people sign in here. */
export interface WhoAmI {
  /** The caller, as far as proven; null without a valid credential. */ readonly caller: {
    /** The name of the credential, which is put on record unless it is shared. */ readonly name: string
    /** The kind of credential; `shared` is a token of the environment, `nobody` needs none here. */
    readonly source: 'cli' | 'nobody' | 'oidc' | 'shared' | 'token'
    /** Its permissions. */ readonly allows: readonly ('admin' | 'aggregates' | 'ingest' | 'read' | 'write')[]
    /** Its agents; null for all. */ readonly agents: readonly string[] | null
    /** Its environments; null for all. */ readonly environments: readonly string[] | null
  } | null
  /** The session of a person who has signed in. */ readonly session: SessionRecord | null
  /** Why the credential of the request is not valid; null if it is, or none was sent. */ readonly problem: string | null
  /** The ways to sign in; none if service.yaml sets no login. */ readonly sign_in: readonly {
    /** The name: GET /v1/sign-in/{name} begins the sign-in. */ readonly name: string
    /** The identity provider. */ readonly issuer: string
    /** Scopes in addition to openid. */ readonly scopes: readonly string[]
    /** The public client of `svc login`; null where there is none. */ readonly cli_client_id: string | null
  }[]
  /** The address of the service. */ readonly public_url: string | null
}

/** The public view of the workspace. */
export interface WorkspacePublic {
  /** Version of this format. */ readonly api_version: 'v1'
  /** Kind of document. */ readonly kind: 'WorkspacePublic'
  /** Whether a promotion needs a request and an approval. */ readonly promotion_requires_approval: boolean
  /** Whether pricing_catalog_path is set; the file is not opened. */ readonly pricing_catalog_configured: boolean
  /** Installed package version. */ readonly server_version: string
  /** The environments, in the order of service.yaml; left out if it declares none. */ readonly environments?: readonly string[] | undefined
}

/** The runs of a release that cost most, took longest or failed last, of the newest 50,000. */
export interface WorstRuns {
  /** The release. */ readonly release_id: string
  /** Start of the window, inclusive. */ readonly since: string
  /** End of the window, exclusive. */ readonly until: string
  /** The filters; null if unset. */ readonly filters: {
    /** Environment; default the workspace's. */ readonly environment: string
    /** Tenant. */ readonly tenant_id: string | null
    /** Task. */ readonly task_id: string | null
  }
  /** What makes a run bad. */ readonly by: 'cost' | 'failure' | 'latency'
  /** Newest matching events that were checked. */ readonly examined: number
  /** Whether older events match that were not checked. */ readonly truncated: boolean
  /** The worst first; of failures the newest first. */ readonly runs: readonly {
    /** Cost of the run, USD; null if its model has no price. */ readonly cost_usd: number | null
    /** The event, with all defaults applied. */ readonly event: StoredEvent
  }[]
}

export interface DiffBody {
  /** Release to compare with. */ readonly baseline_release_id: string
  /** Release to judge. */ readonly candidate_release_id: string
  /** How far back: {N}d, {N}h or {N}m. */ readonly window: string
  /** The end of the window, an ISO-8601 date and time; default now. */ readonly until?: string | null | undefined
  /** Default: the default environment of the workspace. */ readonly environment?: string | null | undefined
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
  /** The metric to compare; default cost_per_run_usd. */
  readonly metric?: 'cost_per_run_usd' | 'error_rate' | 'latency_ms' | null | undefined
  /** The end of the window, an ISO-8601 date and time; default now. */ readonly until?: string | null | undefined
  /** Default: the default environment of the workspace. */ readonly environment?: string | null | undefined
  /** Exact filter. */ readonly tenant_id?: string | null | undefined
  /** Exact filter. */ readonly task_id?: string | null | undefined
}

export interface ConfidenceQuery {
  /** Release to compare with. */ readonly baseline_release_id: string
  /** Release to judge. */ readonly candidate_release_id: string
  /** How far back: {N}d, {N}h or {N}m. */ readonly window: string
  /** The end of the window, an ISO-8601 date and time; default now. */ readonly until?: string | undefined
  /** Default: the default environment of the workspace. */ readonly environment?: string | undefined
  /** Exact filter; then up to 90 days back are searched for a window with enough runs. */ readonly tenant_id?: string | undefined
  /** Exact filter, likewise. */ readonly task_id?: string | undefined
}

export interface PromoteReleaseBody extends PromoteRequestBody {
  /** Evaluate and answer, but write nothing. */ readonly dry_run?: boolean | undefined
}

export interface PromoteRequestBody {
  /** Release to move the pointer to. */ readonly release_id: string
  /** Environment whose pointer it is. */ readonly environment: string
  /** How far back events count: {N}d, {N}h or {N}m. */ readonly window: string
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
  /** How far back events count: {N}d, {N}h or {N}m. */ readonly window: string
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
  /** Only the request with this id. */ readonly id?: string | undefined
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
  /** Environment. */ readonly environment: string
  /** Why; recorded in the audit log. */ readonly reason: string
  /** The expected live release: refused if another one is live. */ readonly expected_baseline_release_id?: string | null | undefined
  /** Who acknowledges it, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface GateQuery {
  /** The release to judge. Default: the newest one that was registered for the environment. */ readonly release_id?: string | undefined
  /** How far back events count: {N}d, {N}h or {N}m. */ readonly window: string
  /** The release to compare with. Default: the live one. */ readonly baseline_release_id?: string | undefined
}

export interface GateHookQuery {
  /** The release to judge. Default: the newest one that was registered for the environment. */ readonly release_id?: string | undefined
  /** How far back events count: {N}d, {N}h or {N}m. */ readonly window: string
  /** The release to compare with. Default: the live one. */ readonly baseline_release_id?: string | undefined
  /** The mildest verdict that is a 409: `inconclusive` (default) or only `block`. */
  readonly fail_on?: 'block' | 'inconclusive' | undefined
}

export interface GateReportQuery {
  /** The release to judge. Default: the newest one that was registered for the environment. */ readonly release_id?: string | undefined
  /** How far back events count: {N}d, {N}h or {N}m. */ readonly window: string
  /** The release to compare with. Default: the live one. */ readonly baseline_release_id?: string | undefined
  /** The URL of the web UI; the report links to its page of the comparison. */ readonly page_url?: string | undefined
}

export interface PlaceQuery {
  /** How far back: {N}d, {N}h or {N}m; default 24h, or the shortest window with enough runs. */ readonly window?: string | undefined
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
  /** The end of the window, an ISO-8601 date and time; default now. */ readonly until?: string | undefined
  /** Default: the default environment of the workspace. */ readonly environment?: string | undefined
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
  /** How far back traces, sessions and spans are searched: {N}d, {N}h or {N}m; default 30d. */ readonly window?: string | undefined
  /** Most runs to return. */ readonly limit?: number | undefined
}

export interface RunsSeriesQuery {
  /** Release whose events to read. */ readonly release_id: string
  /** How far back: {N}d, {N}h or {N}m. */ readonly window: string
  /** The end of the window, an ISO-8601 date and time; default now. */ readonly until?: string | undefined
  /** Default: the default environment of the workspace. */ readonly environment?: string | undefined
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
  /** Name of the set of cases; the newest import of a suite counts. */ readonly suite: string
  /** The tool that wrote the file. */ readonly format?: string | null | undefined
  /** SHA-256 of that file, in hex. */ readonly source_sha256?: string | null | undefined
  /** The scores of each case, if cases can't be identified. */ readonly cases?: ScoreCases | null | undefined
  /** In place of cases: an import from POST /v1/scores/cases. */ readonly import_id?: string | null | undefined
  /** With import_id: how many parts were sent. */ readonly parts?: number | null | undefined
  /** With import_id: ids of cases that the suite no longer has, so that they are not missing. */
  readonly removed_cases?: readonly string[] | null | undefined
  /** Model of the judge. Scores by different judges are not compared. */ readonly judge_model?: string | null | undefined
  /** SHA-256 of the judge's prompt, in hex. */ readonly judge_prompt_sha256?: string | null | undefined
  /** Version of the judge's rubric. */ readonly judge_rubric_version?: string | null | undefined
  /** Checksum of the evaluated bundle. */ readonly bundle_checksum?: string | null | undefined
  /** When the evaluation ran, an ISO-8601 date and time; default now. */ readonly evaluated_at?: string | null | undefined
}

export interface CasesReceiveBody {
  /** The release that was evaluated. */ readonly release_id: string
  /** Name of the set of cases. */ readonly suite: string
  /** The import of the cases; left out, a new one begins. */ readonly import_id?: string | null | undefined
  /** Number of the part, from 0. */ readonly part?: number | undefined
  /** Tries of cases, at most 1,000 in a part; of an import 300,000, of 100,000 cases. */ readonly cases: CaseTries
}

export interface ScoresDiffBody {
  /** Release to compare with. */ readonly baseline_release_id: string
  /** Release to judge. */ readonly candidate_release_id: string
  /** The suite. */ readonly suite: string
  /** Only cases in these states; default all except `passing`. */
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
  /** Accepts hours with fewer runs than before; kept in the audit log. Needs the role admin. */ readonly allow_fewer?: boolean | undefined
  /** Why the engine has fewer runs, or is another one; kept in the audit log. */ readonly reason?: string | undefined
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
  /** The agent; without one, the overrides for all agents. */ readonly agent_id?: string | undefined
  /** Default: the default environment of the workspace. */ readonly environment?: string | undefined
}

export interface AdvisePolicyQuery {
  /** The agent. */ readonly agent_id: string
  /** Release of the agent; default the live one. */ readonly release_id?: string | undefined
  /** Default: the default environment of the workspace. */ readonly environment?: string | undefined
  /** How far back: {N}d, {N}h or {N}m; default 14d. */ readonly window?: string | undefined
}

export interface PricingImportBody {
  /** The whole table. */ readonly table: PricingTable
  /** Replace a table of the same provider and version. */ readonly replace?: boolean | undefined
  /** Why it is replaced; required with replace. */ readonly reason?: string | null | undefined
}

export interface RetirementsListQuery {
  /** Live releases whose models end within so many days, or have ended. */ readonly days?: number | undefined
  /** Also lists all models with a known end, live or not. */ readonly all?: boolean | undefined
}

export interface RetirementsSetBody {
  /** Provider, as releases or price tables name it. */ readonly provider: string
  /** Model name. */ readonly model: string
  /** Day (UTC) from which on it no longer answers; null removes the date. */ readonly retires_on: string | null
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
  /** Shares that rise and how long each takes, SHARE%:TIME; default 0%:24h,1%:1h,5%:1h,25%:6h,50%:24h. */
  readonly steps?: string | null | undefined
  /** What is split by chance; default sessions. */ readonly by?: 'session' | 'tenant' | 'user' | null | undefined
  /** After how long it expires: {N}d, {N}h or {N}m; default 5d. */ readonly max_duration?: string | null | undefined
  /** Share of the units that stays on the old release after completion. */ readonly hold?: string | null | undefined
  /** For how long they stay: {N}d, {N}h or {N}m. */ readonly hold_for?: string | null | undefined
  /** Why; recorded in the audit log. */ readonly reason: string
  /** The release that you expect to be live there. If another one is live, the answer is 412 and nothing is recorded. Left out: not checked. */
  readonly expected_baseline_release_id?: string | null | undefined
  /** Who asks, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface RolloutsConfirmBody {
  /** Request to confirm. */ readonly request_id: string
  /** Why it is approved; kept in the audit trail. */ readonly approval_reason: string
  /** Who confirms, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface RolloutsRejectBody {
  /** Identifier of the request. */ readonly request_id: string
  /** Why; kept with the request. */ readonly reason: string
  /** Who rejects it, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface RolloutRequestsQuery {
  /** Only the request with this id. */ readonly id?: string | undefined
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
  /** Agent of the live release. */ readonly agent_id: string
  /** Environment of the live release. */ readonly environment: string
  /** How long: {N}d, {N}h or {N}m. */ readonly for?: string | null | undefined
  /** Release to compare with; default the live release before. */ readonly against?: string | null | undefined
  /** Whether a regression rolls back to that release, if the policy lets it. */ readonly auto_rollback?: boolean | null | undefined
  /** Fewest runs of the live release for a conclusion or a rollback; failures that the exact bound proves count from 10 runs on. */
  readonly min_runs?: number | null | undefined
  /** Who asks, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface WatchesCancelBody {
  /** Why; kept with the watch. */ readonly reason: string
  /** Who ends it, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface AuditLogQuery {
  /** Only entries of this kind, such as policy.set, or of all that begin so, such as policy. */
  readonly kind?: 'action' | 'action.reviewed' | 'aggregates' | 'aggregates.fewer' | 'aggregates.handed_over' | 'aggregates.source' | 'capabilities' | 'capabilities.acknowledged' | 'clock' | 'clock.accepted' | 'decision' | 'events' | 'events.digest' | 'events.erased' | 'events.erasing' | 'events.pruned' | 'events.pruning' | 'events.restored' | 'events.restoring' | 'live' | 'live.other_model' | 'live.recovered' | 'live.silent' | 'live.worse' | 'policy' | 'policy.set' | 'prices' | 'prices.import' | 'release' | 'release.registered' | 'request' | 'request.approved' | 'request.cancelled' | 'request.expired' | 'request.made' | 'request.rejected' | 'retirement' | 'retirement.set' | 'rollout' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.approved' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.refused' | 'rollout.rejected' | 'rollout.requested' | 'rollout.resumed' | 'rollout.started' | 'rollups' | 'rollups.rebuilding' | 'scores' | 'scores.imported' | 'server' | 'server.started' | 'session' | 'session.ended' | 'session.key_made' | 'session.opened' | 'session.refused' | 'token' | 'token.made' | 'token.revoked' | 'token.rotated' | 'watch' | 'watch.ended' | 'watch.retried' | 'watch.started' | 'webhook' | 'webhook.added' | 'webhook.removed' | 'webhook.replayed' | 'webhook.rotated' | 'webhook.updated' | undefined
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
  /** Events for OpenFeature providers, which then evaluate their flags again: `{"type": "refetchEvaluation"}`. */
  readonly for?: 'flags' | undefined
}

export interface AuditConsistencyQuery {
  /** Size of the checkpoint. */ readonly from: number
}

export interface ActionsReviewBody {
  /** The result of the review; kept in the audit log. */ readonly reason: string
  /** Who reviews it, unless an identity header says so. Default http. */ readonly actor?: string | null | undefined
}

export interface AuditExplainAgainstBody {
  /** The policy to decide by. */ readonly policy: Policy
}

export interface WebhooksAddBody {
  /** Where to send to, http or https. */ readonly url: string
  /** What to tell of. */
  readonly events: readonly ('capabilities.violated' | 'promote.blocked' | 'promote.succeeded' | 'promotion.requested' | 'rollback.forced' | 'rollback.succeeded' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.resumed' | 'rollout.started' | 'test.ping' | 'watch.inconclusive' | 'watch.passed' | 'watch.regressed' | 'watch.rollback_blocked')[]
  /** Its description. */ readonly description?: string | null | undefined
  /** What to send: the payload (json), or a message for an incoming webhook of a chat. */
  readonly format?: 'json' | 'slack' | 'teams' | null | undefined
}

export interface WebhooksUpdateBody {
  /** Where to send to, http or https. */ readonly url?: string | null | undefined
  /** Its new events, in place of the present ones. */
  readonly events?: readonly ('capabilities.violated' | 'promote.blocked' | 'promote.succeeded' | 'promotion.requested' | 'rollback.forced' | 'rollback.succeeded' | 'rollout.aborted' | 'rollout.advanced' | 'rollout.completed' | 'rollout.expired' | 'rollout.paused' | 'rollout.resumed' | 'rollout.started' | 'test.ping' | 'watch.inconclusive' | 'watch.passed' | 'watch.regressed' | 'watch.rollback_blocked')[] | null | undefined
  /** Description; empty for none. */ readonly description?: string | null | undefined
  /** Whether it gets events. */ readonly enabled?: boolean | null | undefined
  /** Whether the old secret stops to sign now. */ readonly end_rotation?: boolean | undefined
}

export interface WebhooksRotateBody {
  /** How long the old secret also signs, seconds. */ readonly overlap_s?: number | undefined
}

export interface WebhooksDeliveriesQuery {
  /** Only deliveries in this state. */ readonly status?: 'delivered' | 'failed' | 'pending' | undefined
  /** Most deliveries to return. */ readonly limit?: number | undefined
  /** Adds the payload of each delivery. */ readonly payload?: boolean | undefined
}

export interface DeliveriesListQuery {
  /** Only deliveries in this state. */ readonly status?: 'delivered' | 'failed' | 'pending' | undefined
  /** Most deliveries to return. */ readonly limit?: number | undefined
  /** Adds the payload of each delivery. */ readonly payload?: boolean | undefined
}

export interface TokensCreateBody {
  /** Name of the token; it is put on record for what is done with it. */ readonly name: string
  /** What it is good for: `read`; `ingest`, which sends run events and reads nothing; `write`, which reads, registers, promotes and rolls back; `admin`, all. */
  readonly role: 'admin' | 'ingest' | 'read' | 'write'
  /** Its agents; default all. */ readonly agents?: readonly string[] | null | undefined
  /** Its environments; default all. */ readonly environments?: readonly string[] | null | undefined
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
  /** The access token, if claims come from the userinfo endpoint. */ readonly access_token?: string | null | undefined
  /** The secret behind the nonce. */ readonly nonce_secret?: string | null | undefined
}

export interface SignInBeginQuery {
  /** The query of the page to return to, such as `?view=log`. */ readonly to?: string | undefined
}

export interface SignInFinishQuery {
  /** What the provider exchanges for an ID token. */ readonly code?: string | undefined
  /** The state that began the sign-in. */ readonly state?: string | undefined
  /** The issuer that answers (RFC 9207). */ readonly iss?: string | undefined
  /** The provider's error. */ readonly error?: string | undefined
  /** The same as a sentence. */ readonly error_description?: string | undefined
}

export interface DoctorQuery {
  /** Verifies both chains from their first entry on, replays every decision, and compares all rows with what holds them; slow, and `write` access. */
  readonly deep?: boolean | undefined
}

// Objects that stand in several of the types above.

export interface PowerChange {
  /** Whether it was added, widened, changed, narrowed or removed. */
  readonly change: 'added' | 'changed' | 'narrowed' | 'removed' | 'widened'
  /** Its kind; `tools` means all tools. */ readonly of: 'agent' | 'mcp_server' | 'model' | 'provider' | 'tool' | 'tools'
  /** Its name; a tool of an MCP server follows the server's name. */ readonly name: string
  /** Whether it is a new capability. */ readonly widens: boolean
  /** The same as a sentence without its subject. */ readonly words: string
}

export interface Identity {
  /** The identity provider. */ readonly issuer: string
  /** The person's id there, unique within the issuer. */ readonly subject: string
}

export interface Unusable {
  /** Since when: the hour of the first such run of the last 7 days; without a price table the registration of the release. */
  readonly since: string
  /** The end of the hour of the last such run, or now: windows that begin then or later have none. null if the price table is missing. */
  readonly last: string | null
  /** How many runs of which agent or model, or which price table is missing. */ readonly because: string
}

export interface PlaceCandidate {
  /** The release. */ readonly release_id: string
  /** Its version; null if only a rollout or a request names it and nothing could be compared. */ readonly version: string | null
  /** When it was registered; null unless it is the newest of the agent here. */ readonly registered_at: string | null
  /** Why it is the candidate: a rollout, a request, or that it is the newest release. */ readonly source: 'newest' | 'request' | 'rollout'
}

export interface PlaceAllowed {
  /** The request to confirm or reject; the rules on who may confirm apply then. */ readonly confirm: string | null
  /** How to promote the candidate, at once or by a request; null if a promotion would be refused. */
  readonly promote: 'now' | 'request' | null
  /** The target of a rollback; null if there is none. */ readonly rollback_to: string | null
  /** Whether a rollback may be forced. */ readonly force_rollback: boolean
  /** Whether a rollout of the candidate can begin. */ readonly rollout: boolean
  /** Why nothing can be promoted; null if something can. */ readonly why_not: string | null
}

export interface WindowUsed {
  /** Start of the counted window, inclusive. */ readonly since: string
  /** End of the counted window, exclusive. */ readonly until: string
}

export interface EventFilters {
  /** Environment; default the workspace's. */ readonly environment: string
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
  /** Change of the cost as a fraction; null if the baseline costs nothing. */ readonly delta_cost_per_run_pct: number | null
  /** Mean latency of the baseline, ms; null without data. */ readonly baseline_latency_ms_avg: number | null
  /** Mean latency of the candidate, ms; null without data. */ readonly candidate_latency_ms_avg: number | null
  /** Change of the latency, ms; null if one release has no data. */ readonly delta_latency_ms_avg: number | null
  /** Share of the baseline's runs that failed. */ readonly baseline_error_rate: number
  /** Share of the candidate's runs that failed. */ readonly candidate_error_rate: number
  /** Change of the share. */ readonly delta_error_rate: number
}

export interface ComparedStatistics {
  /** The clusters of dependent runs: blocks of time, sessions or tenants. */ readonly cluster_by: 'session' | 'tenant' | 'time'
  /** What was compared: shared time, tenants or tasks, the whole window, or the groups of a rollout. */
  readonly compare_by?: 'rollout' | 'task' | 'tenant' | 'time' | 'window' | undefined
  /** The time that was compared; left out if the whole window is compared. */ readonly compared?: {
    /** Blocks of time in which both ran, the same hours of earlier days of the baseline, or tenants or tasks of both. */
    readonly by: 'common_time' | 'rollout' | 'same_hours' | 'task' | 'tenant'
    /** When it begins. */ readonly since: string
    /** When it ends. */ readonly until: string
    /** Width of the blocks of the UTC clock, minutes; 0 for a rollout. */ readonly block_minutes: number
    /** Present, and true, if the releases served different tenants at that time, so that nothing was compared. */
    readonly other_tenants?: true | undefined
    /** Runs of tenants or tasks that the other release lacks; only by tenant or task. */ readonly left_out?: {
      /** Of the candidate. */ readonly candidate: UnmatchedRuns
      /** Of the baseline. */ readonly baseline: UnmatchedRuns
    } | undefined
  } | undefined
  /** Tenants and tasks that the candidate serves worse, by intervals that are valid for all of them at once; left out if they were not checked, null if the policy limits them and not all runs could be assigned. */
  readonly segment_regressions?: {
    /** Tenants and tasks with enough runs of both releases, which were checked. */ readonly groups: number
    /** How many are worse by more than all together. */ readonly found_in_all: number
    /** Segments that are worse, the ones with most runs first, at most 20. */ readonly found: readonly SegmentRegression[]
    /** For each metric without a listed segment, the segment with the largest proven rise: limits count it, though it rises no more than the whole. */
    readonly with_the_whole?: readonly SegmentRegression[] | undefined
  } | null | undefined
  /** Cost of all runs per run that succeeded, USD; see `of_succeeded`. */ readonly cost_per_run_usd: MetricStatistics
  /** Latency of runs that succeeded and have one, ms; see `of_succeeded`. */ readonly latency_ms: MetricStatistics
  /** Share of failed runs. */ readonly error_rate: MetricStatistics
  /** Tokens per run, by kind. */ readonly tokens_per_run: {
    /** Input tokens. */ readonly input_tokens: MetricStatistics
    /** Output tokens. */ readonly output_tokens: MetricStatistics
    /** Cached input tokens. */ readonly cached_input_tokens: MetricStatistics
  }
  /** Percentiles of the latency, ms; null unless requested, or limited by the policy. */ readonly latency_percentiles: {
    /** The median. */ readonly p50: PercentileEstimates
    /** 90 of 100 runs are at most this. */ readonly p90: PercentileEstimates
    /** 95 of 100 runs are at most this. */ readonly p95: PercentileEstimates
    /** 99 of 100 runs are at most this. */ readonly p99: PercentileEstimates
    /** Null if all latencies of the window are counted; else the time from which on they are, and percentiles are null. */
    readonly known_since: string | null
  } | null
  /** Rises of percentiles over the time in which both ran; left out unless the policy limits one. Null in older rollbacks. */
  readonly latency_percentile_changes?: PercentileChanges | null | undefined
  /** Time to first token of runs that succeeded and report it, ms; left out if none does. */ readonly ttft_ms?: {
    /** The baseline's mean; null without data. */ readonly baseline: Estimate | null
    /** The candidate's mean; null without data. */ readonly candidate: Estimate | null
    /** Candidate minus baseline. */ readonly change: MetricStatistics
  } | undefined
  /** Percentiles of the time to first token, ms; left out unless requested with those of the latency, or limited by the policy. */
  readonly ttft_percentiles?: {
    /** The median. */ readonly p50: PercentileEstimates
    /** 90 of 100 runs are at most this. */ readonly p90: PercentileEstimates
    /** 95 of 100 runs are at most this. */ readonly p95: PercentileEstimates
    /** 99 of 100 runs are at most this. */ readonly p99: PercentileEstimates
  } | undefined
  /** Rises of percentiles over the time in which both ran; left out unless the policy limits one. Null in older rollbacks. */
  readonly ttft_percentile_changes?: PercentileChanges | null | undefined
  /** Tool calls of the newest runs, up to 10,000 per release; null unless requested, or limited by the policy. */ readonly tools: {
    /** Calls of all tools per run. */ readonly calls_per_run: MetricStatistics
    /** Each tool, up to 50 per release, those that most runs call first. */ readonly tools: readonly {
      /** Name of the tool. */ readonly tool_name: string
      /** Calls of the tool per run. */ readonly calls_per_run: MetricStatistics
      /** Share of the runs that call it; `worse` means more. */ readonly runs_share: MetricStatistics
    }[]
  } | null
  /** Scores by name: those of runs, at most 200, and SUITE/NAME of the newest import of each suite; left out if there are none. */
  readonly scores?: readonly {
    /** NAME, or SUITE/NAME for cases of a suite. */ readonly name: string
    /** The baseline's import; only for a suite. */ readonly baseline_import_id?: string | undefined
    /** The candidate's import; only for a suite. */ readonly candidate_import_id?: string | undefined
    /** The baseline's mean; null without data. */ readonly baseline: Estimate | null
    /** The candidate's mean; null without data. */ readonly candidate: Estimate | null
    /** Candidate minus baseline; `better` means more. */ readonly change: MetricStatistics
    /** The cases of both imports, if each is compared with itself; then `change` counts these cases. */ readonly paired?: {
      /** How many there are. */ readonly cases: number
      /** Share of the baseline's cases. */ readonly baseline_share: number
      /** Share of the candidate's cases; both shares must be at least 0.8. */ readonly candidate_share: number
      /** Tries of a case, the median. */ readonly epochs: number
      /** McNemar's exact p, which decides nothing; null unless cases pass or fail in one try. */ readonly mcnemar_p: number | null
    } | undefined
    /** `judges` if the imports have different judges; else left out. */ readonly not_comparable_because?: 'judges' | undefined
    /** Cases of both imports without this score of the candidate: they ended in an error, or are not in its import. Left out if there are none, and for rollbacks. */
    readonly missing?: {
      /** How many, with those that lack it in some of their tries. */ readonly cases: number
      /** Out of how many cases. */ readonly of: number
      /** Their share; a case counts by the share of its tries. */ readonly share: number
    } | undefined
  }[] | undefined
  /** The newest imports of suites whose cases can be identified, and of those that the policy names; left out if there are none. */
  readonly suites?: {
    /** Whether this is a rollback, for which only the limits of `on_rollback` apply. */ readonly of_rollback: boolean
    /** The suites, by name. */ readonly imported: readonly {
      /** Name of the suite. */ readonly suite: string
      /** The baseline's newest import; null if it has none. */ readonly baseline_import_id: string | null
      /** The candidate's newest import; null if it has none. */ readonly candidate_import_id: string | null
      /** Age of the candidate's import, or of its evaluation if that is older, hours. */ readonly age_hours: number | null
      /** Whether the candidate's import names the checksum of the release's bundle. */ readonly bundle: 'other' | 'same' | 'unknown'
      /** Cases of the candidate's import; null if they can't be identified. */ readonly cases: number | null
      /** How many of them have an epoch that did not pass; null if passes are unknown. */ readonly failing: number | null
      /** Cases of the baseline's import that the candidate's lacks; null if unknown. */ readonly missing: number | null
      /** Cases of both imports, by their state; null if they are not compared. */ readonly changes: CaseChanges | null
      /** Why cases are not compared one by one; null if they are. */
      readonly not_compared_because: 'few_shared' | 'judges' | 'no_cases' | 'no_import' | 'no_outcomes' | null
      /** Whether the judge agrees with people; null if the candidate's import has no labels of people. */ readonly agreement: {
        /** Tries with a label. */ readonly labels: number
        /** Cohen's κ; null if all labels are the same. */ readonly kappa: Estimate | null
      } | null
      /** Cases that do not pass, those that broke first, at most 20. */ readonly listed: readonly {
        /** Key of the case. */ readonly case: string
        /** Its state. */
        readonly state: 'failing' | 'flaky' | 'higher' | 'lower' | 'newly_failing' | 'newly_passing' | 'only_baseline' | 'only_candidate' | 'passing' | 'still_failing'
      }[]
    }[]
  } | undefined
  /** Present for a rollback, for which only the limits that the policy names for rollbacks apply. */
  readonly of_rollback?: true | undefined
  /** Present if latency counts successful runs, and cost is that of all runs per successful run; else both count all runs. */
  readonly of_succeeded?: true | undefined
  /** How each limit with an interval was decided. */ readonly limits: readonly {
    /** The policy's key. */ readonly policy_key: string
    /** The limited metric. */ readonly metric: string
    /** Whether it passes. */ readonly passed: boolean
    /** The interval is within the limit, beyond it, or neither. */ readonly outcome: 'fail' | 'inconclusive' | 'pass'
    /** Why neither; null unless inconclusive. */
    readonly inconclusive_because: 'baseline_is_zero' | 'baseline_near_zero' | 'interval_too_wide' | 'no_data' | 'no_success' | 'not_comparable' | 'skewed_small_baseline' | 'skewed_small_candidate' | 'too_few_blocks' | 'too_few_clusters' | 'too_few_runs' | null
    /** What decided it: the interval, the estimate alone, or `on_inconclusive`. */ readonly decided_by: 'estimate' | 'interval' | 'policy'
    /** The limit. */ readonly limit: number
    /** The compared value; null without data. */ readonly estimate: number | null
    /** Lower end of its interval. */ readonly low: number | null
    /** Upper end of its interval. */ readonly high: number | null
    /** Runs of the baseline that were compared; those of the window if nothing could be. */ readonly baseline_runs: number
    /** Runs of the candidate, in the same way. */ readonly candidate_runs: number
    /** `judges` if imports of a suite have different judges; else left out. */ readonly not_comparable_because?: 'judges' | undefined
    /** Why a suite does not pass, or a latency of runs that last too long; else left out. */ readonly reason?: string | undefined
  }[]
  /** Warnings about these figures. */ readonly warnings: readonly string[]
}

export interface UnmatchedRuns {
  /** Share of the release's runs in that time. */ readonly share: number
  /** Ids of the largest, at most five; 0 are names without an id. */ readonly largest: readonly number[]
}

export interface SegmentRegression {
  /** Whether it is a tenant or a task. */ readonly kind: 'task' | 'tenant'
  /** Its id. */ readonly segment: number
  /** The metric that is worse. */ readonly metric: 'cost_per_run_usd' | 'error_rate' | 'latency_ms'
  /** Its runs on the baseline. */ readonly baseline_runs: number
  /** Its runs on the candidate. */ readonly candidate_runs: number
  /** Mean on the baseline, in the metric's unit. */ readonly baseline_mean: number
  /** Mean on the candidate, in the metric's unit. */ readonly candidate_mean: number
  /** Candidate minus baseline, in the metric's unit. */ readonly difference: Estimate
  /** The difference as a fraction of the baseline's mean. */ readonly relative_change: Estimate | null
}

export interface MetricStatistics {
  /** Runs of the baseline that have the metric. */ readonly baseline_runs: number
  /** Runs of the candidate that have the metric. */ readonly candidate_runs: number
  /** The baseline's mean; null without runs. */ readonly baseline_mean: number | null
  /** The candidate's mean; null without runs. */ readonly candidate_mean: number | null
  /** Standard deviation of single runs of the baseline; null below two. */ readonly baseline_stddev: number | null
  /** Standard deviation of single runs of the candidate; null below two. */ readonly candidate_stddev: number | null
  /** Candidate minus baseline, in the metric's unit; null if a release has no runs. */ readonly difference: Estimate | null
  /** The difference as a fraction of the baseline's mean: 0.1 is +10 %; null if that is 0. */ readonly relative_change: Estimate | null
  /** `fixed` is valid for one planned check, `sequential` for any number of checks. */ readonly interval: 'fixed' | 'sequential'
  /** Share of intervals that contain the truth. */ readonly confidence_level: number
  /** The interval's verdict; `no_difference` is within 5 %, for rates 0.01. */
  readonly verdict: 'better' | 'inconclusive' | 'no_difference' | 'worse'
  /** Why it is inconclusive; null otherwise. */
  readonly inconclusive_because: 'baseline_is_zero' | 'baseline_near_zero' | 'interval_too_wide' | 'no_data' | 'no_success' | 'not_comparable' | 'skewed_small_baseline' | 'skewed_small_candidate' | 'too_few_blocks' | 'too_few_clusters' | 'too_few_runs' | null
  /** How many times more runs are needed because runs of a cluster are similar; null if there are too few clusters. */
  readonly design_effect: number | null
  /** The clusters. */ readonly clusters: {
    /** The number of equal clusters with the same weight. */ readonly baseline: number
    /** The number for the candidate. */ readonly candidate: number
    /** Share of all runs in clusters of both releases. */ readonly shared_runs_share: number
  }
  /** Fewest runs per release for a claim. */ readonly min_runs: number
  /** Few candidate runs of a skewed metric: it can block but not pass. */ readonly is_skewed_small_candidate: boolean
  /** Few baseline runs of a skewed metric: it can pass but not block. */ readonly is_skewed_small_baseline?: boolean | undefined
  /** `not_comparable` if the releases share too little for a claim; null if they share enough, and if the whole window is compared. Rules before 5 also used `too_few_blocks`. */
  readonly comparability_doubt?: 'not_comparable' | 'too_few_blocks' | null | undefined
  /** What was compared, if not the whole window; null if the releases share nothing. */ readonly matched?: {
    /** Blocks of time in which both ran, the same hours of earlier days of the baseline, tenants or tasks of both, or units that a rollout split by chance. */
    readonly by: 'common_time' | 'same_hours' | 'task' | 'tenant'
    /** The baseline's mean over them; null if there is nothing to compare. */ readonly baseline_mean: number | null
    /** The candidate's mean, with the same weights. */ readonly candidate_mean: number | null
    /** Runs of the baseline that were compared. */ readonly baseline_runs: number
    /** Runs of the candidate that were compared. */ readonly candidate_runs: number
    /** Share of the baseline's runs of the window that was compared. */ readonly baseline_share: number
    /** Share of the candidate's runs of the window that was compared; at least 0.5 is needed. */ readonly candidate_share: number
    /** The number of equal units of time with the same weight; at least 6 are needed. For the same hours, the days. */
    readonly units: number
    /** The part of the time with another difference than the rest, if it makes most of the spread: an outage, or a level that moved. Left out if there is none. */
    readonly moved?: {
      /** Its first block, counted from compared.since. */ readonly first_block: number
      /** The block behind its last one. */ readonly end_block: number
      /** Its share of the spread between blocks. */ readonly share: number
      /** The baseline's mean in the rest. */ readonly baseline_rest: number
      /** The baseline's mean in it. */ readonly baseline_mean: number
      /** The candidate's mean in the rest. */ readonly candidate_rest: number
      /** The candidate's mean in it. */ readonly candidate_mean: number
    } | undefined
    /** Present, and true, if days differ by more than their runs explain. */ readonly days_differ?: true | undefined
  } | null | undefined
  /** Smallest limit that an unchanged release would pass in 80 of 100 cases with these runs: for a mean a fraction, for a rate a difference; null if there is none. */
  readonly smallest_provable_limit: number | null
  /** Runs with which an unchanged release passes a limit in 80 of 100 cases. */ readonly runs_needed: {
    /** The policy's limit, or 0.1 for a mean and 0.02 for a rate. */ readonly limit: number
    /** Of each release, if both have as many; null if none suffice. */ readonly runs_per_side: number | null
    /** Of the candidate, with the baseline's present runs; null if those are too few. */ readonly candidate_runs: number | null
    /** How many of them the candidate lacks; null also if the metric is worse for sure. */ readonly candidate_runs_missing: number | null
  }
}

export interface PercentileEstimates {
  /** Of the baseline; null below 20 runs for p50, 35 for p90, 73 for p95, 381 for p99. Latencies are counted in bins 2 % wide: the estimate is the upper edge of its bin, and the interval ends at edges. */
  readonly baseline: Estimate | null
  /** The candidate, in the same way. */ readonly candidate: Estimate | null
  /** Candidate minus baseline; null if either is. */ readonly difference: Estimate | null
}

export interface PercentileChanges {
  /** The 90th percentile. */ readonly p90: PercentileChange
  /** The 95th percentile. */ readonly p95: PercentileChange
  /** The 99th percentile. */ readonly p99: PercentileChange
}

export interface PercentileChange {
  /** Rise as a fraction, exact to a bin of 2 %; null if there is nothing to compare. */ readonly relative_change: Estimate | null
  /** Why nothing is claimed; null if the interval may be. */
  readonly inconclusive_because: 'baseline_is_zero' | 'baseline_near_zero' | 'interval_too_wide' | 'no_data' | 'no_success' | 'not_comparable' | 'skewed_small_baseline' | 'skewed_small_candidate' | 'too_few_blocks' | 'too_few_clusters' | 'too_few_runs' | null
  /** Runs of the baseline that were compared. */ readonly baseline_runs: number
  /** Runs of the candidate that were compared. */ readonly candidate_runs: number
  /** Share of the candidate's runs of the window that was compared; at least 0.5 is needed. */ readonly candidate_share: number
  /** The number of equal units of time with the same weight; at least 6 are needed. */ readonly units: number
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
  /** Why the capabilities of a release are unknown; then they count as wider. */ readonly unreadable?: readonly string[] | undefined
  /** The acknowledgement of this difference in this environment; left out if there is none. */ readonly acknowledged?: {
    /** The acknowledgement. */ readonly acknowledgement_id: string
    /** Who. */ readonly actor: string
    /** Why. */ readonly reason: string
    /** When. */ readonly created_at: string
  } | undefined
  /** Who can acknowledge it: `another`, not the person who promotes (`approval_by_another`); `people`, who have signed in (`approvals.people_only`). Left out if everybody who may promote can. */
  readonly acknowledged_only_by?: readonly ('another' | 'people')[] | undefined
}

export interface NamedCase {
  /** The suite. */ readonly suite: string
  /** Key of the case: a keyed hash of its id or of its input. */ readonly case: string
  /** Id of the case; null if its input identifies it, or if it was forgotten. */ readonly name: string | null
  /** Its state. */
  readonly state: 'failing' | 'flaky' | 'higher' | 'lower' | 'newly_failing' | 'newly_passing' | 'only_baseline' | 'only_candidate' | 'passing' | 'still_failing'
  /** Traces of the candidate's tries. */ readonly trace_ids?: readonly string[] | undefined
}

export interface PolicyVerdict {
  /** Whether the policy passes. */ readonly passed: boolean
  /** `passed`; `first`: a first promotion, which compares nothing; `forced`: no policy was evaluated; `not_yet`: only evidence is missing; `blocked`: something is violated. */
  readonly result: 'blocked' | 'first' | 'forced' | 'not_yet' | 'passed'
  /** One per failed constraint, in the order of the checks; or why nothing was checked. */ readonly reasons: readonly string[]
  /** When it was evaluated. */ readonly evaluated_at: string
  /** Warnings that block nothing, such as a limit without data; left out if there is none. */
  readonly warnings?: readonly string[] | undefined
  /** What would decide it; only if nothing but evidence is missing. */ readonly missing_evidence?: MissingEvidence | undefined
}

export interface MissingEvidence {
  /** How many more runs of the baseline, about: with them an unchanged release passes in 80 of 100 cases. Null if runs don't decide it, or if unknown. */
  readonly baseline_runs_needed: number | null
  /** How many more runs of the candidate, about. */ readonly candidate_runs_needed: number | null
  /** Runs of the baseline per hour, from its first to its last run in the window; 0 if none came in the last day, null without runs. */
  readonly baseline_runs_per_hour: number | null
  /** Runs of the candidate per hour. */ readonly candidate_runs_per_hour: number | null
  /** How long both releases need to get them, at these rates; null if unknown. */ readonly hours: number | null
  /** A better window: a shorter one in which both releases ran, or a longer one with as many runs; null if this one is good. */
  readonly window: string | null
  /** Why limits are not decided for another cause than the number of runs, such as a level that moved within the window; left out if there are none. */
  readonly because?: readonly string[] | undefined
  /** Limits that would need more than ten times the present runs, so that this traffic does not decide them; left out if there are none. */
  readonly beyond_traffic?: readonly {
    /** The limit. */ readonly policy_key: string
    /** Its value in the policy. */ readonly limit: number
    /** The smallest limit that these runs could decide for an unchanged release; null if unknown. */
    readonly smallest_provable_limit: number | null
  }[] | undefined
}

export interface PlaceRow {
  /** The policy's key. */ readonly policy_key: string
  /** The limited metric. */ readonly metric: string
  /** The live release's value, over the compared runs: USD, milliseconds or a fraction. */ readonly before: number | null
  /** The value of the candidate. */ readonly now: number | null
  /** The change that was decided on; relative, or for a rate in fractions. */ readonly change: number | null
  /** Lower end of its interval; null without bound. */ readonly low: number | null
  /** Upper end of its interval; null without bound. */ readonly high: number | null
  /** The limit. */ readonly limit: number
  /** `policy`, or the override that sets it here. */ readonly limit_from: string
  /** Whether it is met, broken, or not decided. */ readonly outcome: 'fail' | 'pass' | 'unsure'
  /** The value with which the limit is met, in words; null if one value does not say it. */ readonly would_pass: string | null
}

export interface PolicyScope {
  /** SHA-256 of the whole policy, lowercase hex. */ readonly policy_checksum: string
  /** The overrides that set keys here, in the order of the policy. */ readonly rules: readonly PolicyRule[]
  /** The policy as it applies here, without overrides. */ readonly policy: Readonly<Record<string, unknown>>
}

export interface PolicyRule {
  /** Which of the overrides, from 0. */ readonly override: number
  /** Its agents; left out if it is for all. */ readonly agent_id?: string | undefined
  /** Its environments; left out if it is for all. */ readonly environment?: string | undefined
  /** The keys that it sets. */ readonly keys: readonly string[]
}

export interface RecordedVerdict {
  /** Whether it passed. */ readonly passed: boolean
  /** The reasons that were recorded. */ readonly reasons: readonly string[]
}

export interface ReplayedVerdict {
  /** Whether it passes; null if the evidence is not enough. */ readonly passed: boolean | null
  /** Why not, or why it was not evaluated. */ readonly reasons: readonly string[]
  /** What the evidence lacks. */ readonly unknown: readonly string[]
}

export interface StoredEvent {
  /** Version of this format. */ readonly api_version: 'v1'
  /** Only run_end carries cost and latency; run_start counts as a run without usage. */ readonly type: 'run_end' | 'run_start'
  /** When the run ended. ISO-8601; without an offset it is UTC. Filters by window. */ readonly timestamp: string
  /** Stored; not a filter. */ readonly workspace_id: string
  /** The release's agent. */ readonly agent_id: string
  /** The release that ran. */ readonly release_id: string
  /** De-duplication key: a run_id that is stored already is skipped. */ readonly run_id: string
  /** Filter dimension. */ readonly tenant_id: string
  /** Filter dimension. */ readonly task_id: string
  /** Filter dimension: where the run happened. */ readonly environment: string
  /** The result of the run. */ readonly metrics: {
    /** False counts toward the error rate. */ readonly success: boolean
    /** Milliseconds; null leaves the run out of latency averages. */ readonly latency_ms: number | null
    /** Informational. */ readonly error_type: string | null
    /** Milliseconds from the start of the run to its first token. */ readonly ttft_ms?: number | undefined
  }
  /** The usage of the run. */ readonly usage: {
    /** Model and tokens. */ readonly model: StoredModelUsage
    /** Other models that the run called, and their tokens; usage.model is not among them. */
    readonly models?: readonly StoredModelUsage[] | undefined
    /** Whether some tokens are unknown, such as those of a broken stream: cost and token means leave the run out. */
    readonly incomplete?: true | undefined
    /** Tools called; recorded, not priced. */ readonly tools: readonly {
      /** Name of the tool. */ readonly tool_name: string
      /** Number of calls. */ readonly invocations: number
      /** In a unit of the vendor; not priced. */ readonly cost_units: number
    }[]
  }
  /** Scores of the run, by name, such as faithfulness: 0.92. Means and limits use six decimals. */
  readonly scores?: Readonly<Record<string, number>> | undefined
  /** Tags; not used in diff or policy. */ readonly labels: Readonly<Record<string, string>>
  /** Tracing identifiers, to search for runs. */ readonly request: {
    /** Session the run belongs to. */ readonly session_id: string | null
    /** Trace the run belongs to. */ readonly trace_id: string | null
    /** Span of the run. */ readonly span_id: string | null
  } | null
  /** The unit that a rollout assigned the run by, if that is neither its session nor its tenant. */ readonly assignment?: {
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
  /** How many of the input tokens were written to a cache, for which some providers charge more. */
  readonly cache_write_input_tokens?: number | undefined
  /** The model's name in the answer, if it differs from the requested model. Not priced. */ readonly served_model?: string | undefined
}

export interface SinceRequest {
  /** The live releases of then and now, if they differ; null if they are the same. */ readonly baseline: {
    /** The live release then; null if there was none. */ readonly from: string | null
    /** The live release now; null if there is none. */ readonly to: string | null
  } | null
  /** Fields of the policy in force that have changed. */ readonly policy: readonly {
    /** Name of the field. */ readonly field: string
    /** Its value then; null if there was none. */ readonly from: unknown
    /** Its value now; null if there is none. */ readonly to: unknown
  }[]
  /** Figures of the comparison that have changed. */ readonly figures: readonly {
    /** Name of the figure, as in the metrics of a diff. */ readonly name: string
    /** Its value then. */ readonly from: number | null
    /** Its value now. */ readonly to: number | null
  }[]
}

export interface MissingForHigh {
  /** Runs that the baseline lacks in this window. */ readonly baseline_runs_needed: number
  /** Runs that the candidate lacks in this window. */ readonly candidate_runs_needed: number
  /** A window ending now with enough runs of both; null if all runs are not enough. */ readonly shortest_window: string | null
}

export interface LeftOutRuns {
  /** Runs that were left out. */ readonly runs: number
  /** All runs of the release, including those. */ readonly of_runs: number
  /** Runs that count, but without their tokens of a further model that has no price. */ readonly parts: number
  /** The runs by cause, largest first, at most 20. */ readonly unusable: readonly {
    /** The agent that they name. */ readonly agent_id: string
    /** The model that they used. */ readonly model: string
    /** Why decisions can't count them: agent, they name another agent than the release's; price, the release's table has no price for the model. */
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
  /** Whether every epoch of every case must pass, and the import must have all cases of the baseline's newest import. */
  readonly must_pass?: boolean | undefined
  /** Lowest share of cases that pass. Decided by its interval. */ readonly min_pass_rate?: number | undefined
  /** How many cases that passed may fail now. */ readonly max_regressions?: number | undefined
  /** Largest share of the cases of both imports without a score of the candidate, because they ended in an error or are not in its import; default 0.02. Above it the limits on the suite's scores fail. */
  readonly max_missing_cases?: number | undefined
  /** How old the import may be: 7d, 24h. An older import doesn't count. */ readonly max_age?: string | undefined
  /** Whether the import must name the checksum of the release's bundle. */ readonly same_bundle?: boolean | undefined
  /** Lowest Cohen's κ between the judge and people, over cases with labels. Decided by its interval. */
  readonly require_judge_agreement?: number | undefined
  /** Whether it also applies to rollbacks. */ readonly on_rollback?: boolean | undefined
}

export interface WatchPolicy {
  /** How long: 2h, 30m, 1d, up to 30 days. */ readonly for: string
  /** Whether a regression rolls back to the release before, if this policy passes. */ readonly auto_rollback?: boolean | undefined
  /** Runs that keep its rollback from being decided, of another agent or without a price: exclude leaves them out, up to 5 % of the runs of a release. */
  readonly on_unusable?: 'exclude' | 'refuse' | undefined
  /** Fewest runs of the new release for a conclusion or a rollback; failures that the exact bound proves count from 10 runs on. */
  readonly min_runs?: number | undefined
}

export interface CapabilityPolicy {
  /** With `block`, a promotion is blocked if the release has capabilities that the live one lacks, until somebody acknowledges this difference. With `warn` (the default) it passes with a warning. */
  readonly widened?: 'block' | 'warn' | undefined
  /** Forbidden capabilities: effects (`sends`), or names such as `tool:delete_*`, `scope:mail.*`, `mcp_server:shell`, `agent:x`, `provider:y`, `model:z`. An acknowledgement doesn't override them. */
  readonly forbid?: readonly string[] | undefined
}

export interface RolloutApproval {
  /** Who confirmed. */ readonly actor: string
  /** The person of an identity provider; absent if there is none. */ readonly actor_identity?: Identity | undefined
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
  /** The day (UTC) from which on it no longer answers. */ readonly retires_on: string
  /** Days until then by the clock of the database; negative if that is past. */ readonly days_left: number
  /** Whether a person set it by hand, which counts first, or a price list has it. */ readonly said_by: 'hand' | 'price_list'
  /** Who set it and why, or the price table. */ readonly source: string
  /** The day in the newest price list, if that is another one; left out if it is the same or unknown. */
  readonly price_list_says?: string | null | undefined
}

export interface RolloutStep {
  /** Share of the units that get the candidate, a fraction. */ readonly share: number
  /** How long the step takes at least. */ readonly for: string
  /** When it began; null before. */ readonly started_at: string | null
  /** When it ended; null before. */ readonly ended_at: string | null
}

export interface RolloutLimits {
  /** For the mean cost per run, a fraction. */ readonly cost_per_run_usd: number | null
  /** For the mean latency, a fraction. */ readonly latency_ms: number | null
  /** For the error rate, a difference; default 0.02. */ readonly error_rate: number | null
}

export interface RolloutHold {
  /** Share of the units, a fraction. */ readonly share: number
  /** How long. */ readonly for: string
}

export interface RolloutCheck {
  /** Number of the check, from 1. */ readonly number: number
  /** When it was, by the clock of the database. */ readonly at: string
  /** The step that it checked, from 0. */ readonly step: number
  /** Runs of the step, by the release that their unit is assigned to. */ readonly runs: {
    /** Of the baseline. */ readonly baseline: number
    /** Of the candidate. */ readonly candidate: number
  }
  /** Units that were seen in the step, up to 200,000. */ readonly units: {
    /** Of the baseline. */ readonly baseline: number
    /** Of the candidate. */ readonly candidate: number
    /** Probability of a split this unequal by chance; null below 50 expected units per release. */ readonly p: number | null
  }
  /** Share of the runs that used another release than assigned; null without runs. */ readonly wrong_share: number | null
  /** Share of the runs without a unit, which count for no release; null without runs. */ readonly missing_share: number | null
  /** The guard: rises over all steps together, by bounds that are valid at all checks; only limited metrics. */ readonly metrics: {
    /** The mean cost per run. */ readonly cost_per_run_usd?: WatchedMetric | undefined
    /** The mean latency. */ readonly latency_ms?: WatchedMetric | undefined
    /** The share of failed runs. */ readonly error_rate: WatchedMetric
  }
  /** What is missing for the next step; empty if nothing is. */ readonly holds: readonly string[]
  /** About when the next step is due at the present traffic; null if unknown. */ readonly ready_at: string | null
  /** What could not be compared, such as a model without a price. */ readonly problems: readonly string[]
}

export interface WatchedMetric {
  /** The other side of the comparison: units that a rollout holds back on the release before, the same hours of earlier days, or the baseline's runs before the promotion. */
  readonly by?: 'holdback' | 'same_hours' | 'window' | undefined
  /** For the same hours, how many days. */ readonly days?: number | undefined
  /** The bound that proves the rise beyond the limit; null if none does. */ readonly alarm: 'exact' | 'sequential' | null
  /** Runs of the baseline that have the metric. */ readonly baseline_runs: number
  /** Runs of the release that have the metric. */ readonly candidate_runs: number
  /** Largest rise that is accepted: for means a fraction, for the error rate a difference. */ readonly limit: number
  /** The measured rise, in the same unit; null if undefined. */ readonly change: number | null
  /** The least true rise, valid at all checks of 59 in 60 watches; null while unknown. */ readonly low: number | null
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
  /** How many of the input tokens were written to a cache, for which some providers charge more. */
  readonly cache_write_input_tokens?: number | undefined
  /** The model's name in the answer, if it differs from the requested model. Not priced. */ readonly served_model?: string | undefined
}

export interface TriesOfCase {
  /** How often it was tried. */ readonly epochs: number
  /** How many of the tries passed; null if unknown. */ readonly passed: number | null
  /** Mean of its tries, by score. */ readonly scores: Readonly<Record<string, number>>
}

export interface SessionRecord {
  /** Identifier of the session. */ readonly session_id: string
  /** Its client: the web UI in a browser, or `svc`. */ readonly kind: 'browser' | 'cli'
  /** The name that is put on record for the session's changes. */ readonly name: string
  /** The identity provider that vouches for the person. */ readonly issuer: string
  /** The person's id there: `sub` of the ID token, unique within the issuer. */ readonly subject: string
  /** Its role. */ readonly role: 'admin' | 'ingest' | 'read' | 'write'
  /** Its agents; null for all. */ readonly agents: readonly string[] | null
  /** Its environments; null for all. */ readonly environments: readonly string[] | null
  /** Its state. */ readonly state: 'ended' | 'open'
  /** When the person signed in. */ readonly created_at: string
  /** Its last use, to a minute or so. */ readonly last_used_at: string
  /** When it ends unless it is used before. */ readonly idle_at: string
  /** When it ends in any case. */ readonly expires_at: string
  /** When it ended; null while it is open. */ readonly ended_at: string | null
  /** Why it ended; null while it is open. */ readonly ended_because: 'expired' | 'idle' | 'replaced' | 'revoked' | 'signed_out' | null
  /** Who ended it; null if no person did. */ readonly ended_by: string | null
}

export interface TokenRecord {
  /** Identifier of the token; its 12 digits begin the token. */ readonly token_id: string
  /** The name that is put on record for the token's actions. */ readonly name: string
  /** Its role. */ readonly role: 'admin' | 'ingest' | 'read' | 'write'
  /** Its agents; null for all. */ readonly agents: readonly string[] | null
  /** Its environments; null for all. */ readonly environments: readonly string[] | null
  /** The source whose aggregates it may send, and nothing else; left out for other tokens. */ readonly source?: string | undefined
  /** Its state. */ readonly state: 'expired' | 'live' | 'revoked'
  /** When it was made. */ readonly created_at: string
  /** Who made it. */ readonly created_by: string
  /** When it ends; null if never. */ readonly expires_at: string | null
  /** When it was revoked. */ readonly revoked_at: string | null
  /** Who revoked it. */ readonly revoked_by: string | null
  /** Its last use, to a minute or so. */ readonly last_used_at: string | null
}

export interface WatchLimits {
  /** For the mean cost per run, a fraction. */ readonly cost_per_run_usd: number
  /** For the mean latency, a fraction. */ readonly latency_ms: number
  /** Of the error rate, a difference. */ readonly error_rate: number
}

export interface WatchCheck {
  /** Number of the check, from 1. */ readonly number: number
  /** When it was, by the clock of the database. */ readonly at: string
  /** Its readings, by metric. */ readonly metrics: {
    /** The mean cost per run. */ readonly cost_per_run_usd: WatchedMetric
    /** The mean latency. */ readonly latency_ms: WatchedMetric
    /** The share of failed runs. */ readonly error_rate: WatchedMetric
  }
  /** What could not be compared, such as a model without a price. */ readonly problems: readonly string[]
}

export interface WatchRollback {
  /** The recorded action; null if it could not be evaluated. */ readonly action_id: string | null
  /** Whether the live release changed. */ readonly passed: boolean
  /** Why it did not change. */ readonly reasons: readonly string[]
  /** How often it was tried; left out if once. */ readonly attempts?: number | undefined
  /** Only while a blocked rollback is tried again: the latest time of the next try, sooner if the cause changes; null if it waits only for that change, until the watch would have ended. */
  readonly next_attempt_at?: string | null | undefined
}

export interface WatchRecord {
  /** Identifier of the watch. */ readonly watch_id: string
  /** The release's agent. */ readonly agent_id: string
  /** Where it is live. */ readonly environment: string
  /** The release that is watched. */ readonly release_id: string
  /** The release to compare with, and to roll back to. */ readonly baseline_release_id: string
  /** Its state. Final except watching, and except regressed while a blocked rollback is tried again (rollback.next_attempt_at). */
  readonly state: 'inconclusive' | 'passed' | 'regressed' | 'rolled_back' | 'superseded' | 'watching'
  /** Whether a regression rolls back, if the policy lets it. */ readonly auto_rollback: boolean
  /** Fewest runs of the release for a conclusion; failures that the exact bound proves count from 10 runs on. */ readonly min_runs: number
  /** Largest rises that are accepted, as the policy had them when the watch began; 0 if it had none. */ readonly limits: WatchLimits
  /** The decision that made the release live. */ readonly action_id: string
  /** From when on runs of the baseline count. */ readonly baseline_since: string
  /** From when on runs of the release count. */ readonly started_at: string
  /** Who began it; if a promotion did, who promoted. */ readonly started_by: string
  /** When it ends at the latest. */ readonly ends_at: string
  /** How often it checked. */ readonly checks: number
  /** The last check; null before the first. */ readonly last_check: WatchCheck | null
  /** When it ended. */ readonly ended_at: string | null
  /** Why it ended so. */ readonly ended_because: string | null
  /** Who ended it; null if the watch did. */ readonly ended_by: string | null
  /** Its rollback; null if it tried none. */ readonly rollback: WatchRollback | null
}
