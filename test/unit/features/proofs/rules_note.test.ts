import { createHash, verify } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkpointText,
  readCheckpoint,
  splitCheckpoints,
} from '../../../../src/features/proofs/rules_checkpoint.ts'
import { newKeys, publicKeyOf, signerOf } from '../../../../src/rules/keys.ts'
import {
  isNoteSignedBy,
  readNote,
  signNote,
  verifierKey,
} from '../../../../src/features/proofs/rules_note.ts'

const { privatePem, publicPem } = await newKeys()
const [signer, key] = [await signerOf(privatePem, 'key'), await publicKeyOf(publicPem, 'pub')]
const NAME = 'release-governance/0123456789abcdef0123456789abcdef'

const CHECKPOINT = {
  origin: NAME,
  size: 42,
  root: new Uint8Array(createHash('sha256').digest()),
  head: 'ab'.repeat(32),
  time: '2026-01-31T12:00:00.000Z',
}
const TEXT = checkpointText(CHECKPOINT)
const NOTE = await signNote(TEXT, NAME, signer)

async function isSigned(text: string, name = NAME): Promise<boolean> {
  const note = readNote(text)
  return note !== undefined && isNoteSignedBy(note, name, key)
}

describe('a signed note', () => {
  test('is as the format says, by hand', async () => {
    const lines = NOTE.split('\n')
    expect(lines.slice(0, 6)).toEqual([
      NAME,
      '42',
      '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
      `head ${'ab'.repeat(32)}`,
      'time 2026-01-31T12:00:00.000Z',
      '',
    ])
    const [, name, encoded] = /^— (\S+) (\S+)$/.exec(lines[6]!)!
    expect([name, lines.slice(7)]).toEqual([NAME, ['']])
    const bytes = Buffer.from(encoded!, 'base64')
    const id = createHash('sha256')
      .update(NAME)
      .update(Buffer.of(0x0a, 0x01))
      .update(key.bytes)
      .digest()
      .subarray(0, 4)
    expect(bytes.subarray(0, 4)).toEqual(id)
    expect(verify(null, Buffer.from(TEXT), publicPem, bytes.subarray(4))).toBe(true)
    expect(await isSigned(NOTE)).toBe(true)
    expect(await verifierKey(NAME, key)).toBe(
      `${NAME}+${id.toString('hex')}+${Buffer.concat([Buffer.of(1), key.bytes]).toString('base64')}`,
    )
  })

  // Of golang.org/x/mod/sumdb/note, whose example has this key and note.
  test('of another implementation is read', async () => {
    const text =
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    const theirs = `${text}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`
    const bytes = new Uint8Array(
      Buffer.from('ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'base64').subarray(1),
    )
    const note = readNote(theirs)!
    const other = { bytes, id: '' }
    expect(await verifierKey('PeterNeumann', other)).toBe(
      'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    )
    expect(await isNoteSignedBy(note, 'PeterNeumann', other)).toBe(true)
    expect(await isNoteSignedBy(note, 'EnochRoot', other)).toBe(false)
  })

  test('with signatures of others beside it counts, under its name alone', async () => {
    const other = await signerOf((await newKeys()).privatePem, 'x')
    const line = (await signNote(TEXT, 'witness.example', other)).split('\n').at(-2)!
    const witnessed = NOTE.replace(/\n— /, `\n${line}\n— `)
    expect(await isSigned(witnessed)).toBe(true)
    expect(await isSigned(witnessed, 'witness.example')).toBe(false)
    // A key of theirs under our name.
    expect(await isSigned(await signNote(TEXT, NAME, other))).toBe(false)
  })

  test.each([
    ['without a signature', TEXT],
    ['without a line feed at its end', NOTE.trimEnd()],
    ['with a control', NOTE.replace('head', 'he\u0007d')],
    ['with half a character', NOTE.replace('head', 'he\ud800d')],
    ['with another dash', NOTE.replace('—', '-')],
    ['with two spaces', NOTE.replace(/— (\S+) /, '— $1  ')],
    ['with a signature that is cut', NOTE.replace(/.{8}\n$/, '\n')],
    ['with another name', NOTE.replace(/— \S+/, '— other')],
  ])('is refused %s', async (_, text) => {
    expect(await isSigned(text)).toBe(false)
  })

  test('with any character changed is refused', async () => {
    const chars = fc.constantFrom(...'Aa0+/=— \n\t\u0000é')
    await fc.assert(
      fc.asyncProperty(fc.nat(NOTE.length - 1), chars, fc.boolean(), async (at, put, isInserted) => {
        const changed = NOTE.slice(0, at) + put + NOTE.slice(isInserted ? at : at + 1)
        fc.pre(changed !== NOTE)
        expect(await isSigned(changed)).toBe(false)
      }),
      { numRuns: 200 },
    )
  })

  test('of any text never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, more) => {
        for (const one of [
          text,
          `${text}\n\n— ${more}\n`,
          `${text}\n\n— a ${btoa(more.replaceAll(/[^\0-\u007f]/g, ''))}\n`,
        ]) {
          expect(readCheckpoint(one)).toBeUndefined()
          expect(readNote(one)?.text ?? '').not.toContain('\u0000')
          expect(splitCheckpoints(one)).not.toContain('')
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('a checkpoint', () => {
  test('is read as it was written', () => {
    expect(readCheckpoint(TEXT)).toEqual(CHECKPOINT)
  })

  test.each([
    ['no size', TEXT.replace('\n42\n', '\n0\n')],
    ['a size with a zero in front', TEXT.replace('\n42\n', '\n042\n')],
    ['a size that no number holds', TEXT.replace('\n42\n', '\n9999999999999999\n')],
    ['a short root', TEXT.replace('47DEQpj8', '')],
    ['no head', TEXT.replace(/head .*\n/, '')],
    ['a line too many', `${TEXT}more\n`],
  ])('is refused with %s', (_, text) => {
    expect(readCheckpoint(text)).toBeUndefined()
  })

  test('is found in a file with others, signed or not', () => {
    const bare = checkpointText({ ...CHECKPOINT, size: 43 })
    const file = [NOTE, bare, NOTE].join('\n')
    expect(splitCheckpoints(file)).toEqual([NOTE, bare, NOTE])
    expect(splitCheckpoints(file.replaceAll('\n', '\r\n'))).toEqual([NOTE, bare, NOTE])
    expect(splitCheckpoints('\n\n')).toEqual([])
    expect(splitCheckpoints(NOTE + NOTE + bare)).toEqual([NOTE, NOTE, bare])
  })

  test('that is signed is not taken for one that is not', () => {
    expect(readCheckpoint(NOTE)).toBeUndefined()
  })
})
