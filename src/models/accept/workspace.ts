// Generated from src/models/documents by `npm run generate`, and never edited.
import { environmentsFit, freezeFits, freezeTime, timeZone, namePattern, nameBytes, rate, issuerUrl, age, databaseUrl } from '../checks.ts'
import type { WorkspaceConfig } from '../documents/workspace.ts'
import { type Fields, type Known, everyValue, hasOnly, isFields, withDefaults } from '../acceptor_parts.ts'

/** The document with its defaults where this plainly is one; for anything else undefined, and the model's word counts. */
export function accept(value: unknown): WorkspaceConfig | undefined {
  return isFields(value) && fits1(value) ? (withDefaults(value, DEFAULTS) as unknown as WorkspaceConfig) : undefined
}

/** The fields that the model knows. */
export const KNOWN: Known = {
  "diff": {
    "min_low_runs": true,
    "min_baseline_runs": true,
    "min_candidate_runs": true
  },
  "webhooks": {
    "deny_private": true
  },
  "db_path": true,
  "kind": true,
  "default_environment": true,
  "api_version": true,
  "promotion_requires_approval": true,
  "strict": true,
  "allow_forced_rollback": true,
  "allowed_hosts": true,
  "approval_by_another": true,
  "approval_expires": true,
  "approvals_required": true,
  "audit": {
    "checkpoints": true
  },
  "auth": {
    "mode": true,
    "oidc": [
      {
        "audience": true,
        "issuer": true,
        "roles": [
          {
            "claims": true,
            "role": true,
            "agents": true,
            "environments": true
          }
        ],
        "jwks_uri": true
      }
    ]
  },
  "database_url": true,
  "environments": true,
  "freeze": [
    {
      "from": true,
      "reason": true,
      "to": true,
      "environment": true,
      "time_zone": true
    }
  ],
  "limits": {
    "client_header": true,
    "per_address": true,
    "per_credential": true
  },
  "pricing_catalog_path": true,
  "promotes_from": true,
  "public_url": true,
  "read_database_url": true,
  "retention": {
    "archive": true,
    "events": true,
    "idempotency_keys": true,
    "webhook_deliveries": true
  }
}

const KNOWN2 = new Set(["min_low_runs","min_baseline_runs","min_candidate_runs"])

const KNOWN3 = new Set(["deny_private"])

const KNOWN4 = new Set(["checkpoints"])

const KNOWN7 = new Set(["claims","role","agents","environments"])

const KNOWN6 = new Set(["audience","issuer","roles","jwks_uri"])

const KNOWN5 = new Set(["mode","oidc"])

const KNOWN9 = new Set(["from","reason","to","environment","time_zone"])

const KNOWN10 = new Set(["client_header","per_address","per_credential"])

const KNOWN12 = new Set(["environment","live_for"])

const KNOWN13 = new Set(["archive","events","idempotency_keys","webhook_deliveries"])

const KNOWN1 = new Set(["diff","webhooks","db_path","kind","default_environment","api_version","promotion_requires_approval","strict","allow_forced_rollback","allowed_hosts","approval_by_another","approval_expires","approvals_required","audit","auth","database_url","environments","freeze","limits","pricing_catalog_path","promotes_from","public_url","read_database_url","retention"])

const DEFAULTS = {"diff":{"min_low_runs":50,"min_baseline_runs":500,"min_candidate_runs":500},"webhooks":{"deny_private":false},"db_path":".service/service.db","kind":"WorkspaceConfig","default_environment":"local","api_version":"v1","promotion_requires_approval":false,"strict":false}

