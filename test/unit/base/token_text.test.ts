import { crc32 } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNamedToken, tokenDigits, tokenText } from '../../../src/base/token_text.ts'

const digits = (count: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: count, maxLength: count })

test('a token names itself, and ends in the CRC-32 of the rest', () => {
  fc.assert(
    fc.property(digits(12), digits(44), (id, secret) => {
      const token = tokenText(id, secret)
      expect(token).toMatch(/^rgs_[0-9a-f]{64}$/)
      expect(isNamedToken(token)).toBe(true)
      expect(tokenDigits(token)).toBe(id)
      expect(token.slice(-8)).toBe(crc32(token.slice(0, -8)).toString(16).padStart(8, '0'))
    }),
  )
})

test('one wrong digit, or two that changed places, are found', () => {
  fc.assert(
    fc.property(digits(12), digits(44), fc.nat(62), fc.nat(15), (id, secret, at, digit) => {
      const token = tokenText(id, secret)
      const index = at + 4
      const wrong = token.slice(0, index) + digit.toString(16) + token.slice(index + 1)
      expect(wrong === token ? undefined : tokenDigits(wrong)).toBeUndefined()
      const swapped = token.slice(0, index) + token[index + 1]! + token[index]! + token.slice(index + 2)
      expect(swapped === token ? undefined : tokenDigits(swapped)).toBeUndefined()
    }),
  )
})
