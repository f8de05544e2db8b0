// Generated from the models by `npm run generate`, and never edited.
import { actorBytes, addressBytes, calendarDay, nameBytes, proseBytes, undisguised, windowBytes } from '../checks.ts'
import type { InputShapes } from '../shape.ts'

const s1 = { is: "string", limits: [["maxLength", 512]], checks: [nameBytes] } as const
const s2 = { is: "string", checks: [windowBytes] } as const
const s3 = { oneOf: ["session","tenant","time"] } as const
const s4 = { oneOf: ["task","tenant","time","window"] } as const
const s5 = { is: "string", limits: [[/^\d{4}-\d\d-\d\d[Tt ][\d:.,]+(?:[Zz]|[+-][\d:]+)?$/, "an ISO-8601 date and time, such as 2026-11-27T12:00:00Z"]] } as const
const s6 = { is: "object", required: { baseline_release_id: s1, candidate_release_id: s1, window: s2 }, optional: { judged: { oneOf: [false,true] }, tails: { oneOf: [false,true] }, tools: { oneOf: [false,true] }, cluster_by: s3, compare_by: s4, environment: s1, sequential: { oneOf: [false,true] }, task_id: s1, tenant_id: s1, until: s5 }, others: "reject", defaults: {"judged":false,"tails":false,"tools":false} } as const
const s7 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes, undisguised] } as const
const s8 = { is: "string", checks: [proseBytes] } as const
const s9 = { is: "string", checks: [actorBytes] } as const
const s10 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s11 = { kinds: { string: s10, null: { oneOf: [null] } } } as const
const s12 = { is: "object", required: { environment: s7, reason: s8, release_id: s1, window: s2 }, optional: { dry_run: { oneOf: [false,true] }, first: { oneOf: [false,true] }, actor: s9, expected_baseline_release_id: s11 }, others: "reject", defaults: {"dry_run":false,"first":false} } as const
const s13 = { is: "object", required: { environment: s7, reason: s8, release_id: s1, window: s2 }, optional: { first: { oneOf: [false,true] }, actor: s9, expected_baseline_release_id: s11 }, others: "reject", defaults: {"first":false} } as const
const s14 = { is: "object", required: { approval_reason: s8, request_id: s1 }, optional: { dry_run: { oneOf: [false,true] }, actor: s9, expected_baseline_release_id: s11 }, others: "reject", defaults: {"dry_run":false} } as const
const s15 = { is: "object", required: { reason: s8, request_id: s1 }, optional: { actor: s9 }, others: "reject" } as const
const s16 = { is: "object", required: { environment: s7, reason: s8, release_id: s1, window: s2 }, optional: { dry_run: { oneOf: [false,true] }, exclude_unusable: { oneOf: [false,true] }, force: { oneOf: [false,true] }, actor: s9, expected_baseline_release_id: s11 }, others: "reject", defaults: {"dry_run":false,"exclude_unusable":false,"force":false} } as const
const s17 = { is: "number", limits: [["divisor", 1], ["max", 500], ["min", 1]] } as const
const s18 = { oneOf: ["cancelled","completed","pending"] } as const
const s19 = { is: "object", optional: { limit: s17, id: s1, status: s18 }, others: "reject", defaults: {"limit":50} } as const
const s20 = { is: "number", limits: [["divisor", 1]] } as const
const s21 = { is: "number", limits: [["divisor", 1], ["max", 9007199254740991], ["min", 0]] } as const
const s22 = { oneOf: ["blocked","forced","passed"] } as const
const s23 = { is: "object", optional: { limit: s20, evidence: { oneOf: [false,true] }, actor: s1, after: s21, agent: s1, env: s1, since: s5, until: s5, verdict: s22 }, others: "reject", defaults: {"limit":50,"evidence":false} } as const
const s24 = { is: "object", required: { action_id: s1 }, others: "reject" } as const
const s25 = { is: "number", limits: [["divisor", 1], ["max", 9007199254740991], ["min", 1]] } as const
const s26 = { is: "object", optional: { after: s10, agent: s10, env: s10, limit: s25 }, others: "reject" } as const
const s27 = { is: "string", limits: [[/^[0-9a-f]{64}$/, "a SHA-256 as 64 lowercase hex characters"]] } as const
const s28 = { is: "object", required: { artifact: {}, checksum: s27 }, optional: { reuse: { oneOf: [false,true] }, environment: s7, files: {} }, others: "reject", defaults: {"reuse":false} } as const
const s29 = { is: "object", required: { release_id: s1 }, others: "reject" } as const
const s30 = { is: "object", optional: { run_environments: { oneOf: [false,true] } }, others: "reject", defaults: {"run_environments":false} } as const
const s31 = { is: "object", required: { window: s8 }, others: "reject" } as const
const s32 = { is: "number", limits: [["divisor", 1], ["max", 500000], ["min", 0]] } as const
const s33 = { oneOf: ["failed","success"] } as const
const s34 = { is: "object", required: { release_id: s1, window: s2 }, optional: { offset: s32, limit: s17, environment: s1, error_type: s10, min_latency_ms: s21, outcome: s33, session_id: s10, span_id: s10, task_id: s10, tenant_id: s10, trace_id: s10, until: s5 }, others: "reject", defaults: {"offset":0,"limit":100} } as const
const s35 = { is: "object", required: { release_id: s1, window: s2 }, optional: { offset: s32, limit: s17, environment: s1, error_type: s10, min_latency_ms: s21, outcome: s33, session_id: s10, span_id: s10, task_id: s10, tenant_id: s10, trace_id: s10, until: s5 }, others: "reject", defaults: {"offset":0,"limit":500} } as const
const s36 = { is: "object", others: "reject" } as const
const s37 = { is: "object", optional: { reason: s8 }, others: "reject" } as const
const s38 = { is: "object", required: { table: {} }, optional: { replace: { oneOf: [false,true] }, reason: s8 }, others: "reject", defaults: {"replace":false} } as const
const s39 = { is: "object", required: { pricing_version: s1, provider: s1 }, others: "reject" } as const
const s40 = { oneOf: ["action","action.reviewed","aggregates","aggregates.fewer","aggregates.handed_over","aggregates.source","capabilities","capabilities.acknowledged","clock","clock.accepted","decision","events","events.digest","events.erased","events.erasing","events.pruned","events.pruning","events.restored","events.restoring","live","live.other_model","live.recovered","live.silent","live.worse","policy","policy.set","prices","prices.import","release","release.registered","request","request.approved","request.cancelled","request.expired","request.made","request.rejected","retirement","retirement.set","rollout","rollout.aborted","rollout.advanced","rollout.approved","rollout.completed","rollout.expired","rollout.paused","rollout.refused","rollout.rejected","rollout.requested","rollout.resumed","rollout.started","rollups","rollups.rebuilding","scores","scores.imported","server","server.started","session","session.ended","session.key_made","session.opened","session.refused","token","token.made","token.revoked","token.rotated","watch","watch.ended","watch.retried","watch.started","webhook","webhook.added","webhook.removed","webhook.replayed","webhook.rotated","webhook.updated"] } as const
const s41 = { is: "object", optional: { limit: s17, facts: { oneOf: [false,true] }, actor: s1, after: s21, agent: s1, env: s1, kind: s40, since: s5, until: s5 }, others: "reject", defaults: {"limit":50,"facts":false} } as const
const s42 = { oneOf: ["capabilities.violated","promote.blocked","promote.succeeded","promotion.requested","rollback.forced","rollback.succeeded","rollout.aborted","rollout.advanced","rollout.completed","rollout.expired","rollout.paused","rollout.resumed","rollout.started","test.ping","watch.inconclusive","watch.passed","watch.regressed","watch.rollback_blocked"] } as const
const s43 = { is: "array", limits: [["maxLength", 100], ["minLength", 1]], items: s42 } as const
const s44 = { is: "string", checks: [addressBytes] } as const
const s45 = { oneOf: ["json","slack","teams"] } as const
const s46 = { is: "object", required: { events: s43, url: s44 }, optional: { description: s8, format: s45 }, others: "reject" } as const
const s47 = { is: "object", required: { webhook_id: s1 }, others: "reject" } as const
const s48 = { is: "string", limits: [[/^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/, "a name of letters, digits, _, ., @ and -, at most 64 long, that begins with a letter or digit, such as ci-deploy"]] } as const
const s49 = { oneOf: ["admin","ingest","read","write"] } as const
const s50 = { is: "array", limits: [["maxLength", 20], ["minLength", 1]], items: s7 } as const
const s51 = { is: "string", limits: [[/^[1-9]\d{0,4}[dhm]$/, "a number and d, h or m, such as 90d"]] } as const
const s52 = { is: "string", limits: [[/^[a-z0-9][a-z0-9_.-]{0,63}$/, "a name of a-z, 0-9, _, . and -, at most 64 long, such as regression"]] } as const
const s53 = { is: "object", required: { name: s48, role: s49 }, optional: { agents: s50, environments: s50, expires: s51, source: s52 }, others: "reject" } as const
const s54 = { is: "object", required: { name: s48 }, others: "reject" } as const
const s55 = { is: "string", limits: [[/^(?:0|[1-9]\d{0,4})[dhm]$/, "a number and d, h or m, such as 24h, or 0d for none"]] } as const
const s56 = { is: "object", optional: { expires: s51, overlap: s55 }, others: "reject" } as const
const s57 = { is: "object", optional: { open: { oneOf: [false,true] } }, others: "reject", defaults: {"open":false} } as const
const s58 = { is: "object", optional: { deep: { oneOf: [false,true] } }, others: "reject", defaults: {"deep":false} } as const
const s59 = { is: "object", required: { baseline_release_id: s1, candidate_release_id: s1, window: s2 }, optional: { environment: s1, task_id: s10, tenant_id: s10, until: s5 }, others: "reject" } as const
const s60 = { is: "object", required: { agent_id: s1 }, optional: { environment: s1, release_id: s1, window: s2 }, others: "reject" } as const
const s61 = { is: "object", optional: { allow_fewer: { oneOf: [false,true] }, reason: s8 }, others: "reject", defaults: {"allow_fewer":false} } as const
const s62 = { is: "object", optional: { limit: s17, agent: s1, env: s1 }, others: "reject", defaults: {"limit":50} } as const
const s63 = { is: "object", required: { environment: s7, reason: s8, release_id: s1 }, optional: { actor: s9, expected_baseline_release_id: s1 }, others: "reject" } as const
const s64 = { is: "object", optional: { agent_id: s1, environment: s1 }, others: "reject" } as const
const s65 = { is: "object", optional: { end_rotation: { oneOf: [false,true] }, description: s8, enabled: { oneOf: [false,true] }, events: s43, url: s44 }, others: "reject", defaults: {"end_rotation":false} } as const
const s66 = { is: "number", limits: [["divisor", 1], ["max", 2592000], ["min", 0]] } as const
const s67 = { is: "object", optional: { overlap_s: s66 }, others: "reject", defaults: {"overlap_s":86400} } as const
const s68 = { oneOf: ["delivered","failed","pending"] } as const
const s69 = { is: "object", optional: { limit: s17, payload: { oneOf: [false,true] }, status: s68 }, others: "reject", defaults: {"limit":50,"payload":false} } as const
const s70 = { is: "object", required: { delivery_id: s1 }, others: "reject" } as const
const s71 = { is: "object", required: { agent_id: s10, environment: s10 }, others: "reject" } as const
const s72 = { is: "object", required: { window: s2 }, optional: { baseline_release_id: s10, release_id: s10 }, others: "reject" } as const
const s73 = { oneOf: ["block","inconclusive"] } as const
const s74 = { is: "object", required: { window: s2 }, optional: { baseline_release_id: s10, fail_on: s73, release_id: s10 }, others: "reject" } as const
const s75 = { is: "string", limits: [[/^https?:\/\/[^\s"<>]+$/, "an http or https URL"]], checks: [proseBytes] } as const
const s76 = { is: "object", required: { window: s2 }, optional: { baseline_release_id: s10, page_url: s75, release_id: s10 }, others: "reject" } as const
const s77 = { is: "object", optional: { window: s2 }, others: "reject" } as const
const s78 = { is: "object", optional: { for: { oneOf: ["flags"] } }, others: "reject" } as const
const s79 = { is: "object", required: { key: s1 }, others: "reject" } as const
const s80 = { is: "number", limits: [["divisor", 1], ["max", 2000], ["min", 1]] } as const
const s81 = { is: "object", required: { policy: {} }, optional: { last: s80, after: s21, agent_id: s10, environment: s10, since: s8 }, others: "reject", defaults: {"last":500} } as const
const s82 = { is: "object", required: { policy: {} }, others: "reject" } as const
const s83 = { is: "object", required: { id: s1 }, optional: { limit: s17, window: s2 }, others: "reject", defaults: {"limit":100} } as const
const s84 = { is: "object", required: { release_id: s1, window: s2 }, optional: { environment: s1, task_id: s10, tenant_id: s10, until: s5 }, others: "reject" } as const
const s85 = { is: "number", limits: [["divisor", 1], ["max", 100], ["min", 1]] } as const
const s86 = { oneOf: ["cost","failure","latency"] } as const
const s87 = { is: "object", required: { release_id: s1, window: s2 }, optional: { limit: s85, by: s86, environment: s1, task_id: s10, tenant_id: s10, until: s5 }, others: "reject", defaults: {"limit":10} } as const
const s88 = { oneOf: ["error","model","task","tenant"] } as const
const s89 = { oneOf: ["cost_per_run_usd","error_rate","latency_ms"] } as const
const s90 = { is: "object", required: { baseline_release_id: s1, by: s88, candidate_release_id: s1, window: s2 }, optional: { environment: s1, metric: s89, task_id: s1, tenant_id: s1, until: s5 }, others: "reject" } as const
const s91 = { is: "object", optional: { limit: s17 }, others: "reject", defaults: {"limit":50} } as const
const s92 = { is: "object", required: { id_token: s8 }, optional: { access_token: s8, nonce_secret: s8 }, others: "reject" } as const
const s93 = { is: "object", required: { session_id: s7 }, others: "reject" } as const
const s94 = { is: "string", limits: [[/^[a-z0-9][a-z0-9-]{0,31}$/, "a name of a-z, 0-9 and -, at most 32 long"]] } as const
const s95 = { is: "object", required: { provider: s94 }, others: "reject" } as const
const s96 = { is: "object", optional: { to: s8 }, others: "reject" } as const
const s97 = { is: "object", optional: { code: s8, error: s8, error_description: s8, iss: s8, state: s8 }, others: "reject" } as const
const s98 = { is: "object", optional: { limit: s17, agent_id: s1, environment: s7 }, others: "reject", defaults: {"limit":200} } as const
const s99 = { is: "object", required: { from: s25 }, others: "reject" } as const
const s100 = { is: "object", required: { reason: s8 }, optional: { actor: s9 }, others: "reject" } as const
const s101 = { is: "number", limits: [["divisor", 1], ["max", 3650], ["min", 0]] } as const
const s102 = { is: "object", optional: { days: s101, all: { oneOf: [false,true] } }, others: "reject", defaults: {"days":90,"all":false} } as const
const s103 = { is: "string", checks: [calendarDay] } as const
const s104 = { kinds: { string: s103, null: { oneOf: [null] } } } as const
const s105 = { is: "object", required: { model: s10, provider: s10, reason: s8, retires_on: s104 }, optional: { actor: s9 }, others: "reject" } as const
const s106 = { oneOf: ["aborted","completed","expired","paused","running","superseded"] } as const
const s107 = { is: "object", optional: { limit: s17, agent: s1, env: s1, state: s106 }, others: "reject", defaults: {"limit":50} } as const
const s108 = { oneOf: ["session","tenant","user"] } as const
const s109 = { is: "string", limits: [[/^\d{1,2}(?:\.\d{1,2})?%$/, "a share below 100% with at most two decimals, such as 5%"]] } as const
const s110 = { is: "object", required: { environment: s7, reason: s8, release_id: s1 }, optional: { dry_run: { oneOf: [false,true] }, actor: s9, by: s108, expected_baseline_release_id: s11, hold: s109, hold_for: s2, max_duration: s2, steps: s8 }, others: "reject", defaults: {"dry_run":false} } as const
const s111 = { is: "object", required: { environment: s7, reason: s8, release_id: s1 }, optional: { actor: s9, by: s108, expected_baseline_release_id: s11, hold: s109, hold_for: s2, max_duration: s2, steps: s8 }, others: "reject" } as const
const s112 = { is: "object", required: { approval_reason: s8, request_id: s1 }, optional: { actor: s9 }, others: "reject" } as const
const s113 = { is: "object", required: { rollout_id: s1 }, others: "reject" } as const
const s114 = { is: "number", limits: [["divisor", 1], ["max", 100000], ["min", 1]] } as const
const s115 = { is: "array", limits: [["maxLength", 100], ["minLength", 1]], items: s10 } as const
const s116 = { is: "object", required: { release_id: s1, suite: s52 }, optional: { bundle_checksum: s27, cases: {}, evaluated_at: s5, format: s1, import_id: s1, judge_model: s1, judge_prompt_sha256: s27, judge_rubric_version: s1, parts: s114, removed_cases: s115, source_sha256: s27 }, others: "reject" } as const
const s117 = { is: "number", limits: [["divisor", 1], ["max", 100000], ["min", 0]] } as const
const s118 = { is: "object", required: { cases: {}, release_id: s1, suite: s52 }, optional: { part: s117, import_id: s1 }, others: "reject", defaults: {"part":0} } as const
const s119 = { is: "number", limits: [["divisor", 1], ["max", 500], ["min", 0]] } as const
const s120 = { oneOf: ["failing","flaky","higher","lower","newly_failing","newly_passing","only_baseline","only_candidate","passing","still_failing"] } as const
const s121 = { is: "array", limits: [["maxLength", 100], ["minLength", 1]], items: s120 } as const
const s122 = { is: "object", required: { baseline_release_id: s1, candidate_release_id: s1, suite: s52 }, optional: { offset: s117, limit: s119, states: s121 }, others: "reject", defaults: {"offset":0,"limit":20} } as const
const s123 = { is: "object", required: { agent_id: s1 }, others: "reject" } as const
const s124 = { is: "object", required: { suite: s52 }, others: "reject" } as const
const s125 = { oneOf: ["inconclusive","passed","regressed","rolled_back","superseded","watching"] } as const
const s126 = { is: "object", optional: { limit: s17, agent: s1, env: s1, state: s125 }, others: "reject", defaults: {"limit":50} } as const
const s127 = { is: "number", limits: [["divisor", 1], ["max", 1000000], ["min", 10]] } as const
const s128 = { is: "object", required: { agent_id: s1, environment: s7 }, optional: { actor: s9, against: s1, auto_rollback: { oneOf: [false,true] }, for: s2, min_runs: s127 }, others: "reject" } as const
const s129 = { is: "object", required: { watch_id: s1 }, others: "reject" } as const

export const INPUTS: Readonly<Record<string, InputShapes>> = {
  Diff: { body: s6 },
  PromoteRelease: { body: s12 },
  PromoteRequest: { body: s13 },
  PromoteConfirm: { body: s14 },
  PromoteReject: { body: s15 },
  PromoteCancel: { body: s15 },
  RollbackRelease: { body: s16 },
  PromotionRequests: { query: s19 },
  ActionsList: { query: s23 },
  ActionsShow: { path: s24 },
  ReleasesList: { query: s26 },
  ReleasesRegister: { body: s28, documents: {"artifact":"Release","files":"BundleFiles"} },
  ReleasesShow: { path: s29, query: s30 },
  ReleaseFilesList: { path: s29 },
  ReleaseModels: { path: s29, query: s31 },
  RunsList: { query: s34 },
  RunsExport: { query: s35 },
  RollupsRebuild: { body: s36 },
  PolicySet: { query: s37 },
  PricingImport: { body: s38, documents: {"table":"PricingTable"} },
  PricingShow: { path: s39 },
  AuditLog: { query: s41 },
  WebhooksAdd: { body: s46 },
  WebhooksRemove: { path: s47 },
  WebhooksTest: { path: s47 },
  TokensCreate: { body: s53 },
  TokensRotate: { path: s54, body: s56 },
  TokensRevoke: { path: s54, query: s57 },
  Doctor: { query: s58 },
  Confidence: { query: s59 },
  AdvisePolicy: { query: s60 },
  AggregatesImport: { query: s61 },
  AcknowledgementsList: { query: s62 },
  AcknowledgementsMake: { body: s63 },
  ReleaseCapabilities: { path: s29 },
  PolicyResolved: { query: s64 },
  WebhooksUpdate: { path: s47, body: s65 },
  WebhooksRotate: { path: s47, body: s67 },
  WebhooksDeliveries: { path: s47, query: s69 },
  DeliveriesList: { query: s69 },
  DeliveriesReplay: { path: s70 },
  Gate: { path: s71, query: s72 },
  GateHook: { path: s71, query: s74 },
  GateReport: { path: s71, query: s76 },
  Pointer: { path: s71 },
  Place: { path: s71, query: s77 },
  Stream: { query: s78 },
  EvaluateFlag: { path: s79 },
  PolicyTest: { body: s81, documents: {"policy":"Policy"} },
  AuditExplain: { path: s24 },
  AuditExplainAgainst: { path: s24, body: s82, documents: {"policy":"Policy"} },
  RunsFind: { query: s83 },
  RunsSeries: { query: s84 },
  RunsWorst: { query: s87 },
  DiffByGroup: { body: s90 },
  SessionList: { query: s91 },
  SessionOpen: { body: s92 },
  SessionRevoke: { path: s93 },
  SignInBegin: { path: s95, query: s96 },
  SignInFinish: { path: s95, query: s97 },
  Live: { query: s98 },
  AuditConsistency: { query: s99 },
  ActionsProof: { path: s24 },
  ActionsAttestation: { path: s24 },
  ActionsReview: { path: s24, body: s100 },
  RetirementsList: { query: s102 },
  RetirementsSet: { body: s105 },
  RolloutsList: { query: s107 },
  RolloutsStart: { body: s110 },
  RolloutsRequest: { body: s111 },
  RolloutsConfirm: { body: s112 },
  RolloutsReject: { body: s15 },
  RolloutRequests: { query: s19 },
  RolloutsShow: { path: s113 },
  RolloutsPause: { path: s113, body: s100 },
  RolloutsResume: { path: s113, body: s100 },
  RolloutsAbort: { path: s113, body: s100 },
  ScoresList: { query: s29 },
  ScoresImport: { body: s116, documents: {"cases":"ScoreCases"} },
  CasesReceive: { body: s118, documents: {"cases":"CaseTries"} },
  ScoresDiff: { body: s122 },
  SuitesList: { query: s123 },
  SuiteHistoryShow: { path: s124, query: s123 },
  WatchesList: { query: s126 },
  WatchesStart: { body: s128 },
  WatchesShow: { path: s129 },
  WatchesCancel: { path: s129, body: s100 },
}
