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

export const PromotedList = object('The live releases, by agent and environment.', {
  promoted: [
    object({ agent_id: [Identifier, 'The agent.'], environment: [Identifier, 'The environment.'] })
      .and(PromotedRelease)
      .array(),
    'One entry per agent and environment with a live release.',
  ],
})

export const GateError = object('An error of the gate. The command exits with 1.', {
  verdict: ["'error'", 'Always `error`.'],
  detail: ['string', 'Why, and what to do.'],
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
  agent_id: [Identifier.or('null'), 'The agent; null if it is about the whole ledger.'],
  environment: [Identifier.or('null'), 'The environment; null if it is about the whole ledger.'],
  text: ['string', 'One sentence.'],
  command: ['string', 'The command that shows more or settles it.'],
})

export const Status = object('Live releases, pending work and problems.', {
  live: [
    object({ agent_id: [Identifier, 'The agent.'], environment: [Identifier, 'The environment.'] })
      .and(PromotedRelease)
      .array(),
    'One entry per agent and environment with a live release.',
  ],
  waits: [StatusFound.array(), 'Tasks for somebody, and work in progress.'],
  wrong: [StatusFound.array(), 'Problems to check.'],
})

export const Places = object('The answers of one agent, by environment.', {
  places: [PlaceAnswer.array(), 'One per environment.'],
})

/** What commands find out by themselves, as they print it with `--output json`. */

export const ValidatedRelease = object('A bundle that can be registered.', {
  valid: ['true', 'Always true: an invalid bundle is an error.'],
  agent_id: ['string', 'Its agent.'],
  version: ['string', 'metadata.version of its release.yaml.'],
  checksum: [Checksum, 'Checksum of the bundle.'],
  files: ['string[]', 'Files that it covers.'],
})

export const VerifiedRelease = object('Whether a bundle is the one that was registered.', {
  release_id: [Identifier, 'The release.'],
  matches: ['boolean', 'Whether both checksums, and all files, are the same; otherwise the exit code is 2.'],
  registered_checksum: [Checksum, "The release's checksum."],
  found_checksum: [Checksum, "The bundle's checksum."],
  'differing_files?': [
    'string[]',
    'Paths of files that differ from the registered ones; only if the release has a hash of each.',
  ],
})

export const PolicyBlock = object("The policy's result for a request that it blocked.", {
  policy: [PolicyVerdict, 'What the policy said.'],
})

export const ValidatedPolicy = object('A policy that can be set.', {
  valid: ['true', 'Always true: an invalid bundle is an error.'],
  policy: [Policy, 'The policy with its defaults.'],
  limits: ['string[]', 'The meaning of each limit, in words.'],
  'warnings?': ['string[]', 'Limits that are likely larger than intended; left out if there are none.'],
})

export const Version = object('The version of the program.', { version: ['string', 'SemVer.'] })

export const AcceptedClock = object("The accepted time of this machine's clock.", {
  now: [Timestamp, 'Its time.'],
  before: [Timestamp, 'The later time in the ledger.'],
})

export const Migrated = object('The schema of the ledger.', {
  schema_version: [Count, 'Highest applied migration.'],
  ledger: ['string', 'The ledger, without its password.'],
})
