import { base64, concatenate, digestOf, fromBase64 } from '../../base/bytes.ts'
import { hex } from '../../base/text.ts'
import { type PublicKey, type Signer, isSignedBy } from '../../rules/keys.ts'

/** A text with signatures: https://c2sp.org/signed-note */
export interface Note {
  /** Ends with a line feed, which is signed too. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

interface NoteSignature {
  readonly name: string
  /** The id of the key, 4 bytes, and the signature. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The type byte of an Ed25519 key (C2SP signed-note, signature types). */
const ED25519 = 0x01

/** The note of a text, signed under a name. */
export async function signNote(text: string, name: string, { key, sign }: Signer): Promise<string> {
  const signature = await sign(new TextEncoder().encode(text))
  const bytes = concatenate([await keyId(name, key), signature], 4 + signature.length)
  return `${text}\n— ${name} ${base64(bytes)}\n`
}

/** A note by its text, or undefined for any other text. */
export function readNote(note: string): Note | undefined {
  const end = note.lastIndexOf('\n\n')
  if (end === -1 || !note.endsWith('\n') || note.length > MOST_CHARS || hasControls(note)) return undefined
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > MOST_SIGNATURES) return undefined
  const signatures: NoteSignature[] = []
  for (const line of lines) {
    const [, name, encoded] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? []
    const bytes = encoded === undefined ? undefined : fromBase64(encoded)
    if (name === undefined || bytes === undefined || bytes.length < 5) return undefined
    signatures.push({ name, bytes })
  }
  return { text: note.slice(0, end + 1), signatures }
}

/** What a note says, or a text that is no note, which is then all that it says. */
export function noteText(note: string): string {
  return readNote(note)?.text ?? note
}

/** Whether one of the signatures under a name is by the key. */
export async function isNoteSignedBy(note: Note, name: string, key: PublicKey): Promise<boolean> {
  const id = await keyId(name, key)
  const message = new TextEncoder().encode(note.text)
  for (const { name: signer, bytes } of note.signatures) {
    if (signer !== name || id.some((byte, index) => bytes[index] !== byte)) continue
    if (await isSignedBy(key, message, bytes.slice(4))) return true
  }
  return false
}

/** The key as verifiers of notes take it: its name, its id in hex, and its type and bytes in base64. */
export async function verifierKey(name: string, key: PublicKey): Promise<string> {
  const id = hex(await keyId(name, key))
  return `${name}+${id}+${base64(new Uint8Array([ED25519, ...key.bytes]))}`
}

const MOST_SIGNATURES = 100
const MOST_CHARS = 1_000_000

async function keyId(name: string, { bytes }: PublicKey): Promise<Uint8Array<ArrayBuffer>> {
  const named = new TextEncoder().encode(`${name}\n`)
  const digest = await digestOf(new Uint8Array([...named, ED25519, ...bytes]))
  return digest.slice(0, 4)
}

/** Controls other than the line feed, and halves of characters, which UTF-8 can't hold. */
function hasControls(text: string): boolean {
  // oxlint-disable-next-line eslint/no-control-regex -- the format forbids exactly these
  return /[\u0000-\u0009\u000b-\u001f]/.test(text) || !text.isWellFormed()
}
