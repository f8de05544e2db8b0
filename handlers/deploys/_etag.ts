/** Whether an If-None-Match header names it (RFC 9110, 13.1.2). */
export function knows(ifNoneMatch: string, etag: string): boolean {
  const known = ifNoneMatch.split(',').map(text => text.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}
