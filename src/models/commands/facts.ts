import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { Policy, PolicyVerdict, VERDICT_FIELDS, policy } from '../documents/policy.ts'
import { Checksum, Count, Identifier, Timestamp } from '../scalars.ts'

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
