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
      promotes_from: { small: { environment: 'dev', live_for: '24h' } },
      freeze: [
        {
          environment: 'prod',
          from: 'fri 16:00',
          to: 'mon 08:00',
          reason: 'nobody is there',
          time_zone: 'Europe/Berlin',
        },
      ],
      diff: { min_candidate_runs: 10, min_baseline_runs: 20, min_low_runs: 5 },
      pricing_catalog_path: 'catalog.yaml',
      promotion_requires_approval: true,
      strict: true,
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
      environments: optional({ good: [['prod', 'small', 'dev']], bad: ['prod', [], [7], {}, null] }),
      promotes_from: optional(kind.object),
      'promotes_from.small.environment': required(kind.identifier),
      'promotes_from.small.live_for': optional({
        good: ['90d', '1m'],
        bad: [24, null],
        badForModel: ['', '1w'],
      }),
      freeze: optional({ good: [[]], bad: [{}, null, 'fri', ['fri'], [{}]] }),
      'freeze[0].environment': optional({
        good: ['prod', 'p*', '*'],
        bad: ['', 7, null],
        badForModel: ['p*d', '*p'],
      }),
      'freeze[0].from': required({
        good: ['Sat 23:59'],
        bad: [7, null],
        badForModel: ['', 'fri', 'fri 24:00'],
      }),
      'freeze[0].to': required({
        good: ['fri 16:01'],
        bad: [7, null],
        badForModel: ['fri 16:00', '2026-12-20'],
      }),
      'freeze[0].reason': required(kind.nonEmptyText),
      'freeze[0].time_zone': optional({
        good: ['UTC', 'Asia/Tokyo'],
        bad: [7, null],
        badForModel: ['', 'Mars'],
      }),
      diff: optional(kind.object),
      'diff.min_candidate_runs': optional(kind.count),
      'diff.min_baseline_runs': optional(kind.count),
      'diff.min_low_runs': optional(kind.count),
      pricing_catalog_path: optional(orNull(kind.text)),
      promotion_requires_approval: optional(kind.boolean),
      strict: optional(kind.boolean),
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
      environments: ['dev', 'prod'],
    },
    fields: {
      api_version: required(kind.oneOf('v1')),
      kind: required(kind.oneOf('WorkspacePublic')),
      promotion_requires_approval: required(kind.boolean),
      pricing_catalog_configured: required(kind.boolean),
      server_version: required(kind.text),
      environments: optional(kind.texts),
    },
  },
} satisfies Readonly<Record<string, DocumentCase>>
