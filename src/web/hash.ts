import { hex } from '../base/text.ts'

/** SHA-256 of a text, lowercase hex; undefined where the page's origin is not secure: browsers have no such function there. */
export async function sha256(text: string): Promise<string | undefined> {
  if (!isSecureContext) return undefined
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return hex(new Uint8Array(digest))
}
