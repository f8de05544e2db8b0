// Generated from src/models/documents by `npm run generate`, and never edited.
import { nameBytes, age, databaseUrl } from '../checks.ts'
import type { WorkspaceConfig } from '../documents/workspace.ts'
import { type Fields, type Known, hasOnly, isFields, withDefaults } from '../acceptor_parts.ts'

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
  "approval_by_another": true,
  "approval_expires": true,
  "approvals_required": true,
  "database_url": true,
  "pricing_catalog_path": true,
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

const KNOWN4 = new Set(["archive","events","idempotency_keys","webhook_deliveries"])

const KNOWN1 = new Set(["diff","webhooks","db_path","kind","default_environment","api_version","promotion_requires_approval","strict","allow_forced_rollback","approval_by_another","approval_expires","approvals_required","database_url","pricing_catalog_path","public_url","read_database_url","retention"])

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
    (value.approval_by_another === undefined || typeof value.approval_by_another === 'boolean') &&
    (value.approval_expires === undefined || (typeof value.approval_expires === 'string' && age(value.approval_expires) === undefined || value.approval_expires === null)) &&
    (value.approvals_required === undefined || Number.isInteger(value.approvals_required) && (value.approvals_required as number) >= 1 && (value.approvals_required as number) <= 20) &&
    (value.database_url === undefined || (typeof value.database_url === 'string' && databaseUrl(value.database_url) === undefined || value.database_url === null)) &&
    (value.pricing_catalog_path === undefined || (typeof value.pricing_catalog_path === 'string' || value.pricing_catalog_path === null)) &&
    (value.public_url === undefined || (typeof value.public_url === 'string' && /^https?:\/\/[^\s?#]+$/.test(value.public_url) || value.public_url === null)) &&
    (value.read_database_url === undefined || (typeof value.read_database_url === 'string' && databaseUrl(value.read_database_url) === undefined || value.read_database_url === null)) &&
    (value.retention === undefined || isFields(value.retention) && fits4(value.retention)) &&
    hasOnly(value, KNOWN1)
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
    (value.archive === undefined || (typeof value.archive === 'string' && value.archive.length >= 1 || value.archive === null)) &&
    (value.events === undefined || (typeof value.events === 'string' && age(value.events) === undefined || value.events === null)) &&
    (value.idempotency_keys === undefined || (typeof value.idempotency_keys === 'string' && age(value.idempotency_keys) === undefined || value.idempotency_keys === null)) &&
    (value.webhook_deliveries === undefined || (typeof value.webhook_deliveries === 'string' && age(value.webhook_deliveries) === undefined || value.webhook_deliveries === null)) &&
    hasOnly(value, KNOWN4)
  )
}
