import { base64, fromBase64 } from '../../base/bytes.ts'
import type { Hash } from './rules_merkle.ts'

/** The state of a log at a time: https://c2sp.org/tlog-checkpoint */
export interface Checkpoint {
  /** Identifies the ledger, and is the name that it is signed under. */
  readonly origin: string
  readonly size: number
  readonly root: Hash
  /** Hash of the last entry, hex. */
  readonly head: string
  /** When it was made, ISO-8601. */
  readonly time: string
}

/** The origin of a ledger. */
export function originOf(ledgerId: string): string {
  return `release-governance/${ledgerId}`
}

/** Its text, which is signed; the last two lines are extensions of ours. */
export function checkpointText({ origin, size, root, head, time }: Checkpoint): string {
  return `${origin}\n${size}\n${base64(root)}\nhead ${head}\ntime ${time}\n`
}

/** A checkpoint by its text, or undefined for any other text. */
export function readCheckpoint(text: string): Checkpoint | undefined {
  const [, origin, size, encoded, head, time] = SHAPE.exec(text) ?? []
  const root = encoded === undefined ? undefined : fromBase64(encoded)
  if (root?.length !== 32 || !Number.isSafeInteger(Number(size))) return undefined
  return { origin: origin!, size: Number(size), root, head: head!, time: time! }
}

const SHAPE =
  /^(\S+)\n([1-9]\d{0,15})\n([A-Za-z0-9+/=]+)\nhead ([0-9a-f]{64})\ntime (\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)\n$/

/** The checkpoints of a file, one behind the other, each a signed note or the bare text. */
export function splitCheckpoints(file: string): string[] {
  const parts = file
    .replaceAll('\r\n', '\n')
    // A signed one ends with its signatures, also where the next follows at once.
    .replaceAll(/^(— .*)\n(?!— )/gm, '$1\n\n')
    .split(/\n{2,}/)
    .map(part => part.trim())
    .filter(part => part !== '')
  const checkpoints: string[] = []
  for (const part of parts) {
    const isSigned = part.startsWith('— ') && checkpoints.length > 0
    if (isSigned) checkpoints.push(`${checkpoints.pop()}\n${part}\n`)
    else checkpoints.push(`${part}\n`)
  }
  return checkpoints
}
