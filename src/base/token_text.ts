/**
 * The text of a named credential: `rgs_` and 64 hex digits, of which the first 12 name the token, and the last 8 are
 * the CRC-32 of all before them. So a scanner can tell one from chance, and a mistyped one is known without a look-up.
 */
const TOKEN = /^rgs_([0-9a-f]{12})[0-9a-f]{44}([0-9a-f]{8})$/

const TOKEN_PREFIX = 'rgs_'

/** How many hex digits of secret follow the id. */
export const TOKEN_SECRET_DIGITS = 44

/** A token from the 12 hex digits of its id and the digits of its secret. */
export function tokenText(id: string, secret: string): string {
  const start = TOKEN_PREFIX + id + secret
  return start + checksumOf(start)
}

/** Whether a text means to be a named credential. */
export function isNamedToken(text: string): boolean {
  return text.startsWith(TOKEN_PREFIX)
}

/** The 12 hex digits that name a token; undefined where the text is none, or its checksum does not hold. */
export function tokenDigits(text: string): string | undefined {
  const match = TOKEN.exec(text)
  return match !== null && checksumOf(text.slice(0, -8)) === match[2] ? match[1] : undefined
}

/** CRC-32 (ISO-HDLC, as of zip) of ASCII text, in hex. */
function checksumOf(text: string): string {
  let crc = 0xff_ff_ff_ff
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0)
  }
  return (~crc >>> 0).toString(16).padStart(8, '0')
}
