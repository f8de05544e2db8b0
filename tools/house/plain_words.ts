/**
 * Ways to write that readers stumble over, by the findings' numbers, each with what to write instead. 7, 8 and 9 are no matter
 * of an expression: a sentence with three conditions, a limit without its practical reading, two words for one thing.
 */
export const PATTERNS: Readonly<Record<string, readonly [pattern: RegExp, instead: string]>> = {
  'P1 a clause in place of a noun': [
    /\b(?:who|what)ever\b|\bwho may\b|\bwhat (?:is|are|was|were|waits|has|it may)\b/i,
    'live release, permissions, pending approvals, authorised users',
  ],
  'P2 but for except': [/\bbut (?:for|at|in|where)\b/i, 'except'],
  'P3 a verb without an object': [
    /\b(?:goes by|goes on|goes for|comes? to|says? so|holds? (?:for|in|at|where|here|there))\b/i,
    'requires, uses, applies, remains, reports',
  ],
  'P4 a pronoun without a noun': [
    /\bthe same (?:of|as)\b|\bof (?:it|them|these|those)\b|\bbesides?(?=[.,:;])/i,
    'the noun again',
  ],
  'P5 a sentence that begins with of': [/(?:^|[.:;] )Of (?:an?|the|it|what|single)\b/, 'the subject first'],
  'P6 a verdict by negation': [
    /\b(?:is|are|was) (?:none|no (?!longer|more|other)[a-z]+)\b|\bno less\b|\bnothing is wrong\b/i,
    'what happens: does not pass, is not valid',
  ],
  'P10 own English': [
    /\b(?:mends?|mended|calls? back|called back|slips?|anew|told|tells|asked|asks|looked at|is over|good for)\b/i,
    'fix, withdraw, likely mistake, again, shown, requested, checked, ended, valid',
  ],
  'P11 history or proof': [
    /\bwas never (?:built|tried)\b|\bnew since\b|\bused to be\b|\bas of before\b/i,
    'docs/project',
  ],
  'P12 an option that repeats its type': [
    /\bwhich it is anyway\b|^Said `|\bas text has them\b/,
    'effect and default',
  ],
}

/** The words of the glossary's last column, which are not to be used for its terms. */
export function notTheseWords(glossary: string): readonly string[] {
  return glossary
    .split('\n')
    .flatMap(line => /^\| [^|]+ \| [^|]+ \| ([^|]+) \|$/.exec(line)?.[1]?.split(', ') ?? [])
    .filter(word => !/^(?:not this|---)$/.test(word))
}

/** How often each pattern and each of these words is in texts. */
export function countPlain(texts: readonly string[], notThese: readonly string[]): Record<string, number> {
  const words = notThese.map(word => [`not this: ${word}`, new RegExp(`\\b${word}s?\\b`, 'gi')] as const)
  const patterns = Object.entries(PATTERNS).map(
    ([name, [pattern]]) => [name, new RegExp(pattern, 'gi')] as const,
  )
  return Object.fromEntries(
    [...patterns, ...words].map(([name, pattern]) => [
      name,
      texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0),
    ]),
  )
}
