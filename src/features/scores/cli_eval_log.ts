import { inflateRawSync, zstdDecompressSync } from 'node:zlib'
import { badRequest } from '../../base/errors.ts'
import { fieldsOf, parsedJson } from './rules_text.ts'
import type { Fields } from '../../models/checks.ts'

/** Most bytes that a log may hold. */
const MOST_BYTES = 2 ** 29

/** Whether bytes are a zip, as the logs of Inspect are (.eval). */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4
}

/**
 * A log of Inspect (.eval) as its JSON: `header.json` with what an import reads of `samples/*.json`. Throws 400 for a zip that
 * is none, and one that is damaged.
 */
export function evalLogText(bytes: Buffer, path: string): string {
  try {
    const files = filesIn(bytes)
    if (!files.has('header.json') && !files.has('_journal/start.json')) {
      throw new RangeError('it has no header.json: it is not a log of Inspect')
    }
    let left = MOST_BYTES
    const parsed = (name: string): Fields => {
      const text = contentOf(bytes, files.get(name)!, left)
      left -= text.length
      return fieldsOf(parsedJson(text.toString()))
    }
    const header = files.has('header.json') ? parsed('header.json') : {}
    const names = [...files.keys()].filter(name => /^samples\/.*\.json$/.test(name))
    const samples = names.map(name => {
      const { id, epoch, scores, error, total_time, model_usage } = parsed(name)
      return { id, epoch, scores, error, total_time, model_usage }
    })
    return JSON.stringify(samples.length === 0 ? header : { ...header, samples })
  } catch (error) {
    throw badRequest(`${path} can't be read as a log of Inspect: ${(error as Error).message}.`, error)
  }
}

interface Packed {
  readonly method: number
  readonly size: number
  readonly at: number
}

/** The files of a zip by name, of several with one name the last, by its central directory (PKWARE APPNOTE 4.3.12). */
function filesIn(bytes: Buffer): ReadonlyMap<string, Packed> {
  const end = bytes.lastIndexOf('PK\u0005\u0006', undefined, 'latin1')
  if (end < 0) throw new RangeError('its directory is missing: the file is cut off')
  const files = new Map<string, Packed>()
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) throw new RangeError('its directory is damaged')
    const [name, extra, comment] = [28, 30, 32].map(offset => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ]
    files.set(bytes.toString('utf8', at + 46, at + 46 + name), {
      method: bytes.readUInt16LE(at + 10),
      size: bytes.readUInt32LE(at + 20),
      at: bytes.readUInt32LE(at + 42),
    })
    at += 46 + name + extra + comment
  }
  return files
}

function contentOf(bytes: Buffer, { method, size, at }: Packed, maxOutputLength: number): Buffer {
  const begin = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
  const packed = bytes.subarray(begin, begin + size)
  if (method === 0) return packed
  if (method === 8) return inflateRawSync(packed, { maxOutputLength })
  if (method === 93) return zstdDecompressSync(packed, { maxOutputLength })
  throw new RangeError(`it is compressed by method ${method}, which is unknown`)
}
