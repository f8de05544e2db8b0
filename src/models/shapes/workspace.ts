// Generated from the models by `npm run generate`, and never edited.
import { age, databaseUrl, issuerUrl, nameBytes, noArray, rate } from '../checks.ts'
import { environmentsFit, freezeFits, freezeTime, timeZone } from '../environments.ts'
import { namePattern } from '../overrides.ts'
import { signInFits } from '../sign_in.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "number", limits: [["divisor", 1], ["max", 9007199254740991], ["min", 0]] } as const
const s2 = { is: "object", optional: { min_low_runs: s1, min_baseline_runs: s1, min_candidate_runs: s1 }, others: "delete", defaults: {"min_low_runs":50,"min_baseline_runs":500,"min_candidate_runs":500}, checks: [noArray] } as const
const s3 = { is: "object", optional: { deny_private: { oneOf: [false,true] } }, others: "delete", defaults: {"deny_private":false}, checks: [noArray] } as const
const s4 = { is: "string", limits: [["minLength", 1]] } as const
const s5 = { oneOf: ["WorkspaceConfig"] } as const
const s6 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s7 = { is: "array", limits: [["maxLength", 20], ["minLength", 1]], items: s6 } as const
const s8 = { is: "string", checks: [age] } as const
const s9 = { kinds: { string: s8, null: { oneOf: [null] } } } as const
const s10 = { is: "object", optional: { people_only: { oneOf: [false,true] } }, others: "reject", checks: [noArray] } as const
const s11 = { is: "number", limits: [["divisor", 1], ["max", 20], ["min", 1]] } as const
const s12 = { kinds: { string: s4, null: { oneOf: [null] } } } as const
const s13 = { is: "object", optional: { addresses: { oneOf: [false,true] }, checkpoints: s12 }, others: "delete", checks: [noArray] } as const
const s14 = { oneOf: ["any","named",null] } as const
const s15 = { is: "string", checks: [issuerUrl] } as const
const s16 = { is: "array", items: s4 } as const
const s17 = { kinds: { string: s4, object: s16 } } as const
const s18 = { is: "object", values: s17, checks: [noArray] } as const
const s19 = { oneOf: ["admin","ingest","read","write"] } as const
const s20 = { kinds: { object: s7, null: { oneOf: [null] } } } as const
const s21 = { is: "object", required: { claims: s18, role: s19 }, optional: { agents: s20, environments: s20 }, others: "reject", checks: [noArray] } as const
const s22 = { is: "array", limits: [["minLength", 1]], items: s21 } as const
const s23 = { kinds: { string: s15, null: { oneOf: [null] } } } as const
const s24 = { is: "string", limits: [[/^[A-Z][A-Z0-9_]{0,63}$/, "the name of a variable of the environment, such as ENGINE_PASSWORD"]] } as const
const s25 = { is: "string", limits: [[/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, "a name of a-z, 0-9 and - inside of it, at most 32 long, such as corporate"]] } as const
const s26 = { is: "string", limits: [[/^[\x21\x23-\x5b\x5d-\x7e]+$/, "a scope without blanks, quotes and backslashes, such as groups"]] } as const
const s27 = { is: "array", limits: [["maxLength", 20]], items: s26 } as const
const s28 = { is: "object", required: { client_id: s4 }, optional: { cli_client_id: s4, client_secret_ref: s24, name: s25, scopes: s27, session_idle: s8, session_lasts: s8 }, others: "reject", checks: [noArray] } as const
const s29 = { kinds: { object: s28, null: { oneOf: [null] } } } as const
const s30 = { is: "object", required: { issuer: s15, roles: s22 }, optional: { audience: s4, jwks_uri: s23, login: s29, name_claim: s4 }, others: "reject", checks: [noArray] } as const
const s31 = { is: "array", items: s30 } as const
const s32 = { kinds: { object: s31, null: { oneOf: [null] } } } as const
const s33 = { is: "object", optional: { mode: s14, oidc: s32 }, others: "reject", checks: [noArray] } as const
const s34 = { kinds: { object: s33, string: { oneOf: ["named"] } } } as const
const s35 = { is: "string", checks: [databaseUrl] } as const
const s36 = { kinds: { string: s35, null: { oneOf: [null] } } } as const
const s37 = { is: "array", limits: [["maxLength", 100], ["minLength", 1]], items: s6 } as const
const s38 = { is: "string", checks: [freezeTime] } as const
const s39 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes, namePattern] } as const
const s40 = { is: "string", checks: [timeZone] } as const
const s41 = { is: "object", required: { from: s38, reason: s4, to: s38 }, optional: { environment: s39, time_zone: s40 }, others: "reject", checks: [noArray, freezeFits] } as const
const s42 = { is: "array", limits: [["maxLength", 100]], items: s41 } as const
const s43 = { is: "string", limits: [[/^[A-Za-z][\w-]{0,63}$/, "the name of a header, such as X-Real-IP"]] } as const
const s44 = { kinds: { string: s43, null: { oneOf: [null] } } } as const
const s45 = { is: "string", checks: [rate] } as const
const s46 = { kinds: { string: s45, null: { oneOf: [null] } } } as const
const s47 = { is: "string", limits: [[/^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:.]*)(?:\/\d{1,3})?$/i, "an address or a network, such as 10.0.0.0/8"]] } as const
const s48 = { is: "array", limits: [["maxLength", 100]], items: s47 } as const
const s49 = { is: "object", optional: { client_header: s44, per_address: s46, per_credential: s46, trusted_proxies: s48 }, others: "delete", checks: [noArray] } as const
const s50 = { kinds: { string: { is: "string" }, null: { oneOf: [null] } } } as const
const s51 = { is: "object", required: { environment: s6 }, optional: { live_for: s8 }, others: "reject", checks: [noArray] } as const
const s52 = { kinds: { string: s6, object: s51 } } as const
const s53 = { is: "object", values: s52, checks: [noArray] } as const
const s54 = { is: "string", limits: [[/^https?:\/\/[^\s?#]+$/, "an http or https URL without a query"]] } as const
const s55 = { kinds: { string: s54, null: { oneOf: [null] } } } as const
const s56 = { is: "object", optional: { archive: s12, events: s9, idempotency_keys: s9, webhook_deliveries: s9 }, others: "delete", checks: [noArray] } as const
const s57 = { oneOf: ["clickhouse","command","postgres"] } as const
const s58 = { is: "string", limits: [[/^[a-z0-9][a-z0-9_.-]{0,63}$/, "a name of a-z, 0-9, _, . and -, at most 64 long, such as warehouse"]] } as const
const s59 = { is: "array", limits: [["maxLength", 50], ["minLength", 1]], items: { is: "string" } } as const
const s60 = { is: "string", limits: [[/^https?:\/\/\S+$/, "an http or https URL"]] } as const
const s61 = { oneOf: ["langfuse","otel","ours"] } as const
const s62 = { is: "object", required: { engine: s57, name: s58 }, optional: { allow_private: { oneOf: [false,true] }, command: s59, delay: s8, every: s8, longest_run: s8, overlap: s8, parts: s4, password_ref: s24, project: s4, run_url: s60, schema: s61, scores: s4, table: s4, url: s4, url_ref: s24, user: s4 }, others: "reject", checks: [noArray] } as const
const s63 = { is: "array", limits: [["maxLength", 20]], items: s62 } as const
const s64 = { is: "object", optional: { diff: s2, webhooks: s3, db_path: s4, kind: s5, default_environment: s6, api_version: { oneOf: ["v1"] }, promotion_requires_approval: { oneOf: [false,true] }, strict: { oneOf: [false,true] }, allow_forced_rollback: { oneOf: [false,true] }, allowed_hosts: s7, approval_by_another: { oneOf: [false,true] }, approval_expires: s9, approvals: s10, approvals_required: s11, audit: s13, auth: s34, database_url: s36, environments: s37, freeze: s42, limits: s49, pricing_catalog_path: s50, promotes_from: s53, public_url: s55, read_database_url: s36, retention: s56, sources: s63 }, others: "delete", defaults: {"diff":{},"webhooks":{},"db_path":".service/service.db","kind":"WorkspaceConfig","default_environment":"local","api_version":"v1","promotion_requires_approval":false,"strict":false}, checks: [noArray, environmentsFit, signInFits] } as const
export const WorkspaceConfig: Shape = s64
