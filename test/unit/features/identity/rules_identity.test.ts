import { expect, test } from 'vitest'
import {
  type ClaimRule,
  claimsNeeded,
  nameIn,
  ruleFor,
  whyNoRule,
} from '../../../../src/features/identity/rules_identity.ts'

const rule = (claims: ClaimRule['claims']): ClaimRule => ({ role: 'read', claims })

test.each<[ClaimRule['claims'], Record<string, unknown>, boolean]>([
  [{}, {}, true],
  [{ repository: 'acme/bot' }, { repository: 'acme/bot' }, true],
  [{ repository: 'acme/bot' }, { repository: 'acme/bot2' }, false],
  [{ repository: 'acme/bot' }, { repository: 'ACME/bot' }, false],
  [{ repository: 'acme/bot' }, {}, false],
  [{ ref: 'refs/tags/*' }, { ref: 'refs/tags/v1' }, true],
  [{ ref: 'refs/tags/*' }, { ref: 'refs/heads/refs/tags/v1' }, false],
  [{ ref: '*' }, { ref: 'x' }, true],
  [{ ref: '*' }, {}, false],
  [{ ref: ['a', 'b'] }, { ref: 'b' }, true],
  [{ ref: ['a', 'b'] }, { ref: 'c' }, false],
  [{ ref: [] }, { ref: 'c' }, false],
  [{ groups: 'release' }, { groups: ['dev', 'release'] }, true],
  [{ groups: 'release' }, { groups: ['dev'] }, false],
  [{ groups: 'release' }, { groups: { release: true } }, false],
  [{ run: '7' }, { run: 7 }, true],
  [{ protected: 'true' }, { protected: true }, true],
  [{ a: 'x', b: 'y' }, { a: 'x' }, false],
  [{ toString: '*' }, {}, false],
  [{ a: 'x' }, { a: null }, false],
  [{ a: '*' }, { a: null }, false],
  [{ a: '*' }, { a: { b: 'c' } }, false],
  [{ email: '*' }, { email: 'a@b.c' }, false],
  [{ email: '*' }, { email: 'a@b.c', email_verified: 'true' }, false],
  [{ email: '*' }, { email: 'a@b.c', email_verified: true }, true],
])('%j of %j: %s', (claims, given, fits) => {
  expect(ruleFor([rule(claims)], given) !== undefined).toBe(fits)
})

test('the first that fits counts', () => {
  const rules: ClaimRule[] = [
    { role: 'write', claims: { ref: 'main' } },
    { role: 'admin', claims: {} },
  ]
  expect(ruleFor(rules, { ref: 'main' })?.role).toBe('write')
  expect(ruleFor(rules, { ref: 'x' })?.role).toBe('admin')
  expect(ruleFor([], {})).toBeUndefined()
})

test('each claim that a rule or the name needs is asked for once', () => {
  const rules = [rule({ groups: 'a', ref: 'b' }), rule({ groups: 'c' })]
  expect(claimsNeeded(rules, 'name')).toEqual(['groups', 'ref', 'name'])
  expect(claimsNeeded(rules, 'ref')).toEqual(['groups', 'ref'])
  expect(claimsNeeded(rules, 'email')).toEqual(['groups', 'ref', 'email', 'email_verified'])
})

test.each<[Record<string, unknown>, why: string]>([
  [{}, 'is missing'],
  [{ toString: 'a' }, 'is missing'],
  [{ _claim_names: { groups: 'src1' } }, 'was left out, as there are too many'],
  [{ _claim_names: { others: 'src1' } }, 'is missing'],
  [{ _claim_names: null }, 'is missing'],
  [{ _claim_names: 'groups' }, 'is missing'],
  [{ _claim_names: Object.assign(() => {}, { groups: 'src1' }) }, 'is missing'],
  [{ groups: [] }, 'is empty'],
  [{ groups: [{}] }, 'is empty'],
  [{ groups: {} }, 'is object, not a text'],
  [{ groups: null }, 'is null, not a text'],
  [{ groups: 'a' }, 'has another value'],
  [{ groups: ['a'] }, 'has another value'],
  [{ groups: ['a', 'b'] }, 'has 2 other values'],
])('of %j no rule holds: the claim %s', (claims, why) => {
  expect(whyNoRule([rule({ groups: 'x' }), rule({ groups: 'y' })], claims)).toBe(`groups ${why}`)
})

test('an address that nobody verified is named', () => {
  expect(whyNoRule([rule({ email: 'x' })], { email: 'x' })).toBe('email is not verified')
})

test('names only claims that do not match, by the rules that are nearest', () => {
  const rules = [
    rule({ repository: 'acme/bot', ref: ['main', 'tags/*'] }),
    rule({ repository: 'acme/web', ref: 'beta' }),
  ]
  const why = (repository: string, ref: string) => whyNoRule(rules, { repository, ref })
  expect(why('acme/bot', 'feature')).toBe('ref has another value')
  expect(why('acme/fork', 'main')).toBe('repository has another value')
  expect(why('acme/bot', 'beta')).toBe('ref has another value, repository has another value')
  expect(why('acme/fork', 'feature')).toBe('repository has another value, ref has another value')
})

test('every claim that a rule asks for is told of, once', () => {
  expect(whyNoRule([rule({ a: 'x', b: 'x' }), rule({ a: 'y', c: 'x' })], { b: 1 })).toBe(
    'a is missing, b has another value, c is missing',
  )
})

test.each<[claim: string, Record<string, unknown>, named: object]>([
  ['name', { name: 'Ann' }, { name: 'Ann' }],
  ['name', {}, { problem: 'its name is missing' }],
  ['toString', {}, { problem: 'its toString is missing' }],
  ['name', { name: 7 }, { problem: 'its name is no text' }],
  ['name', { name: ' ' }, { problem: 'its name is not a name that can be put on record' }],
  ['name', { name: 'Ann\u202e' }, { problem: 'its name is not a name that can be put on record' }],
  ['name', { name: 'a'.repeat(512) }, { name: 'a'.repeat(512) }],
  ['name', { name: 'a'.repeat(513) }, { problem: 'its name is not a name that can be put on record' }],
  ['name', { name: 'Ann', email_verified: false }, { name: 'Ann' }],
  ['email', { email: 'a@b.c' }, { problem: 'its email is not verified' }],
  ['email', { email: 'a@b.c', email_verified: 'true' }, { problem: 'its email is not verified' }],
  ['email', { email: 'a@b.c', email_verified: true }, { name: 'a@b.c' }],
])('the claim %s of %j names %j', (claim, claims, named) => {
  expect(nameIn(claims, claim)).toEqual(named)
})
