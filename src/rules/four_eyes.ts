import { isSameName } from '../base/text.ts'

/** Somebody on record: a name, and whom an identity provider vouched for where one did. */
export interface Who {
  readonly name: string
  readonly identity?: { readonly issuer: string; readonly subject: string } | undefined
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
    return isSame || looksAlike(one.name, other.name) ? 'alike' : 'different'
  }
  return isSame ? 'same' : looksAlike(one.name, other.name) ? 'alike' : 'different'
}

/** Whether letters of other scripts make two names look the same: `аnn`, which begins with a Cyrillic letter, and `ann`. */
function looksAlike(one: string, other: string): boolean {
  return isSameName(skeleton(one), skeleton(other))
}

/** A name with Latin letters for those that look like them (Unicode Technical Standard 39, 4). */
function skeleton(name: string): string {
  return Array.from(name.normalize('NFKC'), char => LATIN.get(char) ?? char).join('')
}

/** Letters of Cyrillic, Greek, Armenian and Cherokee, and others that pass for Latin ones in common fonts; and digits that do. */
const LOOKS: Readonly<Record<string, string>> = {
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
  Object.entries(LOOKS).flatMap(([latin, others]) => Array.from(others, other => [other, latin] as const)),
)
