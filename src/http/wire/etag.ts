import { sha256 } from '../../base/bytes.ts'
import type { Reply, RequestLike } from './message.ts'

/** Whether an If-None-Match header names it (RFC 9110, 13.1.2). */
export function knows(ifNoneMatch: string, etag: string): boolean {
  const known = ifNoneMatch.split(',').map(text => text.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}

/**
 * The same answer with a tag of its body, for a read that comes with If-None-Match; 304 where that names it. A read without
 * that header is not hashed, and has no tag.
 */
export async function revalidated(reply: Reply, { method, headers }: RequestLike): Promise<Reply> {
  const given = headers.get('if-none-match')
  const { status, body } = reply
  if (given === null || method !== 'GET' || status !== 200 || typeof body !== 'string') return reply
  if ('etag' in reply.headers) return reply
  const tag = `"${(await sha256(body)).slice(0, 32)}"`
  const tagged = { ...reply.headers, etag: `W/${tag}` }
  return knows(given, tag)
    ? { ...reply, status: 304, headers: tagged, body: '' }
    : { ...reply, headers: tagged }
}
