import * as kind from './field_kinds.ts'
import { type DocumentCase, optional, orNull, required } from './field_kinds.ts'

const AGES = { good: ['90d', '24h', '1m', null], bad: ['', '0d', '1w', 'd', 90] }

/** The documents of a workspace, beside the others of documents.ts. */
export const WORKSPACE_DOCUMENTS = {
  WorkspaceConfig: {
    document: {
      api_version: 'v1',
      kind: 'WorkspaceConfig',
      db_path: 'data/service.db',
      database_url: 'postgresql://svc@db/ledger',
      read_database_url: 'libsql://replica.example.com',
      default_environment: 'prod',
      diff: { min_candidate_runs: 10, min_baseline_runs: 20, min_low_runs: 5 },
      pricing_catalog_path: 'catalog.yaml',
      promotion_requires_approval: true,
      approvals_required: 2,
      approval_by_another: true,
      approval_expires: '24h',
      allow_forced_rollback: true,
      strict: true,
      public_url: 'https://releases.example.com/gate',
      webhooks: { deny_private: true },
      retention: { events: '90d', webhook_deliveries: '30d', idempotency_keys: '7d', archive: 'archive' },
    },
    fields: {
      api_version: optional(kind.oneOf('v1')),
      kind: optional(kind.oneOf('WorkspaceConfig')),
      db_path: optional(kind.nonEmptyText),
      database_url: optional({
        good: ['postgres://h/db', 'postgresql://u:p@h:5432/db', 'libsql://h', 'http://h:8080', null],
        bad: ['', 'mysql://h/db', 'h/db', 5],
      }),
      read_database_url: optional({
        good: ['postgres://h/db', 'libsql://h', null],
        bad: ['', 'file:ledger.db', 5],
      }),
      default_environment: optional(kind.identifier),
      diff: optional(kind.object),
      'diff.min_candidate_runs': optional(kind.count),
      'diff.min_baseline_runs': optional(kind.count),
      'diff.min_low_runs': optional(kind.count),
      pricing_catalog_path: optional(orNull(kind.text)),
      promotion_requires_approval: optional(kind.boolean),
      approvals_required: optional({ good: [1, 20], bad: [0, 21, 1.5, '2', null] }),
      approval_by_another: optional(kind.boolean),
      approval_expires: optional(AGES),
      allow_forced_rollback: optional(kind.boolean),
      strict: optional(kind.boolean),
      public_url: optional({
        good: ['https://releases.example.com', 'http://127.0.0.1:8765/gate/', null],
        bad: ['', 'releases.example.com', 'ftp://a', 'https://a.example?x=1', 'https://a.example/ b', 5],
      }),
      webhooks: optional(kind.object),
      'webhooks.deny_private': optional(kind.boolean),
      retention: optional(kind.object),
      'retention.events': optional(AGES),
      'retention.webhook_deliveries': optional(AGES),
      'retention.idempotency_keys': optional(AGES),
      'retention.archive': optional({ good: ['a', '/var/archive', null], bad: ['', 5] }),
    },
  },
  WorkspacePublic: {
    document: {
      api_version: 'v1',
      kind: 'WorkspacePublic',
      promotion_requires_approval: false,
      pricing_catalog_configured: true,
      server_version: '0.1.0',
    },
    fields: {
      api_version: required(kind.oneOf('v1')),
      kind: required(kind.oneOf('WorkspacePublic')),
      promotion_requires_approval: required(kind.boolean),
      pricing_catalog_configured: required(kind.boolean),
      server_version: required(kind.text),
    },
  },
} satisfies Readonly<Record<string, DocumentCase>>
