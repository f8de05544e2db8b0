import { type } from 'arktype'
import { input, limitField } from '../../models/all/input.ts'
import { documented, under } from '../../models/docs.ts'
import { Checksum, Count, Dimension, Identifier, Timestamp } from '../../models/scalars.ts'

const Changes = type({ field: 'string', from: 'unknown', to: 'unknown' }).array()

const CHANGE_FIELDS = {
  changes: 'What it changed, field by field.',
  'changes[].field': 'Name of the field.',
  'changes[].from': 'Its value before; null where there was none.',
  'changes[].to': 'Its value now; null where there is none.',
} as const

/** A policy as it was set. */
const PolicySetting = type({
  seq: Count,
  policy_id: Identifier,
  change_id: 'string | null',
  created_at: Timestamp,
  actor: 'string',
  actor_source: 'string',
  reason: 'string | null',
  policy: 'object',
  changes: Changes,
})
export type PolicySetting = typeof PolicySetting.infer

/** GET /v1/policy/history */
export const PolicyHistory = type({ policies: PolicySetting.array(), next_after: Count.or('null') })
export type PolicyHistory = typeof PolicyHistory.infer

const SETTINGS_FIELDS = {
  policies: 'The policies.',
  ...under('policies[].', {
    seq: 'Number in the history; gaps mean nothing.',
    policy_id: 'Name of the policy.',
    change_id: 'Identifier of the setting; null for those of version 0.1.0.',
    created_at: 'When it was set.',
    actor: 'Who set it.',
    actor_source: 'How we know: an identity header, a proxy, the body, or the command line.',
    reason: 'Why, in the words of who set it; null where nothing was said.',
    policy: 'The whole policy.',
    ...CHANGE_FIELDS,
  }),
} as const

export const policyHistory = documented(PolicyHistory, {
  title: 'PolicyHistory',
  description:
    'Every policy that was set, newest first. The first was in force until the one above it was set.',
  fields: {
    ...SETTINGS_FIELDS,
    next_after: 'Pass it as `after` to get the next page; null on the last.',
  },
})

const Named = type({ seq: Count.or('null'), policy_id: Identifier, policy: 'object' })

/** GET /v1/policy/diff */
export const PolicyDiff = type({ from: Named, to: Named, changes: Changes })
export type PolicyDiff = typeof PolicyDiff.infer

const NAMED_FIELDS = {
  seq: 'Number in the history; null for the default, which nobody set.',
  policy_id: 'Name of the policy.',
  policy: 'The whole policy.',
} as const

export const policyDiff = documented(PolicyDiff, {
  title: 'PolicyDiff',
  description: 'Two policies of the history, and what differs.',
  fields: {
    from: 'The one.',
    ...under('from.', NAMED_FIELDS),
    to: 'The other.',
    ...under('to.', NAMED_FIELDS),
    ...CHANGE_FIELDS,
  },
})

/** GET /v1/pricing/history */
export const PriceHistory = type({
  imports: type({
    seq: Count,
    import_id: /^pim_[0-9a-f]{12}$/,
    provider: Identifier,
    pricing_version: Identifier,
    action: "'insert' | 'replace'",
    actor: 'string',
    reason: 'string | null',
    checksum: Checksum,
    created_at: Timestamp,
    changes: 'string[]',
  }).array(),
  next_after: Count.or('null'),
})
export type PriceHistory = typeof PriceHistory.infer

const IMPORTS_FIELDS = {
  imports: 'The imports.',
  ...under('imports[].', {
    seq: 'Number in the history; gaps mean nothing.',
    import_id: 'Identifier of the import.',
    provider: 'Provider of the table.',
    pricing_version: 'Version of the table.',
    action: 'Whether the table was new or replaced another.',
    actor: 'Who imported it.',
    reason: 'Why it was replaced; null for a first import.',
    checksum: 'SHA-256 of the table, lowercase hex.',
    created_at: 'When it was imported.',
    changes: 'A line per model: + new, - gone, ~ other rates (USD per 1,000 tokens).',
  }),
} as const

export const priceHistory = documented(PriceHistory, {
  title: 'PriceHistory',
  description: 'Every import of price tables, newest first.',
  fields: {
    ...IMPORTS_FIELDS,
    next_after: 'Pass it as `after` to get the next page; null on the last.',
  },
})

/** What `svc policy history` prints with `--output json`. */
export const policySettings = documented(PolicyHistory.pick('policies'), {
  title: 'PolicySettings',
  description: 'Every policy that was set, newest first.',
  fields: SETTINGS_FIELDS,
})

/** What `svc pricing history` prints so. */
export const priceImports = documented(PriceHistory.pick('imports'), {
  title: 'PriceImports',
  description: 'Every import of price tables, newest first.',
  fields: IMPORTS_FIELDS,
})

export const MODELS = {
  PolicyDiff: policyDiff,
  PolicyHistory: policyHistory,
  PriceHistory: priceHistory,
  PolicySettings: policySettings,
  PriceImports: priceImports,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

export const PART_NAMES = {
  'PolicyDiff.from': 'PolicyVersion',
  'PolicyDiff.changes': 'PolicyChange',
} as const

/** What the endpoints take. */
export const INPUTS = {
  PolicyHistoryList: input({
    query: {
      ...limitField('entries'),
      'after?': [Count, 'Only entries older than this seq: pass next_after to get the next page.'],
    },
  }),
  PolicyDiffShow: input({
    query: {
      'from?': [Dimension, 'The one, as ID@SEQ of the history; the one before `to` unless given.'],
      'to?': [Dimension, 'The other; the policy in force unless given.'],
    },
  }),
  PricingHistory: input({
    query: {
      'provider?': [Dimension, 'Only tables of this provider.'],
      'pricing_version?': [Dimension, 'Only tables of this version.'],
      ...limitField('entries'),
      'after?': [Count, 'Only entries older than this seq: pass next_after to get the next page.'],
    },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
