import { fitsBytes, isDisguised } from '../base/text.ts'
import type { Check } from './problems.ts'

const PROSE_BYTES = 16_384

/** Free text. */
export const proseBytes: Check<string> = text =>
  fitsBytes(text, PROSE_BYTES)
    ? undefined
    : { expected: `at most ${PROSE_BYTES} bytes long`, actual: `${text.length} characters` }

/** The same of a window and of an address, whose form the operation checks and refuses with a status of its own. */
export const windowBytes: Check<string> = text => proseBytes(text)
export const addressBytes: Check<string> = text => proseBytes(text)

const ACTOR_BYTES = 512

/** Blanks around a name don't count, and invisible characters are refused where it is read. */
export const actorBytes: Check<string> = text =>
  fitsBytes(text, ACTOR_BYTES)
    ? undefined
    : { expected: `at most ${ACTOR_BYTES} bytes long`, actual: `${text.length} characters` }

/** A text that can't pass for another one. */
export const undisguised: Check<string> = text =>
  isDisguised(text)
    ? {
        expected: 'without invisible characters, and without blanks at its beginning and end',
        actual: 'another text',
      }
    : undefined

/**
 * No blanks around it and no invisible characters, as `isDisguised` finds them: Unicode Cc, and Cf of the first plane,
 * and letters that show nothing, written out, because not every reader of JSON Schema knows Unicode's categories. Not
 * described are variation selectors, which are taken where they select anything.
 */
const INVISIBLE =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2' +
  '\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb'

/** Who asks, in a header or a body: what is left without the blanks around it. Nothing is nobody. */
export const ACTOR_PATTERN = `^\\s*([^\\s${INVISIBLE}]([^${INVISIBLE}]*[^\\s${INVISIBLE}])?)?\\s*$`

/** What JSON Schema says of what passes the checks above. */
export const INPUT_KEYWORDS = [
  [proseBytes, { maxLength: PROSE_BYTES }],
  [windowBytes, { pattern: '^([1-9][0-9]{0,4}d|[1-9][0-9]{0,6}h|[1-9][0-9]{0,8}m)$' }],
  [addressBytes, { pattern: '^https?://[^\\s\\u0000]+$' }],
  [actorBytes, { pattern: ACTOR_PATTERN, maxLength: ACTOR_BYTES }],
  [undisguised, { pattern: `^[^\\s${INVISIBLE}]([^${INVISIBLE}]*[^\\s${INVISIBLE}])?$` }],
] as const
