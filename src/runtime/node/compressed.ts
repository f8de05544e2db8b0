import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Reply } from '../../http/wire/message.ts'

/** What fits into one packet is not smaller on its way. */
const LEAST_BYTES = 1400
/** What has not been compressed already. */
const TYPES = /^(?:text\/|application\/(?:json|javascript|xml|x-ndjson|vnd\.[\w.]+\+json)|image\/svg)/
/** Higher ones take far longer for a little less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
/** Each takes 2 MB while it is under way. */
const MOST_AT_ONCE = 8

type Encoding = 'br' | 'gzip'
type Bytes = Uint8Array<ArrayBuffer>

const [toGzip, toBrotli] = [promisify(gzip), promisify(brotliCompress)]

/** Returns the same answer in an encoding that the client takes. */
type Compress = (reply: Reply, accepted: string) => Promise<Reply>

/**
 * Compresses answers of a server, eight at once; what comes meanwhile goes out as it is, like one that is small or produced as
 * it is read. A body of bytes is compressed once, for as long as somebody keeps it.
 */
export function compressor(): Compress {
  const kept = new WeakMap<Bytes, Map<Encoding, Promise<Bytes>>>()
  let underWay = 0

  async function encode(body: string | Bytes, encoding: Encoding): Promise<Bytes> {
    underWay += 1
    try {
      return new Uint8Array(await (encoding === 'br' ? toBrotli(body, BROTLI) : toGzip(body)))
    } finally {
      underWay -= 1
    }
  }

  /** Undefined where too many are under way. */
  function encoded(body: string | Bytes, encoding: Encoding): Promise<Bytes> | undefined {
    const known =
      typeof body === 'string' ? undefined : (kept.get(body) ?? new Map<Encoding, Promise<Bytes>>())
    const found = known?.get(encoding)
    if (found !== undefined || underWay >= MOST_AT_ONCE) return found
    const bytes = encode(body, encoding)
    if (known !== undefined) kept.set(body as Bytes, known.set(encoding, bytes))
    bytes.catch(() => known?.delete(encoding))
    return bytes
  }

  return async function compress(reply, accepted) {
    const { body, headers } = reply
    const isWhole = typeof body === 'string' || body instanceof Uint8Array
    if (!isWhole || body.length < LEAST_BYTES || !TYPES.test(headers['content-type'] ?? '')) return reply
    if ('content-encoding' in headers) return reply
    const encoding = encodingOf(accepted)
    const bytes = encoding && (await encoded(body, encoding))
    if (bytes === undefined) return reply
    const vary = [headers.vary, 'accept-encoding'].filter(Boolean).join(', ')
    return { ...reply, body: bytes, headers: { ...headers, vary, 'content-encoding': encoding! } }
  }
}

function encodingOf(accepted: string): Encoding | undefined {
  if (/\bbr\b(?!;\s*q=0)/.test(accepted)) return 'br'
  return /\bgzip\b(?!;\s*q=0)/.test(accepted) ? 'gzip' : undefined
}
