import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { PricingSummary, pricingList } from '../documents/pricing.ts'
import { Policy, PolicyVerdict, VERDICT_FIELDS, policy } from '../documents/policy.ts'
import { UsedModels, usedModels } from '../documents/release.ts'
import { Checksum, Count, Identifier, Timestamp } from '../scalars.ts'
import { ActionPage, actionPage } from './action.ts'
import { Promoted, board } from './board.ts'

/** What commands print with `--output json` that no endpoint answers in that form. */

export const actionList = documented(ActionPage.pick('actions'), {
  title: 'ActionList',
  description: 'Actions of the audit trail, newest first, with what each rested on.',
  fields: fieldsUnder(actionPage.docs.fields, 'actions'),
})

export const promotedList = documented(
  type({
    promoted: type({ agent_id: Identifier, environment: Identifier }).and(Promoted).array(),
  }),
  {
    title: 'PromotedList',
    description: 'What is live, by agent and environment.',
    fields: {
      promoted: 'One entry per agent and environment that something is promoted in.',
      'promoted[].agent_id': 'The agent.',
      'promoted[].environment': 'The environment.',
      ...under(
        'promoted[].',
        Object.fromEntries(
          Object.entries(board.docs.fields)
            .filter(([path]) => path.startsWith('board[].promoted.'))
            .map(([path, text]) => [path.slice('board[].promoted.'.length), text]),
        ),
      ),
    },
  },
)

export const validatedRelease = documented(
  type({ valid: 'true', agent_id: 'string', version: 'string', checksum: Checksum, files: 'string[]' }),
  {
    title: 'ValidatedRelease',
    description: 'A bundle that can be registered.',
    fields: {
      valid: 'Always true: what is not valid is an error.',
      agent_id: 'The agent that it is a release of.',
      version: 'metadata.version of its release.yaml.',
      checksum: 'Checksum of the bundle.',
      files: 'Files that it covers.',
    },
  },
)

export const verifiedRelease = documented(
  type({
    release_id: Identifier,
    matches: 'boolean',
    registered_checksum: Checksum,
    found_checksum: Checksum,
  }),
  {
    title: 'VerifiedRelease',
    description: 'Whether a bundle is the one that was registered.',
    fields: {
      release_id: 'The release.',
      matches: 'Whether both checksums are the same; the exit code is 2 where not.',
      registered_checksum: 'That of the release.',
      found_checksum: 'That of the bundle.',
    },
  },
)

export const policyBlock = documented(type({ policy: PolicyVerdict }), {
  title: 'PolicyBlock',
  description: 'What the policy said of a request that it blocked.',
  fields: { policy: 'What the policy said.', ...under('policy.', VERDICT_FIELDS) },
})

export const validatedPolicy = documented(type({ valid: 'true', policy: Policy }), {
  title: 'ValidatedPolicy',
  description: 'A policy that can be set.',
  fields: {
    valid: 'Always true: what is not valid is an error.',
    policy: 'The policy with its defaults.',
    ...under('policy.', policy.docs.fields),
  },
})

export const pricingAge = documented(
  type({
    max_age_days: 'number',
    pricing: PricingSummary.and({ stale: 'boolean' }).array(),
  }),
  {
    title: 'PricingAge',
    description: 'How old the bundled price tables are.',
    fields: {
      max_age_days: 'Age from which on a table is stale, days.',
      ...pricingList.docs.fields,
      'pricing[].stale': 'Whether it is older.',
    },
  },
)

export const usedModelsList = documented(type({ releases: UsedModels.array() }), {
  title: 'UsedModelsList',
  description: 'The models that runs of releases used, and whether their price tables have them.',
  fields: { releases: 'The releases that were named.', ...under('releases[].', usedModels.docs.fields) },
})

export const pruned = documented(
  type({ before: Timestamp, days: Count, events: Count, dry_run: 'boolean' }),
  {
    title: 'Pruned',
    description: 'What was removed of the run events.',
    fields: {
      before: 'Events of before this time went.',
      days: 'Days of a release in an environment.',
      events: 'Run events.',
      dry_run: 'Whether nothing was removed, and this is what would be.',
    },
  },
)

