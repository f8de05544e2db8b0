import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { bearing, grant } from '../../../support/services/credentials.ts'
import { ok } from '../../../support/services/requests.ts'
import { testService } from '../../../support/services/service.ts'

/** A text that a header may hold. */
const headerText = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code)),
})

/** A token with one or more of its characters replaced, left out, doubled, or more behind it. */
function mutationsOf(token: string): fc.Arbitrary<string> {
  const at = fc.nat(token.length - 1)
  return fc.oneof(
    fc
      .tuple(at, fc.constantFrom(...'0123456789abcdefgABCF_-.'))
      .map(([index, char]) => replaced(token, index, char)),
    at.map(index => token.slice(0, index) + token.slice(index + 1)),
    at.map(index => token.slice(0, index)),
    at.map(index => token.slice(0, index + 1) + token.slice(index)),
    headerText.map(rest => token + rest),
    headerText.map(start => start + token),
    fc.constantFrom(
      token.toUpperCase(),
      token.replace('rgs_', 'RGS_'),
      token.replace('rgs_', ''),
      `${token},${token}`,
    ),
    fc.stringMatching(/^rgs_[0-9a-f]{64}$/),
    headerText,
  )
}

function replaced(text: string, index: number, char: string): string {
  return text.slice(0, index) + char + text.slice(index + 1)
}

test('no text but the token itself opens anything, and none breaks the service', async () => {
  const service = await testService()
  const token = await grant(service, 'ci', { role: 'admin' })
  await fc.assert(
    fc.asyncProperty(mutationsOf(token), async presented => {
      fc.pre(presented.trim() !== token)
      const { status } = await bearing(service, presented).call('GET /v1/releases')
      expect(status).toBe(401)
    }),
    { numRuns: 600 },
  )
  await ok(bearing(service, token).call('GET /v1/releases'))
})
