import { sha256 as sha256Of } from '../../../base/bytes.ts'

/** SHA-256 of a text, lowercase hex; undefined where the page's origin is not secure: browsers have no such function there. */
export async function sha256(text: string): Promise<string | undefined> {
  return isSecureContext ? sha256Of(text) : undefined
}
