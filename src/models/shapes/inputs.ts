// Generated from the models by `npm run generate`, and never edited.
import { calendarDay, nameBytes } from '../checks.ts'
import { actorBytes, addressBytes, proseBytes, undisguised, windowBytes } from '../input_checks.ts'
import type { InputShapes } from '../shape.ts'

const s1 = { is: "string", limits: [["maxLength", 512]], checks: [nameBytes] } as const
const s2 = { is: "string", checks: [windowBytes] } as const
const s3 = { oneOf: ["session","tenant","time"] } as const
const s4 = { oneOf: ["task","tenant","time","window"] } as const
const s5 = { is: "string", limits: [[/^\d{4}-\d\d-\d\d[Tt ][\d:.,]+(?:[Zz]|[+-][\d:]+)?$/]] } as const
const s6 = { is: "object", required: { baseline_release_id: s1, candidate_release_id: s1, window: s2 }, optional: { tails: { oneOf: [false,true] }, tools: { oneOf: [false,true] }, cluster_by: s3, compare_by: s4, environment: s1, sequential: { oneOf: [false,true] }, task_id: s1, tenant_id: s1, until: s5 }, others: "reject", defaults: {"tails":false,"tools":false} } as const
const s7 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes, undisguised] } as const
const s8 = { is: "string", checks: [proseBytes] } as const
const s9 = { is: "string", checks: [actorBytes] } as const
const s10 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s11 = { kinds: { string: s10, null: { oneOf: [null] } } } as const
const s12 = { is: "object", required: { environment: s7, reason: s8, release_id: s1, window: s2 }, optional: { dry_run: { oneOf: [false,true] }, first: { oneOf: [false,true] }, actor: s9, expected_baseline_release_id: s11 }, others: "reject", defaults: {"dry_run":false,"first":false} } as const
const s13 = { is: "object", required: { environment: s7, reason: s8, release_id: s1, window: s2 }, optional: { first: { oneOf: [false,true] }, actor: s9, expected_baseline_release_id: s11 }, others: "reject", defaults: {"first":false} } as const
const s14 = { is: "object", required: { approval_reason: s8, request_id: s1 }, optional: { dry_run: { oneOf: [false,true] }, actor: s9, expected_baseline_release_id: s11 }, others: "reject", defaults: {"dry_run":false} } as const
const s15 = { is: "object", required: { reason: s8, request_id: s1 }, optional: { actor: s9 }, others: "reject" } as const
const s16 = { is: "object", required: { environment: s7, reason: s8, release_id: s1, window: s2 }, optional: { dry_run: { oneOf: [false,true] }, exclude_undecidable: { oneOf: [false,true] }, force: { oneOf: [false,true] }, actor: s9, expected_baseline_release_id: s11 }, others: "reject", defaults: {"dry_run":false,"exclude_undecidable":false,"force":false} } as const
const s17 = { is: "number", limits: [["divisor", 1], ["max", 500], ["min", 1]] } as const
const s18 = { oneOf: ["cancelled","completed","pending"] } as const
const s19 = { is: "object", optional: { limit: s17, status: s18 }, others: "reject", defaults: {"limit":50} } as const
const s20 = { is: "number", limits: [["divisor", 1]] } as const
const s21 = { is: "number", limits: [["divisor", 1], ["max", 9007199254740991], ["min", 0]] } as const
const s22 = { oneOf: ["blocked","forced","passed"] } as const
const s23 = { is: "object", optional: { limit: s20, evidence: { oneOf: [false,true] }, actor: s1, after: s21, agent: s1, env: s1, since: s5, until: s5, verdict: s22 }, others: "reject", defaults: {"limit":50,"evidence":false} } as const
const s24 = { is: "object", required: { action_id: s1 }, others: "reject" } as const
const s25 = { is: "number", limits: [["divisor", 1], ["max", 9007199254740991], ["min", 1]] } as const
const s26 = { is: "object", optional: { agent: s10, env: s10, limit: s25 }, others: "reject" } as const
const s27 = { is: "string", limits: [[/^[0-9a-f]{64}$/]] } as const
const s28 = { is: "object", required: { artifact: {}, checksum: s27 }, optional: { reuse: { oneOf: [false,true] }, environment: s7, files: {} }, others: "reject", defaults: {"reuse":false} } as const
const s29 = { is: "object", required: { release_id: s1 }, others: "reject" } as const
const s30 = { is: "object", optional: { run_environments: { oneOf: [false,true] } }, others: "reject", defaults: {"run_environments":false} } as const
const s31 = { is: "object", required: { window: s8 }, others: "reject" } as const
const s32 = { is: "number", limits: [["divisor", 1], ["max", 500000], ["min", 0]] } as const
const s33 = { is: "object", required: { release_id: s1, window: s2 }, optional: { offset: s32, limit: s17, environment: s1, session_id: s10, span_id: s10, task_id: s10, tenant_id: s10, trace_id: s10, until: s5 }, others: "reject", defaults: {"offset":0,"limit":100} } as const
const s34 = { is: "object", required: { release_id: s1, window: s2 }, optional: { offset: s32, limit: s17, environment: s1, session_id: s10, span_id: s10, task_id: s10, tenant_id: s10, trace_id: s10, until: s5 }, others: "reject", defaults: {"offset":0,"limit":500} } as const
const s35 = { is: "object", others: "reject" } as const
const s36 = { is: "object", optional: { reason: s8 }, others: "reject" } as const
const s37 = { is: "object", required: { table: {} }, optional: { replace: { oneOf: [false,true] }, reason: s8 }, others: "reject", defaults: {"replace":false} } as const
const s38 = { is: "object", required: { pricing_version: s1, provider: s1 }, others: "reject" } as const
const s39 = { oneOf: ["action.reviewed","cells.fewer","cells.handed_over","cells.source","clock.accepted","decision","events.digest","events.erased","events.erasing","events.pruned","events.pruning","events.restored","events.restoring","policy.set","prices.import","release.registered","request.approved","request.cancelled","request.expired","request.made","request.rejected","retirement.set","rollout.aborted","rollout.advanced","rollout.approved","rollout.completed","rollout.expired","rollout.paused","rollout.refused","rollout.rejected","rollout.requested","rollout.resumed","rollout.started","scores.imported","server.started","session.ended","session.key_made","session.opened","session.refused","surface.acknowledged","token.made","token.revoked","token.rotated","watch.ended","watch.retried","watch.started","webhook.added","webhook.removed","webhook.replayed","webhook.rotated","webhook.updated"] } as const
const s40 = { is: "object", optional: { limit: s17, facts: { oneOf: [false,true] }, after: s21, kind: s39 }, others: "reject", defaults: {"limit":50,"facts":false} } as const
const s41 = { oneOf: ["model.retiring","promote.blocked","promote.succeeded","promotion.requested","rollback.forced","rollback.succeeded","rollout.aborted","rollout.advanced","rollout.completed","rollout.expired","rollout.paused","rollout.resumed","rollout.started","surface.violated","test.ping","watch.inconclusive","watch.passed","watch.regressed","watch.rollback_blocked"] } as const
const s42 = { is: "array", limits: [["maxLength", 100], ["minLength", 1]], items: s41 } as const
const s43 = { is: "string", checks: [addressBytes] } as const
const s44 = { oneOf: ["json","slack","teams"] } as const
const s45 = { is: "object", required: { events: s42, url: s43 }, optional: { description: s8, format: s44 }, others: "reject" } as const
const s46 = { is: "object", required: { webhook_id: s1 }, others: "reject" } as const
const s47 = { is: "string", limits: [[/^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/]] } as const
const s48 = { oneOf: ["admin","ingest","read","write"] } as const
const s49 = { is: "array", limits: [["maxLength", 20], ["minLength", 1]], items: s7 } as const
const s50 = { is: "string", limits: [[/^[1-9]\d{0,4}[dhm]$/]] } as const
const s51 = { is: "string", limits: [[/^[a-z0-9][a-z0-9_.-]{0,63}$/]] } as const
const s52 = { is: "object", required: { name: s47, role: s48 }, optional: { agents: s49, environments: s49, expires: s50, source: s51 }, others: "reject" } as const
const s53 = { is: "object", required: { name: s47 }, others: "reject" } as const
const s54 = { is: "string", limits: [[/^(?:0|[1-9]\d{0,4})[dhm]$/]] } as const
const s55 = { is: "object", optional: { expires: s50, overlap: s54 }, others: "reject" } as const
const s56 = { is: "object", optional: { deep: { oneOf: [false,true] } }, others: "reject", defaults: {"deep":false} } as const
const s57 = { is: "object", required: { baseline_release_id: s1, candidate_release_id: s1, window: s2 }, optional: { environment: s1, task_id: s10, tenant_id: s10, until: s5 }, others: "reject" } as const
const s58 = { is: "object", required: { agent_id: s1 }, optional: { environment: s1, window: s2 }, others: "reject" } as const
const s59 = { is: "object", optional: { allow_fewer: { oneOf: [false,true] }, reason: s8 }, others: "reject", defaults: {"allow_fewer":false} } as const
const s60 = { is: "object", optional: { agent_id: s1, environment: s1 }, others: "reject" } as const
const s61 = { is: "object", optional: { end_rotation: { oneOf: [false,true] }, description: s8, enabled: { oneOf: [false,true] }, events: s42, url: s43 }, others: "reject", defaults: {"end_rotation":false} } as const
const s62 = { is: "number", limits: [["divisor", 1], ["max", 2592000], ["min", 0]] } as const
const s63 = { is: "object", optional: { overlap_s: s62 }, others: "reject", defaults: {"overlap_s":86400} } as const
const s64 = { oneOf: ["delivered","failed","pending"] } as const
const s65 = { is: "object", optional: { limit: s17, payload: { oneOf: [false,true] }, status: s64 }, others: "reject", defaults: {"limit":50,"payload":false} } as const
const s66 = { is: "object", required: { delivery_id: s1 }, others: "reject" } as const
const s67 = { is: "object", required: { agent_id: s10, environment: s10 }, others: "reject" } as const
const s68 = { is: "object", required: { window: s2 }, optional: { baseline_release_id: s10, release_id: s10 }, others: "reject" } as const
const s69 = { oneOf: ["block","inconclusive"] } as const
const s70 = { is: "object", required: { window: s2 }, optional: { baseline_release_id: s10, fail_on: s69, release_id: s10 }, others: "reject" } as const
const s71 = { is: "string", limits: [[/^https?:\/\/[^\s"<>]+$/]], checks: [proseBytes] } as const
const s72 = { is: "object", required: { window: s2 }, optional: { baseline_release_id: s10, page_url: s71, release_id: s10 }, others: "reject" } as const
const s73 = { is: "object", required: { key: s1 }, others: "reject" } as const
const s74 = { is: "number", limits: [["divisor", 1], ["max", 2000], ["min", 1]] } as const
const s75 = { is: "object", required: { policy: {} }, optional: { last: s74, after: s21, agent_id: s10, environment: s10, since: s8 }, others: "reject", defaults: {"last":500} } as const
const s76 = { is: "object", required: { policy: {} }, others: "reject" } as const
const s77 = { is: "object", required: { id: s1 }, optional: { limit: s17, window: s2 }, others: "reject", defaults: {"limit":100} } as const
const s78 = { is: "object", required: { release_id: s1, window: s2 }, optional: { environment: s1, task_id: s10, tenant_id: s10, until: s5 }, others: "reject" } as const
const s79 = { is: "number", limits: [["divisor", 1], ["max", 100], ["min", 1]] } as const
const s80 = { oneOf: ["cost","failure","latency"] } as const
const s81 = { is: "object", required: { release_id: s1, window: s2 }, optional: { limit: s79, by: s80, environment: s1, task_id: s10, tenant_id: s10, until: s5 }, others: "reject", defaults: {"limit":10} } as const
const s82 = { oneOf: ["error","model","task","tenant"] } as const
const s83 = { oneOf: ["cost_per_run_usd","error_rate","latency_ms"] } as const
const s84 = { is: "object", required: { baseline_release_id: s1, by: s82, candidate_release_id: s1, window: s2 }, optional: { environment: s1, metric: s83, task_id: s1, tenant_id: s1, until: s5 }, others: "reject" } as const
const s85 = { is: "object", optional: { limit: s17, after: s21 }, others: "reject", defaults: {"limit":50} } as const
const s86 = { is: "object", optional: { from: s1, to: s1 }, others: "reject" } as const
const s87 = { is: "object", optional: { limit: s17, after: s21, pricing_version: s1, provider: s1 }, others: "reject", defaults: {"limit":50} } as const
const s88 = { is: "object", optional: { limit: s17 }, others: "reject", defaults: {"limit":50} } as const
const s89 = { is: "object", required: { id_token: s8 }, optional: { access_token: s8, nonce_secret: s8 }, others: "reject" } as const
const s90 = { is: "object", required: { session_id: s7 }, others: "reject" } as const
const s91 = { is: "string", limits: [[/^[a-z0-9][a-z0-9-]{0,31}$/]] } as const
const s92 = { is: "object", required: { provider: s91 }, others: "reject" } as const
const s93 = { is: "object", optional: { to: s8 }, others: "reject" } as const
const s94 = { is: "object", optional: { code: s8, error: s8, error_description: s8, iss: s8, state: s8 }, others: "reject" } as const
const s95 = { is: "object", required: { from: s25 }, others: "reject" } as const
const s96 = { is: "object", required: { reason: s8 }, optional: { actor: s9 }, others: "reject" } as const
const s97 = { is: "number", limits: [["divisor", 1], ["max", 3650], ["min", 0]] } as const
const s98 = { is: "object", optional: { days: s97, all: { oneOf: [false,true] } }, others: "reject", defaults: {"days":90,"all":false} } as const
const s99 = { is: "string", checks: [calendarDay] } as const
const s100 = { kinds: { string: s99, null: { oneOf: [null] } } } as const
const s101 = { is: "object", required: { model: s10, provider: s10, reason: s8, retires_on: s100 }, optional: { actor: s9 }, others: "reject" } as const
const s102 = { is: "object", required: { model: s10, provider: s10 }, others: "reject" } as const
const s103 = { oneOf: ["aborted","completed","expired","paused","running","superseded"] } as const
const s104 = { is: "object", optional: { limit: s17, agent: s1, env: s1, state: s103 }, others: "reject", defaults: {"limit":50} } as const
const s105 = { oneOf: ["session","tenant","user"] } as const
const s106 = { is: "string", limits: [[/^\d{1,2}(?:\.\d{1,2})?%$/]] } as const
const s107 = { is: "object", required: { environment: s7, reason: s8, release_id: s1 }, optional: { dry_run: { oneOf: [false,true] }, actor: s9, by: s105, expected_baseline_release_id: s11, hold: s106, hold_for: s2, max_duration: s2, steps: s8 }, others: "reject", defaults: {"dry_run":false} } as const
const s108 = { is: "object", required: { environment: s7, reason: s8, release_id: s1 }, optional: { actor: s9, by: s105, expected_baseline_release_id: s11, hold: s106, hold_for: s2, max_duration: s2, steps: s8 }, others: "reject" } as const
const s109 = { is: "object", required: { approval_reason: s8, request_id: s1 }, optional: { actor: s9 }, others: "reject" } as const
const s110 = { is: "object", required: { rollout_id: s1 }, others: "reject" } as const
const s111 = { is: "number", limits: [["divisor", 1], ["max", 100000], ["min", 1]] } as const
const s112 = { is: "object", required: { release_id: s1, suite: s51 }, optional: { bundle_checksum: s27, cases: {}, evaluated_at: s5, format: s1, import_id: s1, judge_model: s1, judge_prompt_sha256: s27, judge_rubric_version: s1, parts: s111, source_sha256: s27 }, others: "reject" } as const
const s113 = { is: "number", limits: [["divisor", 1], ["max", 100000], ["min", 0]] } as const
const s114 = { is: "object", required: { cases: {}, release_id: s1, suite: s51 }, optional: { part: s113, import_id: s1 }, others: "reject", defaults: {"part":0} } as const
const s115 = { is: "number", limits: [["divisor", 1], ["max", 500], ["min", 0]] } as const
const s116 = { oneOf: ["failing","flaky","higher","lower","newly_failing","newly_passing","only_baseline","only_candidate","passing","still_failing"] } as const
const s117 = { is: "array", limits: [["maxLength", 100], ["minLength", 1]], items: s116 } as const
const s118 = { is: "object", required: { baseline_release_id: s1, candidate_release_id: s1, suite: s51 }, optional: { offset: s113, limit: s115, states: s117 }, others: "reject", defaults: {"offset":0,"limit":20} } as const
const s119 = { is: "object", required: { agent_id: s1 }, others: "reject" } as const
const s120 = { is: "object", required: { suite: s51 }, others: "reject" } as const
const s121 = { is: "object", optional: { limit: s17, agent: s1, env: s1 }, others: "reject", defaults: {"limit":50} } as const
const s122 = { is: "object", required: { environment: s7, reason: s8, release_id: s1 }, optional: { actor: s9, expected_baseline_release_id: s1 }, others: "reject" } as const
const s123 = { is: "object", optional: { format: { oneOf: ["cyclonedx"] } }, others: "reject" } as const
const s124 = { oneOf: ["inconclusive","passed","regressed","rolled_back","superseded","watching"] } as const
const s125 = { is: "object", optional: { limit: s17, agent: s1, env: s1, state: s124 }, others: "reject", defaults: {"limit":50} } as const
const s126 = { is: "number", limits: [["divisor", 1], ["max", 1000000], ["min", 10]] } as const
const s127 = { is: "object", required: { agent_id: s1, environment: s7 }, optional: { actor: s9, against: s1, auto_rollback: { oneOf: [false,true] }, for: s2, min_runs: s126 }, others: "reject" } as const
const s128 = { is: "object", required: { watch_id: s1 }, others: "reject" } as const

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
  RunsList: { query: s33 },
  RunsExport: { query: s34 },
  RollupsRebuild: { body: s35 },
  PolicySet: { query: s36 },
  PricingImport: { body: s37, documents: {"table":"PricingTable"} },
  PricingShow: { path: s38 },
  AuditLog: { query: s40 },
  WebhooksAdd: { body: s45 },
  WebhooksRemove: { path: s46 },
  WebhooksTest: { path: s46 },
  TokensCreate: { body: s52 },
  TokensRotate: { path: s53, body: s55 },
  TokensRevoke: { path: s53 },
  Doctor: { query: s56 },
  Confidence: { query: s57 },
  AdvisePolicy: { query: s58 },
  CellsImport: { query: s59 },
  PolicyResolved: { query: s60 },
  WebhooksUpdate: { path: s46, body: s61 },
  WebhooksRotate: { path: s46, body: s63 },
  WebhooksDeliveries: { path: s46, query: s65 },
  DeliveriesList: { query: s65 },
  DeliveriesReplay: { path: s66 },
  Gate: { path: s67, query: s68 },
  GateHook: { path: s67, query: s70 },
  GateReport: { path: s67, query: s72 },
  Pointer: { path: s67 },
  EvaluateFlag: { path: s73 },
  PolicyTest: { body: s75, documents: {"policy":"Policy"} },
  AuditExplain: { path: s24 },
  AuditExplainAgainst: { path: s24, body: s76, documents: {"policy":"Policy"} },
  RunsFind: { query: s77 },
  RunsSeries: { query: s78 },
  RunsWorst: { query: s81 },
  DiffByGroup: { body: s84 },
  PolicyHistoryList: { query: s85 },
  PolicyDiffShow: { query: s86 },
  PricingHistory: { query: s87 },
  SessionList: { query: s88 },
  SessionOpen: { body: s89 },
  SessionRevoke: { path: s90 },
  SignInBegin: { path: s92, query: s93 },
  SignInFinish: { path: s92, query: s94 },
  AuditConsistency: { query: s95 },
  ActionsProof: { path: s24 },
  ActionsAttestation: { path: s24 },
  ActionsReview: { path: s24, body: s96 },
  RetirementsList: { query: s98 },
  RetirementsSet: { body: s101 },
  RetirementsHistory: { query: s102 },
  RolloutsList: { query: s104 },
  RolloutsStart: { body: s107 },
  RolloutsRequest: { body: s108 },
  RolloutsConfirm: { body: s109 },
  RolloutsReject: { body: s15 },
  RolloutRequests: { query: s19 },
  RolloutsShow: { path: s110 },
  RolloutsPause: { path: s110, body: s96 },
  RolloutsResume: { path: s110, body: s96 },
  RolloutsAbort: { path: s110, body: s96 },
  ScoresList: { query: s29 },
  ScoresImport: { body: s112, documents: {"cases":"ScoreCases"} },
  CasesReceive: { body: s114, documents: {"cases":"CaseTries"} },
  ScoresDiff: { body: s118 },
  SuitesList: { query: s119 },
  SuiteHistoryShow: { path: s120, query: s119 },
  AcknowledgementsList: { query: s121 },
  AcknowledgementsMake: { body: s122 },
  ReleaseSurface: { path: s29 },
  ReleaseBom: { path: s29, query: s123 },
  WatchesList: { query: s125 },
  WatchesStart: { body: s127 },
  WatchesShow: { path: s128 },
  WatchesCancel: { path: s128, body: s96 },
}
