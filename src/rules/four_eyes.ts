import { isSameName } from '../base/text.ts'

/** Somebody on record: a name, how it came, and whom an identity provider vouched for where one did. */
export interface Who {
  readonly name: string
  /** A name that came by a token or an identity provider is proven, any other is claimed. */
  readonly source?: string | undefined
  readonly identity?: { readonly issuer: string; readonly subject: string } | undefined
}

/** What programs call whoever runs them where nobody says a name: many are called so. */
const NO_NAMES = ['', 'root', 'runner', 'unknown'] as const

/** Whether a name says nobody: it is claimed, and a default of containers, runners or the command line. */
export function isNobody({ name, source, identity }: Who): boolean {
  const isProven = identity !== undefined || source === 'token' || source === 'oidc'
  return !isProven && NO_NAMES.some(other => isSameName(other, name))
}

/**
 * Whether two are one person. Subjects of one issuer tell that whatever their names are; otherwise the names have to do.
 * `alike` are two whose names a reader can't tell apart.
 */
export function likeness(one: Who, other: Who): 'same' | 'alike' | 'different' {
  const [a, b] = [one.identity, other.identity]
  const isSame = isSameName(one.name, other.name)
  if (a !== undefined && b !== undefined && a.issuer === b.issuer) {
    if (a.subject === b.subject) return 'same'
    return isSame || isAlike(one.name, other.name) ? 'alike' : 'different'
  }
  return isSame ? 'same' : isAlike(one.name, other.name) ? 'alike' : 'different'
}

/** Whether letters of other scripts make two names look the same: `аnn`, which begins with a Cyrillic letter, and `ann`. */
function isAlike(one: string, other: string): boolean {
  return isSameName(skeleton(one), skeleton(other))
}

/** A name with Latin letters for those that look like them (Unicode Technical Standard 39, 4). */
function skeleton(name: string): string {
  return Array.from(name.normalize('NFKC'), char => LATIN.get(char) ?? char).join('')
}

/** Letters of Cyrillic, Greek, Armenian and Cherokee, and others that pass for Latin ones in common fonts; and digits that do. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: 'аɑα',
  A: 'АΑᎪ',
  B: 'ВΒᏴ',
  c: 'сϲ',
  C: 'СϹᏟ',
  d: 'ԁ',
  D: 'Ꭰ',
  e: 'еҽ',
  E: 'ЕΕᎬ',
  g: 'ɡց',
  G: 'ԌᏀ',
  h: 'һհ',
  H: 'НΗᎻ',
  i: 'іιɩı',
  I: 'ІΙӀ',
  j: 'јϳ',
  J: 'ЈᎫ',
  K: 'КΚᏦ',
  k: 'кκ',
  l: 'ӏ1|',
  L: 'Ꮮ',
  M: 'МΜᎷ',
  n: 'ոռ',
  N: 'Ν',
  o: 'оοօ0σ',
  O: 'ОΟՕ',
  p: 'рρ',
  P: 'РΡᏢ',
  q: 'ԛգ',
  r: 'г',
  s: 'ѕ',
  S: 'ЅՏᏚ',
  T: 'ТΤᎢ',
  u: 'υս',
  U: 'Ս',
  v: 'ѵν',
  V: 'ѴᏙ',
  w: 'ԝѡ',
  W: 'ԜᎳ',
  x: 'хχ',
  X: 'ХΧ',
  y: 'уү',
  Y: 'УΥҮ',
  Z: 'ΖᏃ',
}

const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKALIKES).flatMap(([latin, others]) =>
    Array.from(others, other => [other, latin] as const),
  ),
)
