import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Reply } from '../../http/wire/message.ts'

/** What fits into one packet is not smaller on its way. */
const LEAST_BYTES = 1400
/** What has not been compressed already. */
const TYPES = /^(?:text\/|application\/(?:json|javascript|xml|x-ndjson|vnd\.[\w.]+\+json)|image\/svg)/
/** Higher ones take far longer for a little less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const [toGzip, toBrotli] = [promisify(gzip), promisify(brotliCompress)]

/** The same answer in an encoding that the client takes. One that is small, or is produced as it is read, stays as it is. */
export async function compressed(reply: Reply, accepted: string): Promise<Reply> {
  const { body, headers } = reply
  const encoding = /\bbr\b(?!;\s*q=0)/.test(accepted)
    ? 'br'
    : /\bgzip\b(?!;\s*q=0)/.test(accepted)
      ? 'gzip'
      : undefined
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  if (!isWhole || body.length < LEAST_BYTES || !TYPES.test(headers['content-type'] ?? '')) return reply
  if ('content-encoding' in headers || encoding === undefined) return reply
  const vary = [headers.vary, 'accept-encoding'].filter(Boolean).join(', ')
  const bytes = encoding === 'br' ? await toBrotli(body, BROTLI) : await toGzip(body)
  return {
    ...reply,
    body: new Uint8Array(bytes),
    headers: { ...headers, vary, 'content-encoding': encoding },
  }
}