export const restored = documented(type({ files: Count, inserted: Count, skipped: Count, gaps: Count }), {
  title: 'Restored',
  description: 'What was put back of an archive.',
  fields: {
    files: 'Files that were read.',
    inserted: 'Run events that were put back.',
    skipped: 'Run events that were there, or that nothing was pruned around.',
    gaps: 'Days of a release in an environment that are not whole even so.',
  },
})

export const erased = documented(type({ erasure_id: 'string', events: Count, archived_events: Count }), {
  title: 'Erased',
  description: 'What was erased of a tenant.',
  fields: {
    erasure_id: 'Identifier of the erasure, which is on record.',
    events: 'Run events of the ledger.',
    archived_events: 'Run events of the archive.',
  },
})

const MaybeNumber = type('number | null')

export const ledgerSize = documented(
  type({
    tables: type({
      name: 'string',
      rows: Count,
      bytes: Count,
      rows_per_day: MaybeNumber,
      bytes_per_day: MaybeNumber,
    }).array(),
    bytes: Count,
    bytes_per_day: 'number',
    free_bytes: MaybeNumber,
    days_left: MaybeNumber,
  }),
  {
    title: 'LedgerSize',
    description: 'How large the ledger is, and how it grows.',
    fields: {
      tables: 'Its tables, the largest first.',
      'tables[].name': 'Name of the table.',
      'tables[].rows': 'Rows.',
      'tables[].bytes': 'Bytes, with indexes.',
      'tables[].rows_per_day': 'Rows a day over the last week; null where nothing says when they came.',
      'tables[].bytes_per_day': 'Bytes a day over the last week.',
      bytes: 'Bytes in all.',
      bytes_per_day: 'Bytes a day over the last week in all.',
      free_bytes: 'Free bytes of the disk of a SQLite file; null elsewhere.',
      days_left:
        'Days until that disk is full at this rate; null where it does not grow or is another machine.',
    },
  },
)

export const compacted = documented(type({ rewritten: Count, left: Count }), {
  title: 'Compacted',
  description: 'What was rewritten of the run events.',
  fields: { rewritten: 'Events that were rewritten.', left: 'Events that are left as they are.' },
})

export const migrated = documented(type({ schema_version: Count, ledger: 'string' }), {
  title: 'Migrated',
  description: 'The schema of the ledger.',
  fields: { schema_version: 'Highest applied migration.', ledger: 'The ledger, without its password.' },
})

export const copied = documented(
  type({
    from: 'string',
    to: 'string',
    outcome: "'copied' | 'completed' | 'there already'",
    checks: type({ name: 'string', ok: 'boolean', detail: 'string' }).array(),
  }),
  {
    title: 'Copied',
    description: 'A copy of a ledger, and how it was verified.',
    fields: {
      from: 'The ledger.',
      to: 'The copy.',
      outcome: 'Whether it was copied, a copy was completed, or all of it was there.',
      checks: 'What was compared.',
      'checks[].name': 'Name of the check.',
      'checks[].ok': 'Whether it passed.',
      'checks[].detail': 'What was found.',
    },
  },
)

export const version = documented(type({ version: 'string' }), {
  title: 'Version',
  description: 'The version of the program.',
  fields: { version: 'SemVer.' },
})

export const profileList = documented(
  type({ profiles: type({ name: 'string', url: 'string', has_token: 'boolean' }).array() }),
  {
    title: 'ProfileList',
    description: 'Services by the names that profiles call them.',
    fields: {
      profiles: 'The profiles.',
      'profiles[].name': 'Name of the profile.',
      'profiles[].url': 'Where the service is.',
      'profiles[].has_token': 'Whether its token is kept.',
    },
  },
)

export const removedProfile = documented(type({ name: 'string', removed: 'true' }), {
  title: 'RemovedProfile',
  description: 'The profile is gone.',
  fields: { name: 'Name of the profile.', removed: 'Always true.' },
})

/** The texts of a field and of what it holds. */
function fieldsUnder(fields: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter(([path]) => path === name || path.startsWith(`${name}[]`)),
  )
}
