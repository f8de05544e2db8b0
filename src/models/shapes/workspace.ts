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
const s8 = { oneOf: ["open","totals"] } as const
const s9 = { is: "string", checks: [age] } as const
const s10 = { kinds: { string: s9, null: { oneOf: [null] } } } as const
const s11 = { is: "object", optional: { people_only: { oneOf: [false,true] } }, others: "reject", checks: [noArray] } as const
const s12 = { is: "number", limits: [["divisor", 1], ["max", 20], ["min", 1]] } as const
const s13 = { kinds: { string: s4, null: { oneOf: [null] } } } as const
const s14 = { is: "object", optional: { addresses: { oneOf: [false,true] }, checkpoints: s13 }, others: "delete", checks: [noArray] } as const
const s15 = { oneOf: ["any","named",null] } as const
const s16 = { is: "string", checks: [issuerUrl] } as const
const s17 = { is: "array", items: s4 } as const
const s18 = { kinds: { string: s4, object: s17 } } as const
const s19 = { is: "object", values: s18, checks: [noArray] } as const
const s20 = { oneOf: ["admin","ingest","read","write"] } as const
const s21 = { kinds: { object: s7, null: { oneOf: [null] } } } as const
const s22 = { is: "object", required: { claims: s19, role: s20 }, optional: { agents: s21, environments: s21 }, others: "reject", checks: [noArray] } as const
const s23 = { is: "array", limits: [["minLength", 1]], items: s22 } as const
const s24 = { kinds: { string: s16, null: { oneOf: [null] } } } as const
const s25 = { is: "string", limits: [[/^[A-Z][A-Z0-9_]{0,63}$/, "the name of a variable of the environment, such as CLIENT_SECRET"]] } as const
const s26 = { is: "string", limits: [[/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, "a name of a-z, 0-9 and - inside of it, at most 32 long, such as corporate"]] } as const
const s27 = { is: "string", limits: [[/^[\x21\x23-\x5b\x5d-\x7e]+$/, "a scope without blanks, quotes and backslashes, such as groups"]] } as const
const s28 = { is: "array", limits: [["maxLength", 20]], items: s27 } as const
const s29 = { is: "object", required: { client_id: s4 }, optional: { cli_client_id: s4, client_secret_ref: s25, name: s26, scopes: s28, session_idle: s9, session_lasts: s9 }, others: "reject", checks: [noArray] } as const
const s30 = { kinds: { object: s29, null: { oneOf: [null] } } } as const
const s31 = { is: "object", required: { issuer: s16, roles: s23 }, optional: { audience: s4, jwks_uri: s24, login: s30, name_claim: s4 }, others: "reject", checks: [noArray] } as const
const s32 = { is: "array", items: s31 } as const
const s33 = { kinds: { object: s32, null: { oneOf: [null] } } } as const
const s34 = { is: "object", optional: { mode: s15, oidc: s33 }, others: "reject", checks: [noArray] } as const
const s35 = { kinds: { object: s34, string: { oneOf: ["named"] } } } as const
const s36 = { is: "string", checks: [databaseUrl] } as const
const s37 = { kinds: { string: s36, null: { oneOf: [null] } } } as const
const s38 = { is: "array", limits: [["maxLength", 100], ["minLength", 1]], items: s6 } as const
const s39 = { is: "string", checks: [freezeTime] } as const
const s40 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes, namePattern] } as const
const s41 = { is: "string", checks: [timeZone] } as const
const s42 = { is: "object", required: { from: s39, reason: s4, to: s39 }, optional: { environment: s40, time_zone: s41 }, others: "reject", checks: [noArray, freezeFits] } as const
const s43 = { is: "array", limits: [["maxLength", 100]], items: s42 } as const
const s44 = { is: "string", limits: [[/^[A-Za-z][\w-]{0,63}$/, "the name of a header, such as X-Real-IP"]] } as const
const s45 = { kinds: { string: s44, null: { oneOf: [null] } } } as const
const s46 = { is: "string", checks: [rate] } as const
const s47 = { kinds: { string: s46, null: { oneOf: [null] } } } as const
const s48 = { is: "string", limits: [[/^(?:(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$|\/)|(?=$|\/))){4}(?:\/(?:3[0-2]|[12]?\d))?|[\da-f]*:[\da-f:.]*(?:\/(?:12[0-8]|1[01]\d|\d{1,2}))?)$/i, "an address or a network, such as 10.0.0.0/8"]] } as const
const s49 = { is: "array", limits: [["maxLength", 100]], items: s48 } as const
const s50 = { is: "object", optional: { client_header: s45, per_address: s47, per_credential: s47, trusted_proxies: s49 }, others: "delete", checks: [noArray] } as const
const s51 = { kinds: { string: { is: "string" }, null: { oneOf: [null] } } } as const
const s52 = { is: "object", required: { environment: s6 }, optional: { live_for: s9 }, others: "reject", checks: [noArray] } as const
const s53 = { kinds: { string: s6, object: s52 } } as const
const s54 = { is: "object", values: s53, checks: [noArray] } as const
const s55 = { is: "string", limits: [[/^https?:\/\/[^\s?#]+$/, "an http or https URL without a query"]] } as const
const s56 = { kinds: { string: s55, null: { oneOf: [null] } } } as const
const s57 = { is: "object", optional: { archive: s13, events: s10, idempotency_keys: s10, webhook_deliveries: s10 }, others: "delete", checks: [noArray] } as const
const s58 = { is: "number", limits: [["max", 1], ["min", 0.01]] } as const
const s59 = { is: "object", optional: { max_first_step: s58 }, others: "reject", checks: [noArray] } as const
const s60 = { is: "object", optional: { diff: s2, webhooks: s3, db_path: s4, kind: s5, default_environment: s6, api_version: { oneOf: ["v1"] }, promotion_requires_approval: { oneOf: [false,true] }, strict: { oneOf: [false,true] }, allow_forced_rollback: { oneOf: [false,true] }, allowed_hosts: s7, anonymous_diff: s8, approval_by_another: { oneOf: [false,true] }, approval_expires: s10, approvals: s11, approvals_required: s12, audit: s14, auth: s35, database_url: s37, environments: s38, freeze: s43, limits: s50, pricing_catalog_path: s51, promotes_from: s54, public_url: s56, read_database_url: s37, retention: s57, rollouts: s59 }, others: "delete", defaults: {"diff":{},"webhooks":{},"db_path":".service/service.db","kind":"WorkspaceConfig","default_environment":"local","api_version":"v1","promotion_requires_approval":false,"strict":false}, checks: [noArray, environmentsFit, signInFits] } as const
export const WorkspaceConfig: Shape = s60
