import * as kind from './field_kinds.ts'
import { type DocumentCase, optional, orNull, required } from './field_kinds.ts'

const URLS = {
  good: ['https://issuer.example.com/path', 'http://127.0.0.1:8080', 'http://localhost'],
  bad: ['', 'http://issuer.example.com', 'https://', 'https://a?b', 'issuer.example.com', 5],
}
const NAMES = { good: [['a'], ['a', 'b']], bad: [[], [''], [5], 'a', Array(21).fill('a')] }
const RATES = { good: ['100/s', '1/m', '999999/h', null], bad: ['', '0/s', '1/d', '1', '-1/s', 5] }
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
      approvals_required: 2,
      approval_by_another: true,
      approval_expires: '24h',
      allow_forced_rollback: true,
      anonymous_diff: 'totals',
      strict: true,
      public_url: 'https://releases.example.com/gate',
      webhooks: { deny_private: true },
      auth: {
        mode: 'named',
        oidc: [
          {
            issuer: 'https://issuer.example.com',
            audience: 'releases',
            name_claim: 'email',
            jwks_uri: 'https://issuer.example.com/keys',
            roles: [
              {
                role: 'write',
                claims: { repository: 'acme/bot', ref: ['refs/heads/main', 'refs/tags/*'] },
                agents: ['support-bot'],
                environments: ['prod'],
              },
            ],
          },
        ],
      },
      allowed_hosts: ['gate.example.com'],
      limits: {
        per_credential: '100/s',
        per_address: '600/m',
        client_header: 'X-Real-IP',
        trusted_proxies: ['10.0.0.0/8'],
      },
      audit: { checkpoints: 'checkpoints.txt', addresses: true },
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
      approvals_required: optional({ good: [1, 20], bad: [0, 21, 1.5, '2', null] }),
      approval_by_another: optional(kind.boolean),
      approval_expires: optional(AGES),
      approvals: optional({
        good: [{}, { people_only: false }],
        bad: [[], true, { people: true }, { people_only: 'yes' }],
        // Nobody can sign in here.
        badForModel: [{ people_only: true }],
      }),
      allow_forced_rollback: optional(kind.boolean),
      anonymous_diff: optional(kind.oneOf('open', 'totals')),
      strict: optional(kind.boolean),
      public_url: optional({
        good: ['https://releases.example.com', 'http://127.0.0.1:8765/gate/', null],
        bad: ['', 'releases.example.com', 'ftp://a', 'https://a.example?x=1', 'https://a.example/ b', 5],
      }),
      webhooks: optional(kind.object),
      'webhooks.deny_private': optional(kind.boolean),
      auth: optional({ good: ['named', {}, { mode: 'any' }], bad: ['any', 5, { named: true }] }),
      'auth.mode': optional({ good: ['named', 'any', null], bad: ['', 'none', 5] }),
      'auth.oidc': optional({ good: [[], null], bad: [{}, 'https://issuer.example.com'] }),
      'auth.oidc[0].issuer': required(URLS),
      'auth.oidc[0].name_claim': optional(kind.nonEmptyText),
      'auth.oidc[0].login': optional({
        good: [
          null,
          { client_id: 'pages' },
          {
            client_id: 'pages',
            client_secret_ref: 'SERVICE_OIDC_SECRET',
            cli_client_id: 'svc',
            name: 'acme-sso',
            scopes: ['groups'],
            session_idle: '30m',
            session_lasts: '7d',
          },
        ],
        bad: [
          {},
          'pages',
          { client_id: '' },
          { client_id: 'pages', client_secret: 's3cret' },
          { client_id: 'pages', client_secret_ref: 's3cret' },
          { client_id: 'pages', name: 'a/b' },
          { client_id: 'pages', scopes: ['a b'] },
        ],
        badForModel: [
          { client_id: 'pages', session_idle: '4m' },
          { client_id: 'pages', session_lasts: '1w' },
        ],
      }),
      'auth.oidc[0].jwks_uri': optional({ ...URLS, good: [...URLS.good, null] }),
      'auth.oidc[0].roles': required({ good: [[{ role: 'read', claims: {} }]], bad: [[], {}, 'write'] }),
      'auth.oidc[0].roles[0].role': required(kind.oneOf('read', 'ingest', 'write', 'admin')),
      'auth.oidc[0].roles[0].claims': required({
        good: [{}, { sub: 'a' }, { sub: ['a', 'b'] }],
        bad: [[], 'sub', { sub: 5 }, { sub: '' }, { sub: [''] }],
      }),
      'auth.oidc[0].roles[0].agents': optional({ ...NAMES, good: [...NAMES.good, null] }),
      'auth.oidc[0].roles[0].environments': optional({ ...NAMES, good: [...NAMES.good, null] }),
      allowed_hosts: optional(NAMES),
      limits: optional(kind.object),
      'limits.per_credential': optional(RATES),
      'limits.per_address': optional(RATES),
      'limits.trusted_proxies': optional({
        good: [[], ['10.0.0.0/8', '::1', '192.0.2.7']],
        bad: ['10.0.0.0/8', ['10.0.0.0/33'], ['proxy'], [5]],
      }),
      'limits.client_header': optional({ good: ['Forwarded', 'x-real-ip', null], bad: ['', 'x y', 'x:', 5] }),
      audit: optional(kind.object),
      'audit.addresses': optional(kind.boolean),
      'audit.checkpoints': optional({ good: ['a.txt', 'https://witness.example/', null], bad: ['', 5] }),
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
