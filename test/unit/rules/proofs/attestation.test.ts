import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IN_TOTO, open, seal } from '../../../../src/features/proofs/rules_dsse.ts'
import { newKeys, publicKeyOf, signerOf } from '../../../../src/rules/keys.ts'
import { readStatement, statementOf } from '../../../../src/features/proofs/rules_statement.ts'

const { privatePem, publicPem } = await newKeys()
const [signer, key] = [await signerOf(privatePem, 'key'), await publicKeyOf(publicPem, 'pub')]

const STATEMENT = statementOf({
  ledger: 'ab'.repeat(16),
  version: '1.2.3',
  action_id: 'act_0123456789ab',
  action: 'promote',
  agent_id: 'support/bot ü',
  environment: 'prod',
  passed: true,
  created_at: '2026-01-01T00:00:00.000Z',
  hash: 'cd'.repeat(32),
  release: { version: '1.0', checksum: 'ef'.repeat(32) },
  derived: { path: 'releases/rel_1/capabilities', sha256: '23'.repeat(32) },
  policy: { policy_id: 'p', digest: '01'.repeat(32) },
})
const TEXT = JSON.stringify(STATEMENT)

/** The pre-authentication encoding by hand: https://github.com/secure-systems-lab/dsse/blob/v1.0.2/protocol.md */
function encoded(type: string, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload])
}

describe('keys', () => {
  test('are read by another implementation, and its own are read', async () => {
    expect(createPrivateKey(privatePem).asymmetricKeyType).toBe('ed25519')
    expect(createPublicKey(privatePem).export({ format: 'pem', type: 'spki' })).toBe(publicPem)
    const pair = generateKeyPairSync('ed25519')
    const theirs = pair.publicKey.export({ format: 'pem', type: 'spki' }) as string
    const other = await signerOf(pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string, 'x')
    expect(other.key).toEqual(await publicKeyOf(theirs, 'x'))
    expect(Buffer.from(other.key.bytes)).toEqual(
      pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
    )
  })

  test.each([
    ['nothing', ''],
    ['the other half', publicPem],
    [
      'another kind',
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
    ],
    ['a cut one', privatePem.replace(/.{8}\n-----END/, '\n-----END')],
  ])('refused as a private one: %s', async (_, text) => {
    await expect(signerOf(text as string, 'k.pem')).rejects.toThrow(/^k\.pem is not a private key/)
  })

  test.each([
    ['nothing', ''],
    ['the other half', privatePem],
    ['another kind', generateKeyPairSync('x25519').publicKey.export({ format: 'pem', type: 'spki' })],
  ])('refused as a public one: %s', async (_, text) => {
    await expect(publicKeyOf(text as string, 'k.pub')).rejects.toThrow(
      /^k\.pub is not a public key of Ed25519/,
    )
  })
})

describe('an envelope', () => {
  test('is signed over the encoding of DSSE, and opened by who has the key', async () => {
    const envelope = await seal(TEXT, signer)
    const payload = Buffer.from(envelope.payload, 'base64')
    expect(payload.toString()).toBe(TEXT)
    const { sig, keyid } = envelope.signatures[0]!
    expect(keyid).toMatch(/^[0-9a-f]{64}$/)
    expect(verify(null, encoded(IN_TOTO, payload), publicPem, Buffer.from(sig, 'base64'))).toBe(true)
    expect(await open(envelope, key)).toEqual({ payload: TEXT })
    expect(readStatement(TEXT)).toEqual(STATEMENT)
  })

  test('of another implementation is opened, in either alphabet of base64', async () => {
    // Bytes that the two alphabets write differently.
    const payload = Buffer.from('{"a":"~~~???ÿÿÿ"}')
    const sig = sign(null, encoded(IN_TOTO, payload), privatePem)
    const base64url = (bytes: Buffer): string =>
      bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')
    const envelope = {
      payloadType: IN_TOTO,
      payload: base64url(payload),
      signatures: [{ sig: Buffer.alloc(64).toString('base64') }, { sig: base64url(sig) }],
    }
    expect(await open(envelope, key)).toEqual({ payload: payload.toString() })
  })

  test.each([
    ['null', null],
    ['a text', 'x'],
    ['without signatures', { payload: '', payloadType: IN_TOTO, signatures: [] }],
    ['with null for one', { payload: '', payloadType: IN_TOTO, signatures: [null] }],
    [
      'with a thousand',
      { payload: '', payloadType: IN_TOTO, signatures: Array.from({ length: 1000 }, () => ({ sig: '' })) },
    ],
  ])('is refused: %s', async (_, envelope) => {
    expect(await open(envelope, key)).toHaveProperty('problem')
  })

  test('of another type is refused, though it is signed', async () => {
    const payload = Buffer.from(TEXT)
    const sig = sign(null, encoded('text/plain', payload), privatePem).toString('base64')
    const envelope = { payloadType: 'text/plain', payload: payload.toString('base64'), signatures: [{ sig }] }
    expect(await open(envelope, key)).toEqual({ problem: `its payload is not of the type ${IN_TOTO}` })
  })

  test('is refused by another key', async () => {
    const other = await publicKeyOf((await newKeys()).publicPem, 'x')
    expect(await open(await seal(TEXT, signer), other)).toEqual({
      problem: 'none of its signatures was made by this key',
    })
  })

  test('with any byte changed is refused, or says the same', async () => {
    const text = JSON.stringify(await seal(TEXT, signer))
    const position = fc.nat(text.length - 1)
    const char = fc.constantFrom(...'Aa0+/=-_"\\{}[],: é\u0000')
    await fc.assert(
      fc.asyncProperty(position, char, async (at, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + 1)
        let value: unknown
        try {
          value = JSON.parse(changed)
        } catch {
          return
        }
        const opened = await open(value, key)
        expect('problem' in opened || opened.payload === TEXT).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('of any shape never throws and is never taken', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), async (payload, payloadType, sig) => {
        for (const value of [
          payload,
          { payload, payloadType, signatures: [{ sig }] },
          { payload, signatures: sig },
        ]) {
          expect(await open(value, key)).toHaveProperty('problem')
        }
      }),
      { numRuns: 100 },
    )
  })
})

test('anything but a verification summary is no statement, and never throws', () => {
  fc.assert(
    fc.property(fc.json(), text => {
      expect(readStatement(text)).toBeUndefined()
    }),
    { numRuns: 200 },
  )
  fc.assert(
    fc.property(
      fc.constantFrom('subject', '_type', 'predicateType', 'predicate'),
      fc.jsonValue(),
      (field, value) => {
        fc.pre(
          !(field in STATEMENT && JSON.stringify(value) === JSON.stringify(STATEMENT[field as 'subject'])),
        )
        expect(readStatement(JSON.stringify({ ...STATEMENT, [field]: value }))).toBeUndefined()
      },
    ),
    { numRuns: 200 },
  )
})
