import { Policy, PolicyVerdict } from '../documents/policy.ts'
import { PricingSummary } from '../documents/pricing.ts'
import { UsedModels } from '../documents/release.ts'
import { Checksum, Count, Identifier, Timestamp } from '../scalars.ts'
import { ActionPage } from '../answers/action.ts'
import { AuditPage } from '../answers/audit.ts'
import { PlaceAnswer } from '../deploys/place.ts'
import { PromotedRelease } from '../answers/board.ts'
import { object, said } from '../model.ts'

/** Lists that commands print with `--output json`; endpoints answer them a page at a time, or with more. */

export const ActionList = said(
  ActionPage.pick('actions'),
  'Actions of the audit trail, newest first, with what each rested on.',
)

export const AuditLog = said(AuditPage.pick('entries'), 'Entries of the audit log, newest first.')

export const PromotedList = object('What is live, by agent and environment.', {
  promoted: [
    object({ agent_id: [Identifier, 'The agent.'], environment: [Identifier, 'The environment.'] })
      .and(PromotedRelease)
      .array(),
    'One entry per agent and environment that something is promoted in.',
  ],
})

export const PricingAge = object('How old the bundled price tables are.', {
  max_age_days: ['number', 'Age from which on a table is stale, days.'],
  pricing: [
    PricingSummary.and(object({ stale: ['boolean', 'Whether it is older.'] })).array(),
    'The tables.',
  ],
})

export const UsedModelsList = object(
  'The models that runs of releases used, and whether their price tables have them.',
  { releases: [UsedModels.array(), 'The releases that were named.'] },
)

const StatusFound = object({
  agent_id: [Identifier.or('null'), 'The agent; null where it is about the whole ledger.'],
  environment: [Identifier.or('null'), 'The environment; null where it is about the whole ledger.'],
  text: ['string', 'One sentence.'],
  command: ['string', 'The command that shows more or settles it.'],
})

export const Status = object('What is live, what waits for somebody and what is wrong.', {
  live: [
    object({ agent_id: [Identifier, 'The agent.'], environment: [Identifier, 'The environment.'] })
      .and(PromotedRelease)
      .array(),
    'One entry per agent and environment that something is promoted in.',
  ],
  waits: [StatusFound.array(), 'What somebody has to do, or what is still going on.'],
  wrong: [StatusFound.array(), 'What somebody should look at.'],
})

export const Places = object('The answers of one agent, by environment.', {
  places: [PlaceAnswer.array(), 'One per environment.'],
})

/** What commands find out by themselves, as they print it with `--output json`. */

export const ValidatedRelease = object('A bundle that can be registered.', {
  valid: ['true', 'Always true: what is not valid is an error.'],
  agent_id: ['string', 'The agent that it is a release of.'],
  version: ['string', 'metadata.version of its release.yaml.'],
  checksum: [Checksum, 'Checksum of the bundle.'],
  files: ['string[]', 'Files that it covers.'],
})

export const VerifiedRelease = object('Whether a bundle is the one that was registered.', {
  release_id: [Identifier, 'The release.'],
  matches: ['boolean', 'Whether both checksums, and all files, are the same; the exit code is 2 where not.'],
  registered_checksum: [Checksum, 'That of the release.'],
  found_checksum: [Checksum, 'That of the bundle.'],
  'differing_files?': [
    'string[]',
    'Paths of files that are not as they were registered; where the release has a hash of each.',
  ],
})

export const PolicyBlock = object('What the policy said of a request that it blocked.', {
  policy: [PolicyVerdict, 'What the policy said.'],
})

export const ValidatedPolicy = object('A policy that can be set.', {
  valid: ['true', 'Always true: what is not valid is an error.'],
  policy: [Policy, 'The policy with its defaults.'],
  limits: ['string[]', 'What each of its limits lets through, in words.'],
  'warnings?': [
    'string[]',
    'Limits that let through more than somebody is likely to mean; left out where there is none.',
  ],
})

export const Version = object('The version of the program.', { version: ['string', 'SemVer.'] })

export const AcceptedClock = object("What was accepted as the time of this machine's clock.", {
  now: [Timestamp, 'What it says.'],
  before: [Timestamp, 'The later time that the ledger had noted.'],
})

export const Migrated = object('The schema of the ledger.', {
  schema_version: [Count, 'Highest applied migration.'],
  ledger: ['string', 'The ledger, without its password.'],
})
