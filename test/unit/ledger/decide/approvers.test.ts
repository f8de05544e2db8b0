import { expect, test } from 'vitest'
import { ServiceError } from '../../../../src/base/errors.ts'
import { type Approvable, alikeWarnings, refuseApprover } from '../../../../src/ledger/decide/approvers.ts'
import type { Actor, Ledger } from '../../../../src/ledger/world/ledger.ts'

const at = (subject: string, issuer = 'https://sso.example') => ({ issuer, subject })

const signedIn = (name: string, subject: string, issuer?: string): Actor => ({
  name,
  source: 'oidc',
  identity: at(subject, issuer),
  isSignedIn: true,
})
const byToken = (name: string, claimed?: string): Actor => ({
  name,
  source: 'token',
  ...(claimed === undefined ? {} : { claimed }),
})

const approvedBy = (actor: string, actor_identity?: ReturnType<typeof at>) => ({
  actor,
  ...(actor_identity === undefined ? {} : { actor_identity }),
  reason: 'fine',
  created_at: '2026-01-31T12:00:00.000Z',
})

const REQUEST: Approvable = { request_id: 'prq_1', actor: 'ann', actor_identity: at('1') }
const PEOPLE = { approvals: { people_only: true } }
const ANOTHER = { approval_by_another: true }

function refusalOf(
  workspace: object,
  actor: Actor,
  request: Partial<Approvable> = {},
): [number, string] | undefined {
  try {
    refuseApprover({ ...REQUEST, ...request }, 'rollout', actor, workspace as Ledger['workspace'])
    return undefined
  } catch (error) {
    if (error instanceof ServiceError) return [error.status, error.message]
    throw error
  }
}

const PEOPLE_ONLY = [403, expect.stringMatching(/^Only people who have signed in may confirm/)]
const REQUESTER = [400, expect.stringMatching(/asked for this rollout: somebody else has to confirm it/)]
const AGAIN = [400, expect.stringMatching(/has confirmed prq_1 already/)]
const TWO_ISSUERS = [403, expect.stringMatching(/known by another identity provider than you/)]

test.each<[string, object, Actor, Partial<Approvable>, unknown]>([
  ['anybody where nothing is demanded', {}, byToken('ann'), {}, undefined],
  ['a token where only people may', PEOPLE, byToken('bea'), {}, PEOPLE_ONLY],
  [
    'a workload of a provider',
    PEOPLE,
    { ...byToken('bea'), source: 'oidc', identity: at('2') },
    {},
    PEOPLE_ONLY,
  ],
  ['the command line', PEOPLE, { name: 'bea', source: 'cli' }, {}, PEOPLE_ONLY],
  ['a person', PEOPLE, signedIn('bea', '2'), {}, undefined],
  ['the requester by another name', ANOTHER, signedIn('ann b.', '1'), {}, REQUESTER],
  ['a namesake with another subject', ANOTHER, signedIn('ann', '2'), {}, undefined],
  ['the requester by name alone', ANOTHER, byToken('Ann'), { actor_identity: undefined }, REQUESTER],
  ['a pipeline that acts for the requester', ANOTHER, byToken('ci', 'ann'), {}, REQUESTER],
  ['whom the requester acted for', ANOTHER, byToken('eve'), { actor: 'ci', claimed_actor: 'eve' }, REQUESTER],
  ['who has confirmed', {}, byToken('bea'), { approvals: [approvedBy('bea')] }, AGAIN],
  [
    'who has confirmed by another name',
    {},
    signedIn('b', '2'),
    { approvals: [approvedBy('bea', at('2'))] },
    AGAIN,
  ],
  [
    'a person beside one of another issuer',
    PEOPLE,
    signedIn('cem', '3'),
    { approvals: [approvedBy('bea', at('2', 'https://other.example'))] },
    TWO_ISSUERS,
  ],
  [
    'a person of another issuer than the requester',
    { ...PEOPLE, ...ANOTHER },
    signedIn('cem', '3', 'https://other.example'),
    {},
    TWO_ISSUERS,
  ],
  [
    'a person beside a token',
    PEOPLE,
    signedIn('cem', '3'),
    { approvals: [approvedBy('bea')] },
    [403, expect.stringMatching(/^bea confirmed it with a token/)],
  ],
])('%s', (_, workspace, actor, request, wanted) => {
  expect(refusalOf(workspace, actor, request)).toEqual(wanted)
})

test('a name that looks like another is warned of', () => {
  expect(alikeWarnings(REQUEST, signedIn('аnn', '2'))).toEqual([expect.stringContaining('looks like ann')])
  expect(alikeWarnings(REQUEST, signedIn('bea', '2'))).toEqual([])
})
