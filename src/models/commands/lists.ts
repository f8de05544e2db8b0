import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { Policy, PolicyVerdict, VERDICT_FIELDS, policy } from '../documents/policy.ts'
import { PricingSummary, pricingList } from '../documents/pricing.ts'
import { UsedModels, usedModels } from '../documents/release.ts'
import { Checksum, Count, Identifier, Timestamp } from '../scalars.ts'
import { ActionPage, actionPage } from '../answers/action.ts'
import { AuditPage, auditPage } from '../answers/audit.ts'
import { PlaceAnswer, placeAnswer } from '../deploys/place.ts'
import { Promoted, board } from '../answers/board.ts'

/** Lists that commands print with `--output json`; endpoints answer them a page at a time, or with more. */

export const actionList = documented(ActionPage.pick('actions'), {
  title: 'ActionList',
  description: 'Actions of the audit trail, newest first, with what each rested on.',
  fields: fieldsUnder(actionPage.docs.fields, 'actions'),
})

export const auditLog = documented(AuditPage.pick('entries'), {
  title: 'AuditLog',
  description: 'Entries of the audit log, newest first.',
  fields: fieldsUnder(auditPage.docs.fields, 'entries'),
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

const StatusFound = type({
  agent_id: Identifier.or('null'),
  environment: Identifier.or('null'),
  text: 'string',
  command: 'string',
})

export const status = documented(
  type({
    live: type({ agent_id: Identifier, environment: Identifier }).and(Promoted).array(),
    waits: StatusFound.array(),
    wrong: StatusFound.array(),
  }),
  {
    title: 'Status',
    description: 'What is live, what waits for somebody and what is wrong.',
    fields: {
      live: 'One entry per agent and environment that something is promoted in.',
      ...under(
        'live[].',
        Object.fromEntries(
          Object.entries(promotedList.docs.fields).flatMap(([path, text]) =>
            path.startsWith('promoted[].') ? [[path.slice('promoted[].'.length), text]] : [],
          ),
        ),
      ),
      ...Object.fromEntries(
        [
          ['waits', 'What somebody has to do, or what is still going on.'],
          ['wrong', 'What somebody should look at.'],
        ].flatMap(([part, text]) => [
          [part, text],
          [`${part}[].agent_id`, 'The agent; null where it is about the whole ledger.'],
          [`${part}[].environment`, 'The environment; null where it is about the whole ledger.'],
          [`${part}[].text`, 'One sentence.'],
          [`${part}[].command`, 'The command that shows more or settles it.'],
        ]),
      ),
    },
  },
)

export const places = documented(type({ places: PlaceAnswer.array() }), {
  title: 'Places',
  description: 'The answers of one agent, by environment.',
  fields: { places: 'One per environment.', ...under('places[].', placeAnswer.docs.fields) },
})

/** The texts of a field and of what it holds. */
function fieldsUnder(fields: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter(([path]) => path === name || path.startsWith(`${name}[]`)),
  )
}

/** What commands find out by themselves, as they print it with `--output json`. */

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
    'differing_files?': 'string[]',
  }),
  {
    title: 'VerifiedRelease',
    description: 'Whether a bundle is the one that was registered.',
    fields: {
      release_id: 'The release.',
      matches: 'Whether both checksums, and all files, are the same; the exit code is 2 where not.',
      registered_checksum: 'That of the release.',
      found_checksum: 'That of the bundle.',
      differing_files:
        'Paths of files that are not as they were registered; where the release has a hash of each.',
    },
  },
)

export const policyBlock = documented(type({ policy: PolicyVerdict }), {
  title: 'PolicyBlock',
  description: 'What the policy said of a request that it blocked.',
  fields: { policy: 'What the policy said.', ...under('policy.', VERDICT_FIELDS) },
})

export const validatedPolicy = documented(
  type({ valid: 'true', policy: Policy, limits: 'string[]', 'warnings?': 'string[]' }),
  {
    title: 'ValidatedPolicy',
    description: 'A policy that can be set.',
    fields: {
      valid: 'Always true: what is not valid is an error.',
      policy: 'The policy with its defaults.',
      ...under('policy.', policy.docs.fields),
      limits: 'What each of its limits lets through, in words.',
      warnings: 'Limits that let through more than somebody is likely to mean; left out where there is none.',
    },
  },
)

export const version = documented(type({ version: 'string' }), {
  title: 'Version',
  description: 'The version of the program.',
  fields: { version: 'SemVer.' },
})

export const acceptedClock = documented(type({ now: Timestamp, before: Timestamp }), {
  title: 'AcceptedClock',
  description: "What was accepted as the time of this machine's clock.",
  fields: { now: 'What it says.', before: 'The later time that the ledger had noted.' },
})

export const migrated = documented(type({ schema_version: Count, ledger: 'string' }), {
  title: 'Migrated',
  description: 'The schema of the ledger.',
  fields: { schema_version: 'Highest applied migration.', ledger: 'The ledger, without its password.' },
})