function fits1(value: Fields): boolean {
  return (
    (value.diff === undefined || isFields(value.diff) && fits2(value.diff)) &&
    (value.webhooks === undefined || isFields(value.webhooks) && fits3(value.webhooks)) &&
    (value.db_path === undefined || typeof value.db_path === 'string' && value.db_path.length >= 1) &&
    (value.kind === undefined || (value.kind === "WorkspaceConfig")) &&
    (value.default_environment === undefined || typeof value.default_environment === 'string' && value.default_environment.length >= 1 && value.default_environment.length <= 512 && nameBytes(value.default_environment) === undefined) &&
    (value.api_version === undefined || (value.api_version === "v1")) &&
    (value.promotion_requires_approval === undefined || typeof value.promotion_requires_approval === 'boolean') &&
    (value.strict === undefined || typeof value.strict === 'boolean') &&
    (value.allow_forced_rollback === undefined || typeof value.allow_forced_rollback === 'boolean') &&
    (value.allowed_hosts === undefined || Array.isArray(value.allowed_hosts) && value.allowed_hosts.length >= 1 && value.allowed_hosts.length <= 20 && value.allowed_hosts.every(item => typeof item === 'string' && item.length >= 1 && item.length <= 512 && nameBytes(item) === undefined)) &&
    (value.approval_by_another === undefined || typeof value.approval_by_another === 'boolean') &&
    (value.approval_expires === undefined || (typeof value.approval_expires === 'string' && age(value.approval_expires) === undefined || value.approval_expires === null)) &&
    (value.approvals_required === undefined || Number.isInteger(value.approvals_required) && (value.approvals_required as number) >= 1 && (value.approvals_required as number) <= 20) &&
    (value.audit === undefined || isFields(value.audit) && fits4(value.audit)) &&
    (value.auth === undefined || (isFields(value.auth) && fits5(value.auth) || (value.auth === "named"))) &&
    (value.database_url === undefined || (typeof value.database_url === 'string' && databaseUrl(value.database_url) === undefined || value.database_url === null)) &&
    (value.environments === undefined || Array.isArray(value.environments) && value.environments.length >= 1 && value.environments.length <= 100 && value.environments.every(item => typeof item === 'string' && item.length >= 1 && item.length <= 512 && nameBytes(item) === undefined)) &&
    (value.freeze === undefined || Array.isArray(value.freeze) && value.freeze.length <= 100 && value.freeze.every(item => isFields(item) && fits9(item))) &&
    (value.limits === undefined || isFields(value.limits) && fits10(value.limits)) &&
    (value.pricing_catalog_path === undefined || (typeof value.pricing_catalog_path === 'string' || value.pricing_catalog_path === null)) &&
    (value.promotes_from === undefined || isFields(value.promotes_from) && fits11(value.promotes_from)) &&
    (value.public_url === undefined || (typeof value.public_url === 'string' && /^https?:\/\/[^\s?#]+$/.test(value.public_url) || value.public_url === null)) &&
    (value.read_database_url === undefined || (typeof value.read_database_url === 'string' && databaseUrl(value.read_database_url) === undefined || value.read_database_url === null)) &&
    (value.retention === undefined || isFields(value.retention) && fits13(value.retention)) &&
    hasOnly(value, KNOWN1) &&
    environmentsFit(value as never) === undefined
  )
}

function fits2(value: Fields): boolean {
  return (
    (value.min_low_runs === undefined || Number.isInteger(value.min_low_runs) && (value.min_low_runs as number) >= 0 && (value.min_low_runs as number) <= 9007199254740991) &&
    (value.min_baseline_runs === undefined || Number.isInteger(value.min_baseline_runs) && (value.min_baseline_runs as number) >= 0 && (value.min_baseline_runs as number) <= 9007199254740991) &&
    (value.min_candidate_runs === undefined || Number.isInteger(value.min_candidate_runs) && (value.min_candidate_runs as number) >= 0 && (value.min_candidate_runs as number) <= 9007199254740991) &&
    hasOnly(value, KNOWN2)
  )
}

function fits3(value: Fields): boolean {
  return (
    (value.deny_private === undefined || typeof value.deny_private === 'boolean') &&
    hasOnly(value, KNOWN3)
  )
}

function fits4(value: Fields): boolean {
  return (
    (value.checkpoints === undefined || (typeof value.checkpoints === 'string' && value.checkpoints.length >= 1 || value.checkpoints === null)) &&
    hasOnly(value, KNOWN4)
  )
}

function fits5(value: Fields): boolean {
  return (
    (value.mode === undefined || ((value.mode === "any") || (value.mode === "named") || value.mode === null)) &&
    (value.oidc === undefined || (Array.isArray(value.oidc) && value.oidc.every(item => isFields(item) && fits6(item)) || value.oidc === null)) &&
    hasOnly(value, KNOWN5)
  )
}

function fits6(value: Fields): boolean {
  return (
    typeof value.audience === 'string' && value.audience.length >= 1 &&
    typeof value.issuer === 'string' && issuerUrl(value.issuer) === undefined &&
    Array.isArray(value.roles) && value.roles.length >= 1 && value.roles.every(item => isFields(item) && fits7(item)) &&
    (value.jwks_uri === undefined || (typeof value.jwks_uri === 'string' && issuerUrl(value.jwks_uri) === undefined || value.jwks_uri === null)) &&
    hasOnly(value, KNOWN6)
  )
}

function fits7(value: Fields): boolean {
  return (
    isFields(value.claims) && fits8(value.claims) &&
    (value.role === "admin" || value.role === "ingest" || value.role === "read" || value.role === "write") &&
    (value.agents === undefined || (Array.isArray(value.agents) && value.agents.length >= 1 && value.agents.length <= 20 && value.agents.every(item => typeof item === 'string' && item.length >= 1 && item.length <= 512 && nameBytes(item) === undefined) || value.agents === null)) &&
    (value.environments === undefined || (Array.isArray(value.environments) && value.environments.length >= 1 && value.environments.length <= 20 && value.environments.every(item => typeof item === 'string' && item.length >= 1 && item.length <= 512 && nameBytes(item) === undefined) || value.environments === null)) &&
    hasOnly(value, KNOWN7)
  )
}

function fits8(value: Fields): boolean {
  return (
    everyValue(value, field => (typeof field === 'string' && field.length >= 1 || Array.isArray(field) && field.every(item => typeof item === 'string' && item.length >= 1)))
  )
}

function fits9(value: Fields): boolean {
  return (
    typeof value.from === 'string' && freezeTime(value.from) === undefined &&
    typeof value.reason === 'string' && value.reason.length >= 1 &&
    typeof value.to === 'string' && freezeTime(value.to) === undefined &&
    (value.environment === undefined || typeof value.environment === 'string' && value.environment.length >= 1 && value.environment.length <= 512 && nameBytes(value.environment) === undefined && namePattern(value.environment) === undefined) &&
    (value.time_zone === undefined || typeof value.time_zone === 'string' && timeZone(value.time_zone) === undefined) &&
    hasOnly(value, KNOWN9) &&
    freezeFits(value as never) === undefined
  )
}

function fits10(value: Fields): boolean {
  return (
    (value.client_header === undefined || (typeof value.client_header === 'string' && /^[A-Za-z][\w-]{0,63}$/.test(value.client_header) || value.client_header === null)) &&
    (value.per_address === undefined || (typeof value.per_address === 'string' && rate(value.per_address) === undefined || value.per_address === null)) &&
    (value.per_credential === undefined || (typeof value.per_credential === 'string' && rate(value.per_credential) === undefined || value.per_credential === null)) &&
    hasOnly(value, KNOWN10)
  )
}

function fits11(value: Fields): boolean {
  return (
    everyValue(value, field => (typeof field === 'string' && field.length >= 1 && field.length <= 512 && nameBytes(field) === undefined || isFields(field) && fits12(field)))
  )
}

function fits12(value: Fields): boolean {
  return (
    typeof value.environment === 'string' && value.environment.length >= 1 && value.environment.length <= 512 && nameBytes(value.environment) === undefined &&
    (value.live_for === undefined || typeof value.live_for === 'string' && age(value.live_for) === undefined) &&
    hasOnly(value, KNOWN12)
  )
}

function fits13(value: Fields): boolean {
  return (
    (value.archive === undefined || (typeof value.archive === 'string' && value.archive.length >= 1 || value.archive === null)) &&
    (value.events === undefined || (typeof value.events === 'string' && age(value.events) === undefined || value.events === null)) &&
    (value.idempotency_keys === undefined || (typeof value.idempotency_keys === 'string' && age(value.idempotency_keys) === undefined || value.idempotency_keys === null)) &&
    (value.webhook_deliveries === undefined || (typeof value.webhook_deliveries === 'string' && age(value.webhook_deliveries) === undefined || value.webhook_deliveries === null)) &&
    hasOnly(value, KNOWN13)
  )
}
