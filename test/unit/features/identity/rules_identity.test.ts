import { expect, test } from 'vitest'
import { type ClaimRule, ruleFor } from '../../../../src/features/identity/rules_identity.ts'

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
