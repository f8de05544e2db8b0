import { describe, expect, test } from 'vitest'
import { PricingCatalog } from '../../../src/models/documents/catalog.ts'
import { check } from '../support/check.ts'
import { problemsText } from '../../../src/models/checks.ts'
import type { AnyModel } from '../../../src/models/model.ts'
import { Policy } from '../../../src/models/documents/policy.ts'
import { PricingTable } from '../../../src/models/documents/pricing.ts'
import { Release } from '../../../src/models/documents/release.ts'
import { RunEvent } from '../../../src/models/documents/run_event.ts'
import { WorkspaceConfig, WorkspacePublic } from '../../../src/models/documents/workspace.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import { releaseOf } from '../../support/services/builders.ts'
import { DOCUMENTS } from '../support/documents.ts'
import { withValue } from '../support/paths.ts'

/** Everything that is wrong, as one text; empty when nothing is. */
function problems(model: AnyModel, value: unknown): string {
  const checked = check(model, value)
  return checked.ok ? '' : problemsText(checked.problems, 'the document')
}

test.for([
  ['Release', Release],
  ['RunEvent', RunEvent],
  ['PricingTable', PricingTable],
  ['PricingCatalog', PricingCatalog],
  ['Policy', Policy],
  ['WorkspaceConfig', WorkspaceConfig],
  ['WorkspacePublic', WorkspacePublic],
] as const)('%s is an object, not an array, a text or nothing', ([, model]) => {
  for (const value of [[], [{}], 'v1', 5, true, null]) expect(problems(model, value)).not.toBe('')
})

describe('Release', () => {
  test('the minimal set of the specification is enough', () => {
    expect(check(Release, releaseOf())).toEqual({ ok: true, value: releaseOf() })
  })

  test('unknown keys are kept as they are', () => {
    const artifact = { ...releaseOf(), 'x-team': { owner: ['ada', 1, null] } }
    expect(check(Release, artifact)).toEqual({ ok: true, value: artifact })
  })

  test.for([
    [{}],
    [{ strategy: 'single_model' }],
    [{ strategy: null }],
    [{ strategy: 'single_model', fallback: null }],
    [{ strategy: 'fallback_model', fallback: { model: 'gpt-4o' } }],
    [{ strategy: 'fallback_model', fallback: { model: 'gpt-4o', on_error: true } }],
  ])('routing %j is valid', ([routing]) => {
    expect(problems(Release, withValue(releaseOf(), 'spec.routing', routing))).toBe('')
  })

  test.for([
    [{ strategy: 'fallback_model' }, 'spec.routing.fallback.model must be a model name'],
    [{ strategy: 'fallback_model', fallback: null }, 'spec.routing.fallback.model must be a model name'],
    [{ strategy: 'fallback_model', fallback: {} }, 'spec.routing.fallback.model must be a model name'],
    [
      { strategy: 'fallback_model', fallback: { model: '' } },
      'spec.routing.fallback.model must be non-empty',
    ],
    [{ strategy: 'single_model', fallback: { model: 'gpt-4o' } }, 'spec.routing.fallback must be left out'],
    [{ fallback: { model: 'gpt-4o' } }, 'spec.routing.fallback must be left out'],
    [{ strategy: 'round_robin' }, 'spec.routing.strategy must be "fallback_model", "single_model" or null'],
  ] as const)('routing %j is refused: %s', ([routing, problem]) => {
    expect(problems(Release, withValue(releaseOf(), 'spec.routing', routing))).toContain(problem)
  })
})

describe('PricingTable', () => {
  const rates = { input_usd_per_1k_tokens: 1, output_usd_per_1k_tokens: 2 }
  const table = { provider: 'acme', pricing_version: '1', entries: [{ model: 'm1', ...rates }] }

  test('a model is listed once', () => {
    const twice = { ...table, entries: [...table.entries, { model: 'm2', ...rates }, ...table.entries] }
    expect(problems(PricingTable, twice)).toBe('entries[2].model must be listed once (was "m1")')
  })

  test('a misspelt key of an entry is refused, a stray key of the table is not', () => {
    const misspelt = { ...table, entries: [{ model: 'm1', ...rates, cached_input_usd: 1 }] }
    expect(problems(PricingTable, misspelt)).toBe('entries[0].cached_input_usd is not a known field')
    expect(problems(PricingTable, { ...table, currency: 'USD' })).toBe('')
  })
})

describe('Policy', () => {
  test('an empty policy is the default policy of the specification', () => {
    expect(check(Policy, {})).toEqual({ ok: true, value: DEFAULT_POLICY })
    expect(DEFAULT_POLICY).toEqual({
      policy_id: 'default',
      max_cost_per_run_usd: null,
      max_latency_ms: null,
      max_error_rate: null,
      min_candidate_runs: null,
      min_baseline_runs: null,
      min_low_runs: null,
      require_high_diff_confidence: true,
    })
  })

  test('an unknown key is refused, because a typo must not switch a gate off', () => {
    const misspelt = { max_cost_per_run: 0.01, max_error_rate: 0.02 }
    expect(problems(Policy, misspelt)).toBe('max_cost_per_run is not a known field')
  })
})

describe('WorkspaceConfig', () => {
  const defaults = {
    api_version: 'v1',
    kind: 'WorkspaceConfig',
    db_path: '.service/service.db',
    default_environment: 'local',
    diff: { min_candidate_runs: 500, min_baseline_runs: 500, min_low_runs: 50 },
    promotion_requires_approval: false,
    strict: false,
    webhooks: { deny_private: false },
  }

  test('an empty file takes the defaults of the specification', () => {
    expect(check(WorkspaceConfig, {})).toEqual({ ok: true, value: defaults })
  })

  test('one threshold leaves the others at their defaults', () => {
    expect(check(WorkspaceConfig, { diff: { min_low_runs: 0 } })).toEqual({
      ok: true,
      value: { ...defaults, diff: { ...defaults.diff, min_low_runs: 0 } },
    })
  })

  test('unknown keys are dropped', () => {
    const document = { databse_url: 'postgres://h/db', diff: { min_runs: 5 } }
    expect(check(WorkspaceConfig, document)).toEqual({ ok: true, value: defaults })
  })

  test('an error about database_url does not show the password in it', () => {
    const text = problems(WorkspaceConfig, { database_url: 'mysql://svc:hunter2@db/ledger' })
    expect(text).toBe(
      'database_url must be a postgresql:// or postgres:// DSN, or a libsql://, https:// or http:// URL (was another text)',
    )
  })
})

test('PricingCatalog says which slot and which field is wrong', () => {
  const { document } = DOCUMENTS.PricingCatalog
  const broken = withValue(document, 'tariffs.small.output_usd_per_1k_tokens', -1)
  expect(problems(PricingCatalog, broken)).toBe(
    'tariffs.small.output_usd_per_1k_tokens must be non-negative (was -1)',
  )
})

test('WorkspacePublic has no further fields, so that no secret slips into it', () => {
  const leaky = { ...DOCUMENTS.WorkspacePublic.document, database_url: 'postgres://h/db' }
  expect(problems(WorkspacePublic, leaky)).toBe('database_url is not a known field')
})
