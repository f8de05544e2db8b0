import { expect, test } from 'vitest'
import { ServiceError } from '../../../../src/base/errors.ts'
import {
  type Approvable,
  agreementOf,
  alikeWarnings,
  refuseApprover,
  requirePerson,
  wantingBy,
} from '../../../../src/ledger/decide/approvers.ts'
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
const BY_CI: Partial<Approvable> = { actor: 'ci', actor_source: 'token', actor_identity: undefined }
const claimedBy = (actor: string): Partial<Approvable> => ({
  actor,
  actor_source: 'header',
  actor_identity: undefined,
})
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
const REQUESTER = [400, expect.stringMatching(/asked for this rollout: somebody else must confirm it/)]
const AGAIN = [400, expect.stringMatching(/has confirmed prq_1 already/)]
const NOBODY = [
  400,
  expect.stringMatching(/is no person's name, so you don't count as another person\. You are /),
]
const BY_NOBODY = [400, expect.stringMatching(/^root asked for this rollout, which is nobody's name/)]
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
  // Two proven names decide alone: what either calls itself besides is nothing that anybody knows.
  ['a pipeline with a token, whomever it acts for', ANOTHER, byToken('ci', 'ann'), {}, undefined],
  ['whom a pipeline acted for', ANOTHER, byToken('eve'), { ...BY_CI, claimed_actor: 'eve' }, undefined],
  [
    'another token where both shells are root',
    ANOTHER,
    byToken('bob', 'root'),
    { ...BY_CI, claimed_actor: 'root' },
    undefined,
  ],
  [
    'the claim of the name that asked with a token',
    ANOTHER,
    { name: 'CI', source: 'header' },
    BY_CI,
    REQUESTER,
  ],
  ['the token of the name that was claimed', ANOTHER, byToken('eve'), claimedBy('eve'), REQUESTER],
  [
    'a claim of the name that was claimed',
    ANOTHER,
    { name: 'eve', source: 'cli' },
    claimedBy('Eve'),
    REQUESTER,
  ],
  ['another claim', ANOTHER, { name: 'ann', source: 'cli' }, claimedBy('eve'), undefined],
  ['root beside a token', ANOTHER, { name: 'root', source: 'cli' }, BY_CI, NOBODY],
  ['an empty name', ANOTHER, { name: ' ', source: 'header' }, BY_CI, NOBODY],
  ['runner as one of two', { approvals_required: 2 }, { name: 'runner', source: 'cli' }, BY_CI, NOBODY],
  ['root where one is enough', {}, { name: 'root', source: 'cli' }, BY_CI, undefined],
  ['a token that is called root', ANOTHER, byToken('root'), BY_CI, undefined],
  ['a token beside a request by root', ANOTHER, byToken('bob'), claimedBy('root'), BY_NOBODY],
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

test.each<[string, object, Parameters<typeof agreementOf>[0], Actor | undefined, string]>([
  ['anybody where nothing is demanded', {}, { actor: 'ann' }, byToken('ann'), 'counts'],
  ['one of the same name', ANOTHER, { actor: 'Ann' }, byToken('ann'), 'self'],
  [
    'one by another name',
    ANOTHER,
    { actor: 'ann', actor_identity: at('1') },
    signedIn('ann b.', '1'),
    'self',
  ],
  ['a namesake', ANOTHER, { actor: 'ann', actor_identity: at('1') }, signedIn('ann', '2'), 'counts'],
  ['whom a pipeline acts for', ANOTHER, { actor: 'ann' }, byToken('ci', 'ann'), 'counts'],
  ['a pipeline that acted for one', ANOTHER, { actor: 'ci', claimed_actor: 'ann' }, byToken('ann'), 'counts'],
  ['root', ANOTHER, { actor: 'root', actor_source: 'cli' }, byToken('ann'), 'nobody'],
  ['anybody for root', ANOTHER, { actor: 'ann' }, { name: 'root', source: 'cli' }, 'nobody'],
  [
    'a token that is called root',
    ANOTHER,
    { actor: 'root', actor_source: 'token' },
    byToken('ann'),
    'counts',
  ],
  ['anybody where nobody wants it yet', ANOTHER, { actor: 'ann' }, undefined, 'counts'],
  ['a token where it takes people', PEOPLE, { actor: 'ann' }, byToken('bea'), 'unproven'],
  ['a person', PEOPLE, { actor: 'ann', actor_identity: at('1') }, byToken('bea'), 'counts'],
  [
    'a person of another issuer',
    { ...PEOPLE, ...ANOTHER },
    { actor: 'ann', actor_identity: at('1') },
    signedIn('bea', '2', 'https://other.example'),
    'unproven',
  ],
])('what %s agreed to, for who wants it', (_, workspace, record, wanting, expected) => {
  expect(agreementOf(record, wanting, workspace as Ledger['workspace'])).toBe(expected)
})

test('only people who have signed in may do what only people may', () => {
  expect(() => requirePerson(signedIn('ann', '1'), 'acknowledge it')).not.toThrow()
  const workload: Actor = { name: 'ci', source: 'oidc', identity: at('2') }
  expect(() => requirePerson(workload, 'acknowledge it')).toThrow(
    /^Only people who have signed in may acknowledge it/,
  )
})

test('who is on record may want something', () => {
  expect(wantingBy({ actor: 'ci', claimed_actor: 'ann', actor_identity: at('1') })).toEqual({
    name: 'ci',
    claimed: 'ann',
    identity: at('1'),
  })
  expect(wantingBy({ actor: 'ann' })).toEqual({ name: 'ann' })
})
